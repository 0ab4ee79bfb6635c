"""What the command says, for people and for machines."""
