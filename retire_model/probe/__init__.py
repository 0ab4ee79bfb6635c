"""`--probe`: builds Hugging Face classes and compares them with what was read."""
