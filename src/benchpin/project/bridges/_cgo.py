"""Go that calls C through `import "C"`.

Calls from C to functions that Go exports are found with the other uses of the C ABI; here are only
those from the C before `import "C"`.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from benchpin.facts.imports import folder_of

from ._bridge import Bridge, CodeLine
from ._c_abi import CSymbols
from ._scan import FileText, Scan

_IMPORT = re.compile(r'^[ \t]*(?:import\s+)?(?:\(\s*)?"C"', re.MULTILINE)
_OPENING = re.compile(r"import\s*+\(?+\s*+$")
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

    text: FileText
    code: str
    offset: int

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(re.findall(r"\w+", self.code))

    @cached_property
    def types(self) -> frozenset[str]:
        """The types of C that the file uses."""
        return frozenset(it[1] for it in _TYPE.finditer(self.text.code))

    def definition(self, name: str) -> CodeLine | None:
        """Return where a function is defined."""
        if name not in self.words:
            return None
        found = re.search(
            rf"^[^\n#;=(]*[\s*]({name})\s*\([^;{{}}]{{0,1000}}\)\s*\{{", self.code, re.MULTILINE
        )
        return None if found is None else self.text.at(self.offset + found.start(1), "c")


def find_cgo(scan: Scan, symbols: CSymbols) -> Iterator[Bridge]:
    """Yield what Go uses of C, and what the C before `import "C"` uses of Go."""
    packages: defaultdict[str, list[Preamble]] = defaultdict(list)
    for file in scan.of("go"):
        if any(it.module == "C" for it in file.links.imports):
            packages[folder_of(file.path)].append(_preamble(scan.text(file)))
    for preambles in packages.values():
        for preamble in preambles:
            own_first = [preamble, *(it for it in preambles if it is not preamble)]
            yield from _calls(own_first, symbols)
            yield from _callbacks(preamble, symbols)


def _preamble(text: FileText) -> Preamble:
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


def _calls(preambles: Sequence[Preamble], symbols: CSymbols) -> Iterator[Bridge]:
    """Yield the calls in the file of the first preamble; the others are those of its package."""
    text = preambles[0].text
    types = frozenset[str]().union(*(it.types for it in preambles))
    for found in _CALL.finditer(text.code):
        name = found[1]
        if name in _PREDEFINED or name.startswith(_OF_TYPES):
            continue
        inside = (it.definition(name) for it in preambles)
        target = next((it for it in inside if it), None) or symbols.find(name, text.path)
        is_conversion = name in types or name.endswith("_t")
        if target is None and is_conversion and not symbols.is_declared(name):
            continue
        yield text.bridge("cgo", name, found.start(), target, symbols.reason(name))


def _callbacks(preamble: Preamble, symbols: CSymbols) -> Iterator[Bridge]:
    text = preamble.text
    for name in sorted(preamble.words.intersection(symbols.foreign)):
        found = re.search(rf"\b{name}\b", preamble.code)
        target = symbols.find(name, text.path)
        if found and target and target.language == "go":
            yield text.bridge("cgo", name, preamble.offset + found.start(), target, language="c")
