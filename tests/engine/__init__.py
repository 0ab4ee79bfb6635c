"""What `make engine` needs besides pip."""
