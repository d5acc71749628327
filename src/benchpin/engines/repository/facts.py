"""What a survey finds out about a repository. None is what was not measured."""

from typing import Literal

from benchpin.core import Item

from .commands import NewcomerCommand
from .documentation import ApiCoverage, KindOfDocument, ReadmeFacts
from .licences import Licence
from .links import LinkProblem
from .manifests import DamagedManifest, Dependency, RepositoryCommand
from .recent import HistoryFacts
from .shown import ShownPath, ShownText
from .structure import CiFile, FolderSize, Package, RepositoryLanguage

Depth = Literal["quick", "standard", "deep"]
Importance = Literal["high", "medium", "low"]


class Structure(Item):
    """Files, languages, tests and packages."""

    files: int | None
    folders: int | None
    size_bytes: int | None
    lines: int | None
    """Of all text files; null when they were not read."""
    languages: list[RepositoryLanguage] | None
    top_folders: list[FolderSize] | None
    test_files: int | None
    test_examples: list[ShownText]
    ci: list[CiFile] | None
    licences: list[Licence]
    packages: list[Package] | None
    packages_total: int | None
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
    items: list[Dependency]
    """Direct ones first, then those nearest to the root; the stored report has all."""
    damaged: list[DamagedManifest]
    manifests_in_tests: int
    """Manifests that are test data; their dependencies do not count."""


class Documentation(Item):
    """Documents, their kinds and gaps."""

    readme: ReadmeFacts | None
    folders: list[ShownText]
    documents: int | None
    kinds: list[KindOfDocument] | None
    """The four kinds of Diátaxis, by path, title and section."""
    missing_kinds: list[str] | None
    api: ApiCoverage | None
    broken_links: list[LinkProblem] | None
    broken_links_total: int | None


class RepositoryRecommendation(Item):
    """Something worth doing, and why."""

    importance: Importance
    action: ShownText
    evidence: list[ShownText]


class RepositoryFacts(Item):
    """What a repository consists of; null is what was not measured, not_measured says why."""

    path: ShownPath
    depth: Depth
    structure: Structure
    dependencies: Dependencies | None
    documentation: Documentation
    entry_points: list[RepositoryCommand] | None
    commands: list[NewcomerCommand] | None
    """How to install, build, test and run it."""
    history: HistoryFacts | None
    recommendations: list[RepositoryRecommendation]
    not_measured: dict[str, str]
