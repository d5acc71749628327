"""The quality gate: measures by name, their thresholds, what is known already, what changed."""
