"""Generated images that stand in for a dataset whose original cannot be had: they test the pipeline, not a method."""
