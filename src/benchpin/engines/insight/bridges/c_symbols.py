"""Names that a library offers to whoever loads it, from C, C++, Rust and Go.

In C that is every function that is not static. In C++ it is what is in a file or is declared
in a header that says `extern "C"`, or has an export macro before it.
"""

import re
from collections import defaultdict
from functools import cached_property

from benchpin.engines.source.facts import Function
from benchpin.engines.source.index import FileFacts

from .model import Place
from .rust_items import rust_items
from .scan import C_FAMILY, Scan, closest

_EXPORT_MACRO = re.compile(
    r"\b(?:dllexport|[A-Z0-9_]*(?:DLL|EXPORT|EXTERN|API|PUBLIC)[A-Z0-9_]*)\b"
)
_GO_EXPORT = re.compile(r"^//export (\w+)", re.MULTILINE)


class CSymbols:
    """Where the functions are that have a name in the C ABI."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan

    def find(self, name: str, near: str) -> Place | None:
        """Return the definition of a function that is nearest to a file."""
        return closest([*self.visible.get(name, ()), *self.foreign.get(name, ())], near)

    def reason(self, name: str, library: str = "") -> str:
        """Say why a function was not found."""
        header = self._declared.get(name)
        if header is not None:
            return f"declared in {header}, defined outside of the project"
        said = f"; the library is {library}" if library else ""
        return f"the project has no such function in C, C++, Rust or Go{said}"

    def is_declared(self, name: str) -> bool:
        """Whether the project's C or C++ says that there is such a function."""
        return name in self._declared or name in self._scan.c_functions

    @cached_property
    def visible(self) -> dict[str, list[Place]]:
        """What C and C++ offer."""
        found: defaultdict[str, list[Place]] = defaultdict(list)
        for file in self._scan.of(*C_FAMILY):
            speaks_c = file.language == "c" or "C" in file.links.mentions
            for function in file.outline.functions:
                if function.kind != "function" or not function.is_public:
                    continue
                name = function.name.rpartition(".")[2]
                if speaks_c or self._is_exported(function, name):
                    found[name].append(Place(file.path, function.line, file.language))
        return found

    @cached_property
    def foreign(self) -> dict[str, list[Place]]:
        """What Rust and Go offer to C."""
        found: defaultdict[str, list[Place]] = defaultdict(list)
        for item in rust_items(self._scan, "no_mangle", "export_name"):
            if item.kind == "fn":
                name = item.argument("export_name") or item.name
                found[name].append(item.text.place(item.offset))
        for file in self._scan.of("go"):
            if any(it.module == "C" for it in file.links.imports):
                text = self._scan.texts.of(file)
                for export in _GO_EXPORT.finditer(text.raw):
                    found[export[1]].append(text.place(export.start()))
        return found

    def _is_exported(self, function: Function, name: str) -> bool:
        return bool(_EXPORT_MACRO.search(function.signature)) or name in self._exported

    @cached_property
    def _declared(self) -> dict[str, str]:
        """The headers that declare functions, by name."""
        return {
            name: file.path
            for file in reversed(self._scan.of(*C_FAMILY))
            for name in file.links.exports
        }

    @cached_property
    def _exported(self) -> frozenset[str]:
        """What headers declare that speak of the C ABI."""
        return frozenset(
            name
            for file in self._scan.of(*C_FAMILY)
            if file.links.exports and _is_header_of_c_abi(file)
            for name in file.links.exports
        )


def _is_header_of_c_abi(file: FileFacts) -> bool:
    return "C" in file.links.mentions or any(map(_EXPORT_MACRO.fullmatch, file.links.references))
