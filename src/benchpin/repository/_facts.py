"""What a survey finds out about a repository. None is what was not measured."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, Field

from benchpin.core.calls import Job
from benchpin.core.results import Item, not_selected
from benchpin.core.text import counted, plain
from benchpin.measures.history import History, read_recent
from benchpin.repository.documents import ApiCoverage, KindOfDocument, ReadmeFacts
from benchpin.repository.documents.links import LinkProblem
from benchpin.repository.manifests import DamagedManifest, DeclaredDependency, RepositoryCommand
from benchpin.repository.packing import ShownPath, ShownText, brief
from benchpin.workspace.git import GitFailed, find_repository

from ._commands import NewcomerCommand
from ._licences import Licence
from ._structure import CiFile, FolderSize, Package, RepositoryLanguage
from ._tree import RepositoryTree

_YEAR = timedelta(days=365)
_MAX_NAMED = 5
_FEW = 3
_MIN_DOCUMENTED_SHARE = 0.5
# Lists that are cut, and how long they may be at most.
_LIMITS = {
    "broken_links": 10,
    "ci": 10,
    "commands": 20,
    "damaged": 10,
    "entry_points": 10,
    "items": 30,
    "languages": 10,
    "licences": 10,
    "packages": 30,
    "sections": 20,
    "test_examples": 3,
    "top_folders": 10,
}
Depth = Literal["quick", "standard", "deep"]
Importance = Literal["high", "medium", "low"]


class HistoryFacts(Item):
    """The commits of the last year, without merges."""

    since: str
    commits: int
    """Commits that changed something in the folder."""
    authors: int
    last_commit: str | None
    """Null when there is none in that year."""
    top_authors: list[ShownText]
    """With the number of their commits."""
    most_changed: list[ShownText] | None
    """Existing files, with the number of their commits; null when the clone lacks the data."""
    is_shallow: bool
    """Whether the clone is shallow and lacks older commits."""


def read_year(tree: RepositoryTree, job: Job, now: datetime) -> tuple[HistoryFacts, str]:
    """Return the facts of the last year, and why changed files are unknown, if they are.

    Raises:
        DependencyMissing: when git is not installed.
        GitFailed: when git cannot read the repository or the changes of the folder.
        NotARepository: when the folder is not under version control.
        PathOutsideWorkspace: when the folder or its history is elsewhere.
    """
    since = now - _YEAR
    place = Path(tree.root, tree.base)
    is_part = find_repository(place, tree.root, tree.session.git_folders).mount != tree.base
    history = read_recent(tree.session, place, since, job, needs_files=False)
    if is_part:
        history = _commits_in(tree.base, history)
    authors = Counter(commit.author for commit in history.commits)
    changed = Counter(
        change.path
        for commit in history.commits
        for change in commit.files
        if change.path in history.existing and change.path.startswith(tree.base)
    )
    facts = HistoryFacts(
        since=f"{since:%Y-%m-%d}",
        commits=len(history.commits),
        authors=len(authors),
        last_commit=f"{history.commits[0].time:%Y-%m-%d}" if history.commits else None,
        top_authors=_counted(authors),
        most_changed=None if history.problem else _counted(changed),
        is_shallow=history.is_shallow,
    )
    return facts, history.problem


def _commits_in(base: str, history: History) -> History:
    if history.problem:
        raise GitFailed(
            f"The commits that changed {base!r} are unknown: {history.problem}",
            suggestion="Fetch the missing objects, or analyse the whole repository.",
        )
    commits = (it for it in history.commits if any(file.path.startswith(base) for file in it.files))
    return replace(history, commits=tuple(commits))


def _counted(counts: Counter[str]) -> list[str]:
    ranked = sorted(counts, key=lambda it: (-counts[it], it))
    return [f"{name}: {counts[name]}" for name in ranked[:_MAX_NAMED]]


_ORDER: tuple[Importance, ...] = ("high", "medium", "low")


class _Facts(Item):
    """Facts that default to "not measured" and are always part of the result."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)


class Structure(_Facts):
    """Files, languages, tests and packages."""

    files: int | None = None
    folders: int | None = None
    size_bytes: int | None = None
    lines: int | None = None
    """Of all text files; null when they were not read."""
    languages: list[RepositoryLanguage] | None = None
    top_folders: list[FolderSize] | None = None
    test_files: int | None = None
    test_examples: list[ShownText] = Field(default_factory=list)
    ci: list[CiFile] | None = None
    licences: list[Licence] = Field(default_factory=list)
    packages: list[Package] | None = None
    packages_total: int | None = None
    left_out: dict[str, int]
    """Skipped files and folders by reason; a folder counts once."""


class EcosystemDependencies(Item):
    """The number of dependencies of one ecosystem, by kind."""

    ecosystem: str
    manifests: int
    counts: dict[str, int]


class Dependencies(Item):
    """The dependencies that manifests declare."""

    total: int
    ecosystems: list[EcosystemDependencies]
    items: list[DeclaredDependency]
    """Direct ones first, then those nearest to the root; the stored report has all."""
    damaged: list[DamagedManifest]
    manifests_in_tests: int
    """Manifests that are test data; their dependencies do not count."""


class Documentation(_Facts):
    """Documents, their kinds and gaps."""

    readme: ReadmeFacts | None = None
    folders: list[ShownText]
    documents: int | None = None
    kinds: list[KindOfDocument] | None = None
    """The four kinds of Diátaxis, by path, title and section."""
    missing_kinds: list[str] | None = None
    api: ApiCoverage | None = None
    broken_links: list[LinkProblem] | None = None
    broken_links_total: int | None = None


class RepositoryRecommendation(Item):
    """Something worth doing, and why."""

    importance: Importance
    action: ShownText
    evidence: list[ShownText]


class RepositoryFacts(_Facts):
    """What a repository consists of; null is what was not measured, not_measured says why."""

    path: ShownPath
    depth: Depth = "quick"
    structure: Structure
    dependencies: Dependencies | None = None
    documentation: Documentation
    entry_points: list[RepositoryCommand] | None = None
    commands: list[NewcomerCommand] | None = None
    """How to install, build, test and run it."""
    history: HistoryFacts | None = None
    recommendations: list[RepositoryRecommendation] = Field(default_factory=list)
    not_measured: dict[str, str] = Field(default_factory=dict)


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


def describe(facts: RepositoryFacts) -> Iterator[str]:
    """Yield what a repository consists of, a few words a line."""
    yield from _describe_structure(facts.structure, facts.path)
    if facts.dependencies is not None:
        yield from _describe_dependencies(facts.dependencies)
    found = facts.documentation
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
    if facts.entry_points:
        programs = (f"{it.name} ({it.path})" for it in facts.entry_points)
        yield f"entry points: {_names(programs, 5)}"
    if facts.history is not None:
        commits, authors = facts.history.commits, facts.history.authors
        yield (
            f"since {facts.history.since}: "
            f"{counted(commits, 'commit')} by {counted(authors, 'author')}"
        )


def _describe_structure(structure: Structure, path: str) -> Iterator[str]:
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


def _describe_dependencies(needed: Dependencies) -> Iterator[str]:
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


def cut_lists(fields: dict[str, object], most: int) -> dict[str, object]:
    """Cut the texts and the long lists of a report."""
    return {key: _cut_value(value, most, _LIMITS.get(key)) for key, value in fields.items()}


def _cut_value(value: object, most: int, limit: int | None = None) -> object:
    match value:
        case str():
            return brief(value)
        case dict():
            return cut_lists(value, most)
        case list():
            kept = value if limit is None else value[: min(limit, most)]
            return [_cut_value(it, most) for it in kept]
        case _:
            return value
