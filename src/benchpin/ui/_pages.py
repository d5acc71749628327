"""Render pages from templates: where names lead, which lists there are; all text is escaped."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from benchpin.core.text import counted, plain
from benchpin.present import Column
from benchpin.present.page import Link, place_of

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

# Lines of a file on one page, as read_file returns them.
PAGE_LINES = 2_000
_SYMBOLS = frozenset({"id", "symbol", "caller", "callee"})
FOLDER = Path(__file__).parent
_WEIGHT = re.compile(r" [+-]\d[\d.]*")


class PageLinks:
    """Where the names and numbers of a page lead; an empty address is no link.

    Names of files come in the query: browsers change paths with `..`.
    """

    def source(self, path: str, line: int | None = None) -> str:
        """Return the page of a file, at a line."""
        start = {} if not line or line <= PAGE_LINES else {"start": line - (line - 1) % PAGE_LINES}
        return f"/source?{urlencode({'path': path, **start})}" + (f"#L{line}" if line else "")

    def folder(self, path: str) -> str:
        """Return the map of a folder."""
        return f"/map?{urlencode({'path': path})}"

    def symbol(self, name: str) -> str:
        """Return the page of a function or type."""
        return f"/symbol?{urlencode({'name': name})}"

    def findings(self, tool: str, **arguments: str) -> str:
        """Return the list of a tool."""
        return f"/findings/{tool}" + (f"?{urlencode(arguments)}" if arguments else "")


class LinksInFile(PageLinks):
    """Links of a report that is one file: only what is in it can be reached."""

    def source(self, path: str, line: int | None = None) -> str:  # noqa: ARG002 - as the base
        """Return nothing: the file has no sources."""
        return ""

    def symbol(self, name: str) -> str:  # noqa: ARG002 - as the base
        """Return nothing: the file has no sources."""
        return ""

    def findings(self, tool: str, **arguments: str) -> str:  # noqa: ARG002 - as the base
        """Return the part of the report with the list of a tool."""
        return f"#{tool}"


def cell_links(links: PageLinks) -> Link:
    """Return what finds the address of a cell: of a place its line, of a symbol its page."""

    def target(column: Column[Any], row: object) -> str:
        place = place_of(column, row)
        if place is not None:
            return links.source(*place)
        value = column.cell(row)
        if not isinstance(value, str):
            return ""
        whole = getattr(row, column.name, value) if column.name in _SYMBOLS else ""
        return links.symbol(whole) if isinstance(whole, str) and "::" in whole else ""

    return target


@dataclass(frozen=True, slots=True)
class FindingList:
    """A tool whose view is shown as a list of findings."""

    tool: str
    label: str
    path: str = "project_path"
    """The argument for a file or folder; empty if there is none."""
    arguments: Mapping[str, object] = field(default_factory=dict)
    is_in_reports: bool = True


LISTS = (
    FindingList("analyze_defect_probability", "Defect risk"),
    FindingList("analyze_complexity", "Complexity"),
    FindingList("analyze_code_churn", "Churn"),
    FindingList("analyze_duplicates", "Duplicates"),
    FindingList("analyze_dead_code", "Dead code"),
    FindingList("analyze_debt_comments", "Debt comments"),
    FindingList("analyze_graph_metrics", "Dependencies"),
    FindingList("analyze_trends", "Trends", is_in_reports=False),
    FindingList("quality_gate", "Quality gate"),
    FindingList(
        "search_comments", "Comments", path="", arguments={"query": "."}, is_in_reports=False
    ),
    FindingList("check_documentation", "Documentation", path="path"),
    FindingList("check_links", "Links", path="path"),
)


class Pages:
    """The templates of the pages of one workspace."""

    def __init__(self, project: str, links: PageLinks) -> None:
        """Take the name of the workspace, which every page shows, and where names lead."""
        self._project = plain(project)
        self.links = links

    @cached_property
    def _environment(self) -> "Environment":
        from jinja2 import Environment, FileSystemLoader, StrictUndefined

        environment = Environment(
            loader=FileSystemLoader(FOLDER / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.globals.update(project=self._project, links=self.links, counted=counted)
        environment.filters.update(
            plain=plain,
            shown=lambda text: "\n".join(map(shown, text.split("\n"))),
            words=lambda name: name.replace("_", " "),
            breakable=_breakable,
            why=_why,
        )
        return environment

    def render(self, name: str, values: Mapping[str, object]) -> str:
        return self._environment.get_template(name).render(values)


def _breakable(text: str) -> "Markup":
    """Return a text as HTML that may break after each slash, so that names of files stay whole."""
    from markupsafe import Markup, escape  # noqa: PLC0415 - comes with Jinja, which is loaded late

    return escape(text).replace("/", Markup("/<wbr>"))


def _why(reason: str) -> str:
    """Return the reason of a prediction without the weights, which its list has."""
    return _WEIGHT.sub("", reason.removeprefix("most in log-odds: "))


def shown(text: str) -> str:
    """Return a line of code with characters that hide or reorder text as escapes."""
    if text.isprintable():
        return text
    return "".join(
        it if it == "\t" or it.isprintable() else it.encode("unicode_escape").decode()
        for it in text
    )
