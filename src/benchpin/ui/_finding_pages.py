"""The overview, the map, and the lists of findings."""

import asyncio
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import cast
from urllib.parse import urlencode

from starlette.requests import Request  # noqa: TID253 - imported only to serve pages
from starlette.responses import Response  # noqa: TID253 - likewise

from benchpin.core.errors import BenchpinError, InvalidParams
from benchpin.core.text import json_text
from benchpin.present import Report
from benchpin.present.formats import content
from benchpin.present.page import figure
from benchpin.project.trends import MAX_COMMITS
from benchpin.run.tests import ProjectView, find_runners
from benchpin.toolsets.analysis.analyze_comprehensive import ComprehensiveReport
from benchpin.toolsets.analysis.analyze_trends import TrendReport
from benchpin.toolsets.performance.list_runs import ListedRuns
from benchpin.toolsets.performance.run_analysis import Analyzed

from ._analyses import PageAnalysis
from ._change_page import change_line
from ._overview import overview, treemap_data, trends
from ._pages import LISTS, FindingList, cell_links
from ._site import Site

_MAX_RUNS = 20
# How many past commits are measured for the overview, from the first answer to the last.
_CURVE = (3, 5, 7, 9, 11, MAX_COMMITS)


async def _measured(site: Site) -> PageAnalysis:
    """Return the analysis of the whole, with what is known about every file."""
    return await site.analyses.ask("analyze_comprehensive", limit=20, format="html")


async def overview_page(site: Site, _request: Request) -> Response:
    """Return the page that says what to do first."""
    found = await _measured(site)
    if found.result is None:
        return site.waiting("Overview", "Overview", found)
    values: dict[str, object] = {"analyses": [found]}
    shown = overview(cast("ComprehensiveReport", found.result), site.links)
    change, is_known = await change_line(site)
    trend, is_whole = await _trend(site)
    is_waiting = not (found.is_current and is_known and is_whole)
    values |= {"change": change, "is_waiting": is_waiting, "trend": trend}
    return site.page("overview.html", "Overview", {**values, **shown}, here="Overview")


async def _trend(site: Site) -> tuple[Mapping[str, object], bool]:
    """Return what changed, as far as it is known, and whether there is nothing more to come.

    The first three commits are compared soon; then the curve is filled in. Each call pays only for
    the commits that the one before did not measure.
    """
    shown, running = None, None
    for commits in _CURVE:
        try:
            found = site.analyses.start("analyze_trends", commits=commits)
        except BenchpinError:  # it is turned off here
            return {}, True
        if found.error is not None:  # mostly that there is no history
            return {"problem": found.error.message, "running": None}, True
        shown = found.result or shown
        if not found.is_current:
            running = found
            break
    known = {} if shown is None else trends(cast("TrendReport", shown))
    return {**known, "running": running}, running is None


async def map_page(site: Site, request: Request) -> Response:
    """Return the page with the treemap, of a folder and by a measure if the address says so."""
    found = await _measured(site)
    if found.result is None:
        return site.waiting("Map", "Map", found)
    pictures = [it for it in cast("Report", found.result).drawn() if it.name == "hotspots"]
    values = {
        "analyses": [found],
        "is_waiting": not found.is_current,
        "path": request.query_params.get("path", ""),
        "measure": request.query_params.get("measure", ""),
        "pictures": "".join(map(figure, pictures)),
        "has_pictures": bool(pictures),
    }
    return site.page("map.html", "Map", values, here="Map")


async def landscape_data(site: Site, _request: Request) -> Response:
    """Return what treemaps draw, as JSON."""
    found = await _measured(site)
    views = cast("ComprehensiveReport", found.result).landscape if found.result else None
    files = views.landscape.files if views else ()
    body = await asyncio.to_thread(
        lambda: json_text(treemap_data(files), ensure_ascii=True, separators=(",", ":"))
    )
    return Response(body, 200, {"cache-control": "no-store"}, "application/json")


async def findings_page(site: Site, request: Request) -> Response:
    """Return one page of the list of a tool, the first list by default."""
    choices = [it for it in LISTS if site.is_enabled(it.tool)]
    tool = request.path_params.get("tool", choices[0].tool if choices else "")
    chosen = next((it for it in choices if it.tool == tool), None)
    if chosen is None:
        raise InvalidParams(
            f"There is no list {tool[:100]!r}", suggestion="Choose one of the findings."
        )
    path, cursor = request.query_params.get("path", ""), request.query_params.get("cursor")
    found = await site.analyses.ask(tool, **_arguments(chosen, path, cursor))
    next_page = ""
    if next_cursor := getattr(found.result, "next_cursor", None):
        query = {"path": path} if path else {}
        next_page = f"/findings/{tool}?{urlencode({**query, 'cursor': next_cursor})}"
    return _list_page(site, chosen.label, found, {"scope": path, "next_page": next_page})


async def performance_page(site: Site, request: Request) -> Response:
    """Return what to fix first in a snapshot of profiles and logs, the newest by default."""
    listed = await site.analyses.call("list_runs", limit=_MAX_RUNS)
    runs = cast("ListedRuns", listed).runs
    wanted = request.query_params.get("run") or (runs[0].id if runs else "")
    found: PageAnalysis | None = None
    values: dict[str, object] = {"runs": runs, "run": wanted}
    if not runs:
        values["program"] = await asyncio.to_thread(_program_to_profile, site)
    if wanted:
        arguments = {"normalized_snapshot_id": wanted, "format": "html"}
        if profile := request.query_params.get("profile", ""):
            arguments["profile"] = profile
        found = await site.analyses.ask("run_analysis", **arguments)
        profiles = cast("Analyzed", found.result).profiles if found.result else {}
        values |= {"profiles": profiles, "profile": profile}
    return _list_page(site, "Performance", found, values)


def _program_to_profile(site: Site) -> str:
    """Return a program of the workspace that can be profiled: its tests, if it has any."""
    bench = site.workbench.bench
    view = ProjectView(bench.workspace.root, PurePosixPath(), bench.permissions)
    return next((it.to_profile for it in find_runners(view) if it.to_profile), "")


def _list_page(
    site: Site, label: str, found: PageAnalysis | None, values: Mapping[str, object]
) -> Response:
    body = ""
    if found is not None and found.result is not None:
        body = content(cast("Report", found.result), link=cell_links(site.links), is_full=False)
    choices = [(it.label, site.links.findings(it.tool)) for it in LISTS if site.is_enabled(it.tool)]
    if site.is_enabled("run_analysis"):
        choices.append(("Performance", "/performance"))
    shown = {
        "choices": choices,
        "label": label,
        "analysis": found,
        "body": body,
        "has_pictures": 'class="drawing"' in body,
        "has_flames": 'class="flame"' in body,
        "is_waiting": found is not None and not found.is_current,
    }
    blank: dict[str, object] = {"scope": "", "next_page": "", "runs": None, "run": ""}
    blank |= {"program": "", "profiles": {}, "profile": ""}
    return site.page("findings.html", label, {**blank, **shown, **values}, here="Findings")


def _arguments(chosen: FindingList, path: str, cursor: str | None) -> dict[str, object]:
    arguments = {**chosen.arguments, "format": "html"}
    if path and chosen.path:
        arguments[chosen.path] = path
    if cursor:
        arguments["cursor"] = cursor
    return arguments
