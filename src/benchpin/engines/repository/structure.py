"""How a repository is built up: languages, tests, continuous integration, packages, licences."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchpin.core import Item
from benchpin.engines.source.detect import detect_language, is_candidate
from benchpin.engines.source.testing import is_test_path

from .kinds import LanguageKind, is_documentation, language_called, language_of
from .manifests import Manifest
from .patterns import fits
from .shares import CountedPaths
from .shown import ShownPath, ShownText
from .tree import Note, RepositoryTree

_COUNTED = frozenset({"programming", "markup"})
_CI: dict[str, re.Pattern[str]] = {
    "GitHub Actions": re.compile(r"\.github/workflows/[^/]+\.ya?ml"),
    "GitLab CI": re.compile(r"\.gitlab-ci\.ya?ml"),
    "CircleCI": re.compile(r"\.circleci/config\.ya?ml"),
    "Azure Pipelines": re.compile(r"(?:\.?azure-pipelines[\w.-]*|\.azure-pipelines/.+)\.ya?ml"),
    "Travis CI": re.compile(r"\.travis\.ya?ml"),
    "AppVeyor": re.compile(r"\.?appveyor\.ya?ml"),
    "Jenkins": re.compile(r"Jenkinsfile"),
    "Bitbucket Pipelines": re.compile(r"bitbucket-pipelines\.ya?ml"),
    "Buildkite": re.compile(r"\.buildkite/.+\.ya?ml"),
    "Cirrus CI": re.compile(r"\.cirrus\.(?:ya?ml|star)"),
    "Drone": re.compile(r"\.drone\.ya?ml"),
    "Woodpecker": re.compile(r"\.woodpecker(?:/.+)?\.ya?ml"),
}
BESIDE_THE_POINT = re.compile(
    r"(?i)(?:^|/)(?:tests?|__tests__|specs?|fixtures?|fuzz|_?examples?|samples?|demos?|playgrounds?"
    r"|templates?|template-[\w-]+|benchmarks?|e2e|testdata)(?:/|$)"
)
"""Folders whose projects are there to be looked at, or for tests."""


class LanguageShare(Item):
    """How much of a repository is in a language."""

    language: str
    kind: LanguageKind
    files: int
    size_bytes: int
    lines: int | None
    """Null when files were not read."""
    share: float | None
    """Of the bytes that GitHub would count: programming and markup, written here and by people, no
    documentation and no examples; null for prose and data."""


class FolderSize(Item):
    """A folder at the top, and what is beneath it."""

    path: ShownPath
    files: int
    size_bytes: int


class CiFile(Item):
    """A file that tells a service what to build."""

    system: str
    path: ShownPath


class Package(Item):
    """A part of the repository that has a name of its own."""

    name: ShownText
    version: str | None
    ecosystem: str
    path: ShownPath
    """Its folder."""
    is_member: bool
    """Whether a workspace of the repository names it."""


@dataclass(slots=True)
class _Tally:
    """What is added up of the files in a language."""

    files: int = 0
    size_bytes: int = 0
    lines: int = 0
    counted_bytes: int = 0


def count_languages(
    tree: RepositoryTree,
    notes: Mapping[str, Note] | None,
    said: Mapping[str, Mapping[str, str]] | None = None,
) -> list[LanguageShare]:
    """Return the languages, the biggest first; without notes files are known by their names.

    `said` is what `.gitattributes` says of files, by path from the repository.
    """
    tallies: dict[tuple[str, LanguageKind], _Tally] = defaultdict(_Tally)
    paths = CountedPaths()
    for file in tree.files:
        note = None if notes is None else notes.get(file.path)
        local = tree.local(file.path)
        own = (said or {}).get(local, {})
        parsed = _by_name(file.path) if note is None else note.language
        found = language_called(own.get("language", "")) or language_of(file.path, parsed)
        if found is None:
            continue
        tally = tallies[found]
        tally.files += 1
        tally.size_bytes += file.size_bytes
        tally.lines += (note.lines or 0) if note is not None else 0
        is_written = note is None or (note.lines is not None and not note.is_generated)
        if _is_counted(found[1], own, is_counted=is_written and paths.has(local)):
            tally.counted_bytes += file.size_bytes
    total = sum(it.counted_bytes for it in tallies.values())
    shares = [
        LanguageShare(
            language=language,
            kind=kind,
            files=it.files,
            size_bytes=it.size_bytes,
            lines=None if notes is None else it.lines,
            share=round(it.counted_bytes / total, 4)
            if total and (kind in _COUNTED or it.counted_bytes)
            else None,
        )
        for (language, kind), it in tallies.items()
    ]
    return sorted(shares, key=lambda it: (-(it.share or 0), -it.size_bytes, it.language))


def _is_counted(kind: LanguageKind, said: Mapping[str, str], *, is_counted: bool) -> bool:
    """Whether a file counts for shares; `.gitattributes` says more than a path."""
    if said:
        marks = [said[it] for it in ("documentation", "generated", "vendored") if it in said]
        is_counted = "true" not in marks and (is_counted or "false" in marks)
    is_detectable = said.get("detectable", "true" if kind in _COUNTED else "false")
    return is_counted and is_detectable == "true"


def _by_name(path: str) -> str | None:
    name = path.rpartition("/")[2]
    return detect_language(path, bytes) if "." in name and is_candidate(name) else None


def top_folders(tree: RepositoryTree) -> list[FolderSize]:
    """Return the folders right in the repository, those with most files first."""
    files: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for file in tree.files:
        head, slash, _ = tree.local(file.path).partition("/")
        if slash:
            files[head] += 1
            sizes[head] += file.size_bytes
    ranked = sorted(files, key=lambda it: (-files[it], it))
    return [FolderSize(path=tree.base + it, files=files[it], size_bytes=sizes[it]) for it in ranked]


def find_tests(tree: RepositoryTree) -> list[str]:
    """Return the files that are there for tests."""
    return [
        file.path
        for file in tree.files
        if is_test_path(tree.local(file.path)) and not is_documentation(file.path)
    ]


def find_ci(tree: RepositoryTree) -> list[CiFile]:
    """Return what services are told to build."""
    found = []
    for file in tree.files:
        local = tree.local(file.path)
        if local.startswith(".") or "/" not in local:
            systems = [name for name, pattern in _CI.items() if pattern.fullmatch(local)]
            found += [CiFile(system=name, path=file.path) for name in systems]
    return found


def find_packages(
    tree: RepositoryTree, manifests: Sequence[Manifest], more_members: Mapping[str, Sequence[str]]
) -> list[Package]:
    """Return the packages: members of workspaces, or else every manifest with a name.

    Where no workspace is declared, packages in folders for tests and examples are left out.
    `more_members` has globs from files that are no manifests, by folder.
    """
    members = _members(tree, manifests, more_members)
    found: dict[tuple[str, str], Package] = {}
    for manifest in manifests:
        if manifest.name is None:
            continue
        folder = manifest.folder.rstrip("/")
        is_member = folder in members
        is_root = manifest.folder == tree.base
        if is_member or is_root or not (members or BESIDE_THE_POINT.search(tree.local(folder))):
            found.setdefault(
                (folder, manifest.ecosystem),
                Package(
                    name=manifest.name,
                    version=manifest.version,
                    ecosystem=manifest.ecosystem,
                    path=folder or ".",
                    is_member=is_member,
                ),
            )
    return [package for _, package in sorted(found.items())]


def _members(
    tree: RepositoryTree, manifests: Sequence[Manifest], more: Mapping[str, Sequence[str]]
) -> frozenset[str]:
    """Return the folders of manifests that workspaces mean."""
    folders = {it.folder.rstrip("/") for it in manifests if it.name is not None}
    found: set[str] = set()
    spaces = [(it.folder, it.members) for it in manifests if it.members]
    spaces += [(folder, tuple(globs)) for folder, globs in more.items()]
    for folder, globs in spaces:
        found |= set(_meant(folders, folder, globs))
    return frozenset(found) & frozenset(tree.folders)


def _meant(folders: Iterable[str], start: str, globs: Sequence[str]) -> Iterator[str]:
    """Give the folders beneath a start that a glob means, and none that begins with `!`."""
    wanted = [_parts(it) for it in globs if not it.startswith("!")]
    unwanted = [_parts(it[1:]) for it in globs if it.startswith("!")]
    for folder in folders:
        parts = folder.removeprefix(start).split("/")
        is_wanted = folder.startswith(start) and any(fits(parts, it) for it in wanted)
        if is_wanted and not any(fits(parts, it) for it in unwanted):
            yield folder


def _parts(glob: str) -> list[str]:
    return glob.strip("/").removeprefix("./").split("/")
