"""Cross-language references: where code of one language reaches code of another."""

from .bridge import Bridge, BridgeCount, BridgeKind, Bridges
from .finding import MAX_FINDINGS, find_bridges
from .scan import REFERENCED

__all__ = [
    "MAX_FINDINGS",
    "REFERENCED",
    "Bridge",
    "BridgeCount",
    "BridgeKind",
    "Bridges",
    "find_bridges",
]
