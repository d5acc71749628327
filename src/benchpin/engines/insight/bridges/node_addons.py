"""Addons of Node.js: C++ with Node-API, NAN or V8, and Rust with napi-rs."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator

from benchpin.engines.source.imports import folder_of, join
from benchpin.engines.source.index import FileFacts

from .model import Place, Reach
from .registrations import registration
from .rust_items import rust_items
from .scan import C_FAMILY, JAVASCRIPT, Scan, closest
from .texts import Text

_MACROS = frozenset(
    {"NAPI_MODULE", "NAPI_MODULE_INIT", "NODE_API_MODULE", "NODE_MODULE", "NODE_MODULE_INIT"}
    | {"NAN_MODULE_INIT", "NODE_MODULE_CONTEXT_AWARE", "NODE_API_NAMED_ADDON", "NODE_API_ADDON"}
)
_NATIVE = _MACROS | {
    *("NODE_SET_METHOD", "NODE_SET_PROTOTYPE_METHOD", "Napi", "Nan"),
    *("napi_create_function", "napi_define_properties", "napi_define_class"),
}
_MACRO = re.compile(rf"^[ \t]*(?:{'|'.join(sorted(_MACROS))})\b", re.MULTILINE)
_LOADERS = frozenset({"bindings", "node-gyp-build", "@mapbox/node-pre-gyp", "pkg-prebuilds"})
_LOADING = (
    r"\brequire\(\s*[\"'`](?:[^\"'`\n]*\.node|" + "|".join(sorted(_LOADERS)) + r")[\"'`]\s*\)"
)
_LOAD = re.compile(_LOADING)
_LITERAL = re.compile(r"[\"'`](?:[^\"'`\n]*/)?([^\"'`\n/]*?)(?:\.node)?[\"'`]\s*\)$")
_COMPUTED = re.compile(r"\brequire\(\s*[A-Za-z_$][\w.$]*\s*\)")
_ASSIGNED = re.compile(r"([\w.$]+)\s*=(?![=>])")
_UNPACKED = re.compile(r"(\{[^{}]*\})\s*=\s*$")
_UNPACKED_CHARS = 500
_NODE_FILE = re.compile(r"\.node[\"'`]")
_MADE = re.compile(r"(?<![\w.$])([\w.$]++)\s*=\s*([\w$]+)\(")
_DOTTED = re.compile(r"(?<![.\w$])([A-Za-z_$][\w$]*)\.([A-Za-z_$][\w$]*)")
_TAKEN = re.compile(r"(\{[^{}]{0,2000}\})\s*=\s*([\w.$]+)\s*(?:;|$)", re.MULTILINE)
_EXPORTED = re.compile(
    r"(?:module\.exports\s*=|export\s+default)\s*([\w$]+)\s*;?\s*$", re.MULTILINE
)
_ITEM = re.compile(r"([\w$]+)\s*(?::\s*[\w$]+)?\s*(?:=[^,]*)?(?:,|$)")
_ENDINGS = ("", ".js", ".cjs", ".mjs", ".ts", "/index.js")
_NOT_OFFERED = "the project has no addon that offers this"


class Addons:
    """What C++ and Rust offer to Node.js."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._native = scan.naming(_NATIVE, *C_FAMILY)
        self._rust: defaultdict[str, list[Place]] = defaultdict(list)
        for item in rust_items(scan, "napi"):
            names = {item.js_name or _js_name(item.name, item.kind)}
            names |= {item.name} if item.kind != "fn" else set()
            for name in names:
                self._rust[name].append(item.text.place(item.offset))

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._native or self._rust)

    def find(self, name: str, near: str) -> Place | None:
        """Return what is offered under a name, as near as can be to a file."""
        files = [it for it in self._native if name in it.links.mentions]
        place = closest(self._rust.get(name, ()), near)
        return place or registration(self._scan, files, name, near)

    def module(self, near: str) -> Place | None:
        """Return where an addon is declared to Node.js."""
        texts = [self._scan.texts.of(it) for it in self._scan.naming(_MACROS, *C_FAMILY)]
        found = [it.place(at.start()) for it in texts for at in _MACRO.finditer(it.code)]
        return closest(found, near)


def find_node_addons(scan: Scan) -> Iterator[Reach]:
    """Give what JavaScript reaches in addons."""
    if not scan.of(*JAVASCRIPT):
        return
    addons = Addons(scan)
    exporting: set[str] = set()
    for file in scan.of(*JAVASCRIPT):
        if not _loads(file, is_likely=bool(addons)):
            continue
        text = scan.texts.of(file)
        handles = _handles(file, text)
        found = list(_uses(text, handles, addons))
        yield from found or _loadings(text, addons)
        if any(it[1] in handles for it in _EXPORTED.finditer(text.code)):
            exporting.add(file.path)
    if exporting:
        yield from _uses_elsewhere(scan, exporting, addons)


def _loads(file: FileFacts, *, is_likely: bool) -> bool:
    """Whether a file loads an addon; a computed path is considered where there are addons."""
    if any(it.module.endswith(".node") or it.module in _LOADERS for it in file.links.imports):
        return True
    return is_likely and "node" in file.links.mentions and "require" in file.links.references


def _handles(file: FileFacts, text: Text) -> set[str]:
    """Return the variables that hold an addon, and the names that are taken out of one."""
    loads = list(_LOAD.finditer(text.code))
    if _NODE_FILE.search(text.code):
        loads += _COMPUTED.finditer(text.code)
    handles = {name for load in loads for name in _assigned(text, load.start())}
    makers = {
        it.name.rpartition(".")[2]
        for it in file.outline.functions
        if _LOAD.search(text.code, text.start_of(it.line), text.start_of(it.end_line + 1))
    }
    handles |= {it[1] for it in _MADE.finditer(text.code) if it[2] in makers}
    return handles - {"module.exports"}


def _assigned(text: Text, offset: int) -> Iterator[str]:
    """Give the left side of an assignment, on the same line or in braces."""
    before = text.code[max(offset - _UNPACKED_CHARS, 0) : offset]
    unpacked = _UNPACKED.search(before)
    line = before.rpartition("\n")[2]
    if unpacked:
        yield unpacked[1]
    elif "=>" not in line:
        yield from _ASSIGNED.findall(line)


def _uses(text: Text, handles: Collection[str], addons: Addons) -> Iterator[Reach]:
    for found in _DOTTED.finditer(text.bare):
        if found[1] in handles:
            yield _reach(text, found.start(), found[2], addons)
    for found in _TAKEN.finditer(text.code):
        if found[2] in handles:
            yield from _items(text, found[1], found.start(1), addons)
    for names in sorted(handles):
        if names.startswith("{"):
            yield from _items(text, names, text.code.index(names), addons)


def _items(text: Text, names: str, offset: int, addons: Addons) -> Iterator[Reach]:
    """Give what `{ a, b: c }` takes out of an addon."""
    for item in _ITEM.finditer(names[1:-1].rstrip()):
        yield _reach(text, offset + 1 + item.start(), item[1], addons)


def _loadings(text: Text, addons: Addons) -> Iterator[Reach]:
    """Give the addons that a file loads and exports, so that their uses are elsewhere."""
    for found in _LOAD.finditer(text.code):
        named = _LITERAL.search(found[0])
        name = named[1] if named else found[0]
        source, target = text.place(found.start()), addons.module(text.path)
        reason = "" if target else "the project has no addon"
        yield Reach("node_api", name, source, text.evidence(source.line), target, reason)


def _uses_elsewhere(scan: Scan, exporting: set[str], addons: Addons) -> Iterator[Reach]:
    """Give what files reach in an addon that another file hands on as its own export."""
    for file in scan.of(*JAVASCRIPT):
        for imported in file.links.imports:
            if not imported.module.startswith("."):
                continue
            place = join(folder_of(file.path), imported.module)
            if any(f"{place}{ending}" in exporting for ending in _ENDINGS):
                text = scan.texts.of(file)
                names = [it for it in imported.names if it not in {"*", "default"}]
                for name in names:
                    start = text.start_of(imported.line)
                    at = text.code.find(name, start)
                    yield _reach(text, max(at, start), name, addons)
                yield from _uses(text, set(imported.aliases) - set(names), addons)


def _reach(text: Text, offset: int, name: str, addons: Addons) -> Reach:
    source = text.place(offset)
    target = addons.find(name, text.path)
    reason = "" if target else _NOT_OFFERED
    return Reach("node_api", name, source, text.evidence(source.line), target, reason)


def _js_name(name: str, kind: str) -> str:
    """Return what napi-rs calls a Rust item in JavaScript."""
    if kind != "fn":
        return name
    first, *others = [it for it in name.split("_") if it]
    return first + "".join(it.capitalize() for it in others)
