"""The sections of the page, one file each: text, data, table and figure, in this order."""
