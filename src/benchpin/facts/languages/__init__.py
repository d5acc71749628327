"""The supported languages, one package each; AGENTS.md shows what a package contains.

Nothing of a language is imported before a file in it, or in a language of its family, is met.
"""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._detect import detect_language, is_candidate, is_in_doubt, read_language
    from ._registry import (
        NAMES,
        family_module,
        family_of,
        kin_of,
        languages_of,
        load,
        name_scope_of,
        table_of,
        unit_of,
    )

__all__ = [
    "NAMES",
    "detect_language",
    "family_module",
    "family_of",
    "is_candidate",
    "is_in_doubt",
    "kin_of",
    "languages_of",
    "load",
    "name_scope_of",
    "read_language",
    "table_of",
    "unit_of",
]

__getattr__ = lazy(__name__)
