"""Edits an engine tree in memory: one codemod a file; `codemods.writer` alone writes to disk."""
