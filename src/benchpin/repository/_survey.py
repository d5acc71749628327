"""Survey a repository: file names first, then manifests and documents, then code and history.

The cheapest comes first, so that a survey that runs out of time still has the essentials.
"""

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, Cancelled
from benchpin.core.results import Item
from benchpin.core.text import NotPlainYaml, parse_plain_yaml
from benchpin.repository.documents import (
    describe_readme,
    documentation_folders,
    find_documents,
    find_readme,
    measure_api,
    read_readme,
    sort_documents,
    written_by_people,
)
from benchpin.repository.documents.links import check_links
from benchpin.repository.manifests import (
    DamagedManifest,
    DeclaredDependency,
    PackageManifest,
    complete,
    is_manifest,
    is_unread,
    read_manifest,
)
from benchpin.repository.packing import TextFacts, read_text_facts
from benchpin.workspace.files import RACY_NS
from benchpin.workspace.walking import SourceFile, is_product_path, is_test_path

from ._commands import find_entry_points, newcomer_commands
from ._facts import (
    Dependencies,
    Depth,
    Documentation,
    EcosystemDependencies,
    RepositoryFacts,
    Structure,
    read_year,
    recommend,
)
from ._kinds import is_licence
from ._licences import Licence, identify
from ._structure import count_languages, find_ci, find_packages, find_tests, top_folders
from ._tree import MAX_LINES, MAX_TEXT_BYTES, RepositoryTree, read_attributes

ItemType = TypeVar("ItemType", bound=Item)

_MAX_LICENCES = 50
_LICENCE_BYTES = 65_536
_MAX_KEPT = 8
# Reading this many takes half a second; a real list of packages has a few hundred.
_MAX_YAML_CHARS = 1 << 15
# Files whose names a slow machine evaluates in a second.
_NAMES_PER_S = 80e3
_OUT_OF_TIME = "out of time"
_OF_MANIFESTS = ("packages", "dependencies", "entry_points", "commands")
_OF_CODE = ("api", "broken_links", "history")
_OF_CONTENTS = ("lines", "licences", *_OF_MANIFESTS, "readme", "kinds", *_OF_CODE)
_OF_NAMES = ("files", "languages", "top_folders", "test_files", "ci", "documents")


@dataclass(frozen=True, slots=True)
class _Survey:
    """The facts so far, and what later steps need in addition."""

    facts: RepositoryFacts
    files: list[SourceFile]
    documents: list[SourceFile]
    has_readme: bool
    damaged: list[DamagedManifest] = field(default_factory=list)
    is_settled: bool = True
    """Whether all files were so old that their timestamps prove that they have not changed."""

    def is_of(self, tree: RepositoryTree) -> bool:
        """Whether the files are still the same."""
        skipped = self.facts.structure.left_out
        return self.is_settled and self.files == tree.files and skipped == tree.skipped

    def with_facts(self, **changes: object) -> "_Survey":
        return replace(self, facts=_with(self.facts, **changes))

    def not_measured(self, reasons: Mapping[str, str]) -> "_Survey":
        return self.with_facts(not_measured={**self.facts.not_measured, **reasons})


def _with(item: ItemType, **changes: object) -> ItemType:
    """Return a validated copy of an item with some fields changed."""
    return type(item)(**{**dict(item), **changes})


def survey(tree: RepositoryTree, depth: Depth, job: Job, now: datetime) -> RepositoryFacts:
    """Return what a repository consists of, in the depth that is asked for."""
    left_s = job.time_left_s()
    if tree.is_whole and left_s is not None and left_s < len(tree.files) / _NAMES_PER_S:
        job.leave_out("everything about the names of files")
        tree = replace(tree, files=[], is_whole=False)
    if depth == "quick":
        reasons = dict.fromkeys(_OF_CONTENTS, "depth quick reads names only")
        found = _survey_names(tree).not_measured(reasons)
    elif depth == "standard":
        reasons = dict.fromkeys(_OF_CODE, "depth=deep measures it")
        found = _survey_contents(tree, job).not_measured(reasons)
    else:
        found = _add_depth(_survey_contents(tree, job), tree, job, now)
    end = f"incomplete, without {'; '.join(job.missing)}" if job.missing else "completed"
    job.log("info", f"Repository analysis {end}: {tree.base or '.'}, {depth}")
    advice = recommend(found.facts, found.damaged, has_readme=found.has_readme)
    return _with(found.facts, depth=depth, recommendations=advice)


def _survey_names(tree: RepositoryTree) -> _Survey:
    """Evaluate the names of files, which takes a third of a second for 18,000."""
    if not tree.is_whole:
        tree = replace(tree, files=[])
    documents, tests = find_documents(tree), find_tests(tree)
    structure = Structure(left_out=tree.skipped)
    if tree.is_whole:
        structure = Structure(
            files=len(tree.files),
            folders=len(tree.folders),
            size_bytes=sum(file.size_bytes for file in tree.files),
            languages=count_languages(tree, None),
            top_folders=top_folders(tree),
            test_files=len(tests),
            test_examples=tests,
            ci=find_ci(tree),
            left_out=tree.skipped,
        )
    facts = RepositoryFacts(
        path=tree.base.rstrip("/") or ".",
        structure=structure,
        documentation=Documentation(
            folders=documentation_folders(tree),
            documents=len(documents) if tree.is_whole else None,
        ),
    )
    found = _Survey(facts, tree.files, documents, find_readme(tree) is not None)
    reasons = {} if tree.is_whole else dict.fromkeys(_OF_NAMES, _OUT_OF_TIME)
    return found.not_measured(reasons)


def _survey_contents(tree: RepositoryTree, job: Job) -> _Survey:
    """Evaluate names, manifests and documents; remembered while the files stay the same."""
    if not tree.is_whole:
        return _read_contents(tree, job)
    return tree.session.remember(
        job,
        "repository contents",
        tree.base,
        lambda: _read_contents(tree, job),
        room=_MAX_KEPT,
        is_current=lambda known: known.is_of(tree),
    )


def _read_contents(tree: RepositoryTree, job: Job) -> _Survey:
    newest_ns = max((max(it.mtime_ns, it.ctime_ns) for it in tree.files), default=0)
    is_settled = newest_ns < time.time_ns() - RACY_NS
    found = replace(_survey_names(tree), is_settled=is_settled)
    manifests, damaged = read_manifests(tree, job)
    job.log("info", f"{len(tree.files)} files, {len(manifests)} manifests in {tree.base or '.'}")
    found = replace(found, damaged=damaged)
    if job.missing:
        found = found.not_measured(dict.fromkeys(_OF_MANIFESTS, _OUT_OF_TIME))
    else:
        found = _add_manifests(found, tree, manifests)
    unread = [tree.local(it.path) for it in tree.files if is_unread(it.path)]
    if unread:
        named = f"{unread[0]} and {len(unread) - 1} more" if len(unread) > 1 else unread[0]
        found = found.not_measured({"other_manifests": f"not read here: {named}"})
    found = _add_licences(found, tree, manifests)
    found = _add_texts(found, tree, read_text_facts(tree, job), job)
    return _add_documents(found, tree, job)


def read_manifests(
    tree: RepositoryTree, job: Job
) -> tuple[list[PackageManifest], list[DamagedManifest]]:
    """Return the manifests of a repository and the damaged ones; tests and samples do not count."""
    read: list[PackageManifest] = []
    damaged: list[DamagedManifest] = []
    chosen = [
        it for it in tree.files if is_manifest(it.path) and is_product_path(tree.local(it.path))
    ]
    for file in job.each(chosen, "manifests"):
        if file.size_bytes > MAX_TEXT_BYTES:
            reason = f"larger than {MAX_TEXT_BYTES >> 20} MiB, so it was not read"
            damaged.append(DamagedManifest(path=file.path, line=None, reason=reason))
            continue
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
    found: _Survey, tree: RepositoryTree, manifests: Sequence[PackageManifest]
) -> _Survey:
    members, damaged = _pnpm_members(tree)
    found = replace(found, damaged=[*found.damaged, *damaged])
    packages = find_packages(tree, manifests, members)
    structure = _with(found.facts.structure, packages=packages, packages_total=len(packages))
    return found.with_facts(
        structure=structure,
        dependencies=_dependencies(found, tree, manifests),
        entry_points=find_entry_points(tree, manifests),
        commands=newcomer_commands(tree, manifests),
    )


def _dependencies(
    found: _Survey, tree: RepositoryTree, manifests: Sequence[PackageManifest]
) -> Dependencies:
    items = sorted(
        (it for manifest in manifests for it in manifest.dependencies),
        key=lambda it: (it.kind != "direct", it.path.count("/"), it.path, it.line, it.name),
    )
    in_tests = (
        is_manifest(it.path) and not is_product_path(tree.local(it.path)) for it in tree.files
    )
    return Dependencies(
        total=len(items),
        ecosystems=_ecosystems(items),
        items=items,
        damaged=found.damaged,
        manifests_in_tests=sum(in_tests),
    )


def _ecosystems(items: Iterable[DeclaredDependency]) -> list[EcosystemDependencies]:
    counts: dict[str, Counter[str]] = {}
    manifests: dict[str, set[str]] = {}
    for item in items:
        counts.setdefault(item.ecosystem, Counter())[item.kind] += 1
        manifests.setdefault(item.ecosystem, set()).add(item.path)
    return [
        EcosystemDependencies(
            ecosystem=name, manifests=len(manifests[name]), counts=dict(sorted(counted.items()))
        )
        for name, counted in sorted(counts.items())
    ]


def _pnpm_members(tree: RepositoryTree) -> tuple[dict[str, list[str]], list[DamagedManifest]]:
    """Return the globs of `pnpm-workspace.yaml`, by folder, or why it cannot be read."""
    file = next(tree.named("pnpm-workspace.yaml"), None)
    data = None if file is None else tree.read(file.path)
    if file is None or data is None:
        return {}, []
    try:
        document = parse_plain_yaml(data.decode("utf-8", errors="replace"), _MAX_YAML_CHARS)
    except NotPlainYaml as error:
        reason = f"not YAML that is read here: {error}"
        return {}, [DamagedManifest(path=file.path, line=None, reason=reason)]
    globs = document.get("packages") if isinstance(document, dict) else None
    found = [it for it in globs if isinstance(it, str)] if isinstance(globs, list) else []
    return {tree.base: found}, []


def _add_licences(
    found: _Survey, tree: RepositoryTree, manifests: Sequence[PackageManifest]
) -> _Survey:
    files = [it.path for it in tree.files if _is_own_licence(tree.local(it.path))]
    licences = [
        identify(path, (tree.read(path, _LICENCE_BYTES) or b"").decode("utf-8", errors="replace"))
        for path in (files[:_MAX_LICENCES] if tree.is_whole else ())
    ]
    licences += [
        Licence(path=it.path, spdx=it.licence, confidence=None, source="manifest")
        for it in manifests
        if it.licence is not None and it.folder == tree.base
    ]
    return found.with_facts(structure=_with(found.facts.structure, licences=licences))


def _is_own_licence(local: str) -> bool:
    return is_licence(local) and not is_test_path(local)


def _add_texts(
    found: _Survey, tree: RepositoryTree, texts: Mapping[str, TextFacts], job: Job
) -> _Survey:
    """Add lines and languages by content, if all files were read."""
    if len(texts) < len(tree.files):
        return found.not_measured({"lines": _OUT_OF_TIME})
    attributes = read_attributes(tree)
    by_file = attributes.of_all([tree.local(it.path) for it in tree.files], job)
    if by_file is None:
        reason = f"{_OUT_OF_TIME}; .gitattributes is ignored"
        found = found.not_measured({"languages": reason})
    elif not attributes.is_whole:
        reason = f".gitattributes is ignored after its first {MAX_LINES:,} lines for linguist"
        found = found.not_measured({"languages": reason})
    if not tree.is_whole:
        return found
    lines = sum(it.lines or 0 for it in texts.values())
    languages = count_languages(tree, texts, by_file)
    structure = _with(found.facts.structure, lines=lines, languages=languages)
    return found.with_facts(structure=structure)


def _add_documents(found: _Survey, tree: RepositoryTree, job: Job) -> _Survey:
    if job.is_expired:
        job.leave_out("documents")
        return found.not_measured(dict.fromkeys(("readme", "kinds"), _OUT_OF_TIME))
    documentation = found.facts.documentation
    readme = read_readme(tree, job)
    if readme is not None:
        has_licence = bool(found.facts.structure.licences)
        described = describe_readme(tree, readme, has_licence=has_licence)
        documentation = _with(documentation, readme=described)
    documents = written_by_people(tree, found.documents)
    kinds = sort_documents(tree, documents, readme, job)
    if job.missing:
        found = found.not_measured({"kinds": _OUT_OF_TIME})
    else:
        missing = [it.kind for it in kinds if not it.total]
        documentation = _with(
            documentation, documents=len(documents), kinds=kinds, missing_kinds=missing
        )
    return found.with_facts(documentation=documentation)


def _add_depth(found: _Survey, tree: RepositoryTree, job: Job, now: datetime) -> _Survey:
    problems = check_links(tree, job).problems
    documentation = _with(
        found.facts.documentation, broken_links=problems, broken_links_total=len(problems)
    )
    if job.is_expired:
        job.leave_out("symbols and history")
        found = found.not_measured(dict.fromkeys(("api", "history"), _OUT_OF_TIME))
        return found.with_facts(documentation=documentation)
    api = measure_api(tree.read_sources(job).files, tree.base)
    if job.missing:
        found = found.not_measured({"api": _OUT_OF_TIME})
    else:
        documentation = _with(documentation, api=api)
    return _add_history(found.with_facts(documentation=documentation), tree, job, now)


def _add_history(found: _Survey, tree: RepositoryTree, job: Job, now: datetime) -> _Survey:
    omissions = job.omissions
    try:
        history, problem = read_year(tree, job, now)
    except Cancelled:
        raise
    except BenchpinError as error:
        return found.not_measured({"history": error.message})
    if problem:
        found = found.not_measured({"most_changed": problem})
    if job.omissions > omissions and not history.commits:
        return found.not_measured({"history": _OUT_OF_TIME})
    return found.with_facts(history=history)
