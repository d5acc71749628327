"""Machine code for the modules that touch every node of every tree, where somebody made it.

`make setup` has mypyc turn them into an extension when there is a C compiler, which takes a sixth
off the time for a new file. It lies in a folder that is named after the text it was made from, and
the Python it was made for: once one of the modules is edited, what is written runs again.
INTERPRET_BENCHPIN has it do so at once, for a debugger.
"""

import hashlib
import os
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

MODULES = ("definitions", "extract", "grammar", "language", "walker")
GROUP = "walking"
"""What the library is called that has the code of all of them."""

_HERE = Path(__file__).parent
_FOLDER = _HERE / "__compiled__"


def folder_for_now() -> Path:
    """Return where the machine code of the modules as they are now has its place."""
    texts = b"\0".join((_HERE / f"{name}.py").read_bytes() for name in MODULES)
    return _FOLDER / f"{hashlib.sha256(texts).hexdigest()[:16]}{EXTENSION_SUFFIXES[0]}"


def find_folder() -> Path | None:
    """Return where there is machine code to be used."""
    if not _FOLDER.is_dir() or os.environ.get("INTERPRET_BENCHPIN"):
        return None
    folder = folder_for_now()
    return folder if folder.is_dir() else None
