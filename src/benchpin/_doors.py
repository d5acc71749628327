"""Doors of packages: names that are imported from their private module when they are first used.

A door that imported all of its modules would load most of Benchpin at every start: all engines
together take 1.2 s and 70 MB, and no command needs more than a part of them.
"""

import sys
from collections.abc import Callable
from importlib import import_module


def lazy(package: str, names: str) -> Callable[[str], object]:
    """Return the `__getattr__` of a package; `names` lists modules, `_module:`, and their names."""
    homes = dict[str, str]()
    module = ""
    for word in names.split():
        if word.endswith(":"):
            module = word[:-1]
        else:
            homes[word] = module

    def attribute(name: str) -> object:
        if name not in homes:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        # Kept in the package, so that the next import does not come here.
        setattr(sys.modules[package], name, value)
        return value

    return attribute
