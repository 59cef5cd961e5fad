"""Feature vectors of raw samples (pixels, GIST, DFT), and the file that stores them between steps."""
