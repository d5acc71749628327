"""Compiled versions of the modules that visit every node of every syntax tree.

If there is a C compiler, `make setup` compiles them with mypyc, which saves a sixth of the time for
a new file. The folder is named after the text of the modules and the Python version: after an edit,
Python runs the source again. INTERPRET_BENCHPIN turns the compiled code off, for a debugger.
"""

import hashlib
import os
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

MODULES = ("definitions", "extract", "grammar", "language", "links", "walker")
GROUP = "walking"
"""The name of the shared library with the code of all modules."""

_HERE = Path(__file__).parent
_FOLDER = _HERE / "__compiled__"


def current_folder() -> Path:
    """Return the folder for the compiled code of the modules as they are now."""
    texts = b"\0".join((_HERE / f"{name}.py").read_bytes() for name in MODULES)
    return _FOLDER / f"{hashlib.sha256(texts).hexdigest()[:16]}{EXTENSION_SUFFIXES[0]}"


def find_folder() -> Path | None:
    """Return the folder of compiled code to use, if there is one."""
    if not _FOLDER.is_dir() or os.environ.get("INTERPRET_BENCHPIN"):
        return None
    folder = current_folder()
    return folder if folder.is_dir() else None
