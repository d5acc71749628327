"""The quality gate: thresholds, baselines of known violations, and what changed in a diff."""
