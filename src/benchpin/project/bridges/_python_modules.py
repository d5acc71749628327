"""Python modules written in Rust (PyO3), C and C++ (the C API, pybind11 and its like).

An import leads to such a module when no Python file is there for it; a stub is none.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from benchpin.facts import FileFacts, Import
from benchpin.facts.languages.python import PythonResolver

from ._bridge import Bridge, BridgeKind, CodeLine
from ._rust_items import rust_items
from ._scan import C_FAMILY, Definitions, FileText, Scan, closest, functions_of

_INIT = "PyInit_"
_C_API = frozenset({"PyMODINIT_FUNC", "PyModuleDef", "PyModule_Create"})
_MACROS = frozenset({"PYBIND11_MODULE", "NB_MODULE", "BOOST_PYTHON_MODULE"})
_MACRO = re.compile(rf"\b(?:{'|'.join(sorted(_MACROS))})\s*\(\s*(\w+)")
_REGISTERING = _MACROS | {"PyMethodDef", "PyModule_AddObject", "PyModule_AddIntConstant", "class_"}


@dataclass(frozen=True, slots=True)
class NativeModule:
    """A Python module that is not written in Python."""

    kind: BridgeKind
    name: str
    places: tuple[CodeLine, ...]


def find_module_uses(scan: Scan) -> Iterator[Bridge]:
    """Yield what Python imports from modules of other languages."""
    if not scan.of("python"):
        return
    rust, members = Definitions(list), Definitions(list)
    for item in rust_items(scan, "pyclass", "pyfunction", "pymodule"):
        name = (item.argument("name") or item.name).rpartition(".")[2]
        (rust if "pymodule" in item.attributes else members)[name].append(item.at)
    modules = {name: NativeModule("pyo3", name, tuple(it)) for name, it in rust.items()}
    for name, places in _c_modules(scan).items():
        modules[name] = NativeModule("python_extension", name, tuple(places))
    if modules:
        yield from _ModuleUses(scan, modules, members).find()


def _c_modules(scan: Scan) -> Definitions:
    modules = Definitions(list)
    for function, at in functions_of(scan.naming(_C_API, *C_FAMILY)):
        if function.name.startswith(_INIT):
            modules[function.name.removeprefix(_INIT)].append(at)
    for file in scan.naming(_MACROS, *C_FAMILY):
        text = scan.text(file)
        for found in _MACRO.finditer(text.code):
            modules[found[1]].append(text.at(found.start()))
    return modules


class _ModuleUses:
    """Follows imports of native modules."""

    def __init__(self, scan: Scan, modules: dict[str, NativeModule], members: Definitions) -> None:
        self._scan = scan
        self._modules = modules
        self._members = members
        self._registering = scan.naming(_REGISTERING, *C_FAMILY)
        self._resolver = PythonResolver(scan.project)

    def find(self) -> Iterator[Bridge]:
        for file in self._scan.of("python"):
            if not file.path.endswith(".pyi"):
                for imported in file.links.imports:
                    yield from self._follow(file, imported)

    def _follow(self, file: FileFacts, imported: Import) -> Iterator[Bridge]:
        parts = imported.module.split(".")
        module = next((self._modules[it] for it in parts if it in self._modules), None)
        called = imported.aliases or imported.names or (imported.module,)
        pairs = list(zip(imported.names, called, strict=False))
        if module is None or not self._is_native(file, imported, is_top=parts[0] == module.name):
            for name, alias in pairs:
                if name in self._modules and self._is_native(file, imported, name):
                    yield from self._members_used(file, imported, self._modules[name], alias)
            return
        if not imported.names:
            yield from self._members_used(file, imported, module, called[0])
        for name, alias in pairs:
            inner = self._modules.get(name)
            if inner is not None:
                yield from self._members_used(file, imported, inner, alias)
            else:
                text = self._scan.text(file)
                yield self._bridge(text, _offset_of(text, imported, name), module, name)

    def _is_native(
        self, file: FileFacts, imported: Import, name: str | None = None, *, is_top: bool = False
    ) -> bool:
        """Whether a module, or a name in it, is neither a Python file nor an external package."""
        if not imported.level and imported.module.partition(".")[0] in sys.stdlib_module_names:
            return False
        resolution = self._resolver.resolve(file, imported)
        if resolution.status == "external" and not is_top:
            return False
        inner = (path for known, path in resolution.modules if known == name)
        paths = resolution.files if name is None else inner
        return not any(path.endswith(".py") for path in paths)

    def _members_used(
        self, file: FileFacts, imported: Import, module: NativeModule, alias: str
    ) -> Iterator[Bridge]:
        """Yield what a file uses of a module, by the name under which it is imported."""
        text = self._scan.text(file)
        pattern = re.compile(rf"(?<![\w.]){re.escape(alias)}\.([A-Za-z_][\w.]*)")
        uses = list(pattern.finditer(text.bare, text.start_of(imported.line + 1)))
        for found in uses:
            inner, names = module, found[1].split(".")
            while len(names) > 1 and names[0] in self._modules:
                inner, names = self._modules[names[0]], names[1:]
            yield self._bridge(text, found.start(), inner, names[0])
        if not uses:
            yield self._bridge(text, text.start_of(imported.line), module, module.name)

    def _bridge(self, text: FileText, offset: int, module: NativeModule, name: str) -> Bridge:
        """Return a reference to a member of a module, or to the module where none is found."""
        home = closest(module.places, text.path) or module.places[0]
        member = self._member(module, home, name, text.path) or self._named(home, name)
        symbol = name if member else module.name
        return text.bridge(module.kind, symbol, offset, member or home)

    def _member(
        self, module: NativeModule, home: CodeLine, name: str, user: str
    ) -> CodeLine | None:
        if module.kind == "pyo3":
            inner = self._modules.get(name)
            offered = self._members.get(name) or (inner.places if inner else ())
            return closest(offered, home.path, f"{module.name} {user}")
        files = [it for it in self._registering if name in it.links.mentions]
        return self._scan.registration(files, name, home.path)

    def _named(self, home: CodeLine, name: str) -> CodeLine | None:
        """Return where the code that makes a module names something, such as a constant."""
        text = self._scan.text(self._scan.project.files[home.path])
        start, word = text.start_of(home.line), re.escape(name)
        for pattern in (rf'"{word}"', rf"\b{word}\b"):
            found = re.compile(pattern).search(text.code, start)
            if found:
                return text.at(found.start())
        return None


def _offset_of(text: FileText, imported: Import, name: str) -> int:
    """Return where a name is imported: not always on the first line."""
    start = text.start_of(imported.line)
    found = re.compile(rf"\b{re.escape(name)}\b").search(text.code, text.code.find("import", start))
    return found.start() if found else start
