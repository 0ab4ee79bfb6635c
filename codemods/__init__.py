"""Edits an engine tree in memory: one codemod a file; `codemods.writing.writer` alone writes to disk."""
