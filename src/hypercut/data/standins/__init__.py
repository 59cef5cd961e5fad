"""Generated images that replace an unavailable dataset, to test the pipeline; they say nothing about methods."""
