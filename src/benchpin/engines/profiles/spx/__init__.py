"""Profiles of PHP made by SPX: full reports of 0.4 and 0.5, complete or damaged."""

from .reader import read_profile

__all__ = ["read_profile"]
