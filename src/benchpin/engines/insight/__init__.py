"""What the measures of a codebase say together."""
