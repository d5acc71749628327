"""What is fuzzed of whole projects: code by its structure, references, git's objects, other tools.

These readers need a folder, a repository, or what another program says about one.
"""

import hashlib
import json
import os
import zlib
from contextlib import suppress
from pathlib import Path, PurePosixPath

from benchpin.cli.hook import edits_of
from benchpin.code.structure import check_pattern
from benchpin.code.structure._match_worker import MatchOrder
from benchpin.code.structure._match_worker import find as find_matches
from benchpin.comments.anchoring import make_anchor
from benchpin.comments.anchoring._reanchor import reanchor
from benchpin.comments.anchoring._tracked_text import TrackedText, open_text
from benchpin.core.calls import Job, Permissions
from benchpin.core.errors import BenchpinError
from benchpin.facts import FileFacts, languages
from benchpin.facts.languages import detect_language
from benchpin.facts.liveness import NamesOutsideCode
from benchpin.facts.parsing import extract
from benchpin.measures.unused._search import find_dead_code
from benchpin.project.bridges import find_bridges
from benchpin.run.checkers._checkers import CHECKERS, messages_of
from benchpin.run.tests import ProjectView
from benchpin.workspace.git import find_head, find_repository
from benchpin.workspace.git_objects import list_commits, list_tree, open_objects, read_index

from .own_targets import folder, named

_PARSED = frozenset(languages.NAMES) - {
    "kotlin"
}  # its grammar hangs on some inputs: see targets.py


def checkers(data: bytes) -> None:
    """Read what a checker printed; what a project brings along may print anything."""
    name, rest = named(data)
    text = rest.decode("utf-8", "replace")
    project = ProjectView(Path("/w"), PurePosixPath(), Permissions())
    for checker in CHECKERS:
        if checker.name == name:
            for it in messages_of(checker, text, "", project):
                assert isinstance(it.line, int)
                assert isinstance(it.message, str)


def hook_events(data: bytes) -> None:
    """Read what a host says of an edit that an agent is going to make."""
    with suppress(ValueError, RecursionError), folder() as root:
        (root / "a.py").write_bytes(b"a = 1\n")
        given = json.loads(data)
        if isinstance(given, dict):
            for path, text in edits_of(given, root):
                assert ".." not in PurePosixPath(path).parts
                assert isinstance(text, str)


def structure(data: bytes) -> None:
    """Search a file of a language for a pattern, and rewrite what is found."""
    language, rest = named(data)
    pattern, rewrite, content = (*rest.split(b"\0", 2), b"", b"")[:3]
    if language not in _PARSED:
        return
    wanted = pattern.decode("utf-8", "replace"), rewrite.decode("utf-8", "replace")
    check_pattern(*wanted)
    with folder() as root:
        (root / "a").write_bytes(content)
        order = MatchOrder(os.fsencode(root), (("a", language),), *wanted)
        find_matches(order, "a", language)


def references(data: bytes) -> None:
    """Read two files, each after a line with its name, for bridges and for what is unused."""
    files: dict[str, bytes] = {}
    found = []
    for part in data.split(b"\0", 1):
        path, content = named(part)
        language = detect_language(path, bytes) if path else None
        files[path] = content
        if language in _PARSED:
            facts = extract(content, language)
            sections = {it: getattr(facts, it) for it in ("outline", "links", "tokens")}
            found.append(FileFacts(path, language, len(content), sections))
    find_bridges(found, files.get, Job())
    chosen = {it.path for it in found}
    find_dead_code(found, NamesOutsideCode(), min_confidence=0.0, chosen=chosen, is_folded=True)


def anchors(data: bytes) -> None:
    """Find the lines of a text in its next version."""
    name, rest = named(data)
    old, _, new = rest.partition(b"\0")
    base = open_text(name, old)
    count = len(base.lines)

    def read_now(path: str) -> TrackedText | None:
        return open_text(path, new) if path == name else None

    made = [make_anchor(base, line) for line in {1, count // 2, count} if 0 < line <= count]
    for text in (base, None):
        reanchor(name, made, text, read_now)


def git_objects(data: bytes) -> None:
    """Read a repository whose files hold anything: its commit, tree, references and index.

    The parts are divided by NULs, as a tree is by names: `commit`, then `path LF content` for each
    file of the git folder. `@` is the id of the commit, and `%` that of the tree.
    """
    commit, _, rest = data.partition(b"\0\0")
    tree, *others = rest.split(b"\0\0")
    with folder() as root:
        git = root / ".git"
        for name in ("objects", "refs/heads"):
            (git / name).mkdir(parents=True)
        blob = _stored(git, b"blob", b"a = 1\n")
        tree_id = _stored(git, b"tree", tree.replace(b"%", bytes.fromhex(blob)))
        commit_id = _stored(git, b"commit", commit.replace(b"%", tree_id.encode()))
        (git / "HEAD").write_bytes(b"ref: refs/heads/main\n")
        (git / "refs/heads/main").write_bytes(commit_id.encode() + b"\n")
        for part in others:
            path, content = named(part)
            if path in {"HEAD", "config", "packed-refs", "index", "shallow", "info/grafts"}:
                (git / path).parent.mkdir(exist_ok=True)
                (git / path).write_bytes(content.replace(b"@", commit_id.encode()))
        _read_repository(root)


def _stored(git: Path, kind: bytes, content: bytes) -> str:
    whole = b"%s %d\0%s" % (kind, len(content), content)
    name = hashlib.sha1(whole).hexdigest()  # noqa: S324 - as git names it
    place = git / "objects" / name[:2] / name[2:]
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(zlib.compress(whole))
    return name


def _read_repository(root: Path) -> None:
    repository, job = find_repository(root, root), Job(time_limit_s=10)
    head = find_head(repository, job)
    with suppress(BenchpinError):
        read_index(repository, job)
    if head is None:
        return
    with suppress(BenchpinError):
        list(list_commits(repository, (), (head,), (), job))
    with open_objects(repository, job) as objects:
        for entry in list_tree(repository, head, job):
            assert ".." not in PurePosixPath(entry.path).parts
            objects.read(entry.object_id)
