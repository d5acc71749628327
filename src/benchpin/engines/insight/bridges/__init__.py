"""Cross-language references: where code of one language reaches code of another."""

from .finding import MOST, find_bridges
from .model import Bridge, BridgeCount, Bridges, Kind

__all__ = ["MOST", "Bridge", "BridgeCount", "Bridges", "Kind", "find_bridges"]
