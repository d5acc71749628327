"""Look at a whole repository, as deep as is asked for."""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Literal

import yaml

from benchpin.core import BenchpinError, Cancelled, Job
from benchpin.engines.source.index import Sources
from benchpin.engines.source.opening import RACY_NS
from benchpin.engines.source.testing import is_test_path
from benchpin.engines.source.walk import SourceFile

from .attributes import MOST_LINES, read_attributes
from .commands import EntryPoint, NewcomerCommand, find_entry_points, newcomer_commands
from .documentation import (
    ApiCoverage,
    KindOfDocument,
    ReadmeFacts,
    describe_readme,
    documentation_folders,
    find_documents,
    measure_api,
    sort_documents,
)
from .documents import find_readme, read_readme
from .kinds import is_licence
from .licences import Licence, identify
from .links import LinkReport, check_links
from .manifests import (
    DamagedManifest,
    Dependency,
    Manifest,
    complete,
    is_manifest,
    is_unread,
    read_manifest,
)
from .recent import HistoryFacts, read_year
from .structure import (
    CiFile,
    FolderSize,
    LanguageShare,
    Package,
    count_languages,
    find_ci,
    find_packages,
    find_tests,
    top_folders,
)
from .tree import Note, Notes, RepositoryTree, take_notes

Depth = Literal["quick", "standard", "deep"]

_MOST_LICENCES = 50
_MOST_KNOWN = 8
_NAMED_PER_S = 80e3
"""Files of which it is told in a second what their names say, at least."""
_OUT_OF_TIME = "out of time"
_OF_MANIFESTS = ("packages", "dependencies", "entry_points", "commands")
_OF_CODE = ("api", "broken_links", "history")
_OF_CONTENTS = ("lines", "licences", *_OF_MANIFESTS, "readme", "kinds", *_OF_CODE)
_OF_NAMES = ("files", "languages", "top_folders", "test_files", "ci", "documents")


@dataclass(slots=True)
class Survey:
    """All that was found out; None is what was not looked at, `not_measured` says why."""

    path: str
    depth: Depth
    files: int
    folders: int
    size_bytes: int
    skipped: dict[str, int]
    languages: list[LanguageShare]
    top_folders: list[FolderSize]
    tests: list[str]
    ci: list[CiFile]
    documents: list[SourceFile]
    documentation_folders: list[str]
    has_readme: bool
    manifest_paths: list[str]
    licence_paths: list[str]
    is_whole: bool
    """Whether all folders were looked into: only then a thing that was not found is not there."""
    are_manifests_read: bool = False
    """Whether all of them were."""
    lines: int | None = None
    licences: list[Licence] = field(default_factory=list)
    packages: list[Package] | None = None
    dependencies: list[Dependency] | None = None
    damaged: list[DamagedManifest] = field(default_factory=list)
    manifests_in_tests: int = 0
    """Manifests that are there to be read by tests; nothing is taken from them."""
    readme: ReadmeFacts | None = None
    kinds: list[KindOfDocument] | None = None
    entry_points: list[EntryPoint] | None = None
    commands: list[NewcomerCommand] | None = None
    api: ApiCoverage | None = None
    links: LinkReport | None = None
    history: HistoryFacts | None = None
    not_measured: dict[str, str] = field(default_factory=dict)


def survey_names(tree: RepositoryTree, depth: Depth) -> Survey:
    """Return what the names of files say, if all are known; as before if the files are the same."""
    if not tree.is_whole:
        nothing = _survey_names(replace(tree, files=[]))
        return replace(nothing, depth=depth, not_measured=dict.fromkeys(_OF_NAMES, _OUT_OF_TIME))
    found = _named.find(tree)
    if found is None:
        found = _survey_names(tree)
        _named.keep(tree, found)
    return replace(found, depth=depth, not_measured={})


def _survey_names(tree: RepositoryTree) -> Survey:
    return Survey(
        path=tree.base.rstrip("/") or ".",
        depth="quick",
        files=len(tree.files),
        folders=len(tree.folders),
        size_bytes=sum(file.size_bytes for file in tree.files),
        skipped=tree.skipped,
        languages=count_languages(tree, None),
        top_folders=top_folders(tree),
        tests=find_tests(tree),
        ci=find_ci(tree),
        documents=find_documents(tree),
        documentation_folders=documentation_folders(tree),
        has_readme=find_readme(tree) is not None,
        manifest_paths=[it.path for it in tree.files if is_manifest(it.path)],
        licence_paths=[it.path for it in tree.files if _is_own_licence(tree.local(it.path))],
        is_whole=tree.is_whole,
    )


def _is_own_licence(local: str) -> bool:
    return is_licence(local) and not is_test_path(local)


def survey(
    tree: RepositoryTree,
    depth: Depth,
    notes: Notes,
    job: Job,
    read_sources: Callable[[], Sources],
    now: datetime,
) -> Survey:
    """Look at a repository: its names, then its manifests and documents, then its code and past.

    What comes first needs least time. `read_sources` is asked for the outlines of all files when
    the depth is deep.

    Raises:
        Cancelled: when the job was cancelled.
    """
    left_s = job.time_left_s()
    if tree.is_whole and left_s is not None and left_s < len(tree.files) / _NAMED_PER_S:
        job.leave_out("what the names of files say")
        tree = replace(tree, files=[], is_whole=False)
    if depth == "quick":
        found = survey_names(tree, depth)
        found.not_measured |= dict.fromkeys(_OF_CONTENTS, "depth quick reads names only")
    else:
        known = _standard(tree, notes, job)
        found = replace(known, depth=depth, not_measured=dict(known.not_measured))
    if depth == "standard":
        found.not_measured |= dict.fromkeys(_OF_CODE, "depth deep measures it")
    elif depth == "deep":
        _add_depth(found, tree, job, read_sources, now)
    job.log("info", f"Repository analysis completed: {tree.base or '.'}, {depth}")
    return found


class _Memory:
    """Surveys of the trees that were last looked at, as long as no file changes."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[Path, str], tuple[list[SourceFile], Survey]] = OrderedDict()
        self._lock = Lock()

    def find(self, tree: RepositoryTree) -> Survey | None:
        """Return what was found out of the same files."""
        with self._lock:
            files, known = self._known.get((tree.root, tree.base), ([], None))
        is_same = known is not None and files == tree.files and known.skipped == tree.skipped
        return known if is_same else None

    def keep(self, tree: RepositoryTree, found: Survey) -> None:
        """Remember what was found out; the oldest makes room."""
        with self._lock:
            self._known[tree.root, tree.base] = (tree.files, found)
            if len(self._known) > _MOST_KNOWN:
                self._known.popitem(last=False)


_named, _known = _Memory(), _Memory()


def _standard(tree: RepositoryTree, notes: Notes, job: Job) -> Survey:
    """Return what names, manifests and documents say; the same as before if no file changed."""
    known = _known.find(tree)
    if known is not None:
        return known
    found = _read_standard(tree, notes, job)
    newest_ns = max((max(it.mtime_ns, it.ctime_ns) for it in tree.files), default=0)
    if not job.missing and newest_ns < time.time_ns() - RACY_NS:
        _known.keep(tree, found)
    return found


def _read_standard(tree: RepositoryTree, notes: Notes, job: Job) -> Survey:
    found = survey_names(tree, "standard")
    manifests, damaged = read_manifests(tree, job)
    job.log("info", f"{len(tree.files)} files, {len(manifests)} manifests in {tree.base or '.'}")
    found.are_manifests_read = not job.missing
    if not found.are_manifests_read:
        found.not_measured |= dict.fromkeys(_OF_MANIFESTS, _OUT_OF_TIME)
    unread = [tree.local(it.path) for it in tree.files if is_unread(it.path)]
    if unread:
        named = f"{unread[0]} and {len(unread) - 1} more" if len(unread) > 1 else unread[0]
        found.not_measured["other_manifests"] = f"not read here: {named}"
    found.manifests_in_tests = sum(is_test_path(tree.local(it)) for it in found.manifest_paths)
    _add_manifests(found, tree, manifests, damaged)
    _add_contents(found, tree, take_notes(tree, notes, job), job)
    _add_documents(found, tree, job)
    return found


def _add_contents(found: Survey, tree: RepositoryTree, notes: Mapping[str, Note], job: Job) -> None:
    """Add what only the content of files tells, if all were read; else they are known by name."""
    if len(notes) < len(tree.files):
        found.not_measured["lines"] = _OUT_OF_TIME
        return
    attributes = read_attributes(tree)
    said = attributes.of_all([tree.local(it.path) for it in tree.files], job)
    if said is None:
        found.not_measured["languages"] = f"{_OUT_OF_TIME}; .gitattributes is not heeded"
    elif not attributes.is_whole:
        limit = f"after its first {MOST_LINES:,} lines for linguist"
        found.not_measured["languages"] = f".gitattributes is not heeded {limit}"
    found.languages = count_languages(tree, notes, said)
    found.lines = sum(it.lines or 0 for it in notes.values())


def read_manifests(tree: RepositoryTree, job: Job) -> tuple[list[Manifest], list[DamagedManifest]]:
    """Return what the manifests of a repository say, and which are damaged; those of tests apart.

    Raises:
        Cancelled: when the job was cancelled.
    """
    read: list[Manifest] = []
    damaged: list[DamagedManifest] = []
    chosen = [
        it for it in tree.files if is_manifest(it.path) and not is_test_path(tree.local(it.path))
    ]
    for file in job.each(chosen, "manifests"):
        data = tree.read(file.path)
        if data is None:
            continue
        manifest = read_manifest(file.path, data)
        if isinstance(manifest, DamagedManifest):
            damaged.append(manifest)
        else:
            read.append(manifest)
    return complete(read), damaged


def _add_manifests(
    found: Survey,
    tree: RepositoryTree,
    manifests: Sequence[Manifest],
    damaged: list[DamagedManifest],
) -> None:
    found.damaged = damaged
    if found.are_manifests_read:
        found.packages = find_packages(tree, manifests, _more_members(tree))
        found.dependencies = sorted(
            (it for manifest in manifests for it in manifest.dependencies),
            key=lambda it: (it.kind != "direct", it.path.count("/"), it.path, it.line, it.name),
        )
        found.entry_points = find_entry_points(tree, manifests)
        found.commands = newcomer_commands(tree, manifests)
    found.licences = [
        identify(path, (tree.read(path, 65_536) or b"").decode("utf-8", errors="replace"))
        for path in found.licence_paths[:_MOST_LICENCES]
    ]
    found.licences += [
        Licence(path=it.path, spdx=it.licence, confidence=None, source="manifest")
        for it in manifests
        if it.licence is not None and it.folder == tree.base
    ]


def _more_members(tree: RepositoryTree) -> dict[str, list[str]]:
    """Return the globs of pnpm's workspaces, by folder."""
    data = next((tree.read(it.path) for it in tree.named("pnpm-workspace.yaml")), None)
    try:
        document = yaml.safe_load(data or b"")
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}
    globs = document.get("packages") if isinstance(document, dict) else None
    return (
        {tree.base: [it for it in globs if isinstance(it, str)]} if isinstance(globs, list) else {}
    )


def _add_documents(found: Survey, tree: RepositoryTree, job: Job) -> None:
    if job.is_expired:
        found.not_measured |= dict.fromkeys(("readme", "kinds"), _OUT_OF_TIME)
        job.leave_out("documents")
        return
    readme = read_readme(tree)
    if readme is not None:
        found.readme = describe_readme(tree, readme, has_licence=bool(found.licences))
    kinds = sort_documents(tree, found.documents, readme, job)
    if job.missing:
        found.not_measured["kinds"] = _OUT_OF_TIME
    else:
        found.kinds = kinds


def _add_depth(
    found: Survey,
    tree: RepositoryTree,
    job: Job,
    read_sources: Callable[[], Sources],
    now: datetime,
) -> None:
    found.links = check_links(tree, job)
    if job.is_expired:
        found.not_measured |= dict.fromkeys(("api", "history"), _OUT_OF_TIME)
        job.leave_out("symbols and history")
        return
    api = measure_api(read_sources().files, tree.base)
    if job.missing:
        found.not_measured["api"] = _OUT_OF_TIME
    else:
        found.api = api
    omissions = job.omissions
    try:
        found.history, problem = read_year(tree, job, now)
    except Cancelled:
        raise
    except BenchpinError as error:
        found.not_measured["history"] = error.message
    else:
        if problem:
            found.not_measured["most_changed"] = problem
        if job.omissions > omissions and not found.history.commits:
            found.history = None
            found.not_measured["history"] = _OUT_OF_TIME
