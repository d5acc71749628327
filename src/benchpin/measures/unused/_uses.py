"""What one file contributes to the search for unused code: computed in the workers, for every file.

It knows nothing of other files, so it keeps all words that could be names of definitions.
"""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from zlib import crc32

import msgspec

from benchpin.facts import FileFacts
from benchpin.facts.derived import FileFact
from benchpin.facts.liveness import Definition, LivenessRules, TokenView, rules_of
from benchpin.workspace.walking import is_test_path

from ._composed import find_parts, find_pasted, join_parts
from ._definitions import define
from ._file_uses import (
    BARE,
    CODE_KINDS,
    CONTRACT,
    DEPRECATED,
    IMPLEMENTING,
    IMPORTED,
    LOCAL,
    MAYBE_LOCAL,
    NONE,
    PUBLIC,
    CodeKind,
    Described,
    FileUses,
)
from ._inheritance import first_part
from ._name_search import NamedUses, NameSearch, Words
from ._verdicts import FileView, NeedsOtherFiles, deprecations, is_deprecated, judge

_ALL_IMPORTED = bytes(it | IMPORTED for it in range(256))
_CONTRACTS = frozenset({"interface", "trait", "protocol", "type"})
_VARIABLE = re.compile(rb"\$?[A-Za-z_]\w*")


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
        self.is_open = "*" in self.names or any(
            not it.names and it.module.startswith((".", "/")) for it in file.links.imports
        )

    def origin(self, name: str) -> str | None:
        """Return the module of an absolute import that a name comes from."""
        return self._origins.get(name)


def _find_file_uses(file: FileFacts, _option: None) -> FileUses:
    """Find what a file defines and where it uses names."""
    rules, view, definitions = rules_of(file.language), TokenView.of(file, 0), define(file)
    words = Words()
    names = [words[it.name] for it in definitions]
    # Code is counted from 0, which is what is in no definition: definition 0 is code 1.
    uses = NameSearch(view, definitions, rules, words).by_code()
    if file.outline.error_line:
        _put_guesses_at_top(uses, names)
    prefixes: set[str] = set()
    suffixes: set[str] = set()
    looked_up: set[str] = set()
    if not rules.reflection_words.isdisjoint(view.texts):
        find_parts(view, (prefixes, suffixes, looked_up), rules.reflection_words)
        find_pasted(view, prefixes, suffixes)
        join_parts(file, definitions, uses[0], words)
    _add_imports(file, uses, words, rules)
    imported = ImportedNames(file)
    seen = FileView(file, view, definitions, rules)
    judged = [judge(it, seen) for it in definitions]
    verdicts = {it: at for at, it in enumerate(dict.fromkeys(judged))}
    shared = tuple(_integers("I", (words[a] for a in it.of_file(view))) for it in rules.shared)
    kinds = _kinds(definitions, seen)
    return FileUses(
        language=file.language,
        lines=file.outline.lines,
        is_generated=file.outline.is_generated,
        is_test=is_test_path(file.path),
        words=tuple(words),
        counts=_integers("I", map(len, uses)),
        entries=_integers("I", chain.from_iterable(uses)),
        hows=_hows(uses, imported, words),
        names=_integers("I", names),
        places=_integers("I", (crc32(it.qualified.encode()) for it in definitions)),
        owners=_integers("i", (NONE if it.owner is None else it.owner for it in definitions)),
        kinds=kinds,
        verdicts=tuple(verdicts),
        judged=_integers("I", map(verdicts.__getitem__, judged)),
        described=msgspec.msgpack.encode(list(map(_described, definitions, kinds))),
        qualifiers=seen.qualifiers,
        bases={
            at: tuple((base, imported.origin(first_part(base))) for base in dict.fromkeys(it.bases))
            for at, it in enumerate(definitions)
            if it.kind == "type" and it.bases
        },
        heritage={
            at: sign
            for at, it in enumerate(definitions)
            if it.kind == "type" and (sign := rules.heritage(it, view))
        },
        prefixes=tuple(prefixes),
        suffixes=tuple(suffixes),
        looked_up=tuple(looked_up),
        self_lookups=tuple(_lookups(view, definitions, rules)),
        shared=shared,
    )


FILE_USES = FileFact[None, FileUses](
    "benchpin.measures.unused:FILE_USES",
    FileUses,
    _find_file_uses,
    ("outline", "links", "tokens"),
    type(None),
    has_path=True,  # the name of a file decides whether it is a test, a header, a package
)


def _integers(code: str, values: Iterable[int]) -> bytes:
    return array(code, values).tobytes()


def _hows(uses: list[NamedUses], imported: ImportedNames, words: Words) -> bytes:
    """Return how each name is used, and whether it may come from an import."""
    hows = b"".join(map(bytes, map(dict.values, uses)))
    if imported.is_open:
        return hows.translate(_ALL_IMPORTED)
    provided = {words[it] for it in imported.names if it in words}
    used = chain.from_iterable(uses)
    return bytes(
        how | IMPORTED if it in provided else how for it, how in zip(used, hows, strict=True)
    )


def _described(definition: Definition, kind: CodeKind) -> Described:
    # Signatures are most of the text of a definition, and nobody else asks for them.
    signature = definition.signature if kind & MAYBE_LOCAL else ""
    return Described(
        definition.qualified,
        definition.label,
        definition.line,
        definition.end_line,
        definition.first_token,
        definition.last_token,
        signature,
        definition.decorators,
        definition.bases,
    )


def _kinds(definitions: Sequence[Definition], seen: FileView) -> bytes:
    view, rules = seen.views[0], seen.rules
    words = deprecations(view)
    spans = rules.contract_spans(view)
    return bytes(
        CODE_KINDS[it.kind]
        | (CONTRACT * (it.label in _CONTRACTS))
        | (PUBLIC * it.is_public)
        | (DEPRECATED * is_deprecated(it, view, words))
        | (IMPLEMENTING * any(first <= it.first_token < last for first, last in spans))
        | _locality(it, seen)
        for it in definitions
    )


def _locality(definition: Definition, seen: FileView) -> CodeKind:
    """Whether only its own file can use a definition, if that is known."""
    is_local = seen.rules.is_local
    try:
        return LOCAL if is_local is not None and is_local(definition, seen) else 0
    except NeedsOtherFiles:
        return MAYBE_LOCAL


def _code_at(positions: Iterable[int], definitions: Sequence[Definition]) -> Iterator[int]:
    """Yield the innermost code around each position."""
    for at in positions:
        inside = (code for code, it in enumerate(definitions, 1) if it.first_token <= at)
        yield max((it for it in inside if at < definitions[it - 1].last_token), default=0)


def _put_guesses_at_top(uses: list[NamedUses], names: Sequence[int]) -> None:
    """Count what code uses as used by the file: where it does not parse, nesting is a guess."""
    for code, its in enumerate(uses[1:], 1):
        own = names[code - 1]
        for name, kind in its.items():
            if name != own:
                uses[0][name] = uses[0].get(name, 0) | kind
        uses[code] = {own: its[own]} if own in its else {}


def _add_imports(
    file: FileFacts, uses: list[NamedUses], words: Words, rules: LivenessRules
) -> None:
    """Count an import as a use if the name is re-exported, or renamed and so not seen again."""
    exported = set(file.links.exports) if rules.exports_imports else set()
    is_package = rules.package_file != "" and file.path.endswith(rules.package_file)
    bare = {name for used in uses for name, kind in used.items() if kind & BARE}
    for name in sorted({name for it in file.links.imports for name in it.names}):
        word = words[name]
        is_bare = word in bare
        if (is_package or not is_bare) and (is_bare or name not in exported):
            uses[0][word] = uses[0].get(word, 0) | BARE


def _lookups(
    view: TokenView, definitions: Sequence[Definition], rules: LivenessRules
) -> Iterator[int]:
    """Yield code with `getattr(self, name)` where the name is a variable."""
    firsts = {words[0] for words in rules.self_lookups}
    if firsts.isdisjoint(view.texts):
        return
    found = [
        at
        for at in view.positions_of(*firsts)
        for words in rules.self_lookups
        if all(view.text(at + ahead) == word for ahead, word in enumerate(words))
        and _VARIABLE.fullmatch(view.text(at + len(words)))
    ]
    yield from sorted(set(_code_at(found, definitions)))
