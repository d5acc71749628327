"""Reconcile an answer about a name with a plain search for it: each line is in one class."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._account import (
        LINE_CLASSES,
        LineClass,
        NameAccount,
        account_for,
        account_of_name,
        all_sentences,
        summed_up,
    )
    from ._name_lines import NameLines, find_lines

__all__ = [
    "LINE_CLASSES",
    "LineClass",
    "NameAccount",
    "NameLines",
    "account_for",
    "account_of_name",
    "all_sentences",
    "find_lines",
    "summed_up",
]

__getattr__ = lazy(__name__)
