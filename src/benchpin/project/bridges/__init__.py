"""Cross-language references: where code of one language reaches code of another."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._bridge import Bridges
    from ._finding import find_bridges
    from ._scan import REFERENCED

__all__ = ["REFERENCED", "Bridges", "find_bridges"]

__getattr__ = lazy(__name__)
