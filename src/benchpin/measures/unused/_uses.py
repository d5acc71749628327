"""Which code uses which names: from the token stream of a file, definition by definition."""

import re
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from zlib import crc32

from benchpin.facts import FileFacts
from benchpin.facts.liveness import Definition, LivenessRules, SharedNames, TokenView

from ._file_uses import (
    BARE,
    CODE_KINDS,
    CONTRACT,
    IMPORTED,
    KIND_BITS,
    MEMBER,
    PUBLIC,
    STRING,
    TEXT,
    TOP_LEVEL,
    CodeKind,
    FileUses,
    UseKind,
)
from ._inheritance import first_part


class ImportedNames:
    """The names that a file imports, also those that it gives them."""

    def __init__(self, file: FileFacts) -> None:
        self.names = frozenset(name for it in file.links.imports for name in it.names)
        self._origins = {
            name: it.module
            for it in file.links.imports
            if not it.level
            # Bundlers use `@/` and `~/` for the source folder of the package itself.
            if not it.module.startswith(("./", "../", "@/", "~/"))
            for name in (*it.names, *it.aliases) or (it.module.partition(".")[0],)
        }
        self._is_open = "*" in self.names or any(
            not it.names and it.module.startswith((".", "/")) for it in file.links.imports
        )

    def origin(self, name: str) -> str | None:
        """Return the module of an absolute import that a name comes from."""
        return self._origins.get(name)

    def may_provide(self, name: str) -> bool:
        """Whether a bare name may come from an import."""
        return name in self.names or self._is_open


# Longer strings are texts, even without spaces.
_MAX_NAME_CHARS = 200
# How many tokens a function may begin after the name that it is assigned to.
_FARTHEST_NAME = 60
# How many tokens a prefix may be after `getattr`.
_FARTHEST_LOOKUP = 6
_WORD = re.compile(r"[^\W\d]\w*")
_SPACE = re.compile(r"\s")
# Names that are no English words: `snake_case`, `_private`, `camelCase`.
_LOOKS_LIKE_CODE = re.compile(r"\b(?:[A-Za-z](?=\w*_\w)|_(?=\w)|[a-z]++(?=[A-Z]))\w*+")
_FORMATTED = re.compile(r"\{([^\W\d]\w*)[:}]")
_AFTER_MARK = re.compile(r"[.`]([^\W\d]\w*)")
# Words that look like code by the character before or after them.
_BEFORE_MARK = re.compile(r"\b([^\W\d]\w*)[(`]")
# The letters before a quote are no part of the name; a part of an f-string has no quotes itself.
_OPEN = rb"^(?:[rbfuRBFU]{0,2}['\"`]{1,3})?"
_CLOSE, _HOLE = rb"['\"`]{0,3}$", rb"(%[sdr]|\{.*\})?"
_FIRST_PART = re.compile(_OPEN + rb"([A-Za-z_]\w{1,60})" + _HOLE + _CLOSE)
# Strings that are the beginning or the end of a name, with or without a placeholder.
_LAST_PART = re.compile(_OPEN + _HOLE + rb"(\w{3,60})" + _CLOSE)
# Half of the operator `##` of C, which the grammar reads as two tokens in a macro body.
_PASTE = b"#"
_CONTRACTS = frozenset({"interface", "trait", "protocol", "type"})
_VARIABLE = re.compile(rb"\$?[A-Za-z_]\w*")
_HOLE_STARTS = frozenset({b"+", b"{", b"${", b"#{", b".", b"%"})
_HOLE_ENDS = frozenset({b"+", b"}", b"."})


@dataclass(slots=True)
class _Found:
    """What was found in a file so far."""

    by_context: dict[int, dict[str, UseKind]]
    prefixes: set[str] = field(default_factory=set)
    suffixes: set[str] = field(default_factory=set)
    looked_up: set[str] = field(default_factory=set)


class NameFinder:
    """Finds the names of definitions in tokens and in strings."""

    def __init__(self, names: Sequence[str]) -> None:
        """Find these names, which are known by their place in this list."""
        self._all = frozenset(names)
        self._numbers = {name: number for number, name in enumerate(names)}
        self._is_code_like = cache(lambda word: _LOOKS_LIKE_CODE.fullmatch(word) is not None)
        self._by_token = {name.encode(): name for name in names}

    def used_in(
        self, view: TokenView, *, formats_names: bool
    ) -> dict[int, list[tuple[str, UseKind]]]:
        """Return the names in each token of the vocabulary; kind 0 depends on the position."""
        by_token = self._by_token
        found = {
            number: [(by_token[token], 0)]
            for number, token in enumerate(view.texts)
            if token in by_token
        }
        for number in view.literals():
            text = view.texts[number].decode(errors="replace")
            named = self._named_in(text)
            if formats_names:
                named += [(name, BARE) for name in self._all.intersection(_FORMATTED.findall(text))]
            if named and number not in found:
                found[number] = named
        return found

    def among(self, names: Collection[str]) -> frozenset[str]:
        """Return those that are names of definitions."""
        return self._all.intersection(names)

    def pack(self, uses: Mapping[str, UseKind], imported: "ImportedNames") -> list[int]:
        """Return how names are used as numbers, which `uses_among` reads."""
        numbers, provided = self._numbers, imported.may_provide
        return [
            numbers[name] << KIND_BITS | kind | (IMPORTED if provided(name) else 0)
            for name, kind in uses.items()
        ]

    def number(self, name: str) -> int:
        return self._numbers[name]

    def _named_in(self, text: str) -> list[tuple[str, UseKind]]:
        """Return the names in a literal; in a text with spaces, only those that look like code."""
        found = self._all.intersection(_WORD.findall(text))
        if not found or len(text) < 2:  # noqa: PLR2004 - one character is no name
            return []
        if len(text) <= _MAX_NAME_CHARS and not _SPACE.search(text):
            return [(word, STRING) for word in found]
        marked = set(_AFTER_MARK.findall(text))
        if "(" in text or "`" in text:
            marked.update(_BEFORE_MARK.findall(text))
        return [(word, TEXT) for word in found if word in marked or self._is_code_like(word)]


def find_uses(
    file: FileFacts,
    view: TokenView,
    definitions: Sequence[Definition],
    names: NameFinder,
    rules: LivenessRules,
) -> FileUses:
    """Find where a file uses names; `definitions` are those of the file."""
    words = names.used_in(view, formats_names=rules.formats_names)
    stream = view.stream
    skipped = _naming_positions(view, definitions) | rules.export_positions(view)
    found = _Found({TOP_LEVEL: {}})
    is_broken = file.outline.error_line > 0
    for at, context in _with_context(view.positions(words), definitions):
        if at in skipped:
            continue
        for name, kind in words[stream[at]]:
            seen = kind or _kind_at(view, at, rules, is_outside=context < 0)
            if seen:
                # Where a file does not parse, the nesting of definitions is a guess.
                is_sure = not is_broken or (context >= 0 and definitions[context].name == name)
                user = context if is_sure else TOP_LEVEL
                names_here = found.by_context.setdefault(user, {})
                names_here[name] = names_here.get(name, 0) | seen
    lookups = _find_lookups(view, rules)
    if not rules.reflection_words.isdisjoint(view.texts):
        _find_parts(view, found, rules.reflection_words)
        _find_pasted(view, found)
        _join_parts(file, definitions, found.by_context[TOP_LEVEL])
    _add_imports(file, found, names, rules)
    imported = ImportedNames(file)
    packed = {code: names.pack(uses, imported) for code, uses in found.by_context.items()}
    first = definitions[0].id if definitions else 0
    types = [(at, it) for at, it in enumerate(definitions) if it.kind == "type"]
    return FileUses(
        language=file.language,
        contexts=_integers(
            "i", (it for code, names in packed.items() for it in (code, len(names)))
        ),
        entries=_integers("I", (it for names in packed.values() for it in names)),
        names=_integers("I", (names.number(it.name) for it in definitions)),
        places=_integers("I", (crc32(it.qualified.encode()) for it in definitions)),
        owners=_integers(
            "i", (TOP_LEVEL if it.owner is None else it.owner - first for it in definitions)
        ),
        kinds=bytes(map(_kind_of, definitions)),
        qualifiers=_qualifiers(definitions),
        bases={
            at: [(base, imported.origin(first_part(base))) for base in dict.fromkeys(it.bases)]
            for at, it in types
            if it.bases
        },
        heritage=_heritage(view, definitions, rules),
        prefixes=frozenset(found.prefixes),
        suffixes=frozenset(found.suffixes),
        looked_up=frozenset(found.looked_up),
        self_lookups=frozenset(context for _, context in _with_context(lookups, definitions)),
        implementing=frozenset(
            number
            for first, last in rules.contract_spans(view)
            for number, it in enumerate(definitions)
            if first <= it.first_token < last
        ),
        shared=[_shared(it, view, names) for it in rules.shared],
    )


def _shared(shared: SharedNames, view: TokenView, names: NameFinder) -> frozenset[str]:
    found = shared.of_file(view)
    return names.among(found) if shared.is_defined else frozenset(found)


def _integers(code: str, values: Iterable[int]) -> bytes:
    return array(code, values).tobytes()


def _kind_of(definition: Definition) -> CodeKind:
    is_contract = definition.label in _CONTRACTS
    return CODE_KINDS[definition.kind] | (CONTRACT * is_contract) | (PUBLIC * definition.is_public)


def _qualifiers(definitions: Sequence[Definition]) -> dict[int, str]:
    """Return the types of methods that are written outside their type, as in Go, Rust and C++."""
    return {
        at: qualifier
        for at, it in enumerate(definitions)
        if it.kind == "method" and it.owner is None
        for qualifier in [it.qualified.rpartition(".")[0].rpartition(".")[2]]
        if qualifier
    }


def _heritage(
    view: TokenView, definitions: Sequence[Definition], rules: LivenessRules
) -> dict[int, str]:
    first = definitions[0].id if definitions else 0
    found = {
        at: sign
        for at, it in enumerate(definitions)
        if it.kind == "type" and (sign := rules.heritage(it, view))
    }
    for definition in definitions:
        if definition.owner is not None and definition.name in rules.subclass_hooks:
            found[definition.owner - first] = (
                f"{found.get(definition.owner - first, '')} {definition.name}"
            )
    return found


def _add_imports(file: FileFacts, found: _Found, names: NameFinder, rules: LivenessRules) -> None:
    """Count an import as a use if the name is re-exported, or renamed and so not seen again."""
    exported = set(file.links.exports) if rules.exports_imports else set()
    is_package = rules.package_file != "" and file.path.endswith(rules.package_file)
    bare = {
        name for used in found.by_context.values() for name, kind in used.items() if kind & BARE
    }
    at_top = found.by_context[TOP_LEVEL]
    imported = names.among({name for it in file.links.imports for name in it.names})
    for name in sorted(imported - (exported - bare)):
        if is_package or name not in bare:
            at_top[name] = at_top.get(name, 0) | BARE


def _kind_at(view: TokenView, at: int, rules: LivenessRules, *, is_outside: bool) -> UseKind:
    """Return how a name is used at a position; 0 when it is not."""
    before = view.text(at - 1)
    if rules.is_destructured(view, at):
        return MEMBER
    if before in rules.definition_words or rules.is_declaration(view, at, is_outside):
        return 0
    return MEMBER if before in rules.member_marks else BARE


def _find_lookups(view: TokenView, rules: LivenessRules) -> list[int]:
    """Find the positions of `getattr(self, name)` where the name is a variable."""
    return [
        at
        for at in view.positions_of(*(words[0] for words in rules.self_lookups))
        for words in rules.self_lookups
        if all(view.text(at + ahead) == word for ahead, word in enumerate(words))
        and _VARIABLE.fullmatch(view.text(at + len(words)))
    ]


def _with_context(
    positions: Sequence[int], definitions: Sequence[Definition]
) -> Iterator[tuple[int, int]]:
    """Yield each position with the number of the innermost definition around it."""
    around: list[int] = []
    rest = iter(enumerate(definitions))
    upcoming = next(rest, None)
    for at in positions:
        while upcoming is not None and upcoming[1].first_token <= at:
            around.append(upcoming[0])
            upcoming = next(rest, None)
        while around and definitions[around[-1]].last_token <= at:
            around.pop()
        yield at, around[-1] if around else TOP_LEVEL


def _naming_positions(view: TokenView, definitions: Sequence[Definition]) -> set[int]:
    """Find the positions that name a definition from outside it: `name = function () {}`."""
    positions: set[int] = set()
    for definition in definitions:
        name, first = definition.name.encode(), definition.first_token
        if definition.kind == "type":
            if view.text(first - 1) == b"typedef" and view.text(definition.last_token) == name:
                positions.add(definition.last_token)
        elif definition.name not in definition.signature:
            behind = range(first - 1, max(-1, first - _FARTHEST_NAME), -1)
            position = next((at for at in behind if view.text(at) == name), None)
            if position is not None:
                positions.add(position)
    return positions


def _find_parts(view: TokenView, found: _Found, lookups: Collection[bytes]) -> None:
    """Record the parts of names in `f"visit_{kind}"`, `"do_%s" % kind` and `"on_" + name`."""
    firsts: dict[int, re.Match[bytes]] = {}
    lasts: dict[int, re.Match[bytes]] = {}
    for number in view.literals():
        if first := _FIRST_PART.match(view.texts[number]):
            firsts[number] = first
        if last := _LAST_PART.match(view.texts[number]):
            lasts[number] = last
    for at in view.positions(firsts.keys() | lasts.keys()):
        first, last = firsts.get(view.stream[at]), lasts.get(view.stream[at])
        if first and (first[2] or view.text(at + 1) in _HOLE_STARTS):
            found.prefixes.add(first[1].decode())
            if any(view.text(near) in lookups for near in range(at - _FARTHEST_LOOKUP, at)):
                found.looked_up.add(first[1].decode())
        elif first and first[1].endswith(b"_"):
            # `PREFIX = "check_"` and `name.startswith("check_")`, in a file that looks names up
            found.prefixes.add(first[1].decode())
        if last and (last[1] or view.text(at - 1) in _HOLE_ENDS):
            found.suffixes.add(last[2].decode(errors="replace"))


def _find_pasted(view: TokenView, found: _Found) -> None:
    """Record the parts of names in macros such as `cmd_ ## name`."""
    for at in view.positions_of(b"#", b"##"):
        is_whole = view.text(at) == b"##"
        if is_whole or view.text(at + 1) == _PASTE:
            after = at + 1 + (not is_whole)
            found.prefixes.add(view.text(at - 1).decode(errors="replace"))
            found.suffixes.add(view.text(after).decode(errors="replace"))


def _join_parts(
    file: FileFacts, definitions: Sequence[Definition], at_top: dict[str, UseKind]
) -> None:
    """Count the string "load" as a mention of `_load`, which `f"_{name}"` could compose."""
    mentions = set(file.links.mentions)
    for definition in definitions:
        if definition.name.startswith("_") and definition.name[1:] in mentions:
            at_top[definition.name] = at_top.get(definition.name, 0) | STRING
