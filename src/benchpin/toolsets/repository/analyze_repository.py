"""Say what a repository consists of and what it lacks."""

from collections.abc import Iterable, Iterator
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.results import Abridged, not_measured, not_read, not_selected
from benchpin.core.text import counted, plain
from benchpin.core.tools import Effect, Params, tool
from benchpin.present import Column, Report, Table, View
from benchpin.repository import Dependencies, Depth, RepositoryFacts, Structure, survey
from benchpin.repository.packing import brief, count_tokens, preload

from ._opening import open_tree

# The limit of text and structured result together.
_MAX_TOKENS = 7_800
# Limits for the longest lists; the first with which an answer is short enough is used.
_LENGTHS = (30, 12, 5, 2)
# Lists that are cut, and how long they may be at most.
_LIMITS = {
    "broken_links": 10,
    "ci": 10,
    "commands": 20,
    "damaged": 10,
    "entry_points": 10,
    "items": _LENGTHS[0],
    "languages": 10,
    "licences": 10,
    "packages": _LENGTHS[0],
    "sections": 20,
    "test_examples": 3,
    "top_folders": 10,
}


class RepositoryParams(Params):
    """Which repository, and how thoroughly."""

    path: Annotated[str, Field(min_length=1)] = "."
    """Folder of the repository; relative to the workspace."""
    depth: Depth = "standard"
    """How much to read: names only, also manifests and documents, or also code and
    history."""


def _headline(report: "RepositoryReport") -> Iterator[str]:
    yield from _structure(report.structure, report.path)
    if report.dependencies is not None:
        yield from _dependencies(report.dependencies)
    found = report.documentation
    if found.documents is not None:
        folders = f" in {', '.join(found.folders)}" if found.folders else ""
        yield f"documents: {found.documents:,}{folders}"
    if found.readme is not None:
        sections = _names(found.readme.sections, 8)
        yield f"README: {plain(found.readme.path)}: {sections or 'no headings'}"
    if found.missing_kinds:
        yield f"missing kinds of documents: {', '.join(found.missing_kinds)}"
    if found.api is not None and found.api.share is not None:
        symbols = counted(found.api.public_symbols, "public symbol")
        yield f"API documented: {found.api.share:.0%} of {symbols}"
    if found.broken_links_total:
        yield f"broken links: {found.broken_links_total:,}"
    if report.entry_points:
        programs = (f"{it.name} ({it.path})" for it in report.entry_points)
        yield f"entry points: {_names(programs, 5)}"
    if report.history is not None:
        commits, authors = report.history.commits, report.history.authors
        yield (
            f"since {report.history.since}: "
            f"{counted(commits, 'commit')} by {counted(authors, 'author')}"
        )


def _structure(structure: Structure, path: str) -> Iterator[str]:
    if structure.files is None or structure.folders is None:
        yield f"{plain(path)}: there was no time to look into all folders"
    else:
        size = f"{counted(structure.files, 'file')} in {counted(structure.folders, 'folder')}"
        yield f"{plain(path)}: {size}" + (
            "" if structure.lines is None else f", {structure.lines:,} lines"
        )
    shares = [
        f"{one.language} {one.share:.1%}"
        for one in structure.languages or ()
        if one.share is not None
    ]
    if shares:
        yield f"languages: {_names(shares, 6)}"
    if structure.licences:
        licences = (f"{one.spdx or 'unknown'} ({one.path})" for one in structure.licences)
        yield f"licence: {_names(licences, 3)}"
    if structure.test_files is not None and structure.ci is not None:
        systems = ", ".join(dict.fromkeys(one.system for one in structure.ci)) or "none"
        yield f"tests: {counted(structure.test_files, 'file')}; CI: {systems}"
    if structure.packages and structure.packages_total and structure.packages_total > 1:
        names = _names((it.name for it in structure.packages), 8)
        yield f"{structure.packages_total:,} packages: {names}"
    yield from not_selected(structure.left_out)


def _dependencies(needed: Dependencies) -> Iterator[str]:
    for ecosystem in needed.ecosystems:
        counts = ", ".join(f"{count:,} {kind}" for kind, count in ecosystem.counts.items())
        manifests = counted(ecosystem.manifests, "manifest")
        yield f"dependencies ({ecosystem.ecosystem}, {manifests}): {counts}"
    direct = [f"{it.name} {it.version or ''}".strip() for it in needed.items if it.kind == "direct"]
    if direct:
        yield f"  direct: {_names(direct, 8)}"


def _names(names: Iterable[str], most: int) -> str:
    """List the first names, on one line."""
    shown = list(map(plain, names))
    return ", ".join(shown[:most]) + (" …" if len(shown) > most else "")


def _notes(report: "RepositoryReport") -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for name, reason in report.by_choice().items():
        reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        hint = report.text_style.hint(plain(reason))
        yield f"not measured: {', '.join(names)}: {hint}"


class RepositoryReport(RepositoryFacts, Abridged, Report):
    """What a repository consists of; null is what was not measured, not_measured says why."""

    view = View["RepositoryReport"](
        title="Repository",
        headline=_headline,
        tables=(
            Table(
                rows=lambda it: it.commands or (),
                columns=(Column("purpose"), Column("command"), Column("evidence")),
                title="Commands",
            ),
            Table(
                rows=lambda it: it.recommendations,
                columns=(
                    Column("importance"),
                    Column("action"),
                    Column("evidence", lambda it: "; ".join(it.evidence[:2])),
                ),
                title="Recommendations",
            ),
        ),
        notes=_notes,
    )

    def by_choice(self) -> dict[str, str]:
        """Return what the depth of the call does not measure, and which depth does."""
        return {name: it for name, it in self.not_measured.items() if it.startswith("depth")}

    def lacks(self) -> list[str]:
        """Return what could not be read or measured, and that lists are cut."""
        chosen = self.by_choice()
        others = {name: it for name, it in self.not_measured.items() if name not in chosen}
        damaged = self.dependencies.damaged if self.dependencies else ()
        manifests = {f"{plain(it.path)}:{it.line or 1}": it.reason for it in damaged}
        unread = not_read(self.structure.left_out)
        return [*super().lacks(), *unread, *not_measured({**manifests, **others})]

    def confidences(self) -> Iterator[float | None]:
        """Yield how sure it is of each licence."""
        yield from (it.confidence for it in self.structure.licences or ())


@tool(
    title="Repository analysis",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "what is this project, first look, onboarding, tech stack, languages, frameworks, "
        "dependencies, licence, how to build, how to run and test it, entry points, "
        "maintainers, just cloned it, what is it written in, what is it about, third-party "
        "packages and libraries, get started, how to compile, who maintains it"
    ),
)
def analyze_repository(params: RepositoryParams, bench: Bench) -> RepositoryReport:
    """Analyze what a repository consists of: languages, dependencies, documents, commands, tests.

    Use it first in an unknown code base. Recommendations name their evidence. Long
    lists are cut; the whole report is stored and linked.
    """
    if params.depth != "quick":
        preload()
    facts = survey(open_tree(params.path, bench), params.depth, bench.job, bench.now())
    whole = RepositoryReport(**dict(facts))
    fields = facts.model_dump()
    if _cut(fields, _LENGTHS[0]) == fields and _is_short(whole):
        return whole
    stored = bench.results.store(whole.model_dump_json(indent=1), "application/json")
    link = {"stored": stored.uri, "stored_bytes": stored.size_bytes}
    reports = (RepositoryReport.model_validate({**_cut(fields, it), **link}) for it in _LENGTHS)
    *longer, shortest = reports
    return next((it for it in longer if _is_short(it)), shortest)


def _cut(fields: dict[str, object], most: int) -> dict[str, object]:
    """Cut the texts and the long lists of a report."""
    return {key: _cut_value(value, most, _LIMITS.get(key)) for key, value in fields.items()}


def _cut_value(value: object, most: int, limit: int | None = None) -> object:
    match value:
        case str():
            return brief(value)
        case dict():
            return _cut(value, most)
        case list():
            kept = value if limit is None else value[: min(limit, most)]
            return [_cut_value(it, most) for it in kept]
        case _:
            return value


def _is_short(report: RepositoryReport) -> bool:
    answer = report.to_text() + report.model_dump_json()
    # A token has at least one byte, so a short answer need not be tokenized.
    size_bytes = len(answer.encode(errors="replace"))
    return size_bytes <= _MAX_TOKENS or count_tokens(answer) <= _MAX_TOKENS
