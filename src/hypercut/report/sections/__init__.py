"""The sections of the page, one file each: data, table, figure and text, in this order."""
