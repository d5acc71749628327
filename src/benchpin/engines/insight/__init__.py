"""Composes the measures of a project: scores, defects, the quality gate, advice."""
