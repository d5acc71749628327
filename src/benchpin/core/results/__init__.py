"""What a tool returns: results, pages of lists, results too large to send."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._paging import Page, decode_cursor, encode_cursor, paginate, paginate_stream
    from ._result import Abridged, Coverage, Item, Result, not_measured, not_read, not_selected
    from ._result_store import ResultStore, StoredResult

__all__ = [
    "Abridged",
    "Coverage",
    "Item",
    "Page",
    "Result",
    "ResultStore",
    "StoredResult",
    "decode_cursor",
    "encode_cursor",
    "not_measured",
    "not_read",
    "not_selected",
    "paginate",
    "paginate_stream",
]

__getattr__ = lazy(__name__)
