"""Profiles of PHP made by SPX: full reports of 0.4 and 0.5, whole or damaged."""

from .budget import Budget
from .metadata import Metadata, read_metadata
from .reader import read_profile

__all__ = ["Budget", "Metadata", "read_metadata", "read_profile"]
