"""Find symbols, their uses and their calls in a project."""
