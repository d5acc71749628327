"""Measures: pure functions from facts and history to numbers."""
