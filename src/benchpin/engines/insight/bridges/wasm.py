"""Rust for the browser: what wasm-bindgen offers to JavaScript, and what it takes from there."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from benchpin.engines.source.facts import Import
from benchpin.engines.source.imports import folder_of, join, within
from benchpin.engines.source.index import FileFacts
from benchpin.engines.toml import NotToml, parse_toml

from .model import Place, Reach
from .rust_items import rust_items
from .scan import JAVASCRIPT, Scan, closest
from .texts import Text

_FROM_JS = re.compile(
    r'\#\[wasm_bindgen\([^\]]{0,300}?\bmodule\s*=\s*"([^"\n]{1,300})"[^\]]{0,300}\]\s*'
    r"(?:unsafe\s+)?extern[^{]{0,50}\{([^}]*)\}"
)
_TAKEN = re.compile(
    r"(?:\#\[wasm_bindgen\(([^\]]{0,300})\)\]\s*)?(?:pub\s+)?(?:async\s+)?fn\s+(\w+)"
)
_OF_A_CLASS = re.compile(r"\b(?:constructor|method|getter|setter|static_method_of|js_namespace)\b")
_JS_NAME = re.compile(r'\bjs_name\s*=\s*"?([\w$]+)')
_DOTTED = re.compile(r"(?<![.\w$])([A-Za-z_$][\w$]*)\.([A-Za-z_$][\w$]*)")
_ENDING = re.compile(r"(?:_bg)?(?:\.(?:js|wasm|mjs|ts))?$")


@dataclass(slots=True)
class Crate:
    """A crate that is compiled for JavaScript."""

    folder: str
    names: frozenset[str]
    offers: defaultdict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))


class Crates:
    """The crates of files: each has that of the nearest Cargo.toml with a package."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._by_folder: dict[str, Crate] = {}

    def of(self, path: str) -> Crate:
        """Return the crate of a file."""
        return self._in(folder_of(path))

    def offering(self) -> dict[str, Crate]:
        """Return the crates that offer something, by their folders."""
        return {it.folder: it for it in self._by_folder.values() if it.offers}

    def _in(self, folder: str) -> Crate:
        if folder not in self._by_folder:
            names = _crate_names(self._scan.texts.manifest(within(folder, "Cargo.toml")) or "")
            if names or not folder:
                self._by_folder[folder] = Crate(folder, names)
            else:
                self._by_folder[folder] = self._in(folder_of(folder))
        return self._by_folder[folder]


def _crate_names(manifest: str) -> frozenset[str]:
    """Return what a manifest calls its package and its library."""
    try:
        tables = parse_toml(manifest)
    except NotToml:
        return frozenset()
    parts = (tables.get(it) for it in ("package", "lib"))
    names = (it.get("name") for it in parts if isinstance(it, dict))
    return frozenset(it.replace("-", "_") for it in names if isinstance(it, str))


def find_wasm(scan: Scan) -> Iterator[Reach]:
    """Give what JavaScript imports from Rust, and Rust from JavaScript."""
    if not scan.of(*JAVASCRIPT):
        return
    crates = Crates(scan)
    for item in rust_items(scan, "wasm_bindgen"):
        if item.kind != "mod" and not re.search(r"\bstart\b", item.attributes):
            name = item.js_name or item.name
            crates.of(item.text.path).offers[name].append(item.text.place(item.offset))
    for file in scan.naming({"wasm_bindgen"}, "rust"):
        if "module" in file.links.references:
            yield from _taken(scan, scan.texts.of(file), crates.of(file.path))
    offering = crates.offering()
    for file in scan.of(*JAVASCRIPT) if offering else ():
        for imported in file.links.imports:
            chosen = _imported_crate(file, imported, offering)
            if chosen is not None:
                yield from _uses(file, scan.texts.of(file), imported, chosen)


def _imported_crate(file: FileFacts, imported: Import, crates: dict[str, Crate]) -> Crate | None:
    """Return the crate whose package an import means."""
    module = imported.module
    parts = module.split("/")
    stem = _ENDING.sub("", parts[-1]).replace("-", "_")
    for crate in crates.values():
        if stem in crate.names:
            return crate
    if stem == "pkg" or "pkg" in parts[:-1]:
        at = len(parts) - 1 - parts[::-1].index("pkg") if "pkg" in parts else len(parts)
        place = join(folder_of(file.path), "/".join(parts[:at]))
        return crates.get(place) if place is not None else None
    return None


def _uses(file: FileFacts, text: Text, imported: Import, crate: Crate) -> Iterator[Reach]:
    explicit = [it for it in imported.names if it not in {"*", "default"}]
    for name in dict.fromkeys(explicit):
        found = re.compile(rf"\b{re.escape(name)}\b").search(
            text.code, text.start_of(imported.line)
        )
        if found is not None:
            yield _reach(text, found.start(), name, crate)
    if len(explicit) < len(imported.names) or not imported.names:
        spaces = set(imported.aliases) - set(explicit)
        for found in _DOTTED.finditer(text.bare):
            is_known = found[2] in crate.offers and found[2] in file.links.references
            if is_known and (not spaces or found[1] in spaces):
                yield _reach(text, found.start(), found[2], crate)


def _reach(text: Text, offset: int, name: str, crate: Crate) -> Reach:
    source = text.place(offset)
    target = closest(crate.offers.get(name, ()), text.path)
    reason = "" if target else f"no item of the crate in {crate.folder or '.'} has this name"
    return Reach("wasm_bindgen", name, source, text.evidence(source.line), target, reason)


def _taken(scan: Scan, text: Text, crate: Crate) -> Iterator[Reach]:
    """Give the functions of JavaScript files that Rust declares."""
    for block in _FROM_JS.finditer(text.code):
        bases = (crate.folder, folder_of(text.path))
        paths = [join(base, block[1].lstrip("/")) or "" for base in bases]
        script = scan.project.files.get(scan.project.first(paths) or "")
        for found in _TAKEN.finditer(text.code, block.start(2), block.end(2)):
            if _OF_A_CLASS.search(found[1] or ""):
                continue
            renamed = _JS_NAME.search(found[1] or "")
            name = renamed[1] if renamed else found[2]
            source = text.place(found.start(2))
            target = _declared(script, scan.texts.of(script), name) if script else None
            reason = "" if target else f"{block[1]} is no file of the project that has this name"
            yield Reach("wasm_bindgen", name, source, text.evidence(source.line), target, reason)


def _declared(file: FileFacts, text: Text, name: str) -> Place | None:
    for function in file.outline.functions:
        if function.name == name:
            return Place(file.path, function.line, file.language)
    found = re.search(rf"\b{re.escape(name)}\b", text.code)
    return text.place(found.start()) if found else None
