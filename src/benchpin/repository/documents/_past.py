"""What a repository once had, and which commit took it away, as git says it.

Paths come from one `git log` of all deletions and renames. A word is looked for in the commit in
which the document first had it, and then followed with pickaxe to the commit that took its last
use away: both only look at the files that had the word, which is fast.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

from benchpin.core.calls import Job
from benchpin.repository import is_documentation
from benchpin.workspace.git import GitFailed, Repository, stream
from benchpin.workspace.git_objects import LogEntry, ObjectReader, list_commits, list_tree
from benchpin.workspace.walking import is_test_path

_CODEC = ("utf-8", "surrogateescape")
_LAST_SECOND = 253_402_300_799
_DELETIONS = ("--diff-filter=DR", "--find-renames")
# Where the contents of old files are missing, as in a partial clone.
_EXACT = ("--diff-filter=DR", "--find-renames=100%")
_MAX_VERSIONS = 500
_VERSIONS = ("--follow", "--find-renames", f"--max-count={_MAX_VERSIONS}")
# A word that was moved from file to file is followed this often.
_MAX_MOVES = 8
# More words than this in one question make a command line too long.
_WORDS_AT_ONCE = 200
# A word in more files than this is too common to follow.
MAX_FILES_OF_A_WORD = 200
_MAX_TOUCHES = 20
# More folders than this at the top are not worth a longer command line.
_MAX_FOLDERS = 500
_SHORT_ID = 10
# A longer line is generated.
_MAX_LINE_BYTES = 500


@dataclass(frozen=True, slots=True)
class Removal:
    """A commit that removed or renamed something."""

    id: str
    seconds: int

    @property
    def shown(self) -> str:
        """The short id and the day."""
        moment = datetime.fromtimestamp(min(self.seconds, _LAST_SECOND), UTC)
        return f"{self.id[:_SHORT_ID]} ({moment:%Y-%m-%d})"


@dataclass
class Past:
    """The history of one repository; paths are relative to its root."""

    repository: Repository
    objects: ObjectReader
    head: str
    job: Job
    _versions: dict[str, list[LogEntry]] = field(default_factory=dict)

    # Paths.

    @cached_property
    def lost(self) -> Mapping[str, tuple[Removal, str | None]]:
        """Every path that was deleted or renamed, with the newest commit that did it.

        The second value is the new path of a renamed file.
        """
        found: dict[str, tuple[Removal, str | None]] = {}
        for options in (_DELETIONS, _EXACT):
            found.clear()
            with suppress(GitFailed):
                for entry in list_commits(self.repository, options, (self.head,), (), self.job):
                    commit = _commit(entry)
                    for change in entry.raw:
                        old = change.old_path.decode(*_CODEC)
                        new = change.path.decode(*_CODEC)
                        found.setdefault(old, (commit, new if new != old else None))
                break
        return found

    @cached_property
    def code_folders(self) -> tuple[str, ...]:
        """The top of the tree without documents and tests, which are often most of its bytes."""
        prefix, mount = self.repository.prefix, self.repository.mount
        listed = list_tree(self.repository, self.head, self.job)
        now = (prefix + it.path.removeprefix(mount) for it in listed)
        paths = (it for it in (*now, *self.lost) if not (is_test_path(it) or is_documentation(it)))
        found = sorted({it.partition("/")[0] for it in paths})
        return tuple(found) if len(found) <= _MAX_FOLDERS else ()

    # Documents and words.

    def first_said(self, document: str, words: Iterable[str]) -> dict[str, Removal]:
        """Return the commit in which a document first had each of some texts."""
        if document not in self._versions:
            self._versions[document] = []
            # In a partial clone git cannot compare old files, so renames are not followed.
            for options in (_VERSIONS, _VERSIONS[2:]):
                with suppress(GitFailed):
                    listed = list_commits(
                        self.repository, options, (self.head,), (document,), self.job
                    )
                    self._versions[document] = [it for it in listed if it.raw]
                    break
        left = {it: it.encode(*_CODEC) for it in words}
        found: dict[str, Removal] = {}
        for entry in reversed(self._versions[document]):
            content = self.objects.read(entry.raw[0].id) or b""
            for word in [it for it, sought in left.items() if sought in content]:
                found[word] = _commit(entry)
                del left[word]
            if not left:
                break
        return found

    def files_with(
        self, words: Sequence[str], commit: str, paths: Sequence[str] | None = None
    ) -> dict[str, list[str]]:
        """Return the files of a commit that have each word, as whole words."""
        found: dict[str, dict[str, None]] = {}
        for start in range(0, len(words), _WORDS_AT_ONCE):
            some = words[start : start + _WORDS_AT_ONCE]
            patterns = [part for word in some for part in ("-e", word)]
            options = ("--word-regexp", "--only-matching", *patterns)
            for line in self._grep(options, commit, paths or self.code_folders):
                place, _, word = line.partition(b"\0")
                path = place.partition(b":")[2].decode(*_CODEC)
                found.setdefault(word.decode(*_CODEC), {})[path] = None
        return {word: list(files) for word, files in found.items()}

    def _grep(
        self, options: Sequence[str], commit: str, paths: Sequence[str] | None
    ) -> list[bytes]:
        found = bytearray()
        # Git fails when nothing is found. If old files are missing, what was found before counts.
        with suppress(GitFailed):
            for piece in stream(self.repository, "grep", options, (commit,), paths, self.job):
                found += piece
        return bytes(found).splitlines()

    def removal(
        self, word: str, since: str, definers: Callable[[str], Sequence[str]]
    ) -> Removal | None:
        """Return the commit after which no file defines a word any more.

        `definers` gives the files of a commit that do; None when the commit cannot be told.
        """
        last, files = None, definers(since)
        for _ in range(_MAX_MOVES):
            if not files:
                return last
            last = self.newest_removal(word, files, last.id if last else since)
            if last is None:
                return None
            files = definers(last.id)
        return None

    def newest_removal(self, word: str, files: Sequence[str], since: str) -> Removal | None:
        """Return the newest commit before which some of the files had a word as a whole."""
        options = (f"--max-count={_MAX_TOUCHES}", f"-S{word}")
        revisions = (self.head, f"^{since}")
        chosen = files[:MAX_FILES_OF_A_WORD]
        listed = list_commits(self.repository, options, revisions, chosen, self.job)
        with suppress(GitFailed), closing(listed):
            for entry in listed:
                if word in self.files_with([word], f"{entry.id}^", chosen):
                    return _commit(entry)
        return None

    def before_last(self, word: str, path: str) -> Iterator[tuple[Removal, bytes]]:
        """Yield what a file was before the newest commits that changed how often it has a word."""
        options = (f"--max-count={_MAX_TOUCHES}", f"-S{word}")
        listed = list_commits(self.repository, options, (self.head,), (path,), self.job)
        with suppress(GitFailed), closing(listed):
            for entry in listed:
                content = self.objects.read(entry.raw[0].old_id) if entry.raw else None
                if content is not None:
                    yield _commit(entry), content


def is_evidence(path: str) -> bool:
    """Whether a word in a file says that the repository has it: documents only repeat it."""
    return not is_documentation(path)


def binds(name: str, content: bytes, *, is_setting: bool) -> bool:
    """Whether a text has a name as a constant, a field or a key, or a setting in quotes."""
    plain = name.encode()
    lines = (it for it in content.split(b"\n") if plain in it and len(it) <= _MAX_LINE_BYTES)
    return any(_binds(re.escape(plain), it, is_setting=is_setting) for it in lines)


def _binds(word: bytes, line: bytes, *, is_setting: bool) -> bool:
    # At the start of a line, or after words such as `pub static`: no local variable.
    modifiers = rb"(?:(?:.*\s)?(?:const|static|final|public|val|readonly)\s[^=]*?)?"
    assigned = rb"^" + modifiers + rb"(?<![\w$.])" + word + rb"\b\s*(?::[^=]{0,80})?=(?!=)"
    value = rb"\b(?:const|static|final|val)\b[^=]*=\s*[\"'`]" + word + rb"[\"'`]"
    if re.search(assigned, line) is not None or re.search(value, line) is not None:
        return True
    if word.isupper():
        # A variable of the environment that code only reads may be another program's.
        return False
    key = rb"[\"'`]" + word + rb"(?:,\w+)*[\"'`]\s*:|:[\"']" + word + rb"(?:,\w+)*[\"']"
    quoted = rb"[\"'`](?:--)?" + word + rb"[\"'`=,: ]"
    return re.search(quoted if is_setting else key, line) is not None


def _commit(entry: LogEntry) -> Removal:
    return Removal(entry.id, int(entry.time) if entry.time.isdigit() else 0)
