"""What a survey finds out about a repository. None is what was not measured."""

from typing import Literal

from pydantic import ConfigDict, Field

from benchpin.core.results import Item
from benchpin.repository.documents import ApiCoverage, KindOfDocument, ReadmeFacts
from benchpin.repository.documents.links import LinkProblem
from benchpin.repository.manifests import DamagedManifest, DeclaredDependency, RepositoryCommand
from benchpin.repository.packing import ShownPath, ShownText

from ._commands import NewcomerCommand
from ._licences import Licence
from ._recent import HistoryFacts
from ._structure import CiFile, FolderSize, Package, RepositoryLanguage

Depth = Literal["quick", "standard", "deep"]
Importance = Literal["high", "medium", "low"]


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
