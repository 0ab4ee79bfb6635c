"""Puts a change set on disk, all or nothing."""
