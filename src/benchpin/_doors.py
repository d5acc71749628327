"""Doors of packages: names that are imported from their private module when they are first used.

A door that imported all of its modules would load most of Benchpin at every start: all engines
together take 1.2 s and 70 MB, and no command needs more than a part of them.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def lazy(package: str) -> Callable[[str], object]:
    """Return the `__getattr__` of a package.

    The imports for the type checker, below `if TYPE_CHECKING:`, say where names are. They are read
    from the source of the package when a name is first asked for.
    """
    homes = dict[str, str]()

    def attribute(name: str) -> object:
        if not homes:
            homes.update(_homes(package))
        if name not in homes:
            message = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(message)
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        # Kept in the package, so that the next import does not come here.
        setattr(sys.modules[package], name, value)
        return value

    return attribute


def _homes(package: str) -> dict[str, str]:
    """Return the module of each name."""
    spec: Any = sys.modules[package].__spec__
    # From the loader, because the package may be in a zip file; split by hand, because `ast` takes
    # ten times as long.
    source: str = spec.loader.get_data(spec.origin).decode()
    homes = dict[str, str]()
    for part in source.split("\n    from .")[1:]:
        module, _, rest = part.partition(" import ")
        listed = rest[1:].partition(")") if rest.startswith("(") else rest.partition("\n")
        homes.update(dict.fromkeys(listed[0].replace(",", " ").split(), module))
    return homes
