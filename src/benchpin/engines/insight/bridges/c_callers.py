"""The C ABI without a loader: Rust that declares C functions, and C that calls Rust or Go."""

import re
from collections.abc import Iterator

from .c_symbols import CSymbols
from .model import Reach
from .scan import C_FAMILY, Scan
from .texts import Text

_BLOCK = re.compile(r'\bextern\s*(?:"(?:C|system)(?:-unwind)?"\s*)?\{')
_FROM_JAVASCRIPT = re.compile(
    r"(?:wasm_bindgen|wasm_import_module)[^\]]{0,300}\]\s*(?:unsafe\s+)?$"
)
_BEFORE_CHARS = 300
_DECLARED = re.compile(
    r'(?:\#\[link_name\s*=\s*"(\w+)"\]\s*)?(?:pub(?:\([^)]{0,100}\))?\s+)?(?:safe\s+|unsafe\s+)?fn\s+(\w+)'
)


def find_c_callers(scan: Scan, symbols: CSymbols) -> Iterator[Reach]:
    """Give the C functions that Rust declares, and the Rust and Go functions that C uses."""
    for file in scan.of("rust"):
        if "C" in file.links.mentions or "system" in file.links.mentions:
            yield from _declared_by_rust(scan.texts.of(file), symbols)
    if scan.of(*C_FAMILY):
        yield from _used_by_c(scan, symbols)


def _declared_by_rust(text: Text, symbols: CSymbols) -> Iterator[Reach]:
    end = 0
    for block in [it for it in _BLOCK.finditer(text.raw) if not _is_from_javascript(it)]:
        if block.start() < end or text.code[block.start()] == " ":
            continue
        end = _closing(text.code, block.end())
        for found in _DECLARED.finditer(text.code, block.end(), end):
            name = found[1] or found[2]
            source = text.place(found.start(2))
            target = symbols.find(name, text.path)
            if target is None or target.language != "rust":
                reason = "" if target else symbols.reason(name)
                evidence = text.evidence(source.line)
                yield Reach("c_abi", name, source, evidence, target, reason)


def _is_from_javascript(block: re.Match[str]) -> bool:
    before = block.string[max(block.start() - _BEFORE_CHARS, 0) : block.start()]
    return bool(_FROM_JAVASCRIPT.search(before))


def _closing(code: str, start: int) -> int:
    """Return where a block ends that begins at a place."""
    depth = 1
    for found in re.compile(r"[{}]").finditer(code, start):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return found.start()
    return len(code)


def _used_by_c(scan: Scan, symbols: CSymbols) -> Iterator[Reach]:
    foreign = {name for name in symbols.foreign if not name.startswith("Java_")}
    if not foreign:
        return
    names = foreign - symbols.visible.keys()
    for file in scan.naming(names, *C_FAMILY):
        text = scan.texts.of(file)
        for name in sorted(names.intersection(file.links.references)):
            found = re.search(rf"\b{name}\s*\(", text.code) or re.search(rf"\b{name}\b", text.code)
            target = symbols.find(name, file.path)
            if found and target:
                source = text.place(found.start())
                yield Reach("c_abi", name, source, text.evidence(source.line), target)
