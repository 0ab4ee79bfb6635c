"""The smoke run of four models whose outcome is known."""
