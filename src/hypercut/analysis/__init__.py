"""Numbers of the report, from rows: no text, no layout."""
