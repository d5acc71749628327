"""Addons of Node.js: C++ with Node-API, NAN or V8, and Rust with napi-rs."""

import re
from collections.abc import Collection, Iterator

from benchpin.facts import FileFacts
from benchpin.facts.imports import folder_of, join

from ._bridge import Bridge, CodeLine
from ._rust_items import rust_items
from ._scan import C_FAMILY, DOTTED_JAVASCRIPT, JAVASCRIPT, Definitions, FileText, Scan, closest

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
_LOAD = re.compile(
    rf"\brequire\(\s*[\"'`](?:[^\"'`\n]*\.node|{'|'.join(sorted(_LOADERS))})[\"'`]\s*\)"
)
_LITERAL = re.compile(r"[\"'`](?:[^\"'`\n]*/)?([^\"'`\n/]*?)(?:\.node)?[\"'`]\s*\)$")
_COMPUTED = re.compile(r"\brequire\(\s*[A-Za-z_$][\w.$]*\s*\)")
_ASSIGNED = re.compile(r"(?<![\w.$])([\w.$]++)\s*+=(?![=>])")
_UNPACKED = re.compile(r"(\{[^{}]*\})\s*=\s*$")
_UNPACKED_CHARS = 500
_NODE_FILE = re.compile(r"\.node[\"'`]")
_MADE = re.compile(r"(?<![\w.$])([\w.$]++)\s*=\s*([\w$]+)\(")
_TAKEN = re.compile(r"(\{[^{}]{0,2000}\})\s*=\s*([\w.$]+)\s*(?:;|$)", re.MULTILINE)
_EXPORTED = re.compile(
    r"(?:module\.exports\s*+=|export\s++default)\s*+([\w$]++)[^\S\n]*+;?[^\S\n]*+$", re.MULTILINE
)
_ITEM = re.compile(r"(?<![\w$])([\w$]++)\s*+(?::\s*+[\w$]++\s*+)?+(?:=[^,]*+)?+(?:,|\Z)")
_ENDINGS = ("", ".js", ".cjs", ".mjs", ".ts", "/index.js")


class Addons:
    """What C++ and Rust offer to Node.js."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self._native = scan.naming(_NATIVE, *C_FAMILY)
        self._rust = Definitions(list)
        for item in rust_items(scan, "napi"):
            if item.kind == "fn":
                self._rust[item.js_name or _camel_case(item.name)].append(item.at)
            else:
                for name in {item.js_name or item.name, item.name}:
                    self._rust[name].append(item.at)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._native or self._rust)

    def module(self, near: str) -> CodeLine | None:
        """Return where an addon is declared to Node.js."""
        texts = [self._scan.text(it) for it in self._scan.naming(_MACROS, *C_FAMILY)]
        found = [it.at(macro.start()) for it in texts for macro in _MACRO.finditer(it.code)]
        return closest(found, near)

    def bridge(self, text: FileText, offset: int, name: str) -> Bridge:
        """Return a reference to what is offered under a name, as near as possible to a file."""
        target = closest(self._rust.get(name, ()), text.path)
        if target is None:
            files = [it for it in self._native if name in it.links.mentions]
            target = self._scan.registration(files, name, text.path)
        reason = "the project has no addon that offers this"
        return text.bridge("node_api", name, offset, target, reason)


def find_node_addons(scan: Scan) -> Iterator[Bridge]:
    """Yield what JavaScript uses of addons."""
    if not scan.of(*JAVASCRIPT):
        return
    addons = Addons(scan)
    exporting: set[str] = set()
    for file in scan.of(*JAVASCRIPT):
        if not _loads(file, is_likely=bool(addons)):
            continue
        text = scan.text(file)
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


def _handles(file: FileFacts, text: FileText) -> set[str]:
    """Return the variables that contain an addon, and the patterns that unpack one."""
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


def _assigned(text: FileText, offset: int) -> Iterator[str]:
    """Yield the left side of an assignment, on the same line or in braces."""
    before = text.code[max(offset - _UNPACKED_CHARS, 0) : offset]
    unpacked = _UNPACKED.search(before)
    line = before.rpartition("\n")[2]
    if unpacked:
        yield unpacked[1]
    elif "=>" not in line:
        yield from _ASSIGNED.findall(line)


def _uses(text: FileText, handles: Collection[str], addons: Addons) -> Iterator[Bridge]:
    for found in DOTTED_JAVASCRIPT.finditer(text.bare):
        if found[1] in handles:
            yield addons.bridge(text, found.start(), found[2])
    unpacked = [
        (found[1], found.start(1)) for found in _TAKEN.finditer(text.code) if found[2] in handles
    ]
    unpacked += [(it, text.code.index(it)) for it in sorted(handles) if it.startswith("{")]
    for names, offset in unpacked:
        for item in _ITEM.finditer(names[1:-1].rstrip()):
            yield addons.bridge(text, offset + 1 + item.start(), item[1])


def _loadings(text: FileText, addons: Addons) -> Iterator[Bridge]:
    """Yield the addons that a file loads and exports, so that their uses are elsewhere."""
    for found in _LOAD.finditer(text.code):
        named = _LITERAL.search(found[0])
        name = named[1] if named else found[0]
        target = addons.module(text.path)
        yield text.bridge("node_api", name, found.start(), target, "the project has no addon")


def _uses_elsewhere(scan: Scan, exporting: set[str], addons: Addons) -> Iterator[Bridge]:
    """Yield what files use of an addon that another file re-exports."""
    for file in scan.of(*JAVASCRIPT):
        for imported in file.links.imports:
            if not imported.module.startswith("."):
                continue
            place = join(folder_of(file.path), imported.module)
            if any(f"{place}{ending}" in exporting for ending in _ENDINGS):
                text = scan.text(file)
                names = [it for it in imported.names if it not in {"*", "default"}]
                start = text.start_of(imported.line)
                for name in names:
                    yield addons.bridge(text, max(text.code.find(name, start), start), name)
                yield from _uses(text, set(imported.aliases) - set(names), addons)


def _camel_case(name: str) -> str:
    """Return the name that napi-rs gives a function of Rust in JavaScript."""
    first, *others = [it for it in name.split("_") if it]
    return first + "".join(it.capitalize() for it in others)
