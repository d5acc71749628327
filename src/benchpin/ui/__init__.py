"""Pages about a workspace for people: on this machine, and as one file to send."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._report import write_report
    from ._serving import serve_pages

__all__ = ["serve_pages", "write_report"]

__getattr__ = lazy(__name__)
