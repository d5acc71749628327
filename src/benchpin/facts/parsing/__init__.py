"""From the bytes of a file to its facts: the table of a language, and one walk over the tree."""

from pathlib import Path
from typing import TYPE_CHECKING

from benchpin._doors import lazy

from ._compiled import import_text, is_interpreted, prefers_text

if TYPE_CHECKING:
    from ._language import (
        DECISION,
        FLAT,
        NESTING,
        NOTHING,
        PATH,
        STRUCTURE,
        Language,
        Masked,
        NameScope,
        NameUses,
        Role,
        Weight,
        child_of,
        children_of,
        field_text,
        text_of,
        weigh_else_block,
        weigh_if,
        weigh_jump,
    )
    from ._reading import extract

__all__ = [
    "DECISION",
    "FLAT",
    "NESTING",
    "NOTHING",
    "PATH",
    "STRUCTURE",
    "Language",
    "Masked",
    "NameScope",
    "NameUses",
    "Role",
    "Weight",
    "child_of",
    "children_of",
    "extract",
    "field_text",
    "is_interpreted",
    "text_of",
    "weigh_else_block",
    "weigh_if",
    "weigh_jump",
]

__getattr__ = lazy(__name__)

if prefers_text(_here := Path(__file__).parent):
    import_text(_here)
