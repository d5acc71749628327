"""Python modules written in Rust (PyO3), C and C++ (the C API, pybind11 and its like).

An import means such a module when no Python file is there for it; a stub is none.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from benchpin.engines.source.facts import Import
from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.languages.python.imports import PythonResolver

from .model import Kind, Place, Reach
from .registrations import registration
from .rust_items import rust_items
from .scan import C_FAMILY, Scan, closest
from .texts import Text

_INIT = "PyInit_"
_C_API = frozenset({"PyMODINIT_FUNC", "PyModuleDef", "PyModule_Create"})
_MACROS = frozenset({"PYBIND11_MODULE", "NB_MODULE", "BOOST_PYTHON_MODULE"})
_MACRO = re.compile(rf"\b(?:{'|'.join(sorted(_MACROS))})\s*\(\s*(\w+)")
_REGISTERING = _MACROS | {"PyMethodDef", "PyModule_AddObject", "PyModule_AddIntConstant", "class_"}


@dataclass(frozen=True, slots=True)
class Module:
    """A module that is not written in Python."""

    kind: Kind
    name: str
    places: tuple[Place, ...]


def find_module_uses(scan: Scan) -> Iterator[Reach]:
    """Give what Python imports from modules of other languages."""
    if not scan.of("python"):
        return
    members: defaultdict[str, list[Place]] = defaultdict(list)
    modules = {it.name: it for it in (*_rust_modules(scan, members), *_c_modules(scan))}
    if modules:
        yield from _Uses(scan, modules, members).find()


def _rust_modules(scan: Scan, members: defaultdict[str, list[Place]]) -> Iterator[Module]:
    modules: defaultdict[str, list[Place]] = defaultdict(list)
    for item in rust_items(scan, "pyclass", "pyfunction", "pymodule"):
        name = (item.argument("name") or item.name).rpartition(".")[2]
        where = modules if "pymodule" in item.attributes else members
        where[name].append(item.text.place(item.offset))
    for name, places in modules.items():
        yield Module("pyo3", name, tuple(places))


def _c_modules(scan: Scan) -> Iterator[Module]:
    modules: defaultdict[str, list[Place]] = defaultdict(list)
    for file in scan.naming(_C_API, *C_FAMILY):
        for function in file.outline.functions:
            if function.name.startswith(_INIT):
                place = Place(file.path, function.line, file.language)
                modules[function.name.removeprefix(_INIT)].append(place)
    for file in scan.naming(_MACROS, *C_FAMILY):
        text = scan.texts.of(file)
        for found in _MACRO.finditer(text.code):
            modules[found[1]].append(text.place(found.start()))
    for name, places in modules.items():
        yield Module("python_extension", name, tuple(places))


class _Uses:
    """Follows imports of some modules."""

    def __init__(
        self, scan: Scan, modules: dict[str, Module], members: dict[str, list[Place]]
    ) -> None:
        self._scan = scan
        self._modules = modules
        self._members = members
        self._registering = scan.naming(_REGISTERING, *C_FAMILY)
        self._resolver = PythonResolver(scan.project)

    def find(self) -> Iterator[Reach]:
        for file in self._scan.of("python"):
            if not file.path.endswith(".pyi"):
                for imported in file.links.imports:
                    yield from self._follow(file, imported)

    def _follow(self, file: FileFacts, imported: Import) -> Iterator[Reach]:
        parts = imported.module.split(".")
        module = next((self._modules[it] for it in parts if it in self._modules), None)
        called = imported.aliases or imported.names or (imported.module,)
        if module is not None and self._is_native(file, imported, is_top=parts[0] == module.name):
            if not imported.names:
                yield from self._through(file, imported, module, called[0])
            for name, alias in zip(imported.names, called, strict=False):
                inner = self._modules.get(name)
                if inner is not None:
                    yield from self._through(file, imported, inner, alias)
                else:
                    text = self._scan.texts.of(file)
                    yield self._reach(text, self._offset(text, imported, name), module, name)
            return
        for name, alias in zip(imported.names, called, strict=False):
            if name in self._modules and self._is_native(file, imported, name):
                yield from self._through(file, imported, self._modules[name], alias)

    def _is_native(
        self, file: FileFacts, imported: Import, name: str | None = None, *, is_top: bool = False
    ) -> bool:
        """Whether a module, or a name in it, is neither a Python file nor a foreign package."""
        if not imported.level and imported.module.partition(".")[0] in sys.stdlib_module_names:
            return False
        resolution = self._resolver.resolve(file, imported)
        if resolution.status == "external" and not is_top:
            return False
        inner = (path for known, path in resolution.modules if known == name)
        paths = resolution.files if name is None else inner
        return not any(path.endswith(".py") for path in paths)

    def _through(
        self, file: FileFacts, imported: Import, module: Module, alias: str
    ) -> Iterator[Reach]:
        """Give what a file uses of a module that it imported under a name."""
        text = self._scan.texts.of(file)
        pattern = re.compile(rf"(?<![\w.]){re.escape(alias)}\.([A-Za-z_][\w.]*)")
        uses = list(pattern.finditer(text.bare, text.start_of(imported.line + 1)))
        for found in uses:
            inner, names = module, found[1].split(".")
            while len(names) > 1 and names[0] in self._modules:
                inner, names = self._modules[names[0]], names[1:]
            yield self._reach(text, found.start(), inner, names[0])
        if not uses:
            yield self._reach(text, text.start_of(imported.line), module, module.name)

    def _offset(self, text: Text, imported: Import, name: str) -> int:
        """Return where a name is imported: not always on the first line."""
        start = text.start_of(imported.line)
        found = re.compile(rf"\b{re.escape(name)}\b").search(
            text.code, text.code.find("import", start)
        )
        return found.start() if found else start

    def _reach(self, text: Text, offset: int, module: Module, name: str) -> Reach:
        """Return a reference to a member of a module, or to the module where that is not seen."""
        source = text.place(offset)
        home = closest(module.places, text.path) or module.places[0]
        member = self._member(module, home, name, text.path) or self._named(home, name)
        symbol = name if member else module.name
        return Reach(module.kind, symbol, source, text.evidence(source.line), member or home)

    def _member(self, module: Module, home: Place, name: str, user: str) -> Place | None:
        if module.kind == "pyo3":
            inner = self._modules.get(name)
            offered = self._members.get(name) or (inner.places if inner else ())
            return closest(offered, home.path, f"{module.name} {user}")
        files = [it for it in self._registering if name in it.links.mentions]
        return registration(self._scan, files, name, home.path)

    def _named(self, home: Place, name: str) -> Place | None:
        """Return where the code that makes a module names something, such as a constant."""
        text = self._scan.texts.of(self._scan.project.files[home.path])
        start, word = text.start_of(home.line), re.escape(name)
        for pattern in (rf'"{word}"', rf"\b{word}\b"):
            found = re.compile(pattern).search(text.code, start)
            if found:
                return text.place(found.start())
        return None
