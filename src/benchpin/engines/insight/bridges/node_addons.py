"""Addons of Node.js: C++ with Node-API, NAN or V8, and Rust with napi-rs."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.resolve.project import folder_of, join

from .model import Place, Reach
from .registrations import registration
from .rust_items import rust_items
from .scan import C_FAMILY, JAVASCRIPT, Scan, closest
from .texts import Text

_NATIVE = frozenset(
    """
    NAPI_MODULE NAPI_MODULE_INIT NODE_API_MODULE NODE_MODULE NODE_MODULE_INIT NAN_MODULE_INIT
    NODE_SET_METHOD NODE_SET_PROTOTYPE_METHOD NODE_MODULE_CONTEXT_AWARE
    Napi Nan napi_create_function napi_define_properties napi_define_class
    """.split()
)
_LOADERS = frozenset({"bindings", "node-gyp-build", "@mapbox/node-pre-gyp", "pkg-prebuilds"})
_NAMES = r"(?:const|let|var)?\s*(\{[^}]*\}|[\w.$]+)\s*=\s*"
_REQUIRED = re.compile(
    rf"{_NAMES}(?:[^;\n=]*?\()?(?:[\w.$]+\s*=\s*)?require\(\s*[\"'`]"
    rf"(?:[^\"'`\n]*\.node|{'|'.join(map(re.escape, sorted(_LOADERS)))})[\"'`]\s*\)"
)
_INNER = re.compile(r"([\w.$]+)\s*=\s*require\(\s*[\"'`](?:bindings|node-gyp-build)[\"'`]")
_DYNAMIC = re.compile(rf"{_NAMES}require\(\s*[\w.$`]")
_NODE_FILE = re.compile(r"\.node[\"'`]")
_EXPORTED = re.compile(r"(?:module\.exports\s*=|export\s+default)\s*([\w$]+)\s*;?\s*$", re.MULTILINE)
_ITEM = re.compile(r"([\w$]+)\s*(?::\s*[\w$]+)?\s*(?:,|$)")
_ENDINGS = ("", ".js", ".cjs", ".mjs", ".ts", "/index.js")


@dataclass(frozen=True, slots=True)
class Handle:
    """A variable that holds an addon, or names that are taken out of it."""

    name: str
    taken: tuple[str, ...] = ()
    offset: int = 0


class Addons:
    """What C++ and Rust offer to Node.js."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._native = scan.naming(_NATIVE, *C_FAMILY)
        self._rust: defaultdict[str, list[Place]] = defaultdict(list)
        for file in scan.naming({"napi"}, "rust"):
            text = scan.texts.of(file)
            for item in rust_items(text, r"\bnapi\b"):
                if item.kind != "impl":
                    name = item.argument("js_name") or _js_name(item.name, item.kind)
                    self._rust[name].append(text.place(item.offset))

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._native or self._rust)

    def find(self, name: str, near: str) -> Place | None:
        """Return what is offered under a name, as near as can be to a file."""
        place = closest(self._rust.get(name, ()), near)
        if place is not None:
            return place
        return registration(
            self._scan, [it for it in self._native if name in it.links.mentions], name, near
        )


def find_node_addons(scan: Scan) -> Iterator[Reach]:
    """Give what JavaScript reaches in addons."""
    if not scan.of(*JAVASCRIPT):
        return
    addons = Addons(scan)
    exported: dict[str, str] = {}
    for file in scan.of(*JAVASCRIPT):
        if not _loads(file, is_likely=bool(addons)):
            continue
        text = scan.texts.of(file)
        handles = list(_handles(text))
        yield from _uses(text, handles, addons)
        names = {it.name for it in handles}
        for found in _EXPORTED.finditer(text.code):
            if found[1] in names:
                exported[file.path] = found[1]
    yield from _uses_elsewhere(scan, exported, addons)


def _loads(file: FileFacts, *, is_likely: bool) -> bool:
    """Whether a file loads an addon; a computed path is considered where there are addons."""
    modules = [it.module for it in file.links.imports]
    if any(it.endswith(".node") or it in _LOADERS for it in modules):
        return True
    return is_likely and "node" in file.links.mentions and "require" in file.links.references


def _handles(text: Text) -> Iterator[Handle]:
    patterns = [_REQUIRED, _INNER]
    if _NODE_FILE.search(text.code):
        patterns.append(_DYNAMIC)
    for pattern in patterns:
        for found in pattern.finditer(text.code):
            if found[1].startswith("{"):
                taken = tuple(it[1] for it in _ITEM.finditer(found[1][1:-1].strip()))
                yield Handle("", taken, found.start(1))
            else:
                yield Handle(found[1])


def _uses(text: Text, handles: list[Handle], addons: Addons) -> Iterator[Reach]:
    for name in dict.fromkeys(it.name for it in handles if it.name):
        pattern = rf"(?<![\w.$]){re.escape(name)}\.([A-Za-z_$][\w$]*)"
        for found in re.finditer(pattern, text.code):
            yield from _reach(text, found.start(), found[1], addons)
        taken = rf"(\{{[^{{}}]*\}})\s*=\s*{re.escape(name)}\s*(?:;|$)"
        for found in re.finditer(taken, text.code, re.MULTILINE):
            for item in _ITEM.finditer(found[1][1:-1].strip()):
                at = text.code.index(item[1], found.start(1))
                yield from _reach(text, at, item[1], addons)
    for handle in handles:
        for name in handle.taken:
            at = text.code.index(name, handle.offset)
            yield from _reach(text, at, name, addons)


def _uses_elsewhere(scan: Scan, exported: dict[str, str], addons: Addons) -> Iterator[Reach]:
    """Give what files reach in an addon that another file hands on as its own export."""
    for file in scan.of(*JAVASCRIPT) if exported else ():
        for imported in file.links.imports:
            place = join(folder_of(file.path), imported.module)
            is_relative = imported.module.startswith(".")
            if is_relative and any(f"{place}{ending}" in exported for ending in _ENDINGS):
                names = imported.aliases[:1] if imported.names in {(), ("default",)} else ()
                text = scan.texts.of(file)
                yield from _uses(text, [Handle(it) for it in names], addons)


def _reach(text: Text, offset: int, name: str, addons: Addons) -> Iterator[Reach]:
    source = text.place(offset)
    target = addons.find(name, text.path)
    reason = "" if target else "the project has no addon that offers this"
    yield Reach("node_api", name, source, text.evidence(source.line), target, reason)


def _js_name(name: str, kind: str) -> str:
    """Return what napi-rs calls a Rust item in JavaScript."""
    if kind != "fn":
        return name
    first, *others = [it for it in name.split("_") if it]
    return first + "".join(it.capitalize() for it in others)
