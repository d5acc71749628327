"""What to do next, each with the evidence that it rests on."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from benchpin.core import Item

from .shown import ShownText

if TYPE_CHECKING:
    from .survey import Survey

Importance = Literal["high", "medium", "low"]
_FEW = 3
_HALF = 0.5


class Recommendation(Item):
    """Something worth doing."""

    importance: Importance
    action: ShownText
    evidence: list[ShownText]


def recommend(found: "Survey") -> list[Recommendation]:
    """Return what is worth doing, the most important first; nothing rests on a guess."""
    rank = {"high": 0, "medium": 1, "low": 2}
    return sorted(
        (*_of_structure(found), *_of_documents(found)), key=lambda it: rank[it.importance]
    )


def _of_structure(found: "Survey") -> Iterator[Recommendation]:
    code = sum(it.files for it in found.languages if it.kind == "programming")
    if not code:
        return
    if found.is_whole and found.are_manifests_read and not found.licences:
        yield _say(
            "high",
            "Add a licence: without one nobody may use the code.",
            f"no LICENSE or COPYING among {found.files} files, none in a manifest",
        )
    for damaged in found.damaged[:_FEW]:
        place = damaged.path if damaged.line is None else f"{damaged.path}:{damaged.line}"
        yield _say("high", f"Repair {damaged.path}.", f"{place}: {damaged.reason}")
    if not found.is_whole:
        return
    if not found.tests:
        yield _say("high", "Add tests.", f"no test among {code} files of code")
    elif not found.ci:
        yield _say(
            "medium",
            "Run the tests on every change.",
            f"{len(found.tests)} test files, no configuration of a CI service",
        )


def _of_documents(found: "Survey") -> Iterator[Recommendation]:
    if found.is_whole and not found.has_readme:
        yield _say("high", "Add a README.", f"none right in {found.path}")
    readme = found.readme
    if found.is_whole and readme is not None and readme.missing_sections:
        lacking = ", ".join(readme.missing_sections)
        yield _say(
            "medium",
            f"Say more in {readme.path}: {lacking}.",
            f"{readme.sections_total} headings, none about {lacking}",
        )
    if found.links is not None and found.links.problems:
        problems = found.links.problems
        shown = [f"{it.file}:{it.line}: {it.message}" for it in problems[:_FEW]]
        yield Recommendation(
            importance="medium", action=f"Mend {len(problems)} broken links.", evidence=shown
        )
    missing = [it.kind for it in found.kinds or () if not it.total]
    if missing and found.documents:
        yield _say(
            "low",
            f"Write documentation of the missing kinds: {', '.join(missing)}.",
            f"{len(found.documents)} documents, none of these by path, title or section",
        )
    api = found.api
    if api is not None and api.share is not None and api.share < _HALF:
        yield Recommendation(
            importance="low",
            action="Document what is public.",
            evidence=[
                f"{api.documented} of {api.public_symbols} public symbols have a doc comment",
                *api.least_documented[:_FEW],
            ],
        )


def _say(importance: Importance, action: str, evidence: str) -> Recommendation:
    return Recommendation(importance=importance, action=action, evidence=[evidence])
