"""Judges facts: one rule a file, facts in, findings out."""
