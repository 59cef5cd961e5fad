"""From raw samples to feature vectors: pixels, GIST, DFT."""
