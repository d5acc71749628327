"""A component of Svelte as code of TypeScript.

Scripts are kept as they are, but for the `$` of stores: `$count` is a use of `count`. The markup
becomes a function `template`: `{#if}` an `if`, `{#each}` a loop that declares its names,
`{#snippet}` a function, a component a call of it, and every other expression a statement.
"""

import re
from collections import Counter

from benchpin.facts.embedding import (
    RAW_TEXT,
    Attribute,
    CodeLines,
    Markup,
    Piece,
    comment_of,
    end_of_code,
    statement_of,
    without_entities,
)
from benchpin.facts.languages.javascript.scripts import WORD, script_language

_MARKS = (b"{", b"}")
_STORE = re.compile(rb"(?<![\w$.'\"`])\$(?=([A-Za-z_]\w*+))")
_IMPORTED = re.compile(rb"\bimport\b[^'\";]*+|\b(?:const|let|var|function)\s++[^=;\n]++")
_BLOCK = re.compile(rb"([#:/@])([a-z]++(?:\s++if\b)?+)\s*+(.*)\Z", re.DOTALL)
_DECLARATION = re.compile(rb"\s*+(?:const|let)\s")
_THEN = re.compile(rb"(.*?)\s(then|catch)\b\s*+(.*)\Z", re.DOTALL)
_COMMENT_IN_STYLE = re.compile(rb"/\*.*?(?:\*/|\Z)", re.DOTALL)
# Directives after which a name of the script comes: `use:action`, and those that may have one.
_NAMING = frozenset({b"use", b"transition", b"in", b"out", b"animate"})
_SHORT = frozenset({b"bind", b"class", b"style"})
# Runes of Svelte 5 are called, and never a store.
_RUNES = frozenset(b"state derived effect props bindable inspect host".split())


def as_code(source: bytes) -> tuple[str, bytes]:
    """Return the code of a component, and the language of its scripts."""
    return _Component(source).code()


class _Component:
    def __init__(self, source: bytes) -> None:
        self._source = source
        self._markup = Markup(source, _MARKS, has_braces=True)
        self._lines = CodeLines(source)
        self._scripts: list[Piece] = []
        self._stores: frozenset[bytes] = frozenset()
        self._is_open = False
        # How many blocks each open element or `{#…}` has opened.
        self._open: list[tuple[bytes, int]] = []
        self._names: Counter[bytes] = Counter()

    def code(self) -> tuple[str, bytes]:
        pieces = list(self._markup.pieces())
        self._read_scripts(pieces)
        at_script = {it.at for it in self._scripts}
        for piece in pieces:
            if piece.at in at_script:
                self._close_template(piece.at)
                end = self._markup.end_of_raw(piece.name, piece.end, len(self._source))
                self._put(self._source[piece.end : end], piece.end)
                self._put(b"\n;" if end == len(self._source) else b"", end)
            elif piece.kind == "open" and piece.name == b"style":
                self._style(piece.end)
            elif piece.kind == "comment":
                self._lines.put(comment_of(piece.text), piece.at)
            elif piece.name not in RAW_TEXT:
                self._open_template(piece.at)
                self._take(piece)
        self._close_template(len(self._source))
        return script_language(self._scripts), self._lines.code()

    def _read_scripts(self, pieces: list[Piece]) -> None:
        """Find the scripts, which are no part of another element, and the names of stores."""
        depth, stores = 0, set()
        for piece in pieces:
            if piece.kind == "open" and piece.name == b"script" and depth <= 0:
                self._scripts.append(piece)
                end = self._markup.end_of_raw(piece.name, piece.end, len(self._source))
                for found in _IMPORTED.finditer(self._source, piece.end, end):
                    stores.update(WORD.findall(found[0]))
            elif piece.name not in RAW_TEXT and not piece.is_empty:
                depth += {"open": 1, "close": -1}.get(piece.kind, 0)
        self._stores = frozenset(stores)

    def _put(self, code: bytes, at: int) -> None:
        """Add code; the `$` of a store is left out."""
        if b"$" in code:
            code = _STORE.sub(lambda it: b"" if self._is_store(it[1]) else b"$", code)
        self._lines.put(code, at)

    def _is_store(self, name: bytes) -> bool:
        return name in self._stores and name not in _RUNES

    def _style(self, start: int) -> None:
        end = self._markup.end_of_raw(b"style", start, len(self._source))
        for found in _COMMENT_IN_STYLE.finditer(self._source, start, end):
            self._lines.put(comment_of(found[0].strip(b"/*")), found.start())

    def _open_template(self, at: int) -> None:
        if not self._is_open:
            self._is_open = True
            self._lines.put(b";(function template(){", at)

    def _close_template(self, at: int) -> None:
        if self._is_open:
            self._lines.put(b"}" * sum(it[1] for it in self._open) + b"});", at)
            self._open.clear()
            self._names.clear()
            self._is_open = False

    def _take(self, piece: Piece) -> None:
        if piece.kind == "code":
            self._code(piece)
        elif piece.kind == "open":
            blocks = self._tag(piece)
            if piece.is_empty:
                self._lines.put(b"}" * blocks, piece.end - 1)
            else:
                self._enter(piece.name, blocks)
        else:
            self._close(piece.name, piece.at)

    def _close(self, name: bytes, at: int) -> None:
        """Close an element or block, and those in it that are still open."""
        if self._names[name]:
            closed, blocks = b"", 0
            while closed != name:
                closed, blocks = self._open.pop()
                self._names[closed] -= 1
                self._lines.put(b"}" * blocks, at)

    def _code(self, piece: Piece) -> None:
        found = _BLOCK.match(piece.text)
        if _DECLARATION.match(piece.text):
            self._put(piece.text + b";", piece.text_at)
            return
        if found is None:
            self._expression(piece.text, piece.text_at)
            return
        mark, word, rest = found[1], b" ".join(found[2].split()), found[3]
        at = piece.text_at + found.start(3)
        if mark == b"#":
            self._begin(word, rest, at)
        elif mark == b"/":
            self._close(b"#" + word, piece.at)
        elif mark == b":":
            self._continue(word, rest, at)
        elif word == b"const":
            self._put(b"const " + rest + b";", at)
        else:
            self._expression(rest, at)

    def _begin(self, word: bytes, rest: bytes, at: int) -> None:
        if word == b"if":
            self._put(b"if(" + rest + b"){", at)
        elif word == b"each":
            self._loop(rest, at)
        elif word == b"snippet":
            self._put(b"function " + rest + b"{", at)
        else:
            then = _THEN.match(rest) if word == b"await" else None
            self._put(b"{(" + (rest if then is None else then[1]) + b");", at)
            if then is not None and then[3].strip():
                self._put(b"const " + then[3] + b"=0;", at + then.start(3))
        self._enter(b"#" + word, 1)

    def _enter(self, name: bytes, blocks: int) -> None:
        self._open.append((name, blocks))
        self._names[name] += 1

    def _continue(self, word: bytes, rest: bytes, at: int) -> None:
        inner = self._open[-1][0] if self._open else b""
        if inner == b"#if":
            self._put(b"}else " + (b"if(" + rest + b"){" if word == b"else if" else b"{"), at)
        elif inner.startswith(b"#"):
            binding = b"const " + rest + b"=0;" if rest.strip() else b""
            self._put(b"}{" + binding, at)

    def _loop(self, rest: bytes, at: int) -> None:
        """Write `{#each items as name, index (key)}`."""
        items, _, bound = rest.rpartition(b" as ")
        if not items:
            self._put(b"for(const _ of (" + rest + b")){", at)
            return
        start = at + len(items) + len(b" as ")
        names, key = bound, b""
        if bound.rstrip().endswith(b")"):
            key_at = _start_of_key(bound.rstrip())
            names, key = bound[:key_at], bound.rstrip()[key_at:]
        names = names.strip()
        has_index = b"," in _after_pattern(names)
        names = b"[" + names + b"]" if has_index else names
        self._put(b"for(const " + names + b" of " + items + b"){", at)
        if key.strip():
            self._put(key + b";", start + len(bound) - len(key))

    def _tag(self, tag: Piece) -> int:
        """Write a tag; return how many blocks it opens."""
        blocks = 0
        for given in tag.attributes:
            if given.name.startswith(b"let:"):
                name = given.name.removeprefix(b"let:")
                self._put(b"{const " + (given.value.strip() or name) + b"=0;", given.at)
                blocks += 1
        is_component = tag.name[:1].isupper() or b"." in tag.name
        self._put(tag.name + b"();" if is_component else b";", tag.at)
        for given in tag.attributes:
            self._attribute(given)
        return blocks

    def _attribute(self, attribute: Attribute) -> None:
        prefix, _, name = attribute.name.partition(b":")
        if prefix in _NAMING and name:
            self._put(name.partition(b"|")[0] + b";", attribute.at)
        if attribute.is_quoted:
            self._quoted(attribute)
        elif attribute.value_at >= 0:
            value = attribute.value
            word = value.lstrip().removeprefix(b"@attach ")
            self._expression(word, attribute.value_at + len(value) - len(word))
        elif prefix in _SHORT and WORD.fullmatch(name):
            self._put(name + b";", attribute.at)

    def _quoted(self, attribute: Attribute) -> None:
        """Write the code in a text: `class="row {kind}"`."""
        at, last = attribute.value_at, attribute.value_at + len(attribute.value)
        while (at := self._source.find(b"{", at, last)) >= 0:
            end = end_of_code(self._source, at + 1, last)
            self._expression(self._source[at + 1 : end], at + 1)
            at = end + 1

    def _expression(self, code: bytes, at: int) -> None:
        code = code.lstrip()
        if code.startswith(b"..."):
            code = code[3:]
        elif code.startswith((b"/*", b"//")) and not _without_comments(code):
            self._put(code + b"\n" if code.startswith(b"//") else code, at)
            return
        if code.strip():
            self._put(statement_of(without_entities(code)), at)


def _without_comments(code: bytes) -> bytes:
    return re.sub(rb"/\*.*?(?:\*/|\Z)|//[^\n]*+", b"", code, flags=re.DOTALL).strip()


def _start_of_key(bound: bytes) -> int:
    """Return where the parenthesis is that the last one closes."""
    depth = 0
    for at in range(len(bound) - 1, -1, -1):
        depth += (bound[at] in b")") - (bound[at] in b"(")
        if not depth:
            return at
    return len(bound)


def _after_pattern(names: bytes) -> bytes:
    """Return what follows the first name or pattern of a loop."""
    if not names.startswith((b"{", b"[")):
        return names
    depth = 0
    for at, char in enumerate(names):
        depth += (char in b"{[") - (char in b"}]")
        if not depth:
            return names[at + 1 :]
    return b""
