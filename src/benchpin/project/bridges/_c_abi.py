"""The C ABI: the functions that C, C++, Rust and Go export, and their uses without a loader.

C exports every function that is not static. C++ exports what is in a file, or declared in a header,
that contains `extern "C"`, and what has an export macro before it. Without a loader, Rust declares
functions of C, and C calls functions of Rust or Go.
"""

import re
from collections.abc import Iterator
from functools import cached_property

from benchpin.facts import FileFacts

from ._bridge import Bridge, CodeLine
from ._rust_items import rust_items
from ._scan import C_FAMILY, Definitions, FileText, Scan, closest, functions_of

_EXPORT_MACRO = re.compile(
    r"\b(?:dllexport|(?=[A-Z0-9_]*(?:DLL|EXPORT|EXTERN|API|PUBLIC))[A-Z0-9_]++)\b"
)
_GO_EXPORT = re.compile(r"^//export (\w+)", re.MULTILINE)
_EXTERN_BLOCK = re.compile(r'\bextern\s*(?:"(?:C|system)(?:-unwind)?"\s*)?\{')
_FROM_JAVASCRIPT = re.compile(
    r"(?:wasm_bindgen|wasm_import_module)[^\]]{0,300}\]\s*(?:unsafe\s+)?$"
)
# How far before an `extern` block its attribute may start.
_ATTRIBUTE_CHARS = 300
_DECLARED = re.compile(
    r'(?:\#\[link_name\s*=\s*"(\w+)"\]\s*)?(?:pub(?:\([^)]{0,100}\))?\s+)?(?:safe\s+|unsafe\s+)?fn\s+(\w+)'
)
_BRACE = re.compile(r"[{}]")


class CSymbols:
    """The functions that have a name in the C ABI."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan

    def find(self, name: str, near: str) -> CodeLine | None:
        """Return the definition of a function that is nearest to a file."""
        return closest([*self.visible.get(name, ()), *self.foreign.get(name, ())], near)

    def reason(self, name: str, library: str = "") -> str:
        """Return why a function was not found."""
        header = self._declared.get(name)
        if header is not None:
            return f"declared in {header}, defined outside of the project"
        said = f"; the library is {library}" if library else ""
        return f"the project has no such function in C, C++, Rust or Go{said}"

    def is_declared(self, name: str) -> bool:
        """Whether the project's C or C++ declares or defines such a function."""
        return name in self._declared or name in self._scan.c_functions

    @cached_property
    def visible(self) -> Definitions:
        """What C and C++ export."""
        found = Definitions(list)
        for file in self._scan.of(*C_FAMILY):
            is_c = file.language == "c" or "C" in file.links.mentions
            for function, at in functions_of([file]):
                if function.kind != "function" or not function.is_public:
                    continue
                name = function.name.rpartition(".")[2]
                has_macro = _EXPORT_MACRO.search(function.signature)
                if is_c or has_macro or name in self._exported:
                    found[name].append(at)
        return found

    @cached_property
    def foreign(self) -> Definitions:
        """What Rust and Go export to C."""
        found = Definitions(list)
        for item in rust_items(self._scan, "no_mangle", "export_name"):
            if item.kind == "fn":
                found[item.argument("export_name") or item.name].append(item.at)
        for file in self._scan.of("go"):
            if any(it.module == "C" for it in file.links.imports):
                text = self._scan.text(file)
                for export in _GO_EXPORT.finditer(text.raw):
                    found[export[1]].append(text.at(export.start()))
        return found

    @cached_property
    def _declared(self) -> dict[str, str]:
        """The headers that declare functions, by name; of several, the first."""
        return {
            name: file.path
            for file in reversed(self._scan.of(*C_FAMILY))
            for name in file.links.exports
        }

    @cached_property
    def _exported(self) -> frozenset[str]:
        """The functions that headers of the C ABI declare."""
        return frozenset(
            name
            for file in self._scan.of(*C_FAMILY)
            if file.links.exports and _is_header_of_c_abi(file)
            for name in file.links.exports
        )


def _is_header_of_c_abi(file: FileFacts) -> bool:
    return "C" in file.links.mentions or any(map(_EXPORT_MACRO.fullmatch, file.links.references))


def find_c_callers(scan: Scan, symbols: CSymbols) -> Iterator[Bridge]:
    """Yield the C functions that Rust declares, and the Rust and Go functions that C uses."""
    for file in scan.of("rust"):
        if "C" in file.links.mentions or "system" in file.links.mentions:
            yield from _declared_by_rust(scan.text(file), symbols)
    if scan.of(*C_FAMILY):
        yield from _used_by_c(scan, symbols)


def _declared_by_rust(text: FileText, symbols: CSymbols) -> Iterator[Bridge]:
    end = 0
    for block in _EXTERN_BLOCK.finditer(text.raw):
        before = text.raw[max(block.start() - _ATTRIBUTE_CHARS, 0) : block.start()]
        is_comment = text.code[block.start()] == " "
        if block.start() < end or is_comment or _FROM_JAVASCRIPT.search(before):
            continue
        end = _closing(text.code, block.end())
        for found in _DECLARED.finditer(text.code, block.end(), end):
            name = found[1] or found[2]
            target = symbols.find(name, text.path)
            if target is None or target.language != "rust":
                yield text.bridge("c_abi", name, found.start(2), target, symbols.reason(name))


def _closing(code: str, start: int) -> int:
    """Return the offset of the brace that ends a block."""
    depth = 1
    for found in _BRACE.finditer(code, start):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return found.start()
    return len(code)


def _used_by_c(scan: Scan, symbols: CSymbols) -> Iterator[Bridge]:
    foreign = {name for name in symbols.foreign if not name.startswith("Java_")}
    if not foreign:
        return
    names = foreign - symbols.visible.keys()
    for file in scan.naming(names, *C_FAMILY):
        text = scan.text(file)
        for name in sorted(names.intersection(file.links.references)):
            found = re.search(rf"\b{name}\s*\(", text.code) or re.search(rf"\b{name}\b", text.code)
            target = symbols.find(name, file.path)
            if found and target:
                yield text.bridge("c_abi", name, found.start(), target)
