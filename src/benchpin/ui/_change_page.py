"""The page of a change: what changed, what the review says, what it reaches, if it is proven."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast
from urllib.parse import urlencode

from starlette.requests import Request  # noqa: TID253 - imported only to serve pages
from starlette.responses import RedirectResponse, Response  # noqa: TID253 - likewise

from benchpin.code.changes import UNCOMMITTED
from benchpin.core.text import counted
from benchpin.core.tools import Effect
from benchpin.present import Report
from benchpin.present.formats import content
from benchpin.project.review import ReviewFinding
from benchpin.toolsets.navigation.review_change import ChangeReview
from benchpin.toolsets.navigation.show_changes import ChangesReport

from ._analyses import PageAnalysis
from ._pages import cell_links, shown
from ._site import Site

_MAX_CHARS = 500
_MAX_ROWS = 200
# Lines of a diff on the page; files that do not fit are named.
_MAX_LINES = 5_000
_MAX_OPEN = 400
# Of the picture of an impact, in pixels; files in one column, and characters of a path.
_ROW, _WIDTH, _TOP = 24, 300, 26
_MAX_NODES, _MAX_NAME = 12, 30
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class DiffLine(NamedTuple):
    """A line of a diff; a number is 0 where the line is not in that state."""

    mark: str
    old: int
    new: int
    text: str


class FileDiff(NamedTuple):
    """What changed in a file."""

    path: str
    added: int
    deleted: int
    lines: Sequence[DiffLine]
    is_cut: bool


async def change_page(site: Site, request: Request) -> Response:
    """Return what is known of a change; it is proven when somebody asks for it."""
    base = request.query_params.get("base", "").strip()[:_MAX_CHARS] or site.compared
    changes = await site.analyses.ask("show_changes", diff=base, include_diff=True, limit=_MAX_ROWS)
    shown_change = cast("ChangesReport", changes.result) if changes.result else None
    review = site.analyses.start("review_change", format="sarif", diff=base)
    impact = site.analyses.start("analyze_impact", diff=base, limit=_MAX_ROWS)
    proof = site.analyses.known("prove_change", **_proof_of(base))
    asked = [changes, review, impact, *([proof] if proof else [])]
    reviewed = cast("ChangeReview", review.result) if review.result else None
    findings = reviewed.findings if reviewed else []
    diffs = list(diffs_of(shown_change.diff or "")) if shown_change else []
    values = {
        "base": base,
        "changes": changes,
        "review": review,
        "impact": impact,
        "picture": picture_of(cast("Any", impact.result)) if impact.result else None,
        "proof": proof,
        "certificate": _rendered(site, proof),
        "may_prove": site.is_enabled("prove_change"),
        "may_run": Effect.EXECUTE in site.workbench.configuration.effects,
        "findings": findings,
        "levels": Counter(it.level for it in findings),
        "beside": _beside(findings, diffs),
        "diffs": diffs,
        "is_open": sum(len(it.lines) for it in diffs) <= _MAX_OPEN,
        "is_waiting": any(it.running is not None for it in asked),
    }
    return site.page("change.html", f"Change: {base}", values, here="Change")


async def change_line(site: Site) -> tuple[str, bool]:
    """Return how big the change that the pages are about is, if any, and whether that is known."""
    if not site.is_enabled("show_changes"):
        return "", True
    found = await site.analyses.ask("show_changes", diff=site.compared, limit=1)
    files = cast("ChangesReport", found.result).files if found.result else ()
    what = "with uncommitted changes" if site.compared == UNCOMMITTED else f"in {site.compared}"
    lines = f"+{sum(it.added for it in files):,} -{sum(it.deleted for it in files):,}"
    said = f"{counted(len(files), 'file')} {what}, {lines} lines: look at the change"
    return (said if files else ""), found.running is None


async def prove(site: Site, request: Request) -> Response:
    """Begin to prove a change, and go back to its page, which shows how far it is."""
    async with request.form(max_fields=2) as form:
        base = str(form.get("base", ""))[:_MAX_CHARS] or site.compared
    site.analyses.start("prove_change", **_proof_of(base))
    return RedirectResponse(f"/change?{urlencode({'base': base})}#proof", 303)


def _proof_of(base: str) -> dict[str, object]:
    return {"diff": base, "format": "html"}


def _rendered(site: Site, proof: PageAnalysis | None) -> str:
    if proof is None or proof.result is None:
        return ""
    return content(cast("Report", proof.result), link=cell_links(site.links), is_full=False)


def diffs_of(text: str) -> Iterator[FileDiff]:
    """Yield the files of a unified diff; what is in a hunk is known by its numbers of lines."""
    lines = iter(text.split("\n"))
    before, path, room = "", "", _MAX_LINES
    known: dict[str, list[DiffLine]] = {}
    for line in lines:
        if line.startswith("--- "):
            before = line[4:].removeprefix("a/")
        elif line.startswith("+++ "):
            path = before if line == "+++ /dev/null" else line[4:].removeprefix("b/")
            known[path] = []
        elif (hunk := _HUNK.match(line)) and path in known:
            old, old_count, new, new_count = (int(it or 1) for it in hunk.groups())
            known[path].append(DiffLine("@", old, new, ""))
            while (old_count > 0 or new_count > 0) and (inner := next(lines, None)) is not None:
                mark = inner[:1] if inner[:1] in {"+", "-"} else " "
                is_old, is_new = mark != "+", mark != "-"
                known[path].append(DiffLine(mark, old * is_old, new * is_new, shown(inner[1:])))
                old, new = old + is_old, new + is_new
                old_count, new_count = old_count - is_old, new_count - is_new
    for file, found in known.items():
        marks = Counter(it.mark for it in found)
        yield FileDiff(file, marks["+"], marks["-"], found[:room], len(found) > room)
        room = max(0, room - len(found))


def _beside(
    findings: Sequence[ReviewFinding], diffs: Sequence[FileDiff]
) -> Mapping[tuple[str, int], Sequence[ReviewFinding]]:
    """Return the findings by the file and the line of the diff that they are shown at."""
    lines = {it.path: [line.new for line in it.lines if line.new] for it in diffs}
    found = defaultdict[tuple[str, int], list[ReviewFinding]](list)
    for finding in findings:
        near = [it for it in lines.get(finding.file, ()) if finding.line <= it <= finding.end_line]
        if near:
            found[finding.file, near[0]].append(finding)
    return found


class ImpactNode(NamedTuple):
    """A file in the picture of an impact."""

    path: str
    text: str
    x: int
    y: int
    kind: str


class ImpactPicture(NamedTuple):
    """The files that depend on a change, from left to right, and what uses what."""

    width: int
    height: int
    heads: Sequence[tuple[int, str]]
    nodes: Sequence[ImpactNode]
    lines: Sequence[tuple[int, int, int, int]]
    left_out: int


def picture_of(impact: Any) -> ImpactPicture | None:
    """Return the picture of what depends on a change; None where nothing does."""
    changed = list(dict.fromkeys(it.file for it in impact.changes))
    distances = dict.fromkeys(changed, 0)
    for one in impact.dependents:
        distances[one.file] = min(distances.get(one.file, one.distance), one.distance)
    tests = {it.file for it in impact.dependents if it.is_test}
    if len(distances) == len(changed):
        return None
    columns = [
        [it for it, far in distances.items() if far == at] for at in sorted({*distances.values()})
    ]
    places = {
        path: ImpactNode(
            path, _short(path), at * _WIDTH, _TOP + _ROW * row, _kind(path, distances, tests)
        )
        for at, column in enumerate(columns)
        for row, path in enumerate(column[:_MAX_NODES])
    }
    pairs = {(it.uses.partition("::")[0], it.file) for it in impact.dependents}
    lines = [
        (places[used].x + _WIDTH - 60, places[used].y + 8, places[user].x - 4, places[user].y + 8)
        for used, user in sorted(pairs)
        if used in places and user in places and places[used].x < places[user].x
    ]
    rows = max(min(len(it), _MAX_NODES) for it in columns)
    heads = [
        (at * _WIDTH, "changed" if not at else "uses it" if at == 1 else "uses that")
        for at in range(len(columns))
    ]
    size = len(columns) * _WIDTH, _TOP + _ROW * rows + 6
    return ImpactPicture(*size, heads, list(places.values()), lines, len(distances) - len(places))


def _kind(path: str, distances: Mapping[str, int], tests: set[str]) -> str:
    return "test" if path in tests else "changed" if not distances[path] else "user"


def _short(path: str) -> str:
    """Return the end of a path, as much of it as fits."""
    text = shown(path)
    return text if len(text) <= _MAX_NAME else f"…{text[-_MAX_NAME:]}"
