"""Variables of Python that hold a library: made by `ctypes` or `cffi`, or imported."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from benchpin.engines.source.index import FileFacts

from .model import Kind
from .texts import Text

_LOADER = r"(?:CDLL|PyDLL|WinDLL|OleDLL|LoadLibrary|load_library|dlopen)"
_TARGET = r"^[ \t]*((?:\w+\.)*\w+)\s*(?::[^=\n]+)?=\s*"
_LOADED = re.compile(rf"{_TARGET}[\w.]*\b{_LOADER}\s*\(([^\n]{{0,100}})", re.MULTILINE)
_SYSTEM = re.compile(
    rf"{_TARGET}[\w.]*\b(?:cdll|windll|oledll)\.(?!LoadLibrary\b)(\w+)[ \t]*$", re.MULTILINE
)
_MADE = re.compile(rf"{_TARGET}(?:\w+\.)?(\w+)\(", re.MULTILINE)
_SAME = re.compile(rf"{_TARGET}((?:\w+\.)*\w+)[ \t]*$", re.MULTILINE)
_LOADING = re.compile(rf"\b{_LOADER}\s*\(")
_RETURN = re.compile(rf"\breturn\s+(?:[\w.]*\b{_LOADER}\s*\(|((?:\w+\.)*\w+)\s*$)", re.MULTILINE)
_NAMED = re.compile(r"""[rbf]?["']([^"'\n]+)["']""")
_BUILT = frozenset({"ffi", "lib"})


@dataclass(frozen=True, slots=True)
class Handle:
    """A variable that holds a library."""

    kind: Kind
    expression: str
    library: str = ""
    """What the library is called, where a literal says so."""


def own_handles(file: FileFacts, text: Text, kinds: set[Kind]) -> dict[str, Handle]:
    """Return the variables that hold what a file loads, by expression."""
    handles: dict[str, Handle] = {}
    for found in _LOADED.finditer(text.code):
        kind: Kind = "cffi" if "dlopen" in found[0] and "cffi" in kinds else "ctypes"
        handles[found[1]] = Handle(kind, found[1], library_named(found[2]))
    for found in _SYSTEM.finditer(text.code):
        handles[found[1]] = Handle("ctypes", found[1], found[2])
    for expression in ("ctypes.pythonapi", "pythonapi"):
        handles[expression] = Handle("ctypes", expression, "CPython")
    for name in built_names(file):
        handles[name] = Handle("cffi", name)
    makers = dict(_makers(file, text, handles))
    for found in _MADE.finditer(text.code) if makers else ():
        if found[2] in makers:
            handles.setdefault(found[1], replace(makers[found[2]], expression=found[1]))
    for found in _SAME.finditer(text.code):
        if found[2] in handles:
            handles.setdefault(found[1], replace(handles[found[2]], expression=found[1]))
    return handles


def imported_handles(file: FileFacts, homes: Mapping[str, Mapping[str, Handle]]) -> list[Handle]:
    """Return the variables that hold what other files loaded; these are given by their stem."""
    return list(_imported(file, homes))


def shareable(handles_by_path: Mapping[str, Mapping[str, Handle]]) -> dict[str, dict[str, Handle]]:
    """Return the handles that other files may import, by the name of the module they are in."""
    homes: defaultdict[str, dict[str, Handle]] = defaultdict(dict)
    for path, handles in handles_by_path.items():
        folder, _, name = path.rpartition("/")
        stem = folder.rpartition("/")[2] if name == "__init__.py" else name.partition(".")[0]
        for expression, handle in handles.items():
            if "." not in expression and expression != "pythonapi":
                homes[stem][expression] = handle
    return dict(homes)


def built_names(file: FileFacts) -> list[str]:
    """Return what `lib` is called that comes, as `ffi` does, from a module that cffi built."""
    names: defaultdict[tuple[int, str], dict[str, str]] = defaultdict(dict)
    for it in file.links.imports:
        called = zip(it.names, it.aliases or it.names, strict=False)
        names[it.level, it.module] |= dict(called)
    return [it["lib"] for it in names.values() if it.keys() >= _BUILT]


def library_named(arguments: str) -> str:
    """Return the name of the library that the first argument of a loader is, if it is a literal."""
    found = _NAMED.match(arguments.strip())
    return found[1] if found else ""


def _makers(
    file: FileFacts, text: Text, handles: Mapping[str, Handle]
) -> Iterator[tuple[str, Handle]]:
    """Give the functions that return a library, with what they return."""
    for function in file.outline.functions:
        body = text.code[text.start_of(function.line) : text.start_of(function.end_line + 1)]
        if not _LOADING.search(body):
            continue
        for found in _RETURN.finditer(body):
            known = handles.get(found[1] or "")
            if known is not None or not found[1] or "CDLL" in function.signature:
                yield function.name.rpartition(".")[2], known or Handle("ctypes", "")
                break


def _imported(file: FileFacts, homes: Mapping[str, Mapping[str, Handle]]) -> Iterator[Handle]:
    for imported in file.links.imports:
        stem = imported.module.rpartition(".")[2]
        own = homes.get(stem, {})
        if not imported.names:
            module = imported.aliases[0] if imported.aliases else imported.module
            yield from (replace(it, expression=f"{module}.{name}") for name, it in own.items())
        for name, alias in zip(imported.names, imported.aliases or imported.names, strict=False):
            if name in own:
                yield replace(own[name], expression=alias)
            for inner, handle in homes.get(name, {}).items():
                yield replace(handle, expression=f"{alias}.{inner}")
