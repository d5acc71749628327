"""Who called whom and what it cost: the call tree that every kind of profile is read into."""

from .budget import Budget
from .builder import ProfileBuilder
from .sums import Name

__all__ = ["Budget", "Name", "ProfileBuilder"]
