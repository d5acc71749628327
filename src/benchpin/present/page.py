"""HTML pages: one style, one small script, tables that sort, pictures that answer the pointer.

`page` returns a whole document that opens from disk: no request leaves it, and its content
security policy lets only its own scripts run, without `unsafe-eval`. A server that has files of its
own takes the parts: `style`, `script`, `figure`, `table`. Everything that comes from a repository
passes `text`, `figure` or `as_script`; nothing else is safe.
"""

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from benchpin.core.text import GENERATOR, json_text, plain
from benchpin.present.pictures import MISSING, Drawn, is_installed, script_bundle, theme

from ._view import Cell, Column, filled, is_numeric

# Returns where the cell of a column and a row leads; an empty address is no link.
Link = Callable[[Column[Any], Any], str]

# Characters of code that a cell shows at once; the rest of it is there on demand.
_SHORT_CODE = 110
# Columns with the path of a file.
_FILES = frozenset({"file", "path", "file_path"})


# Passages of code that a page shows beside what a report says about them.


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of one file."""

    file: str
    line: int
    """Of the first line."""
    lines: Sequence[str]
    marked: frozenset[int] = frozenset()
    """The numbers of the lines that the report is about; none means all of them."""


@dataclass(frozen=True, slots=True)
class ExcerptGroup:
    """What is said, and the passages that it is about, side by side."""

    title: str
    excerpts: Sequence[Excerpt]


def no_link(_column: Column[Any], _row: object) -> str:
    """Return no address."""
    return ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page that Vega cannot draw: it has a style and a script of its own."""

    html: str
    style: str = ""
    script: str = ""


def text(content: str) -> str:
    """Return a text for HTML: escaped, with control and direction characters made visible."""
    return escape(plain(content))


def as_script(value: object) -> str:
    """Return a value as JSON that can be inside a `<script>`: ASCII, and no markup in it."""
    dense = json_text(value, ensure_ascii=True, separators=(",", ":"))
    return dense.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def style() -> str:
    """Return the style that all pages share; it follows the light or dark theme of the reader."""
    return _asset("page.css")


@cache
def script() -> str:
    """Return the script that sorts tables and draws pictures; a module."""
    return _asset("page.js").replace('"THEMES"', as_script(themes()))


def themes() -> dict[str, object]:
    """Return the Vega configs of pictures in light and dark pages, with no background."""
    return {"light": theme(), "dark": theme(is_dark=True)}


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def page(
    title: str,
    body: str,
    *,
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
    has_pictures: bool = False,
) -> str:
    """Return a whole document; `body` is HTML, and `styles` and `scripts` come after the shared.

    With `has_pictures` it brings Vega, 0.9 MB, if the extra `look` is installed.
    """
    bundle = [script_bundle()] if has_pictures and is_installed() else []
    code = [*bundle, script(), *scripts]
    policy = (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "
        f"form-action 'none'; script-src {' '.join(map(_hash, code))}"
    )
    return "\n".join(
        (
            "<!doctype html>",
            '<html lang="en">',
            '<meta charset="utf-8">',
            GENERATOR,
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{text(title)}</title>",
            *(f"<style>{it}</style>" for it in (style(), *styles)),
            f"<main>\n{body}\n</main>",
            *(f'<script type="module">{it}</script>' for it in code),
            "</html>\n",
        )
    )


def _hash(code: str) -> str:
    digest = hashlib.sha256(code.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def figure(drawn: Drawn) -> str:
    """Return a picture with its title and what one sees in it.

    Without the extra `look`, a line says what is missing.
    """
    head = f"<figcaption>{text(drawn.title)}</figcaption>"
    about = f"<p>{text(drawn.alt)}</p>"
    if not is_installed():
        missing = f'<p class="missing">{text(MISSING)}</p>'
        return f'<figure class="picture">{head}{about}{missing}</figure>'
    drawing = f'<div class="drawing" role="img" aria-label="{text(drawn.alt)}"></div>'
    order = f'<script type="application/json">{as_script(drawn.to_fields())}</script>'
    return f'<figure class="picture">{head}{about}{drawing}{order}</figure>'


def place_of(column: Column[Any], row: object) -> tuple[str, int | None] | None:
    """Return the file and line that a cell names, if it names one."""
    if column.name == "location" and column.parts:
        path, line = (it.cell(row) for it in column.parts[:2])
    elif column.name in {*_FILES, "name"} and (column.value is None or column.name == "file"):
        # any other column with a value of its own may be a text made of several paths
        path = column.cell(row) if column.name in _FILES else getattr(row, "file", "")
        line = getattr(row, "line", None)
    else:
        return None
    if not path:
        return None
    return str(path), line if isinstance(line, int) else None


def table(
    columns: Sequence[Column[Any]],
    rows: Sequence[object],
    caption: str = "",
    link: Link = no_link,
    anchor: Callable[[Any], str] = lambda _row: "",
) -> str:
    """Return a table that sorts by a click on a heading; columns without a value are left out.

    `anchor` gives the name by which a link leads to a row.
    """
    used = filled(columns, rows)
    return "".join(_table(used, rows, caption, link, anchor)) if used else ""


def _table(
    columns: Sequence[Column[Any]],
    rows: Sequence[object],
    caption: str,
    link: Link,
    anchor: Callable[[Any], str],
) -> Iterator[str]:
    cells = [[column.cell(row) for column in columns] for row in rows]
    is_number = list(map(is_numeric, zip(*cells, strict=True)))
    yield '<div class="wide" tabindex="0"><table>'
    if caption:
        yield f"<caption>{text(caption)}</caption>"
    yield "<thead><tr>"
    for column, right in zip(columns, is_number, strict=True):
        kind = ' class="n"' if right else ""
        yield f'<th{kind} scope="col"><button type="button">{text(column.title)}</button></th>'
    yield "</tr></thead>\n<tbody>"
    for row, values in zip(rows, cells, strict=True):
        name = anchor(row)
        yield f'<tr id="{text(name)}">' if name else "<tr>"
        for column, value, right in zip(columns, values, is_number, strict=True):
            number = f' data-n="{value}"' if right and value is not None else ""
            level = f"level {text(str(value).lower())}" if column.is_severity else ""
            kind = f' class="{level or "n"}"' if level or right else ""
            shown = _code(value) if column.is_code else text(column.shown(row))
            yield f"<td{kind}{number}>{_linked(shown, link(column, row))}</td>"
        yield "</tr>\n"
    yield "</tbody></table></div>"


def _code(cell: Cell) -> str:
    """Show a long text in short, and the whole on demand."""
    code = "-" if cell is None else str(cell)
    if cell is None or len(code) <= _SHORT_CODE:
        return text(code) if cell is None else f"<code>{text(code)}</code>"
    short = f"<code>{text(' '.join(code.split())[:_SHORT_CODE])}…</code>"
    return f"<details><summary>{short}</summary><pre>{text(code)}</pre></details>"


def _linked(content: str, address: str) -> str:
    return f'<a href="{escape(address)}">{content}</a>' if address else content


# Groups of excerpts that can be read without a click.
_OPEN = 3


def excerpts(groups: Sequence[ExcerptGroup]) -> list[Section]:
    """Return passages of code with line numbers, those of a group side by side."""
    if not groups:
        return []
    shown = (_group(it, is_open=at < _OPEN) for at, it in enumerate(groups))
    return [Section("\n".join(("<h2>The code</h2>", *shown)))]


def _group(group: ExcerptGroup, *, is_open: bool) -> str:
    passages = "".join(map(_excerpt, group.excerpts))
    return (
        f"<details{' open' if is_open else ''}><summary>{text(group.title)}</summary>"
        f'<div class="beside">{passages}</div></details>'
    )


def _excerpt(excerpt: Excerpt) -> str:
    body = "".join(
        f"<span{' class=m' if number in excerpt.marked else ''}><i>{number}</i>{text(line)}</span>"
        for number, line in enumerate(
            (line.expandtabs(4) for line in excerpt.lines), start=excerpt.line
        )
    )
    place = f"{excerpt.file}:{excerpt.line}"
    return f'<div><p class="place">{text(place)}</p><pre tabindex="0">{body}</pre></div>'


def lines(given: Iterable[str], kind: str = "") -> str:
    """Return lines of text as paragraphs; empty ones are left out."""
    mark = f' class="{kind}"' if kind else ""
    return "\n".join(f"<p{mark}>{text(it)}</p>" for it in given if it)
