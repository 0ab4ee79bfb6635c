"""Checks that the parts of one engine tree agree: one check a file, facts in, faults out."""
