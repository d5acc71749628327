"""One file about a workspace, to send or to keep: the overview and the lists, without a server."""

import re
from collections.abc import Mapping
from typing import cast

from benchpin.app import Workbench
from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, InvalidPath
from benchpin.core.results import Result
from benchpin.present import Report
from benchpin.present.formats import content
from benchpin.present.page import as_script, lines, page
from benchpin.toolsets.analysis.analyze_comprehensive import ComprehensiveReport

from ._analyses import CALLER
from ._overview import overview, treemap_data
from ._pages import FOLDER, LISTS, FindingList, LinksInFile, Pages, cell_links

_ROWS = 25
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
    sections = [(it.tool, it.label, _list(workbench, it, job)) for it in lists]
    values = {
        **overview(report, links),
        "treemap_data": as_script(treemap_data(files)),
        "sections": sections,
    }
    body = Pages(root.name or str(root), links).render("report.html", values)
    return page(
        f"{root.name}: code report",
        body,
        styles=[_static("overview.css"), _static("report.css")],
        scripts=[script_in_one()],
        has_pictures=any('class="drawing"' in it for _, _, it in sections),
    )


def script_in_one() -> str:
    """Return the modules of a report as one: a page on disk can load no others.

    An import is one line, and no two of them declare the same name.
    """
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", _static(it))) for it in _SCRIPTS)


def _static(name: str) -> str:
    return (FOLDER / "static" / name).read_text(encoding="utf-8")


def _list(workbench: Workbench, wanted: FindingList, job: Job) -> str:
    arguments = {**wanted.arguments, "format": "html", "limit": _ROWS}
    try:
        with job.part(1) as own:
            found = _call(workbench, wanted.tool, arguments, own)
    except BenchpinError as error:
        return lines([error.message, error.suggestion], "missing")
    shown = content(cast("Report", found), link=cell_links(LinksInFile()), is_full=False)
    # One level down, below the heading of the section; text contains no such markup.
    return re.sub(r"<(/?)h([23])>", lambda it: f"<{it[1]}h{int(it[2]) + 1}>", shown)


def _call(workbench: Workbench, tool: str, arguments: Mapping[str, object], job: Job) -> Result:
    listing = workbench.catalogue.find(tool)
    return workbench.prepare(listing, arguments, job=job, caller=CALLER).run()
