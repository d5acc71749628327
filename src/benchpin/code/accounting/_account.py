"""Put each line that has a name into one class, so that nobody has to search again.

The search is independent of the facts: what the facts do not explain is listed, not hidden.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Annotated, Literal, get_args

from pydantic import Field

from benchpin.code import CodeIndex, SourceText, scope_of, whole_word
from benchpin.code.names import Module, Symbol
from benchpin.code.references import Use, Uses, definition_lines
from benchpin.core.text import counted
from benchpin.facts.code import navigation_of
from benchpin.facts.languages import detect_language, family_of, table_of
from benchpin.workspace.walking import SCOPES, CodeScope

from ._name_lines import NameLines

LineClass = Literal[
    "definition",
    "call",
    "import",
    "other use",
    "possible use",
    "another symbol",
    "string",
    "comment",
    "document",
    "not parsed",
    "not explained",
    "not resolved",
]
LINE_CLASSES: tuple[LineClass, ...] = get_args(LineClass)
_PLURALS = {
    "string": "in strings",
    "comment": "in comments",
    "document": "in documents and other text",
    "not parsed": "in files that were not parsed",
    "another symbol": "of other symbols",
    "not explained": "not explained",
    "not resolved": "not resolved",
}
_MAX_SHOWN = 5
_Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class NameAccount:
    """The lines that have a name as a whole word, each in one class."""

    name: str
    lines: int
    files: int
    searched: int
    """Text files of the workspace."""
    counts: Mapping[CodeScope, Mapping[LineClass, int]]
    """Lines by scope and class; they add up to `lines`."""
    elsewhere: int = 0
    """Uses on lines without the name: by another name, or by a constructor."""
    others: Mapping[str, int] = field(default_factory=dict)
    """Lines of other symbols of that name, by their ids, the most first."""
    unexplained: int = 0
    unexplained_at: tuple[str, ...] = ()
    """The first places that are in no other class."""
    unparsed_at: tuple[str, ...] = ()
    """The first places in files that were not parsed."""
    missing: tuple[str, ...] = ()
    """What was not searched or not resolved."""
    is_whole: bool = True
    """Whether every line is explained and everything was searched."""
    more_names: Annotated[tuple[str, ...], Field(exclude_if=lambda it: not it)] = ()
    """Of several symbols: their other names."""

    @property
    def has_others(self) -> bool:
        """Whether some lines are of other symbols, or perhaps of this one."""
        kinds = {kind for found in self.counts.values() for kind in found}
        return bool(self.elsewhere or kinds & {"another symbol", "possible use"})

    def sentences(self) -> Iterator[str]:
        """Yield the account in words: one line if it is whole."""
        title = f"`{self.name}`"
        if self.more_names:
            shown = "".join(f", `{it}`" for it in self.more_names[: _MAX_SHOWN - 1])
            rest = len(self.more_names) - _MAX_SHOWN + 1
            title += shown + (f" and {rest:,} more names" if rest > 0 else "")
        if not self.lines:
            has = f"{title}: no line in {counted(self.searched, 'file')} has this word"
            yield has + (f" (not searched: {'; '.join(self.missing)})" if self.missing else "")
            return
        place = f"{counted(self.lines, 'line')} in {counted(self.files, 'file')}"
        parts = [
            f"{scope} {', '.join(_counted(kind, count) for kind, count in found.items())}"
            for scope, found in self.counts.items()
        ]
        end = "nothing else" if self.is_whole else "not whole"
        yield f"{title}: {place}: {'; '.join(parts)}; {end}"
        if self.others:
            named = [f"{it} {count:,}" for it, count in list(self.others.items())[:_MAX_SHOWN]]
            more = len(self.others) - len(named)
            yield f"other symbols: {', '.join(named)}" + (f" and {more:,} more" if more else "")
        if self.elsewhere:
            yield f"and {counted(self.elsewhere, 'use')} on lines without this word"
        if self.unexplained_at:
            yield f"not explained: {', '.join(self.unexplained_at)}"
        if self.unparsed_at:
            yield f"not parsed: {', '.join(self.unparsed_at)}"
        if self.missing:
            yield f"missing: {'; '.join(self.missing)}"


def all_sentences(accounts: Sequence[NameAccount]) -> Iterator[str]:
    """Yield accounts in words; those after the first share a line as far as they are whole."""
    first, rest = accounts[:1], accounts[1:]
    also = [it for it in rest if it.is_whole and it.lines and not it.has_others]
    for account in (*first, *(it for it in rest if it not in also)):
        yield from account.sentences()
    if also:
        named = (f"`{it.name}` {counted(it.lines, 'line')}" for it in also)
        yield f"the same, and nothing else: {', '.join(named)}"


def _counted(kind: LineClass, count: int) -> str:
    if kind in _PLURALS:
        return f"{count:,} {_PLURALS[kind]}"
    return counted(count, kind)


def account_of_name(index: CodeIndex, hits: NameLines) -> NameAccount:
    """Return the account of a name that no symbol has: scopes and kinds of files, first places."""
    placed: dict[_Place, LineClass] = {}
    for path, line in _places(hits):
        is_code = path in index.symbols.modules
        placed[path, line] = "not resolved" if is_code else _outside(path)
    shown = ", ".join(f"{path}:{line}" for path, line in list(placed)[:_MAX_SHOWN])
    missing = (f"no symbol has this name; first lines: {shown}",) if placed else ()
    return _summed(index, hits, placed, {}, 0, missing)


def account_for(
    index: CodeIndex, symbol: Symbol, uses: Uses, hits: NameLines, text: SourceText
) -> NameAccount:
    """Return the account of a symbol from its uses, which include mentions."""
    account = _Account(index, symbol, hits, text)
    # The order decides, because the first class of a line stays: what is certain comes first.
    for line in definition_lines(index, symbol, text):
        account.put(symbol.file, line, "definition")
    elsewhere = 0
    for use in uses.found:
        if use.certainty != "mention" and not account.put_use(use):
            elsewhere += 1
    for (path, line), other in uses.other_places.items():
        account.put_other(path, line, other)
    for path, lines in hits.found.items():
        left = lines - account.lines_of(path)
        module = index.symbols.modules.get(path)
        # Only files with lines that nothing has explained yet are looked into: it reads their
        # tokens.
        if left and module is not None:
            account.explain(module, left)
    for use in uses.found:
        if use.certainty == "mention":
            account.put(use.file, use.line, "string" if use.kind == "string" else "comment")
    for path, line in _places(hits):
        account.put(path, line, _remaining(index, symbol, path, line))
    return _summed(index, hits, account.placed, account.others, elsewhere, ())


def summed_up(accounts: Sequence[NameAccount], hits: Sequence[NameLines]) -> NameAccount:
    """Return the accounts of several names as one; a line with two of the names counts twice."""
    counts: dict[CodeScope, Counter[LineClass]] = {it: Counter() for it in SCOPES}
    for account in accounts:
        for scope, found in account.counts.items():
            counts[scope].update(found)
    first, *more = dict.fromkeys(it.name for it in accounts)
    return NameAccount(
        name=first,
        more_names=tuple(more),
        lines=sum(it.lines for it in accounts),
        files=len({path for it in hits for path in it.found}),
        searched=max((it.searched for it in accounts), default=0),
        counts={
            scope: {kind: found[kind] for kind in LINE_CLASSES if found[kind]}
            for scope, found in counts.items()
            if found
        },
        elsewhere=sum(it.elsewhere for it in accounts),
        unexplained=sum(it.unexplained for it in accounts),
        unexplained_at=_first_of(it.unexplained_at for it in accounts),
        unparsed_at=_first_of(it.unparsed_at for it in accounts),
        missing=tuple(dict.fromkeys(one for it in accounts for one in it.missing)),
        is_whole=all(it.is_whole for it in accounts),
    )


def _first_of(places: Iterable[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(places)))[:_MAX_SHOWN]


class _Account:
    """The class of each line; the first one that is put stays."""

    def __init__(self, index: CodeIndex, symbol: Symbol, hits: NameLines, text: SourceText) -> None:
        self.index = index
        self.symbol = symbol
        self.hits = hits
        self.text = text
        self.placed: dict[_Place, LineClass] = {}
        self.others: Counter[str] = Counter()

    def put(self, path: str, line: int, kind: LineClass) -> bool:
        """Put a line into a class, if the search found it; return whether it did."""
        is_hit = line in self.hits.found.get(path, ())
        if is_hit:
            self.placed.setdefault((path, line), kind)
        return is_hit

    def lines_of(self, path: str) -> set[int]:
        return {line for line in self.hits.found[path] if (path, line) in self.placed}

    def put_use(self, use: Use) -> bool:
        line = use.line
        if use.kind == "import":  # the name may be lines below the start of the import
            places = self.text.places_in_import(use.file, line, self.hits.name)
            line = places[0][0] if places else line
        kind: LineClass = "other use"
        if use.certainty == "possible":
            kind = "possible use"
        elif use.kind in {"call", "import"}:
            kind = use.kind
        return self.put(use.file, line, kind)

    def put_other(self, path: str, line: int, other: str) -> None:
        if (path, line) not in self.placed and self.put(path, line, "another symbol") and other:
            self.others[other] += 1

    def explain(self, module: Module, left: frozenset[int]) -> None:
        """Put the lines of a file whose tokens are something else: nobody else looked at them."""
        code, name = module.code, self.hits.name
        own = {it.line: it.id for it in module.symbols.values() if it.name == name}
        inside = next(iter(own.values()), "")
        if code is not None:
            for at in code.stream.words_with(name.encode()):
                if whole_word(name).search(code.stream.words[at]):
                    line = code.stream.line(at)
                    self.put_other(module.path, line, own.get(line, inside))
        is_keyword = name in navigation_of(module.facts.language).keywords
        for imported in module.facts.links.imports:
            is_written = is_keyword or whole_word(name).search(imported.module)
            lines = {imported.line} if is_written else set()
            if name in imported.names or name in imported.aliases:
                places = self.text.places_in_import(module.path, imported.line, name, is_alias=True)
                lines |= {line for line, _ in places}
            for line in lines & left:
                self.put_other(module.path, line, "")


def _remaining(index: CodeIndex, symbol: Symbol, path: str, line: int) -> LineClass:
    if path not in index.symbols.modules:
        return _outside(path, index.symbols.modules.family(symbol.file))
    module = index.symbols.modules[path]
    if table_of(module.facts.language).as_code is not None:
        return "document"  # text of a template, or a static attribute: it is no code
    broken = module.facts.outline.error_line
    # After its first error a parser recovers somewhere, and what it says of the rest is a guess.
    return "not parsed" if broken and line >= broken else "not explained"


def _outside(path: str, family: str = "") -> LineClass:
    """Return the class of lines in a file that is not in the index, by its name.

    A bundle of JavaScript that was not parsed has no uses of a method of Go: it is other text.
    """
    language = detect_language(path, bytes)
    is_foreign = language is not None and family and family_of(language) != family
    return "document" if language is None or is_foreign else "not parsed"


def _places(hits: NameLines) -> Iterator[_Place]:
    return ((path, line) for path, lines in hits.found.items() for line in sorted(lines))


def _summed(
    index: CodeIndex,
    hits: NameLines,
    placed: Mapping[_Place, LineClass],
    others: Mapping[str, int],
    elsewhere: int,
    missing: tuple[str, ...],
) -> NameAccount:
    counts: dict[CodeScope, Counter[LineClass]] = {it: Counter() for it in SCOPES}
    for (path, line), kind in placed.items():
        counts[scope_of(index, path, line)][kind] += 1
    places: defaultdict[LineClass, list[str]] = defaultdict(list)
    for (path, line), kind in placed.items():
        places[kind].append(f"{path}:{line}")
    unexplained, unparsed = places["not explained"], places["not parsed"]
    missing = (*hits.missing, *missing)
    ordered = {
        scope: {kind: found[kind] for kind in LINE_CLASSES if found[kind]}
        for scope, found in counts.items()
        if found
    }
    return NameAccount(
        name=hits.name,
        lines=hits.lines,
        files=len(hits.found),
        searched=hits.searched,
        counts=ordered,
        elsewhere=elsewhere,
        others=dict(sorted(others.items(), key=lambda it: (-it[1], it[0]))),
        unexplained=len(unexplained),
        unexplained_at=tuple(unexplained[:_MAX_SHOWN]),
        unparsed_at=tuple(unparsed[:_MAX_SHOWN]),
        missing=missing,
        is_whole=not unexplained and not missing and not unparsed,
    )
