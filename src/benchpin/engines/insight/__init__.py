"""What several measures say together: coverage, defects, health."""
