"""Libraries that Python loads by itself: `ctypes` and `cffi`."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchpin.engines.source.facts import Import
from benchpin.engines.source.index import FileFacts

from .c_symbols import CSymbols
from .model import Kind, Place, Reach
from .scan import Scan
from .texts import Text

_LOADER = r"(?:CDLL|PyDLL|WinDLL|OleDLL|LoadLibrary|load_library|dlopen)"
_TARGET = r"^[ \t]*((?:\w+\.)*\w+)\s*(?::[^=\n]+)?=\s*"
_LOADED = re.compile(rf"{_TARGET}[\w.]*\b{_LOADER}\s*\(([^\n]{{0,100}})", re.MULTILINE)
_SYSTEM = re.compile(
    rf"{_TARGET}[\w.]*\b(?:cdll|windll|oledll)\.(?!LoadLibrary\b)(\w+)[ \t]*$", re.MULTILINE
)
_AT_ONCE = re.compile(rf"\b{_LOADER}\s*\(([^()\n]*)\)\s*\.\s*([A-Za-z_]\w*)")
_SYSTEM_AT_ONCE = re.compile(r"\b(?:cdll|windll|oledll)\.(?!LoadLibrary\b)(\w+)\.([A-Za-z_]\w*)")
_RETURN = re.compile(rf"\breturn\s+(?:[\w.]*\b{_LOADER}\s*\(|((?:\w+\.)*\w+)\s*$)", re.MULTILINE)
_STRING = re.compile(r"""["']([^"'\n]+)["']""")
_CDEF = re.compile(r'\.cdef\(\s*[rfRF]?("""|\'\'\'|"|\')(.*?)\1', re.DOTALL)
_DECLARATION = re.compile(r"\s*(?!typedef\b|struct\b[^(]*\{)[\w\s*]*?[\s*](\w+)\s*\([^(]*\)\s*$")
_C_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*", re.DOTALL | re.MULTILINE)
_OF_A_HANDLE = frozenset({"_FuncPtr", "_func_flags_", "_func_restype_", "_handle", "_name"})


@dataclass(frozen=True, slots=True)
class Handle:
    """A variable that holds a library."""

    kind: Kind
    expression: str
    library: str = ""


def find_library_uses(scan: Scan) -> Iterator[Reach]:
    """Give what Python reaches in libraries."""
    symbols = CSymbols(scan)
    shared: dict[str, list[Handle]] = {}
    for file in scan.of("python"):
        kinds = _imported_kinds(file.links.imports)
        if not kinds:
            continue
        text = scan.texts.of(file)
        handles = [*_handles(file, text, kinds), *_built(file)]
        yield from _uses(text, handles, symbols)
        yield from _immediate_uses(text, symbols)
        if "cffi" in kinds:
            yield from _declarations(text, symbols)
        shared[file.path] = [it for it in handles if "." not in it.expression]
    yield from _uses_elsewhere(scan, shared, symbols)


def _imported_kinds(imports: Iterable[Import]) -> set[Kind]:
    kinds: set[Kind] = set()
    for imported in imports:
        top = imported.module.partition(".")[0]
        if top == "ctypes" or "ctypeslib" in {imported.module, *imported.names}:
            kinds.add("ctypes")
        elif top == "cffi" or {"ffi", "lib"} <= set(imported.names):
            kinds.add("cffi")
    return kinds


def _handles(file: FileFacts, text: Text, kinds: set[Kind]) -> list[Handle]:
    """Return the variables that hold a library which this file loads."""
    handles: dict[str, Handle] = {}
    for found in _LOADED.finditer(text.code):
        kind: Kind = "cffi" if "dlopen" in found[0] and "cffi" in kinds else "ctypes"
        named = _STRING.match(found[2].lstrip("rbf"))
        handles[found[1]] = Handle(kind, found[1], named[1] if named else "")
    for found in _SYSTEM.finditer(text.code):
        handles[found[1]] = Handle("ctypes", found[1], found[2])
    if "ctypes" in kinds:
        for expression in ("ctypes.pythonapi", "pythonapi"):
            handles[expression] = Handle("ctypes", expression, "CPython")
    for maker, made in _makers(file, text, handles):
        for found in re.finditer(rf"{_TARGET}(?:\w+\.)?{maker}\(", text.code, re.MULTILINE):
            handles.setdefault(found[1], Handle(made.kind, found[1], made.library))
    for known in list(handles.values()):
        same = rf"{_TARGET}{re.escape(known.expression)}[ \t]*$"
        for found in re.finditer(same, text.code, re.MULTILINE):
            handles.setdefault(found[1], Handle(known.kind, found[1], known.library))
    return list(handles.values())


def _makers(
    file: FileFacts, text: Text, handles: dict[str, Handle]
) -> Iterator[tuple[str, Handle]]:
    """Give the functions that return a library, with what they return."""
    for function in file.outline.functions:
        start, end = text.start_of(function.line), text.start_of(function.end_line + 1)
        body = text.code[start:end]
        if not re.search(rf"\b{_LOADER}\s*\(", body):
            continue
        for found in _RETURN.finditer(body):
            known = handles.get(found[1] or "")
            if known is not None or not found[1] or "CDLL" in function.signature:
                yield function.name.rpartition(".")[2], known or Handle("ctypes", "")
                break


def _built(file: FileFacts) -> list[Handle]:
    """Return what is imported from a module that cffi built: `from ._x import ffi, lib`."""
    return [
        Handle("cffi", dict(zip(it.names, it.aliases or it.names, strict=True))["lib"])
        for it in file.links.imports
        if {"ffi", "lib"} <= set(it.names)
    ]


def _uses(text: Text, handles: Iterable[Handle], symbols: CSymbols) -> Iterator[Reach]:
    for handle in handles:
        name = re.escape(handle.expression)
        pattern = (
            rf"(?<![\w.]){name}\s*\.\s*([A-Za-z_]\w*)(?!\s*=[^=])"
            rf"|\bgetattr\(\s*{name}\s*,\s*[\"'](\w+)[\"']"
            rf"|(?<![\w.]){name}\[[\"'](\w+)[\"']\]"
        )
        for found in re.finditer(pattern, text.code):
            symbol = found[1] or found[2] or found[3]
            if symbol in _OF_A_HANDLE or (handle.kind == "cffi" and _is_constant(found, symbols)):
                continue
            yield _reach(text, found.start(), handle.kind, symbol, handle.library, symbols)


def _is_constant(found: re.Match[str], symbols: CSymbols) -> bool:
    """Whether a member of a cffi library is not called, nor known to be a function."""
    is_called = re.match(r"\s*\(", found.string[found.end() : found.end() + 20])
    return bool(found[1]) and not is_called and not symbols.is_declared(found[1])


def _immediate_uses(text: Text, symbols: CSymbols) -> Iterator[Reach]:
    """Give the functions that are taken from a library where it is loaded."""
    for found in _AT_ONCE.finditer(text.code):
        named = _STRING.search(found[1])
        library = named[1] if named else ""
        yield _reach(text, found.start(), "ctypes", found[2], library, symbols)
    for found in _SYSTEM_AT_ONCE.finditer(text.code):
        yield _reach(text, found.start(), "ctypes", found[2], found[1], symbols)


def _declarations(text: Text, symbols: CSymbols) -> Iterator[Reach]:
    """Give the functions that `ffi.cdef` declares."""
    for block in _CDEF.finditer(text.raw):
        declared = _C_COMMENT.sub(lambda it: " " * len(it[0]), block[2])
        offset = block.start(2)
        for statement in declared.split(";"):
            found = _DECLARATION.match(statement)
            if found:
                at = offset + found.start(1)
                yield _reach(text, at, "cffi", found[1], "", symbols)
            offset += len(statement) + 1


def _uses_elsewhere(
    scan: Scan, shared: dict[str, list[Handle]], symbols: CSymbols
) -> Iterator[Reach]:
    """Give what files reach through a handle that another file holds."""
    homes: defaultdict[str, dict[str, Handle]] = defaultdict(dict)
    for path, handles in shared.items():
        folder, _, name = path.rpartition("/")
        stem = folder.rpartition("/")[2] if name == "__init__.py" else name.partition(".")[0]
        homes[stem] |= {it.expression: it for it in handles if it.expression != "pythonapi"}
    names = {name for handles in homes.values() for name in handles}
    for file in scan.of("python") if names else ():
        if not names.isdisjoint(file.links.references):
            found = list(_imported_handles(file, homes))
            if found:
                yield from _uses(scan.texts.of(file), found, symbols)


def _imported_handles(
    file: FileFacts, homes: defaultdict[str, dict[str, Handle]]
) -> Iterator[Handle]:
    for imported in file.links.imports:
        stem = imported.module.rpartition(".")[2]
        called = imported.aliases or imported.names
        for name, alias in zip(imported.names, called, strict=True) if imported.names else ():
            if stem in homes and name in homes[stem]:
                known = homes[stem][name]
                yield Handle(known.kind, alias, known.library)
            for inner, known in homes[name].items() if name in homes else ():
                yield Handle(known.kind, f"{alias}.{inner}", known.library)
        if not imported.names and stem in homes:
            module = imported.aliases[0] if imported.aliases else imported.module
            for inner, known in homes[stem].items():
                yield Handle(known.kind, f"{module}.{inner}", known.library)


def _reach(  # noqa: PLR0913, PLR0917 - one row of the table
    text: Text, offset: int, kind: Kind, symbol: str, library: str, symbols: CSymbols
) -> Reach:
    source = text.place(offset)
    target = symbols.find(symbol, text.path) or _defined_inside(text, symbol, kind)
    reason = "" if target else symbols.reason(symbol, library)
    return Reach(kind, symbol, source, text.evidence(source.line), target, reason)


def _defined_inside(text: Text, symbol: str, kind: Kind) -> Place | None:
    """Return the definition of a function in the C that a file hands to cffi."""
    if kind != "cffi" or "set_source" not in text.code:
        return None
    found = re.search(rf"[\w*]\s+\**({symbol})\s*\([^;{{}}]*\)\s*\{{", text.code)
    return text.place(found.start(1), "c") if found else None
