"""Say what a repository is made of and what it needs."""

from collections import Counter
from typing import Annotated

from pydantic import Field

from benchpin.core import Abridged, Bench, Effect, Item, Params, tool
from benchpin.engines.repository import survey
from benchpin.engines.repository.commands import EntryPoint, NewcomerCommand
from benchpin.engines.repository.documentation import ApiCoverage, KindOfDocument, ReadmeFacts
from benchpin.engines.repository.licences import Licence
from benchpin.engines.repository.links import LinkProblem
from benchpin.engines.repository.manifests import DamagedManifest, Dependency
from benchpin.engines.repository.recent import HistoryFacts
from benchpin.engines.repository.recommendations import Recommendation, recommend
from benchpin.engines.repository.shown import ShownPath, ShownText
from benchpin.engines.repository.structure import CiFile, FolderSize, LanguageShare, Package
from benchpin.engines.repository.tokens import prepare

from . import _repository_text as text
from ._brevity import MOST_SECTIONS, fits, shortened
from ._tree import open_notes, open_tree, read_outlines

_FEW = 10
_LENGTHS = (30, 12, 5, 2)
"""How long the longest lists may be: the first with which an answer is short enough."""


class RepositoryParams(Params):
    """Which repository, and how thoroughly."""

    path: Annotated[str, Field(min_length=1)]
    """Folder of the repository, relative to the workspace."""
    depth: survey.Depth = "standard"
    """quick reads names only; standard also manifests and documents; deep also code and history."""


class Structure(Item):
    """What there is."""

    files: int | None
    folders: int | None
    size_bytes: int | None
    lines: int | None
    """Of all text files; null when they were not read."""
    languages: list[LanguageShare] | None
    top_folders: list[FolderSize] | None
    test_files: int | None
    test_examples: list[ShownText]
    ci: list[CiFile] | None
    licences: list[Licence]
    packages: list[Package] | None
    packages_total: int | None
    left_out: dict[str, int]
    """Files and folders that were not looked at, by reason; a folder counts once."""


class EcosystemDependencies(Item):
    """How many dependencies an ecosystem has, by kind."""

    ecosystem: str
    manifests: int
    counts: dict[str, int]


class Dependencies(Item):
    """What it needs."""

    total: int
    ecosystems: list[EcosystemDependencies]
    items: list[Dependency]
    """The first, direct ones before others, nearest to the root; the stored report has all."""
    damaged: list[DamagedManifest]
    manifests_in_tests: int
    """Manifests beneath tests; nothing is taken from them."""


class Documentation(Item):
    """What explains it."""

    readme: ReadmeFacts | None
    folders: list[ShownText]
    documents: int | None
    kinds: list[KindOfDocument] | None
    """The four kinds of Diátaxis, by path, title and section."""
    missing_kinds: list[str] | None
    api: ApiCoverage | None
    broken_links: list[LinkProblem] | None
    broken_links_total: int | None


class RepositoryReport(Abridged):
    """What a repository is made of; null is what was not measured, not_measured says why."""

    path: ShownPath
    depth: survey.Depth
    structure: Structure
    dependencies: Dependencies | None
    documentation: Documentation
    entry_points: list[EntryPoint] | None
    commands: list[NewcomerCommand] | None
    """What somebody new needs: install, build, test, run."""
    history: HistoryFacts | None
    recommendations: list[Recommendation]
    not_measured: dict[str, str]
    shown: Annotated[str, Field(exclude=True)] = ""

    def to_text(self) -> str:
        """Return the report in a few lines."""
        return self.shown


@tool(title="Repository analysis", effect=Effect.READ)
def analyze_repository(params: RepositoryParams, bench: Bench) -> RepositoryReport:
    """Say what a repository is made of: languages, dependencies, documentation, commands, tests.

    Use it first in a code base that you do not know. Recommendations name the evidence they rest
    on. Long lists are cut; the whole report is stored and linked.
    """
    if params.depth != "quick":
        prepare()
    tree = open_tree(params.path, bench)
    found = survey.survey(
        tree,
        params.depth,
        open_notes(bench),
        bench.job,
        lambda: read_outlines(tree, bench),
        bench.now(),
    )
    whole = _report(found, None)
    if whole == shortened(_report(found, _LENGTHS[0])) and fits(_shown(whole)):
        return _shown(whole)
    stored = bench.results.store(whole.model_dump_json(indent=1), "application/json")
    return _brief(found, {"stored": stored.uri, "stored_bytes": stored.size_bytes})


def _brief(found: survey.Survey, update: dict[str, object]) -> RepositoryReport:
    """Return the report with lists as long as an answer has room for."""
    for most in _LENGTHS[:-1]:
        brief = _shown(shortened(_report(found, most)).model_copy(update=update))
        if fits(brief):
            return brief
    return _shown(shortened(_report(found, _LENGTHS[-1])).model_copy(update=update))


def _shown(report: RepositoryReport) -> RepositoryReport:
    return report.model_copy(update={"shown": text.report_text(report)})


def _report(found: survey.Survey, most: int | None) -> RepositoryReport:
    """Return what was found with lists up to some length; None cuts nothing."""
    some, few = (None, None) if most is None else (min(most, MOST_SECTIONS), min(most, _FEW))
    entry_points = found.entry_points
    return RepositoryReport(
        path=found.path,
        depth=found.depth,
        structure=_structure(found, most, few),
        dependencies=_dependencies(found, most, few),
        documentation=_documentation(found, some, few),
        entry_points=None if entry_points is None else entry_points[:few],
        commands=None if found.commands is None else found.commands[:some],
        history=found.history,
        recommendations=recommend(found),
        not_measured=found.not_measured,
        stored=None,
    )


def _structure(found: survey.Survey, most: int | None, few: int | None) -> Structure:
    is_whole = found.is_whole
    return Structure(
        files=found.files if is_whole else None,
        folders=found.folders if is_whole else None,
        size_bytes=found.size_bytes if is_whole else None,
        lines=found.lines if is_whole else None,
        languages=found.languages[:few] if is_whole else None,
        top_folders=found.top_folders[:few] if is_whole else None,
        test_files=len(found.tests) if is_whole else None,
        test_examples=found.tests[: None if few is None else 3],
        ci=found.ci[:few] if is_whole else None,
        licences=found.licences[:few],
        packages=None if found.packages is None else found.packages[:most],
        packages_total=None if found.packages is None else len(found.packages),
        left_out=found.skipped,
    )


def _dependencies(found: survey.Survey, most: int | None, few: int | None) -> Dependencies | None:
    if found.dependencies is None:
        return None
    counts: dict[str, Counter[str]] = {}
    manifests: dict[str, set[str]] = {}
    for it in found.dependencies:
        counts.setdefault(it.ecosystem, Counter())[it.kind] += 1
        manifests.setdefault(it.ecosystem, set()).add(it.path)
    ecosystems = [
        EcosystemDependencies(
            ecosystem=name, manifests=len(manifests[name]), counts=dict(sorted(counted.items()))
        )
        for name, counted in sorted(counts.items())
    ]
    return Dependencies(
        total=len(found.dependencies),
        ecosystems=ecosystems,
        items=found.dependencies[:most],
        damaged=found.damaged[:few],
        manifests_in_tests=found.manifests_in_tests,
    )


def _documentation(found: survey.Survey, some: int | None, few: int | None) -> Documentation:
    readme, links = found.readme, found.links
    if readme is not None:
        readme = readme.model_copy(update={"sections": readme.sections[:some]})
    kinds = found.kinds
    return Documentation(
        readme=readme,
        folders=found.documentation_folders,
        documents=len(found.documents) if found.is_whole else None,
        kinds=kinds,
        missing_kinds=None if kinds is None else [it.kind for it in kinds if not it.total],
        api=found.api,
        broken_links=None if links is None else links.problems[:few],
        broken_links_total=None if links is None else len(links.problems),
    )
