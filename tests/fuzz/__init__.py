"""Readers and editors on files that were real and are now damaged: `make fuzz`, and a little of it in the tests."""
