"""Say what a repository consists of and what it lacks."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.results import Abridged, not_measured, not_read
from benchpin.core.text import plain
from benchpin.core.tools import Effect, Params, tool
from benchpin.present import Column, Report, Table, View
from benchpin.repository import Depth, RepositoryFacts, cut_lists, describe, survey
from benchpin.repository.packing import count_tokens, preload

from ._repository_tools import open_tree

# The limit of text and structured result together.
_MAX_TOKENS = 7_800
# Limits for the longest lists; the first with which an answer is short enough is used.
_LENGTHS = (30, 12, 5, 2)


class RepositoryParams(Params):
    """Which repository, and how thoroughly."""

    path: Annotated[str, Field(min_length=1)] = "."
    """Folder of the repository; relative to the workspace."""
    depth: Depth = "standard"
    """How much to read: names only, also manifests and documents, or also code and
    history."""


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
        headline=describe,
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
    if cut_lists(fields, _LENGTHS[0]) == fields and _is_short(whole):
        return whole
    stored = bench.results.store(whole.model_dump_json(indent=1), "application/json")
    link = {"stored": stored.uri, "stored_bytes": stored.size_bytes}
    cut = ({**cut_lists(fields, it), **link} for it in _LENGTHS)
    *longer, shortest = map(RepositoryReport.model_validate, cut)
    return next((it for it in longer if _is_short(it)), shortest)


def _is_short(report: RepositoryReport) -> bool:
    answer = report.to_text() + report.model_dump_json()
    # A token has at least one byte, so a short answer need not be tokenized.
    size_bytes = len(answer.encode(errors="replace"))
    return size_bytes <= _MAX_TOKENS or count_tokens(answer) <= _MAX_TOKENS
