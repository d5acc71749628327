"""Sentences of documents that name what is gone, moved or renamed, and since which commit.

Only what the repository once had counts, while the document already named it: an example, a file
of the reader or a name of another project never was in it.
"""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from operator import itemgetter

from benchpin.code.changes import compare_symbols, find_deltas, read_changed
from benchpin.core.calls import Job
from benchpin.core.errors import (
    DependencyMissing,
    InvalidParams,
    PathOutsideWorkspace,
    TimeLimitExceeded,
)
from benchpin.facts import FileSelection, SourceQuery, open_index
from benchpin.facts.languages import detect_language
from benchpin.present import FindingRule
from benchpin.repository import RepositoryTree
from benchpin.repository.manifests import PackageManifest, is_manifest, read_manifest
from benchpin.workspace.git import GitFailed, NotARepository, find_head, find_repository
from benchpin.workspace.git_objects import open_objects
from benchpin.workspace.walking import is_test_path

from . import links
from ._documentation import DocumentationProblem, find_documents, written_by_people
from ._documents import is_markdown, read_document
from ._mentions import (
    OF_A_WALK,
    Mention,
    mentions_in,
    mentions_of,
    owner_of,
    speaking_of_today,
    spellings_of,
)
from ._past import MAX_FILES_OF_A_WORD, Past, Removal, binds, is_evidence
from ._present import Present

RULES: tuple[FindingRule, ...] = links.finding_rules(
    {
        "document-names-gone": "A document names something that the repository no longer has.",
        "document-names-moved": "A document uses the old path or name of something.",
    }
)
_CALL = re.compile(r"\w\(([^()\n]*+)\)")
_NAME = re.compile(r"\w++")
_MAX_SENTENCE_CHARS = 160
# Old files of a word that are parsed, to see whether they define it.
_MAX_PARSED = 6
# A commit of more files is not compared symbol by symbol.
_MAX_CHANGED = 100
# Names that many projects have: they say nothing without a folder.
_COMMON_NAMES = re.compile(
    r"(?i)(?:readme|license|index|main|mod|lib|config|settings|utils?|test|tests|app|example|setup"
    r"|package|makefile|dockerfile|__init__|conftest)(?:\.\w+)*"
)
_LOCK = re.compile(r"(?i)[.-]lock(?:\.\w+|b)?$|^[A-Z]+file$")
# Documents for those who change the repository, in which a file name is that of its own file.
_FOR_DEVELOPERS = re.compile(
    r"(?i)(?:^|/)(?:agents|claude|gemini|contributing|hacking|develop\w*|building|copilot-instructions"
    r"|maintain\w*|releas\w*)(?:\.\w+)?$"
)


@dataclass(frozen=True, slots=True)
class _Drifted:
    """What became of something that a document names."""

    commit: Removal
    now: str | None = None


def find_drift(
    tree: RepositoryTree, manifests: Sequence[PackageManifest], job: Job
) -> list[DocumentationProblem]:
    """Return the sentences that name what is gone or elsewhere, by document and line."""
    folder = tree.root / tree.base
    try:
        repository = find_repository(folder, tree.root, tree.session.git_folders)
    except NotARepository:
        return []
    except (DependencyMissing, PathOutsideWorkspace) as error:
        job.leave_out(f"what documents name that is gone ({error.message})")
        return []
    try:
        head = find_head(repository, job)
    except TimeLimitExceeded:
        job.leave_out("what documents name that is gone")
        return []
    if head is None:
        return []
    with open_objects(repository, job) as objects:
        finder = _Finder(tree, manifests, Past(repository, objects, head, job), job)
        return finder.find()


class _Finder:
    def __init__(
        self, tree: RepositoryTree, manifests: Sequence[PackageManifest], past: Past, job: Job
    ) -> None:
        self._tree = tree
        self._present = Present(tree, manifests, job)
        self._past = past
        self._job = job

    def find(self) -> list[DocumentationProblem]:
        named = self._mentions()
        absent = [it for it in named if self._present.lacks(*it)]
        found: dict[tuple[str, int, str], DocumentationProblem] = {}
        by_document = {
            document: [it for _, it in group] for document, group in groupby(absent, itemgetter(0))
        }
        # What everybody reads comes first, in case there is not time for all.
        order = sorted(by_document, key=lambda it: (it.count("/"), it))
        for done, document in enumerate(order):
            mentions = by_document[document]
            try:
                for mention, drifted in self._judge(document, mentions):
                    key = (document, mention.line, mention.text)
                    found.setdefault(key, _problem(document, mention, drifted))
            except TimeLimitExceeded:
                left = f"{len(by_document) - done} of {len(by_document)} documents"
                self._job.leave_out(f"when what {left} name went away")
                break
        return sorted(found.values(), key=lambda it: (it.file, it.line, it.message))

    def _mentions(self) -> list[tuple[str, Mention]]:
        found: list[tuple[str, Mention]] = []
        documents = {
            self._tree.local(it.path): it
            for it in written_by_people(self._tree, find_documents(self._tree))
        }
        today = speaking_of_today(documents)
        chosen = [it for local, it in documents.items() if local in today]
        for file in self._job.each(chosen, "documents"):
            if is_markdown(file.path):
                document = read_document(self._tree, file, self._job)
                mentions = [] if document is None else mentions_of(document)
            else:
                text = (self._tree.read(file.path) or b"").decode("utf-8", "replace")
                mentions = mentions_in(file.path, text)
            is_walk = OF_A_WALK.search(self._tree.local(file.path)) is not None
            found += ((file.path, it) for it in mentions if not (is_walk and it.kind == "path"))
        return found

    # What became of it.

    def _judge(self, document: str, mentions: list[Mention]) -> Iterator[tuple[Mention, _Drifted]]:
        inside = self._inside(document)
        paths = [(it, self._lost_path(document, it.name)) for it in mentions if it.kind == "path"]
        lost = [(it, drifted) for it, drifted in paths if drifted is not None]
        text = (self._tree.read(document) or b"").decode("utf-8", "replace")
        words = [
            it
            for it in mentions
            if it.kind in {"symbol", "setting"} and not _is_parameter(it.name, text)
        ]
        commands = [it for it in mentions if it.kind in {"target", "script"}]
        wanted = {it.text for it, _ in lost} | {it.text for it in (*words, *commands)}
        if not wanted:
            return
        said = self._past.first_said(inside, wanted)
        for mention, drifted in lost:
            first = said.get(mention.text)
            if first is not None and first.seconds <= drifted.commit.seconds:
                yield mention, drifted
        by_commit: dict[Removal, list[Mention]] = defaultdict(list)
        for mention in words:
            if mention.text in said:
                by_commit[said[mention.text]].append(mention)
        for commit, some in by_commit.items():
            yield from self._lost_words(commit, some)
        for mention in commands:
            first = said.get(mention.text)
            gone = self._lost_command(mention)
            if first is not None and gone is not None and first.seconds <= gone.commit.seconds:
                yield mention, gone

    def _inside(self, path: str) -> str:
        repository = self._past.repository
        return repository.prefix + path.removeprefix(repository.mount)

    @cached_property
    def _lost_by_name(self) -> Mapping[str, list[str]]:
        """The lost files by their names, and their folders by theirs."""
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for path in self._past.lost:
            whole = path
            while whole:
                found[posixpath.basename(whole)][whole] = None
                whole = posixpath.dirname(whole)
        return {name: list(paths) for name, paths in found.items()}

    def _lost_path(self, document: str, name: str) -> _Drifted | None:
        folder = posixpath.dirname(self._inside(document))
        root = self._inside(self._tree.base)
        exact = {posixpath.normpath(posixpath.join(it, name)) for it in (root, folder)}
        known = self._lost_by_name.get(posixpath.basename(name), ())
        fitting = [it for it in known if it in exact]
        files = [it for it in known if it in self._past.lost]
        if "/" in name:
            # In other documents, `app/main.py` is a file of the reader's project.
            is_own = _FOR_DEVELOPERS.search(document) or name.count("/") > 1
            fitting = fitting or [it for it in files if is_own and it.endswith(f"/{name}")]
        elif self._is_elsewhere(name, document):
            return None
        elif not fitting and len(files) == 1 and not _COMMON_NAMES.fullmatch(name):
            fitting = files
        if not fitting:
            return None
        found = [it for path in fitting if (it := self._fate(path)) is not None]
        return max(found, key=lambda it: it.commit.seconds, default=None)

    def _is_elsewhere(self, name: str, document: str) -> bool:
        """Whether a file may be there that is not kept: one that readers have, or a build makes.

        Code of the repository names it then; manifests and hidden files are in every project.
        """
        is_common = is_manifest(name) or _LOCK.search(name) is not None or name.startswith(".")
        if is_common and not _FOR_DEVELOPERS.search(document):
            return True
        named = self._past.files_with([name], self._past.head).get(name, ())
        return any(map(is_evidence, named))

    def _fate(self, path: str) -> _Drifted | None:
        """Return what became of a lost file or folder; None if it is there."""
        if path in self._past.lost:
            commit, now = self._past.lost[path]
            for _ in range(len(self._past.lost)):
                if now is None or self._exists(now):
                    break
                now = self._past.lost[now][1] if now in self._past.lost else None
            return _Drifted(commit, now)
        below = [(it, self._past.lost[it]) for it in self._past.lost if it.startswith(f"{path}/")]
        if not below or self._exists(path):
            return None
        newest = max((commit for _, (commit, _) in below), key=lambda it: it.seconds)
        homes = {
            new.removesuffix(old[len(path) :])
            if new is not None and new.endswith(old[len(path) :])
            else None
            for old, (commit, new) in below
            if commit == newest
        }
        now = homes.pop() if len(homes) == 1 else None
        return _Drifted(newest, now if now is not None and self._exists(now) else None)

    def _exists(self, inside: str) -> bool:
        repository = self._past.repository
        path = repository.mount + inside.removeprefix(repository.prefix)
        return path in self._tree.by_path or path in self._tree.folders

    def _lost_words(
        self, commit: Removal, mentions: Sequence[Mention]
    ) -> Iterator[tuple[Mention, _Drifted]]:
        """Yield the words that code of a commit defined, with the commits that removed them."""
        names = sorted({name for it in mentions for name in (*_names(it), *owner_of(it))})
        files = self._past.files_with(names, commit.id)
        for mention in mentions:
            if mention.kind == "symbol" and mention.name in self._present.words:
                yield from self._lost_member(mention, files.get(owner_of(mention)[0], ()), commit)
                continue
            for name in _names(mention):
                if 0 < len(files.get(name, ())) <= MAX_FILES_OF_A_WORD:
                    definers = partial(self._definers, name, is_setting=mention.kind == "setting")
                    removed = self._past.removal(name, commit.id, definers)
                    if removed is not None:
                        yield mention, _Drifted(removed, self._successor(name, removed))
                        break

    def _definers(self, name: str, commit: str, *, is_setting: bool) -> list[str]:
        """Return the files of a commit that define a name, or read a setting of that name."""
        known = self._past.files_with([name], commit).get(name, ())
        chosen = [it for it in known if is_evidence(it) and not is_test_path(it)]
        found: list[str] = []
        texts: dict[str, tuple[str, bytes]] = {}
        for path in chosen[:MAX_FILES_OF_A_WORD]:
            content = self._past.objects.read(f"{commit}:{path}") or b""
            language = detect_language(path, partial(bytes, content))
            if language is None:
                continue
            if binds(name, content, is_setting=is_setting):
                found.append(path)
            elif len(texts) < _MAX_PARSED:
                texts[path] = (language, content)
        for path, names in self._outlined(texts):
            if any(it.rpartition(".")[2] == name for it in names):
                found.append(path)
        return found

    def _outlined(
        self, texts: Mapping[str, tuple[str, bytes]]
    ) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield the paths of texts, and the functions and types that they define."""
        found = open_index(self._tree.session).read_texts(texts, ("outline",), self._job)
        for path, facts in found.items():
            functions = frozenset(it.name for it in facts.outline.functions)
            yield path, functions | {it.name for it in facts.outline.types}

    def _successor(self, name: str, removed: Removal) -> str | None:
        """Return the name that a function or type got in the commit that removed its own."""
        selection = FileSelection(
            self._tree.session,
            self._tree.permissions,
            self._job,
            SourceQuery(start=self._tree.base.rstrip("/")),
        )
        try:
            deltas = find_deltas(selection, f"{removed.id}^..{removed.id}").files
        except (GitFailed, InvalidParams):
            return None
        if len(deltas) > _MAX_CHANGED:
            return None
        for change in compare_symbols(read_changed(self._tree.session, deltas, self._job)):
            if change.before is not None and change.before.name.rpartition(".")[2] == name:
                after = change.after
                if after is None or is_test_path(after.path) or is_test_path(change.before.path):
                    continue
                last = after.name.rpartition(".")[2]
                if last != name and last in self._present.words:
                    return last
        return None

    def _lost_member(
        self, mention: Mention, files: Sequence[str], commit: Removal
    ) -> Iterator[tuple[Mention, _Drifted]]:
        """Yield a member that its type had in the same file when the document first named it."""
        facts, owner = self._present.types[owner_of(mention)[0]][0]
        inside = self._inside(facts.path)
        if inside not in files:
            return
        content = self._past.objects.read(f"{commit.id}:{inside}") or b""
        wanted = f"{owner.name}.{mention.name}"
        outlined = self._outlined({inside: (facts.language, content)})
        if any(wanted in names for _, names in outlined):
            removed = self._past.newest_removal(mention.name, [inside], commit.id)
            if removed is not None:
                yield mention, _Drifted(removed)

    # Commands.

    def _lost_command(self, mention: Mention) -> _Drifted | None:
        """Return the commit that removed a make target or a script from its file."""
        root = self._tree.base
        files = ("Makefile", "GNUmakefile") if mention.kind == "target" else ("package.json",)
        for name in files:
            inside = self._inside(root + name)
            for commit, content in self._past.before_last(mention.name, inside):
                if _has_command(mention, name, content):
                    return _Drifted(commit)
        return None


def _has_command(mention: Mention, path: str, content: bytes) -> bool:
    if mention.kind == "target":
        rules = (it.partition(":") for it in content.decode("utf-8", "replace").splitlines())
        return any(colon and mention.name in names.split() for names, colon, _ in rules)
    manifest = read_manifest(path, content)
    return isinstance(manifest, PackageManifest) and any(
        it.name == mention.name for it in manifest.commands
    )


def _is_parameter(name: str, text: str) -> bool:
    """Whether a document itself explains a name as a parameter: `f(name)`."""
    return any(name in _NAME.findall(it[1]) for it in _CALL.finditer(text))


def _names(mention: Mention) -> list[str]:
    return spellings_of(mention.name) if mention.kind == "setting" else [mention.name]


def _problem(document: str, mention: Mention, drifted: _Drifted) -> DocumentationProblem:
    sentence = mention.sentence
    if len(sentence) > _MAX_SENTENCE_CHARS:
        sentence = f"{sentence[:_MAX_SENTENCE_CHARS]}…"
    fate = "is gone" if drifted.now is None else f"is now {drifted.now}"
    rule = "document-names-gone" if drifted.now is None else "document-names-moved"
    return DocumentationProblem(
        rule=rule,
        level="warning",
        message=f"{mention.text} {fate}, since {drifted.commit.shown}: {sentence}",
        file=document,
        line=mention.line,
    )
