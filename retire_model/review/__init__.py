"""Answers about a change, such as a pull request: what it forgets, loses without a word, or need not add."""
