"""How the report looks: colours, figures, tables and the page. Knows nothing of the benchmark's results."""
