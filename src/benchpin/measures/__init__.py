"""Measures: from facts and history to numbers."""
