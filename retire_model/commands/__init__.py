"""The commands, one a file: its words, its options, and the function that does the work."""
