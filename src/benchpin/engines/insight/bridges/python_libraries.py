"""Functions that Python takes from libraries with `ctypes` and `cffi`."""

import re
from collections.abc import Iterator, Mapping

from benchpin.engines.source.index import FileFacts

from .c_symbols import CSymbols
from .library_handles import (
    Handle,
    built_names,
    imported_handles,
    library_named,
    own_handles,
    shareable,
)
from .model import Kind, Place, Reach
from .scan import Scan
from .texts import Text

_CTYPES = frozenset(
    {"CDLL", "PyDLL", "WinDLL", "OleDLL", "LoadLibrary", "load_library"}
    | {"cdll", "windll", "oledll", "pythonapi"}
)
_CFFI = frozenset({"cdef", "dlopen"})
_DOTTED = re.compile(r"(?<![.\w])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_QUOTED = re.compile(r"(?:\bgetattr\(\s*([\w.]+)\s*,\s*|(?<![.\w])([\w.]+)\[)[\"'](\w+)[\"']")
_SET = re.compile(r"\bsetattr\(\s*([\w.]+)\s*,\s*[\"'](\w+)[\"']")
_AT_ONCE = re.compile(
    r"\b(?:CDLL|PyDLL|WinDLL|OleDLL|LoadLibrary)\s*\(([^()\n]*)\)\s*\.\s*([A-Za-z_]\w*)"
    r"|\b(?:cdll|windll|oledll)\.(?!LoadLibrary\b)(\w+)\.([A-Za-z_]\w*)"
)
_NEXT = re.compile(r"\s*(\(|=(?!=))?")
_CDEF = re.compile(r'\.cdef\(\s*[rfRF]?("""|\'\'\'|"|\')(.*?)\1', re.DOTALL)
_DECLARATION = re.compile(r"\s*(?!typedef\b|struct\b[^(]*\{)[\w\s*]*?[\s*](\w+)\s*\([^(]*\)\s*$")
_C_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*", re.DOTALL | re.MULTILINE)
_UP_TO_A_BRACE = re.compile(r"[^;{}]*+(?:[;{}]|\Z)")
_NAME_OF_C = re.compile(r"[\w*]\s++\**+(\w++)(?=\s*+\()")
_LONGEST = 1_000
"""No declaration of a function has more characters."""
_MOST_PARTS = 6
_MOST_HANDS = 3
"""From how many files a handle may be handed on to the next."""
_OF_A_HANDLE = frozenset({"_FuncPtr", "_func_flags_", "_func_restype_", "_handle", "_name"})


def find_library_uses(scan: Scan, symbols: CSymbols) -> Iterator[Reach]:
    """Give what Python reaches in libraries."""
    uses = _LibraryUses(symbols)
    handles: dict[str, dict[str, Handle]] = {}
    for file in scan.of("python"):
        kinds = _kinds(file)
        if kinds:
            text = scan.texts.of(file)
            handles[file.path] = own_handles(file, text, kinds)
            uses.note_assigned(text, handles[file.path])
    loading = frozenset(handles)
    _hand_on(scan, handles)
    for file in scan.of("python") if handles else ():
        if file.path in handles:
            text = scan.texts.of(file)
            yield from uses.members(text, handles[file.path])
            if file.path in loading:
                yield from uses.at_once(text)
                yield from uses.declarations(text)


def _hand_on(scan: Scan, handles: dict[str, dict[str, Handle]]) -> None:
    """Add what files import from those that hold libraries, and from those that import them."""
    for _ in range(_MOST_HANDS):
        homes = shareable(handles)
        names = frozenset(name for home in homes.values() for name in home)
        is_new = False
        for file in scan.of("python") if names else ():
            if not _may_import(file, names):
                continue
            for handle in imported_handles(file, homes):
                known = handles.setdefault(file.path, {})
                is_new |= known.setdefault(handle.expression, handle) is handle
        if not is_new:
            return


def _may_import(file: FileFacts, names: frozenset[str]) -> bool:
    """Whether a file uses one of some names, or imports one under another name."""
    return not file.links.references.keys().isdisjoint(names) or any(
        it.aliases and not names.isdisjoint(it.names) for it in file.links.imports
    )


def _kinds(file: FileFacts) -> set[Kind]:
    """Return the ways in which a file may load libraries."""
    kinds: set[Kind] = set()
    names = file.links.references.keys()
    if not names.isdisjoint(_CTYPES) and _imports(file, "ctypes", "numpy"):
        kinds.add("ctypes")
    if not names.isdisjoint(_CFFI) and _imports(file, "cffi"):
        kinds.add("cffi")
    if any("lib" in it.names for it in file.links.imports) and built_names(file):
        kinds.add("cffi")
    return kinds


def _imports(file: FileFacts, *packages: str) -> bool:
    return any(it.module.partition(".")[0] in packages for it in file.links.imports)


class _LibraryUses:
    """Looks up what is taken from libraries."""

    def __init__(self, symbols: CSymbols) -> None:
        self._symbols = symbols
        self._assigned: set[str] = set()
        self._inside: dict[str, dict[str, Place]] = {}

    def note_assigned(self, text: Text, handles: Mapping[str, Handle]) -> None:
        """Remember what Python itself puts onto a handle: that is no function of a library."""
        for found in _DOTTED.finditer(text.bare):
            handle, _, name = found[0].rpartition(".")
            if handle in handles and _follows(text.bare, found.end()) == "=":
                self._assigned.add(name)
        for found in _SET.finditer(text.code):
            if found[1] in handles:
                self._assigned.add(found[2])

    def members(self, text: Text, handles: Mapping[str, Handle]) -> Iterator[Reach]:
        """Give the members of handles that a file uses."""
        for found in _DOTTED.finditer(text.bare):
            parts = found[0].split(".", _MOST_PARTS)
            for end in range(1, len(parts)):
                handle = handles.get(".".join(parts[:end]))
                if handle is not None:
                    is_last = end == len(parts) - 1
                    after = _follows(text.bare, found.end()) if is_last else None
                    if self._is_function(handle, parts[end], after):
                        yield self._reach(text, found.start(), handle, parts[end])
                    break
        for found in _QUOTED.finditer(text.code):
            handle = handles.get(found[1] or found[2])
            if handle is not None:
                yield self._reach(text, found.start(), handle, found[3])

    def at_once(self, text: Text) -> Iterator[Reach]:
        """Give the functions that are taken from a library where it is loaded."""
        for found in _AT_ONCE.finditer(text.code):
            library = found[3] or library_named(found[1] or "")
            handle = Handle("ctypes", "", library)
            yield self._reach(text, found.start(), handle, found[2] or found[4])

    def declarations(self, text: Text) -> Iterator[Reach]:
        """Give the functions that `ffi.cdef` declares."""
        for block in _CDEF.finditer(text.raw):
            declared = _C_COMMENT.sub(lambda it: " " * len(it[0]), block[2])
            offset = block.start(2)
            for statement in declared.split(";"):
                found = _DECLARATION.match(statement) if len(statement) < _LONGEST else None
                if found:
                    yield self._reach(text, offset + found.start(1), Handle("cffi", ""), found[1])
                offset += len(statement) + 1

    def _is_function(self, handle: Handle, name: str, after: str | None) -> bool:
        """Tell functions from constants, which cffi has as members too, and from what is set."""
        if after == "=" or name in _OF_A_HANDLE or name in self._assigned or name.startswith("__"):
            return False
        return handle.kind == "ctypes" or after == "(" or self._symbols.is_declared(name)

    def _reach(self, text: Text, offset: int, handle: Handle, symbol: str) -> Reach:
        source = text.place(offset)
        target = self._symbols.find(symbol, text.path)
        if target is None and handle.kind == "cffi":
            target = self._defined_inside(text).get(symbol)
        reason = "" if target else self._symbols.reason(symbol, handle.library)
        return Reach(handle.kind, symbol, source, text.evidence(source.line), target, reason)

    def _defined_inside(self, text: Text) -> dict[str, Place]:
        """Return the functions in the C that a file hands to cffi."""
        if text.path not in self._inside:
            hands = "set_source" in text.code
            self._inside[text.path] = dict(_definitions_of_c(text)) if hands else {}
        return self._inside[text.path]


def _follows(code: str, offset: int) -> str | None:
    found = _NEXT.match(code, offset)
    return found[1] if found else None


def _definitions_of_c(text: Text) -> Iterator[tuple[str, Place]]:
    """Give what may be the functions of C in a text, the first of each name last."""
    heads = (it for it in _UP_TO_A_BRACE.finditer(text.code) if _opens_a_body(it[0]))
    found = [it for head in heads for it in _NAME_OF_C.finditer(text.code, *head.span())]
    for name in reversed(found):
        yield name[1], text.place(name.start(1), "c")


def _opens_a_body(head: str) -> bool:
    return head.endswith("{") and head[:-1].rstrip().endswith(")")
