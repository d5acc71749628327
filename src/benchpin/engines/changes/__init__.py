"""What a change does: which files and which functions differ between two states of a workspace."""
