"""Go that calls C through `import "C"`.

What C calls of Go, by `//export`, is found with the other users of the C ABI; here are only the
calls from the C before `import "C"`.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from benchpin.engines.source.imports import folder_of

from .c_symbols import CSymbols
from .model import Place, Reach
from .scan import Scan
from .texts import Text

_IMPORT = re.compile(r'^[ \t]*(?:import\s+)?(?:\(\s*)?"C"', re.MULTILINE)
_OPENING = re.compile(r"import\s*\(?\s*$")
_CALL = re.compile(r"(?<![\w.])C\.([A-Za-z_]\w*)\s*\(")
_TYPE = re.compile(r"(?:[*\]]|\b\w+ |\) )C\.([A-Za-z_]\w*)\b(?!\s*\()")
_PREDEFINED = frozenset(
    {"CBytes", "CString", "GoBytes", "GoString", "GoStringN", "bool", "size_t", "ssize_t"}
    | {"char", "schar", "uchar", "short", "ushort", "int", "uint", "long", "ulong"}
    | {"longlong", "ulonglong", "float", "double"}
)
_OF_TYPES = ("struct_", "union_", "enum_", "sizeof_")


@dataclass(frozen=True)
class Preamble:
    """The C before `import "C"` in a file."""

    text: Text
    code: str
    offset: int

    @cached_property
    def words(self) -> frozenset[str]:
        """Everything that is named in it."""
        return frozenset(re.findall(r"\w+", self.code))

    @cached_property
    def types(self) -> frozenset[str]:
        """What the file after it uses as types of C."""
        return frozenset(it[1] for it in _TYPE.finditer(self.text.code))

    def definition(self, name: str) -> Place | None:
        """Return where a function is defined."""
        if name not in self.words:
            return None
        found = re.search(
            rf"^[^\n#;=(]*[\s*]({name})\s*\([^;{{}}]*\)\s*\{{", self.code, re.MULTILINE
        )
        return None if found is None else self.text.place(self.offset + found.start(1), "c")


def find_cgo(scan: Scan, symbols: CSymbols) -> Iterator[Reach]:
    """Give what Go reaches in C, and what the C before `import "C"` reaches in Go."""
    packages: defaultdict[str, list[Preamble]] = defaultdict(list)
    for file in scan.of("go"):
        if any(it.module == "C" for it in file.links.imports):
            packages[folder_of(file.path)].append(_preamble(scan.texts.of(file)))
    for preambles in packages.values():
        for preamble in preambles:
            own_first = [preamble, *(it for it in preambles if it is not preamble)]
            yield from _calls(own_first, symbols)
            yield from _callbacks(preamble, symbols)


def _preamble(text: Text) -> Preamble:
    """Return the comment right before `import "C"`."""
    found = _IMPORT.search(text.raw)
    if found is None:
        return Preamble(text, "", 0)
    before = _OPENING.sub("", text.raw[: found.start()].rstrip()).rstrip()
    start = len(before)
    if before.endswith("*/"):
        start = max(before.rfind("/*"), 0)
    else:
        while before[:start].rpartition("\n")[2].lstrip().startswith("//"):
            start = max(before.rfind("\n", 0, start), 0)
    return Preamble(text, before[start:], start)


def _calls(preambles: Sequence[Preamble], symbols: CSymbols) -> Iterator[Reach]:
    """Give the calls of the file of the first preamble; the others are those of its package."""
    text = preambles[0].text
    types = frozenset[str]().union(*(it.types for it in preambles))
    for found in _CALL.finditer(text.code):
        name = found[1]
        if name in _PREDEFINED or name.startswith(_OF_TYPES):
            continue
        inside = (it.definition(name) for it in preambles)
        target = next((it for it in inside if it), None) or symbols.find(name, text.path)
        if target is None and not symbols.is_declared(name) and _is_type(name, types):
            continue
        source = text.place(found.start())
        reason = "" if target else symbols.reason(name)
        yield Reach("cgo", name, source, text.evidence(source.line), target, reason)


def _is_type(name: str, types: frozenset[str]) -> bool:
    """Whether `C.name(x)` is a conversion."""
    return name in types or name.endswith("_t")


def _callbacks(preamble: Preamble, symbols: CSymbols) -> Iterator[Reach]:
    text = preamble.text
    for name in sorted(preamble.words.intersection(symbols.foreign)):
        found = re.search(rf"\b{name}\b", preamble.code)
        target = symbols.find(name, text.path)
        if found and target and target.language == "go":
            source = text.place(preamble.offset + found.start(), "c")
            yield Reach("cgo", name, source, text.evidence(source.line), target)
