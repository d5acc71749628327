"""How results are shown: reports with one declared view, and HTML pages."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._report import Report
    from ._view import (
        MACHINE_FORMATS,
        MAX_ROWS,
        PICTURE_FORMATS,
        Check,
        Column,
        Finding,
        FindingFormat,
        FindingParams,
        FindingRule,
        Format,
        Image,
        InnerTable,
        Level,
        ListParams,
        Table,
        View,
        filled,
        is_numeric,
        location,
        show_cell,
    )
    from .page import Excerpt, ExcerptGroup

__all__ = [
    "MACHINE_FORMATS",
    "MAX_ROWS",
    "PICTURE_FORMATS",
    "Check",
    "Column",
    "Excerpt",
    "ExcerptGroup",
    "Finding",
    "FindingFormat",
    "FindingParams",
    "FindingRule",
    "Format",
    "Image",
    "InnerTable",
    "Level",
    "ListParams",
    "Report",
    "Table",
    "View",
    "filled",
    "is_numeric",
    "location",
    "show_cell",
]

__getattr__ = lazy(__name__)
