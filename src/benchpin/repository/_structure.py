"""The structure of a repository: languages, folders, tests, CI configuration and packages."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchpin.core.results import Item
from benchpin.facts.languages import detect_language, is_candidate
from benchpin.repository.manifests import PackageManifest
from benchpin.repository.packing import ShownPath, ShownText, TextFacts
from benchpin.workspace.walking import is_test_path

from ._kinds import CountedPaths, LanguageKind, is_documentation, language_called, language_of
from ._tree import RepositoryTree, fits

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
# Folders with tests, examples and templates, whose programs and packages are not the product.
NOT_THE_PRODUCT = re.compile(
    r"(?i)(?:^|/)(?:tests?|__tests__|specs?|fixtures?|fuzz|_?examples?|samples?|demos?|playgrounds?"
    r"|templates?|template-[\w-]+|benchmarks?|e2e|testdata)(?:/|$)"
)


class RepositoryLanguage(Item):
    """The share of a language in a repository."""

    language: str
    kind: LanguageKind
    files: int
    size_bytes: int
    lines: int | None
    """Null when files were not read."""
    share: float | None
    """Of the bytes that GitHub counts: programming and markup, no vendored and generated files, no
    documentation and no examples; null for prose and data."""


class FolderSize(Item):
    """A top-level folder and its size."""

    path: ShownPath
    files: int
    size_bytes: int


class CiFile(Item):
    """The configuration of a CI service."""

    system: str
    path: ShownPath


class Package(Item):
    """A package of the repository."""

    name: ShownText
    version: str | None
    ecosystem: str
    path: ShownPath
    """Its folder."""
    is_member: bool
    """Whether a workspace of the repository includes it."""


@dataclass(slots=True)
class _Tally:
    files: int = 0
    size_bytes: int = 0
    lines: int = 0
    counted_bytes: int = 0


def count_languages(
    tree: RepositoryTree,
    texts: Mapping[str, TextFacts] | None,
    attributes: Mapping[str, Mapping[str, str]] | None = None,
) -> list[RepositoryLanguage]:
    """Return the languages, the largest first; without `texts`, names of files decide.

    `attributes` are linguist's, from `.gitattributes`, by path relative to the repository.
    """
    tallies: dict[tuple[str, LanguageKind], _Tally] = defaultdict(_Tally)
    paths = CountedPaths()
    for file in tree.files:
        facts = None if texts is None else texts.get(file.path)
        local = tree.local(file.path)
        own = (attributes or {}).get(local, {})
        parsed = _by_name(file.path) if facts is None else facts.language
        found = language_called(own.get("language", "")) or language_of(file.path, parsed)
        if found is None:
            continue
        tally = tallies[found]
        tally.files += 1
        tally.size_bytes += file.size_bytes
        tally.lines += (facts.lines or 0) if facts is not None else 0
        is_written = facts is None or (facts.lines is not None and not facts.is_generated)
        if _is_counted(found[1], own, is_counted=is_written and paths.has(local)):
            tally.counted_bytes += file.size_bytes
    total = sum(it.counted_bytes for it in tallies.values())
    shares = [
        RepositoryLanguage(
            language=language,
            kind=kind,
            files=it.files,
            size_bytes=it.size_bytes,
            lines=None if texts is None else it.lines,
            share=round(it.counted_bytes / total, 4)
            if total and (kind in _COUNTED or it.counted_bytes)
            else None,
        )
        for (language, kind), it in tallies.items()
    ]
    return sorted(shares, key=lambda it: (-(it.share or 0), -it.size_bytes, it.language))


def _is_counted(kind: LanguageKind, attributes: Mapping[str, str], *, is_counted: bool) -> bool:
    """Whether a file counts for shares; `.gitattributes` overrules the path."""
    if attributes:
        names = ("documentation", "generated", "vendored")
        marks = [attributes[it] for it in names if it in attributes]
        is_counted = "true" not in marks and (is_counted or "false" in marks)
    is_detectable = attributes.get("detectable", "true" if kind in _COUNTED else "false")
    return is_counted and is_detectable == "true"


def _by_name(path: str) -> str | None:
    name = path.rpartition("/")[2]
    return detect_language(path, bytes) if "." in name and is_candidate(name) else None


def top_folders(tree: RepositoryTree) -> list[FolderSize]:
    """Return the top-level folders, those with the most files first."""
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
    return [
        file.path
        for file in tree.files
        if is_test_path(tree.local(file.path)) and not is_documentation(file.path)
    ]


def find_ci(tree: RepositoryTree) -> list[CiFile]:
    """Return the configuration files of CI services."""
    found = []
    for file in tree.files:
        local = tree.local(file.path)
        if local.startswith(".") or "/" not in local:
            systems = [name for name, pattern in _CI.items() if pattern.fullmatch(local)]
            found += [CiFile(system=name, path=file.path) for name in systems]
    return found


def find_packages(
    tree: RepositoryTree,
    manifests: Sequence[PackageManifest],
    more_members: Mapping[str, Sequence[str]],
) -> list[Package]:
    """Return the packages: members of workspaces, or else every manifest with a name.

    Without a workspace, packages in folders for tests and examples do not count.
    `more_members` has globs from files other than manifests, by folder.
    """
    members = _members(tree, manifests, more_members)
    found: dict[tuple[str, str], Package] = {}
    for manifest in manifests:
        if manifest.name is None:
            continue
        folder = manifest.folder.rstrip("/")
        is_member = folder in members
        is_root = manifest.folder == tree.base
        if is_member or is_root or not (members or NOT_THE_PRODUCT.search(tree.local(folder))):
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
    tree: RepositoryTree, manifests: Sequence[PackageManifest], more: Mapping[str, Sequence[str]]
) -> frozenset[str]:
    folders = {it.folder.rstrip("/") for it in manifests if it.name is not None}
    found: set[str] = set()
    spaces = [(it.folder, it.members) for it in manifests if it.members]
    spaces += [(folder, tuple(globs)) for folder, globs in more.items()]
    for folder, globs in spaces:
        found |= set(_matching(folders, folder, globs))
    return frozenset(found) & frozenset(tree.folders)


def _matching(folders: Iterable[str], start: str, globs: Sequence[str]) -> Iterator[str]:
    """Yield the folders below `start` that match a glob and none of those that begin with `!`."""
    wanted = [_parts(it) for it in globs if not it.startswith("!")]
    unwanted = [_parts(it[1:]) for it in globs if it.startswith("!")]
    for folder in folders:
        parts = folder.removeprefix(start).split("/")
        is_wanted = folder.startswith(start) and any(fits(parts, it) for it in wanted)
        if is_wanted and not any(fits(parts, it) for it in unwanted):
            yield folder


def _parts(glob: str) -> list[str]:
    return glob.strip("/").removeprefix("./").split("/")
