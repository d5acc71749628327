"""Whether the walk over syntax trees runs as machine code or from its Python text.

Wheels for one version of Python have these modules compiled by mypyc, beside their text, and Python
prefers what is compiled; `make setup` does the same in a checkout.
"""

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from pathlib import Path

# `pyproject.toml` has the same list; they call one another natively, so all are compiled or none
# is.
MODULES = ("_definitions", "_extract", "_grammar", "_language", "_links", "_walker")

# A text that is newer by less was not edited: installers give each file the time of unpacking.
_UNPACKING_S = 2.0


def prefers_text(folder: Path) -> bool:
    """Whether the text has to run: INTERPRET_BENCHPIN is set, or it was edited since."""
    compiled = [folder / f"{name}{EXTENSION_SUFFIXES[0]}" for name in MODULES]
    compiled = [place for place in compiled if place.is_file()]
    if not compiled:
        return False
    texts = [folder / f"{name}.py" for name in MODULES]
    edited = max(place.stat().st_mtime for place in texts)
    is_edited = edited > min(place.stat().st_mtime for place in compiled) + _UNPACKING_S
    return is_edited or bool(os.environ.get("INTERPRET_BENCHPIN"))


def is_interpreted() -> bool:
    """Whether the walk runs from its Python text, which is slower."""
    from . import (  # noqa: PLC0415 - the package imports this module before the walk
        _walker as walker,
    )

    return walker.__file__.endswith(SOURCE_SUFFIXES[0])


def import_text(folder: Path) -> None:
    """Have Python import the modules of a folder from their text only."""
    finder = FileFinder(str(folder), (SourceFileLoader, SOURCE_SUFFIXES))
    sys.path_importer_cache[str(folder)] = finder
