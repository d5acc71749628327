"""What to do next, with evidence; nothing is recommended on the basis of what was not read."""

from collections.abc import Iterator, Sequence

from benchpin.core.text import counted
from benchpin.repository.manifests import DamagedManifest

from ._facts import Importance, RepositoryFacts, RepositoryRecommendation

_FEW = 3
_MIN_DOCUMENTED_SHARE = 0.5
_ORDER: tuple[Importance, ...] = ("high", "medium", "low")


def recommend(
    facts: RepositoryFacts, damaged: Sequence[DamagedManifest], *, has_readme: bool
) -> list[RepositoryRecommendation]:
    """Return recommendations, the most important first."""
    found = (*_of_structure(facts, damaged), *_of_documents(facts, has_readme=has_readme))
    return sorted(found, key=lambda it: _ORDER.index(it.importance))


def _of_structure(
    facts: RepositoryFacts, damaged: Sequence[DamagedManifest]
) -> Iterator[RepositoryRecommendation]:
    structure = facts.structure
    code = sum(it.files for it in structure.languages or () if it.kind == "programming")
    if not code:
        return
    if facts.dependencies is not None and not structure.licences:
        yield _recommendation(
            "high",
            "Add a licence: without one, others may not use the code.",
            f"no LICENSE or COPYING among {structure.files} files, none in a manifest",
        )
    for damage in damaged[:_FEW]:
        place = damage.path if damage.line is None else f"{damage.path}:{damage.line}"
        yield _recommendation("high", f"Repair {damage.path}.", f"{place}: {damage.reason}")
    if not structure.test_files:
        yield _recommendation("high", "Add tests.", f"no test among {counted(code, 'code file')}")
    elif not structure.ci:
        yield _recommendation(
            "medium",
            "Run the tests on every change.",
            f"{counted(structure.test_files, 'test file')}, no CI configuration",
        )


def _of_documents(
    facts: RepositoryFacts, *, has_readme: bool
) -> Iterator[RepositoryRecommendation]:
    found = facts.documentation
    is_whole = facts.structure.files is not None
    if is_whole and not has_readme:
        yield _recommendation("high", "Add a README.", f"no README in {facts.path}")
    readme = found.readme
    if is_whole and readme is not None and readme.missing_sections:
        lacking = ", ".join(readme.missing_sections)
        yield _recommendation(
            "medium",
            f"Extend {readme.path}: {lacking}.",
            f"{counted(readme.sections_total, 'heading')}, none about {lacking}",
        )
    if found.broken_links:
        shown = [f"{it.file}:{it.line}: {it.message}" for it in found.broken_links[:_FEW]]
        links = counted(len(found.broken_links), "broken link")
        yield _recommendation("medium", f"Fix {links}.", *shown)
    if found.missing_kinds and found.documents:
        yield _recommendation(
            "low",
            f"Write documentation of the missing kinds: {', '.join(found.missing_kinds)}.",
            f"{counted(found.documents, 'document')}, none of them of these kinds",
        )
    api = found.api
    if api is not None and api.share is not None and api.share < _MIN_DOCUMENTED_SHARE:
        yield _recommendation(
            "low",
            "Document the public API.",
            f"{api.documented} of {api.public_symbols} public symbols have a doc comment",
            *api.least_documented[:_FEW],
        )


def _recommendation(
    importance: Importance, action: str, *evidence: str
) -> RepositoryRecommendation:
    return RepositoryRecommendation(importance=importance, action=action, evidence=list(evidence))
