"""Verdicts compared with what the real engine did."""
