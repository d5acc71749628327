"""Go that calls C through `import "C"`.

What C calls of Go, by `//export`, is found with the other users of the C ABI; here stand only the
calls from the C before `import "C"`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .c_symbols import CSymbols
from .model import Reach
from .scan import Scan
from .texts import Text

_PREAMBLE = re.compile(
    r'((?:/\*(?:(?!\*/).)*\*/[ \t]*\n|(?:[ \t]*//[^\n]*\n)+))[ \t]*import\s+(?:\(\s*)?"C"', re.DOTALL
)
_CALL = re.compile(r"(?<![\w.])C\.([A-Za-z_]\w*)\s*\(")
_TYPE = re.compile(r"(?:[*\]]|\b\w+ |\) )C\.([A-Za-z_]\w*)\b(?!\s*\()")
_PREDEFINED = frozenset(
    """
    CBytes CString GoBytes GoString GoStringN
    char double float int long longlong schar short uchar uint ulong ulonglong ushort
    bool size_t ssize_t
    """.split()
)
_OF_TYPES = ("struct_", "union_", "enum_", "sizeof_")


@dataclass(frozen=True, slots=True)
class Preamble:
    """The C before `import "C"`."""

    code: str
    offset: int

    def definition(self, name: str) -> int | None:
        """Return where a function is defined."""
        found = re.search(rf"^[^\n#;=(]*[\s*]({name})\s*\([^;{{}}]*\)\s*\{{", self.code, re.MULTILINE)
        return None if found is None else self.offset + found.start(1)


def find_cgo(scan: Scan) -> Iterator[Reach]:
    """Give what Go reaches in C, and what the C before `import "C"` reaches in Go."""
    symbols = CSymbols(scan)
    for file in scan.of("go"):
        if all(it.module != "C" for it in file.links.imports):
            continue
        text = scan.texts.of(file)
        found = _PREAMBLE.search(text.raw)
        preamble = Preamble(found[1], found.start(1)) if found else Preamble("", 0)
        yield from _calls(text, preamble, symbols)
        yield from _callbacks(text, preamble, symbols)


def _calls(text: Text, preamble: Preamble, symbols: CSymbols) -> Iterator[Reach]:
    types = {it[1] for it in _TYPE.finditer(text.code)}
    for found in _CALL.finditer(text.code):
        name = found[1]
        if name in _PREDEFINED or name.startswith(_OF_TYPES):
            continue
        inside = preamble.definition(name)
        target = symbols.find(name, text.path) if inside is None else text.place(inside, "c")
        if target is None and not symbols.is_declared(name) and _is_type(name, types):
            continue
        source = text.place(found.start())
        reason = "" if target else symbols.reason(name)
        yield Reach("cgo", name, source, text.evidence(source.line), target, reason)


def _is_type(name: str, types: set[str]) -> bool:
    """Whether `C.name(x)` is a conversion."""
    return name in types or name.endswith("_t")


def _callbacks(text: Text, preamble: Preamble, symbols: CSymbols) -> Iterator[Reach]:
    for name in sorted(symbols.foreign) if preamble.code else ():
        found = re.search(rf"\b{name}\b", preamble.code)
        target = symbols.find(name, text.path)
        if found and target and target.language == "go":
            source = text.place(preamble.offset + found.start(), "c")
            yield Reach("cgo", name, source, text.evidence(source.line), target)
