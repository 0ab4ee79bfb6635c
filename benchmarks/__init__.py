"""What is fast must stay fast: `make bench`."""
