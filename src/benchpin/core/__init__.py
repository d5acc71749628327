"""The vocabulary: tools, calls, results, content, errors.

Nothing here depends on MCP, the command line or a particular tool. Each part has its own door.
"""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from .errors import BenchpinError

__all__ = ["BenchpinError"]

__getattr__ = lazy(__name__)
