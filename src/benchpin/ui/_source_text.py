"""The lines of a file as a page shows them: names lead to where they are defined.

Rows are put together here and not in the template: a page has 2,000 of them, and Jinja takes three
times as long.
"""

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from benchpin.code import CodeIndex, SourceText
from benchpin.code.names import Module, Symbol
from benchpin.core.text import plain

from ._pages import PageLinks, shown

# Lines in one table. A browser lays out only the tables that are near what it shows, see app.css.
_TABLE_LINES = 50
_BEGIN, _END = '<div class="lot"><table class="code"><tbody>\n', "</tbody></table></div>\n"
# Names on one line; a minified file has thousands, and nobody reads it.
_MAX_NAMES = 100
_MAX_KEPT = 32


class NameLink(NamedTuple):
    """A name in a line, and where it leads."""

    start: int
    end: int
    href: str


Links = dict[int, list[NameLink]]


def lines_of(content: str) -> list[str]:
    """Return the lines of a file as they are."""
    lines = content.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [it.removesuffix("\r") for it in lines]


def markup(line: str, links: Sequence[NameLink] = ()) -> str:
    """Return a line as HTML."""
    parts: list[str] = []
    at = 0
    for start, end, href in links:
        if start >= at:
            name = escape(shown(line[start:end]), quote=False)
            parts += (
                escape(shown(line[at:start]), quote=False),
                f'<a href="{escape(href)}">{name}</a>',
            )
            at = end
    return "".join((*parts, escape(shown(line[at:]), quote=False)))


class Rows(NamedTuple):
    """Some rows of the table of a file, as HTML."""

    html: str
    unfinished: int
    """The line of the last row, if that is still open, because more is shown at that line."""


def rows_of(
    lines: Sequence[str],
    first: int,
    open_at: Container[int],
    history: Mapping[int, Any] | None = None,
) -> Iterator[Rows]:
    """Yield all rows, in lots that end at the lines that are left open.

    `lines` are HTML; with a history, each row has a cell for the commit that it begins with.
    """
    lot: list[str] = []
    for at, line in enumerate(lines):
        number = first + at
        if at % _TABLE_LINES == 0:
            lot.append(f"{_END}{_BEGIN}" if at else _BEGIN)
        commit = "" if history is None else _commit_cell(history.get(number))
        lot.append(
            f'<tr id="L{number}"><td class="n"><a href="#L{number}">{number}</a></td>'
            f'{commit}<td class="c">{line}</td>'
        )
        if number in open_at:
            yield Rows("".join(lot), number)
            lot = []
        else:
            lot.append("</tr>\n")
    yield Rows("".join([*lot, _END] if lines else []), 0)


def _commit_cell(commit: Any) -> str:
    if commit is None:
        return '<td class="h"></td>'
    said = escape(plain(f"{(commit.date or commit.commit)[:10]} {commit.author}"))
    return (
        f'<td class="h"><span title="{escape(plain(commit.subject))}"><bdi>{said}</bdi></span></td>'
    )


class ShownLines(NamedTuple):
    """Lines of a file on a page."""

    path: str
    first: int
    lines: Sequence[str]
    has_anchors: bool = True
    """Whether `#L7` leads to its line 7."""

    def has(self, line: int) -> bool:
        return self.first <= line < self.first + len(self.lines)


def name_links(index: CodeIndex, links: PageLinks, page: ShownLines, text: SourceText) -> Links:
    """Return the names in some lines of a file that lead somewhere, by line and column."""
    modules = index.symbols.modules
    if page.path not in modules:
        return {}
    module = modules[page.path]
    found = defaultdict[int, list[NameLink]](list)
    for line, column, name, target in _imported(index, module, text):
        if page.has(line) and (href := _href(links, page, line, target)):
            found[line].append(NameLink(column - 1, column - 1 + len(name), href))
    code = module.code
    if code is None:
        return dict(found)
    defined = _defined(module)
    for line, start, at in _placed_names(module, page):
        own = defined.get(at)
        # Where a name is defined, one wants to know who uses it.
        if href := links.symbol(own.id) if own else _meant(index, links, page, module, line, at):
            found[line].append(NameLink(start, start + len(code.stream.words[at]), href))
    return {line: sorted(names)[:_MAX_NAMES] for line, names in found.items()}


class KnownLinks:
    """The links of the pages that were opened last, for one state of the index.

    What each name of 2,000 lines means takes most of the time of a page, about 70 ms.
    """

    def __init__(self) -> None:
        self._index: CodeIndex | None = None
        self._kept: dict[object, Links] = {}

    def get(self, index: CodeIndex, page: ShownLines) -> Links | None:
        """Return the links of a page, if they are known."""
        return self._kept.get(_key(page)) if index is self._index else None

    def put(self, index: CodeIndex, page: ShownLines, links: Links) -> Links:
        """Remember the links of a page, and forget those of an older index."""
        if index is not self._index:
            self._index, self._kept = index, {}
        while len(self._kept) >= _MAX_KEPT:
            self._kept.pop(next(iter(self._kept)))
        self._kept[_key(page)] = links
        return links


def _key(page: ShownLines) -> object:
    # The file may be newer than the index.
    return page.path, page.first, page.has_anchors, hash(tuple(page.lines))


def _placed_names(module: Module, page: ShownLines) -> Iterator[tuple[int, int, int]]:
    """Yield the line, the column from 0, and the position in the tokens of each name.

    Tokens have lines and no columns: those of a line are looked for one after the other.
    """
    stream = module.code.stream if module.code else None
    if stream is None:
        return
    resumed: dict[int, int] = {}  # where the code goes on after a text of several lines
    for line, text in enumerate(page.lines, start=page.first):
        begin, end = stream.on_line(line)
        column = resumed.get(line, 0)
        for at in range(begin, end):
            word = stream.words[at]
            head, *more = word.split("\n")
            place = _find(text, head, column, is_name=stream.is_name(at))
            if place < 0:
                continue
            column = place + len(head)
            if more:
                resumed[line + len(more)] = len(more[-1])
            elif stream.is_name(at):
                yield line, place, at


def _find(text: str, word: str, start: int, *, is_name: bool) -> int:
    """Return where a token is in a line; a name is not part of a longer one. -1 for nowhere."""
    at = text.find(word, start)
    while is_name and at >= 0:
        before, after = text[at - 1 : at], text[at + len(word) : at + len(word) + 1]
        if not (before.isidentifier() or after.isidentifier() or after.isdecimal()):
            break
        at = text.find(word, at + 1)
    return at


def _imported(
    index: CodeIndex, module: Module, text: SourceText
) -> Iterator[tuple[int, int, str, Symbol | Module]]:
    """Yield the names that imports bring from the workspace: they are not among the tokens."""
    for position, (imported, _) in enumerate(module.imports):
        for alias, binding in module.bindings_of(position):
            target = index.values.bound(binding)
            if target is None:
                continue
            for name in dict.fromkeys((binding.name.rpartition(".")[2], alias)):
                for line, column in (
                    text.places_in_import(module.path, imported.line, name, is_alias=name == alias)
                    if name
                    else ()
                ):
                    yield line, column, name, target


def _defined(module: Module) -> dict[int, Symbol]:
    """Return the functions and types that a file defines, by the position of their names."""
    code, found = module.code, dict[int, Symbol]()
    for scope in code.scopes if code else ():
        symbol = module.symbols.get(scope.declared.name)
        if code is not None and symbol is not None:
            found[code.named_at(scope, code.stream.positions(symbol.name))] = symbol
    return found


def _meant(
    index: CodeIndex, links: PageLinks, page: ShownLines, module: Module, line: int, at: int
) -> str:
    """Return where the name at a position of the tokens leads; nowhere if that is not known."""
    meaning = index.meaning(module, at)
    if meaning.kind == "local" and meaning.variables and module.code is not None:
        bound = meaning.variables[0].at
        return _place(links, page, module.code.stream.line(bound)) if bound != at else ""
    target = meaning.symbol or (meaning.module if meaning.kind == "module" else None)
    return _href(links, page, line, target) if target else ""


def _href(links: PageLinks, page: ShownLines, line: int, target: Symbol | Module) -> str:
    if isinstance(target, Module):
        return links.source(target.path)
    if target.file != page.path:
        return links.source(target.file, target.line)
    return links.symbol(target.id) if target.line == line else _place(links, page, target.line)


def _place(links: PageLinks, page: ShownLines, line: int) -> str:
    """Return where a line of the same file is."""
    is_here = page.has_anchors and page.has(line)
    return f"#L{line}" if is_here else links.source(page.path, line)
