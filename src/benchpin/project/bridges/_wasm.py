"""Rust for the browser: what wasm-bindgen exports to JavaScript, and imports from there."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from benchpin.facts import FileFacts, Import
from benchpin.facts.imports import folder_of, join, within
from benchpin.system.formats import NotToml, parse_toml

from ._bridge import Bridge, CodeLine
from ._rust_items import rust_items
from ._scan import DOTTED_JAVASCRIPT, JAVASCRIPT, Definitions, FileText, Scan, closest

_FROM_JS = re.compile(
    r'\#\[wasm_bindgen\([^\]]{0,300}?\bmodule\s*=\s*"([^"\n]{1,300})"[^\]]{0,300}\]\s*'
    r"(?:unsafe\s+)?extern[^{]{0,50}\{([^}]*+)(?:\}|\Z)"
)
_TAKEN = re.compile(
    r"(?:\#\[wasm_bindgen\(([^\]]{0,300})\)\]\s*)?(?:pub\s+)?(?:async\s+)?fn\s+(\w+)"
)
_OF_A_CLASS = re.compile(r"\b(?:constructor|method|getter|setter|static_method_of|js_namespace)\b")
_JS_NAME = re.compile(r'\bjs_name\s*=\s*"?([\w$]+)')
_ENDING = re.compile(r"(?:_bg)?(?:\.(?:js|wasm|mjs|ts))?$")


@dataclass(slots=True)
class WasmCrate:
    """A crate that is compiled for JavaScript."""

    folder: str
    names: frozenset[str]
    exports: Definitions = field(default_factory=lambda: Definitions(list))

    def bridge(self, text: FileText, offset: int, name: str) -> Bridge:
        """Return a reference of JavaScript to an item of the crate."""
        target = closest(self.exports.get(name, ()), text.path)
        reason = f"no item of the crate in {self.folder or '.'} has this name"
        return text.bridge("wasm_bindgen", name, offset, target, reason)


class WasmCrates:
    """The crates of files: each has that of the nearest Cargo.toml with a package."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._by_folder: dict[str, WasmCrate] = {}

    def of(self, path: str) -> WasmCrate:
        """Return the crate of a file."""
        return self._in(folder_of(path))

    def exporting(self) -> dict[str, WasmCrate]:
        """Return the crates that export something, by their folders."""
        return {it.folder: it for it in self._by_folder.values() if it.exports}

    def _in(self, folder: str) -> WasmCrate:
        if folder not in self._by_folder:
            names = _crate_names(self._scan.manifest(within(folder, "Cargo.toml")))
            if names or not folder:
                self._by_folder[folder] = WasmCrate(folder, names)
            else:
                self._by_folder[folder] = self._in(folder_of(folder))
        return self._by_folder[folder]


def _crate_names(manifest: str) -> frozenset[str]:
    """Return the names that a manifest gives its package and its library."""
    try:
        tables = parse_toml(manifest)
    except NotToml:
        return frozenset()
    parts = (tables.get(it) for it in ("package", "lib"))
    names = (it.get("name") for it in parts if isinstance(it, dict))
    return frozenset(it.replace("-", "_") for it in names if isinstance(it, str))


def find_wasm(scan: Scan) -> Iterator[Bridge]:
    """Yield what JavaScript imports from Rust, and Rust from JavaScript."""
    if not scan.of(*JAVASCRIPT):
        return
    crates = WasmCrates(scan)
    for item in rust_items(scan, "wasm_bindgen"):
        if item.kind != "mod" and not re.search(r"\bstart\b", item.attributes):
            crates.of(item.at.path).exports[item.js_name or item.name].append(item.at)
    for file in scan.naming({"wasm_bindgen"}, "rust"):
        if "module" in file.links.references:
            yield from _imported_by_rust(scan, scan.text(file), crates.of(file.path))
    exporting = crates.exporting()
    for file in scan.of(*JAVASCRIPT) if exporting else ():
        for imported in file.links.imports:
            crate = _imported_crate(file, imported, exporting)
            if crate is not None:
                yield from _uses(file, scan.text(file), imported, crate)


def _imported_crate(
    file: FileFacts, imported: Import, crates: dict[str, WasmCrate]
) -> WasmCrate | None:
    """Return the crate whose package is imported."""
    parts = imported.module.split("/")
    stem = _ENDING.sub("", parts[-1]).replace("-", "_")
    for crate in crates.values():
        if stem in crate.names:
            return crate
    if stem == "pkg" or "pkg" in parts[:-1]:
        at = len(parts) - 1 - parts[::-1].index("pkg") if "pkg" in parts else len(parts)
        place = join(folder_of(file.path), "/".join(parts[:at]))
        return crates.get(place) if place is not None else None
    return None


def _uses(file: FileFacts, text: FileText, imported: Import, crate: WasmCrate) -> Iterator[Bridge]:
    explicit = [it for it in imported.names if it not in {"*", "default"}]
    for name in dict.fromkeys(explicit):
        word = re.compile(rf"\b{re.escape(name)}\b")
        found = word.search(text.code, text.start_of(imported.line))
        if found is not None:
            yield crate.bridge(text, found.start(), name)
    if len(explicit) < len(imported.names) or not imported.names:
        spaces = set(imported.aliases) - set(explicit)
        for found in DOTTED_JAVASCRIPT.finditer(text.bare):
            is_known = found[2] in crate.exports and found[2] in file.links.references
            if is_known and (not spaces or found[1] in spaces):
                yield crate.bridge(text, found.start(), found[2])


def _imported_by_rust(scan: Scan, text: FileText, crate: WasmCrate) -> Iterator[Bridge]:
    """Yield the functions of JavaScript files that Rust declares."""
    for block in _FROM_JS.finditer(text.code):
        bases = (crate.folder, folder_of(text.path))
        paths = [join(base, block[1].lstrip("/")) or "" for base in bases]
        script = scan.project.files.get(scan.project.first(paths) or "")
        for found in _TAKEN.finditer(text.code, block.start(2), block.end(2)):
            if _OF_A_CLASS.search(found[1] or ""):
                continue
            renamed = _JS_NAME.search(found[1] or "")
            name = renamed[1] if renamed else found[2]
            target = _definition(script, scan.text(script), name) if script else None
            reason = f"{block[1]} is no file of the project that has this name"
            yield text.bridge("wasm_bindgen", name, found.start(2), target, reason)


def _definition(file: FileFacts, text: FileText, name: str) -> CodeLine | None:
    for function in file.outline.functions:
        if function.name == name:
            return CodeLine(file.path, function.line, file.language)
    found = re.search(rf"\b{re.escape(name)}\b", text.code)
    return text.at(found.start()) if found else None
