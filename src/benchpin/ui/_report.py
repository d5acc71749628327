"""One file about a workspace, to send or to keep: the overview and the lists, without a server."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple, cast

from benchpin.app import Workbench
from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, InvalidPath
from benchpin.core.results import Result
from benchpin.core.text import counted
from benchpin.measures.history import LAST_SECOND
from benchpin.present import Report
from benchpin.present.formats import content
from benchpin.present.page import as_script, lines, page
from benchpin.toolsets.analysis.analyze_comprehensive import ComprehensiveReport
from benchpin.toolsets.navigation.show_changes import ChangesReport
from benchpin.workspace.git import find_head, find_repository
from benchpin.workspace.git_objects import list_commits

from ._analyses import CALLER
from ._overview import overview, treemap_data
from ._pages import FOLDER, LISTS, FindingList, LinksInFile, Pages, cell_links

_ROWS = 25
# In a small project pictures say nothing that the lists do not, and the code that draws them has
# 0.9 MB.
_MIN_FILES_DRAWN = 25
_SCRIPTS = ("tree.js", "colours.js", "treemap.js", "contents.js", "report.js")
_IMPORT = re.compile(r"^import .*;$\n?", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def write_report(workbench: Workbench, job: Job) -> str:
    """Return a page with everything in it, from the same parts as those of `benchpin ui`.

    Raises:
        BenchpinError: when the workspace cannot be measured at all.
        InvalidPath: when it has no code.
    """
    root, links = workbench.bench.workspace.root, LinksInFile()
    with job.part(1) as own:
        whole = {"limit": 20, "format": "html"}
        report = cast("ComprehensiveReport", _call(workbench, "analyze_comprehensive", whole, own))
    if why := report.nothing():
        raise InvalidPath(why, suggestion="Give a folder with code.")
    files = report.landscape.landscape.files if report.landscape else ()
    lists = [it for it in LISTS if it.is_in_reports]
    draws = len(files) >= _MIN_FILES_DRAWN
    sections = [_list(workbench, it, job, draws=draws) for it in lists]
    values = {
        **overview(report, links),
        "treemap_data": as_script(treemap_data(files)),
        "sections": sections,
        "state": _state(workbench, job),
    }
    body = Pages(root.name or str(root), links).render("report.html", values)
    return page(
        f"{root.name}: code report",
        body,
        styles=[_static("overview.css"), _static("report.css")],
        scripts=[script_in_one()],
        has_pictures=any('class="drawing"' in it.body for it in sections),
    )


def script_in_one() -> str:
    """Return the modules of a report as one: a page on disk can load no others.

    An import is one line, and no two of them declare the same name.
    """
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", _static(it))) for it in _SCRIPTS)


def _static(name: str) -> str:
    return (FOLDER / "static" / name).read_text(encoding="utf-8")


class ReportSection(NamedTuple):
    """A list of a report, folded below its first line."""

    tool: str
    label: str
    answer: str
    body: str


def _list(workbench: Workbench, wanted: FindingList, job: Job, *, draws: bool) -> ReportSection:
    arguments = {**wanted.arguments, "format": "html", "limit": _ROWS}
    try:
        with job.part(1) as own:
            found = cast("Report", _call(workbench, wanted.tool, arguments, own))
    except BenchpinError as error:
        why = lines([error.suggestion], "missing")
        return ReportSection(wanted.tool, wanted.label, error.message, why)
    link = cell_links(LinksInFile())
    shown = content(found, link=link, is_full=False, has_pictures=draws)
    # One level down, below the heading of the section; plain text cannot contain markup.
    body = re.sub(r"<(/?)h([23])>", lambda it: f"<{it[1]}h{int(it[2]) + 1}>", shown)
    answer = next(iter(found.view.headline(found)), "")
    return ReportSection(wanted.tool, wanted.label, answer, body)


def _state(workbench: Workbench, job: Job) -> str:
    """Return which commit a report is about, and of when; nothing without a history."""
    bench = workbench.bench
    root = bench.workspace.root
    try:
        repository = find_repository(root, root, bench.session.git_folders)
        head = find_head(repository, job)
        [commit] = (
            list_commits(repository, ("--max-count=1",), (head,), (), job) if head else [None]
        )
        changed = workbench.call("show_changes", limit=1)
    except BenchpinError:
        return ""
    if commit is None or not commit.time.isdigit():
        return ""
    day = datetime.fromtimestamp(min(int(commit.time), LAST_SECOND), UTC).date()
    files = len(cast("ChangesReport", changed).files)
    more = f", {counted(files, 'file')} with uncommitted changes" if files else ""
    return f"Commit {commit.id[:12]} of {day}{more}"


def _call(workbench: Workbench, tool: str, arguments: Mapping[str, object], job: Job) -> Result:
    listing = workbench.catalogue.find(tool)
    return workbench.prepare(listing, arguments, job=job, caller=CALLER).run()
