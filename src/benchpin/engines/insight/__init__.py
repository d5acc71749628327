"""Insight: what several engines say of a project when they are read together."""
