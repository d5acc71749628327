"""Functions that Python uses from libraries loaded with `ctypes` and `cffi`.

A handle is a variable that contains a library: loaded in the file, or imported from another file.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchpin.facts import FileFacts

from ._bridge import Bridge, BridgeKind, CodeLine
from ._c_abi import CSymbols
from ._scan import FileText, Scan

_CTYPES = frozenset(
    {"CDLL", "PyDLL", "WinDLL", "OleDLL", "LoadLibrary", "load_library"}
    | {"cdll", "windll", "oledll", "pythonapi"}
)
_CFFI = frozenset({"cdef", "dlopen"})
_BUILT = frozenset({"ffi", "lib"})
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
_LITERAL = re.compile(r"""\s*[rbf]?["']([^"'\n]+)["']""")
_DOTTED = re.compile(r"(?<![.\w])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_QUOTED = re.compile(r"(?:\bgetattr\(\s*([\w.]+)\s*,\s*|(?<![.\w])([\w.]+)\[)[\"'](\w+)[\"']")
_SET = re.compile(r"\bsetattr\(\s*([\w.]+)\s*,\s*[\"'](\w+)[\"']")
_AT_ONCE = re.compile(
    r"\b(?:CDLL|PyDLL|WinDLL|OleDLL|LoadLibrary)\s*\(([^()\n]*)\)\s*\.\s*([A-Za-z_]\w*)"
    r"|\b(?:cdll|windll|oledll)\.(?!LoadLibrary\b)(\w+)\.([A-Za-z_]\w*)"
)
_NEXT = re.compile(r"\s*(\(|=(?!=))?")
_CDEF = re.compile(r'\.cdef\(\s*[rfRF]?("""|\'\'\'|"|\')(.*?)\1', re.DOTALL)
_DECLARATION = re.compile(
    r"\s*+(?!typedef\b|struct\b[^(]*+\{)[\w\s*]*?[\s*](\w++)\s*+\([^(]*\)\s*+$"
)
_C_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)|^[ \t]*+#[^\n]*", re.DOTALL | re.MULTILINE)
_UP_TO_A_BRACE = re.compile(r"[^;{}]*+(?:[;{}]|\Z)")
_NAME_OF_C = re.compile(r"[\w*]\s++\**+(\w++)(?=\s*+\()")
# No declaration of a function has more characters.
_MAX_TEXT_CHARS = 1_000
_MAX_PARTS = 6
# Through how many files a handle is followed, each importing it from the one before.
_MAX_IMPORTS = 3
_OF_A_HANDLE = frozenset({"_FuncPtr", "_func_flags_", "_func_restype_", "_handle", "_name"})


@dataclass(frozen=True, slots=True)
class LibraryHandle:
    """What is known about a variable that contains a library."""

    kind: BridgeKind
    library: str = ""
    """The name of the library, where a literal gives it."""


# The keys are expressions, such as `self._lib`.
Handles = dict[str, LibraryHandle]


def find_library_uses(scan: Scan, symbols: CSymbols) -> Iterator[Bridge]:
    uses = _LibraryUses(symbols)
    handles: dict[str, Handles] = {}
    for file in scan.of("python"):
        kinds = _kinds(file)
        if kinds:
            text = scan.text(file)
            handles[file.path] = _own_handles(file, text, kinds)
            uses.note_assigned(text, handles[file.path])
    loading = frozenset(handles)
    _add_imported(scan, handles)
    for file in scan.of("python"):
        if file.path in handles:
            text = scan.text(file)
            yield from uses.members(text, handles[file.path])
            if file.path in loading:
                yield from uses.at_once(text)
                yield from uses.declarations(text)


def _kinds(file: FileFacts) -> set[BridgeKind]:
    """Return how a file may load libraries."""
    kinds: set[BridgeKind] = set()
    names = file.links.references.keys()
    packages = {it.module.partition(".")[0] for it in file.links.imports}
    if not names.isdisjoint(_CTYPES) and packages & {"ctypes", "numpy"}:
        kinds.add("ctypes")
    if (not names.isdisjoint(_CFFI) and "cffi" in packages) or _built_names(file):
        kinds.add("cffi")
    return kinds


def _built_names(file: FileFacts) -> list[str]:
    """Return the names of each `lib` imported, with `ffi`, from a module that cffi built."""
    names: defaultdict[tuple[int, str], dict[str, str]] = defaultdict(dict)
    for imported in file.links.imports:
        names[imported.level, imported.module] |= dict(
            zip(imported.names, imported.aliases or imported.names, strict=False)
        )
    return [it["lib"] for it in names.values() if it.keys() >= _BUILT]


def _own_handles(file: FileFacts, text: FileText, kinds: set[BridgeKind]) -> Handles:
    """Return the handles of the libraries that a file loads."""
    handles: Handles = {}
    for found in _LOADED.finditer(text.code):
        kind: BridgeKind = "cffi" if "dlopen" in found[0] and "cffi" in kinds else "ctypes"
        handles[found[1]] = LibraryHandle(kind, _library_named(found[2]))
    for found in _SYSTEM.finditer(text.code):
        handles[found[1]] = LibraryHandle("ctypes", found[2])
    for expression in ("ctypes.pythonapi", "pythonapi"):
        handles[expression] = LibraryHandle("ctypes", "CPython")
    for name in _built_names(file):
        handles[name] = LibraryHandle("cffi")
    makers = dict(_makers(file, text, handles))
    for found in _MADE.finditer(text.code) if makers else ():
        if found[2] in makers:
            handles.setdefault(found[1], makers[found[2]])
    for found in _SAME.finditer(text.code):
        if found[2] in handles:
            handles.setdefault(found[1], handles[found[2]])
    return handles


def _library_named(arguments: str) -> str:
    """Return the name of a library, if the first argument of its loader is a literal."""
    found = _LITERAL.match(arguments)
    return found[1] if found else ""


def _makers(
    file: FileFacts, text: FileText, handles: Handles
) -> Iterator[tuple[str, LibraryHandle]]:
    """Yield the functions that return a library, with what they return."""
    for function in file.outline.functions:
        body = text.code[text.start_of(function.line) : text.start_of(function.end_line + 1)]
        if not _LOADING.search(body):
            continue
        for found in _RETURN.finditer(body):
            known = handles.get(found[1] or "")
            if known is not None or not found[1] or "CDLL" in function.signature:
                yield function.name.rpartition(".")[2], known or LibraryHandle("ctypes")
                break


def _add_imported(scan: Scan, handles: dict[str, Handles]) -> None:
    """Add the handles that files import from those that load libraries, directly or not."""
    for _ in range(_MAX_IMPORTS):
        homes = _shareable(handles)
        names = frozenset(name for home in homes.values() for name in home)
        is_new = False
        for file in scan.of("python") if names else ():
            if not _may_import(file, names):
                continue
            for expression, handle in _imported(file, homes):
                known = handles.setdefault(file.path, {})
                is_new |= expression not in known
                known.setdefault(expression, handle)
        if not is_new:
            return


def _shareable(handles_by_path: Mapping[str, Handles]) -> dict[str, Handles]:
    """Return the handles that other files may import, by the name of the module they are in."""
    homes: defaultdict[str, Handles] = defaultdict(dict)
    for path, handles in handles_by_path.items():
        folder, _, name = path.rpartition("/")
        stem = folder.rpartition("/")[2] if name == "__init__.py" else name.partition(".")[0]
        for expression, handle in handles.items():
            if "." not in expression and expression != "pythonapi":
                homes[stem][expression] = handle
    return dict(homes)


def _may_import(file: FileFacts, names: frozenset[str]) -> bool:
    """Whether a file uses one of some names, or imports one under another name."""
    return not file.links.references.keys().isdisjoint(names) or any(
        it.aliases and not names.isdisjoint(it.names) for it in file.links.imports
    )


def _imported(file: FileFacts, homes: Mapping[str, Handles]) -> Iterator[tuple[str, LibraryHandle]]:
    for imported in file.links.imports:
        own = homes.get(imported.module.rpartition(".")[2], {})
        if not imported.names:
            module = imported.aliases[0] if imported.aliases else imported.module
            yield from ((f"{module}.{name}", handle) for name, handle in own.items())
        for name, alias in zip(imported.names, imported.aliases or imported.names, strict=False):
            if name in own:
                yield alias, own[name]
            for inner, handle in homes.get(name, {}).items():
                yield f"{alias}.{inner}", handle


class _LibraryUses:
    """Finds what is used of libraries."""

    def __init__(self, symbols: CSymbols) -> None:
        self._symbols = symbols
        self._assigned: set[str] = set()
        self._inside: dict[str, dict[str, CodeLine]] = {}

    def note_assigned(self, text: FileText, handles: Handles) -> None:
        """Remember what Python itself sets on a handle: that is not a function of a library."""
        for found in _DOTTED.finditer(text.bare):
            handle, _, name = found[0].rpartition(".")
            if handle in handles and _next_sign(text.bare, found.end()) == "=":
                self._assigned.add(name)
        self._assigned.update(it[2] for it in _SET.finditer(text.code) if it[1] in handles)

    def members(self, text: FileText, handles: Handles) -> Iterator[Bridge]:
        """Yield the members of handles that a file uses."""
        for found in _DOTTED.finditer(text.bare):
            parts = found[0].split(".", _MAX_PARTS)
            for end in range(1, len(parts)):
                handle = handles.get(".".join(parts[:end]))
                if handle is not None:
                    is_last = end == len(parts) - 1
                    after = _next_sign(text.bare, found.end()) if is_last else None
                    if self._is_function(handle, parts[end], after):
                        yield self._bridge(text, found.start(), handle, parts[end])
                    break
        for found in _QUOTED.finditer(text.code):
            handle = handles.get(found[1] or found[2])
            if handle is not None:
                yield self._bridge(text, found.start(), handle, found[3])

    def at_once(self, text: FileText) -> Iterator[Bridge]:
        """Yield the functions of a library that is used where it is loaded."""
        for found in _AT_ONCE.finditer(text.code):
            handle = LibraryHandle("ctypes", found[3] or _library_named(found[1] or ""))
            yield self._bridge(text, found.start(), handle, found[2] or found[4])

    def declarations(self, text: FileText) -> Iterator[Bridge]:
        """Yield the functions that `ffi.cdef` declares."""
        handle = LibraryHandle("cffi")
        for block in _CDEF.finditer(text.raw):
            declared = _C_COMMENT.sub(lambda it: " " * len(it[0]), block[2])
            offset = block.start(2)
            for statement in declared.split(";"):
                found = _DECLARATION.match(statement) if len(statement) < _MAX_TEXT_CHARS else None
                if found:
                    yield self._bridge(text, offset + found.start(1), handle, found[1])
                offset += len(statement) + 1

    def _is_function(self, handle: LibraryHandle, name: str, after: str | None) -> bool:
        """Whether a member is a function: cffi has constants as members too."""
        if after == "=" or name in _OF_A_HANDLE or name in self._assigned or name.startswith("__"):
            return False
        return handle.kind == "ctypes" or after == "(" or self._symbols.is_declared(name)

    def _bridge(self, text: FileText, offset: int, handle: LibraryHandle, symbol: str) -> Bridge:
        target = self._symbols.find(symbol, text.path)
        if target is None and handle.kind == "cffi":
            target = self._defined_inside(text).get(symbol)
        reason = self._symbols.reason(symbol, handle.library)
        return text.bridge(handle.kind, symbol, offset, target, reason)

    def _defined_inside(self, text: FileText) -> dict[str, CodeLine]:
        """Return the functions in the C that a file passes to cffi."""
        if text.path not in self._inside:
            has_c = "set_source" in text.code
            self._inside[text.path] = dict(_definitions_of_c(text)) if has_c else {}
        return self._inside[text.path]


def _next_sign(code: str, offset: int) -> str | None:
    """Return the parenthesis or equals sign that follows, if one does."""
    found = _NEXT.match(code, offset)
    return found[1] if found else None


def _definitions_of_c(text: FileText) -> Iterator[tuple[str, CodeLine]]:
    """Yield what may be functions of C in a text; in reverse, so that the first one is kept."""
    heads = (it for it in _UP_TO_A_BRACE.finditer(text.code) if _opens_a_body(it[0]))
    found = [it for head in heads for it in _NAME_OF_C.finditer(text.code, *head.span())]
    for name in reversed(found):
        yield name[1], text.at(name.start(1), "c")


def _opens_a_body(head: str) -> bool:
    return head.endswith("{") and head[:-1].rstrip().endswith(")")
