"""Shell scripts."""
