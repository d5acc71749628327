"""Cross-language references: where code of one language reaches code of another."""

from .bridge import Bridge, BridgeCount, BridgeKind, Bridges
from .finding import MOST, find_bridges

__all__ = ["MOST", "Bridge", "BridgeCount", "BridgeKind", "Bridges", "find_bridges"]
