"""The documents of a repository; a Markdown file is parsed once until it changes."""

import re
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from benchpin.core.calls import Job
from benchpin.core.errors import TimeLimitExceeded
from benchpin.core.text import HEAD_BYTES, is_own_output, plain, sendable
from benchpin.repository import MAX_TEXT_BYTES, RepositoryTree
from benchpin.workspace.walking import SourceFile, is_test_path

from ._markdown import Document, Heading, parse

_MARKDOWN_ENDINGS = (".md", ".markdown", ".mdx")
_MAX_PARSED_DOCUMENTS = 4_096
# The speed of the Markdown parser on a slow machine.
_PARSED_BYTES_PER_S = 1.5e6
_TITLE_BYTES = 4_096
_README = re.compile(r"(?i)readme(?:\.(?:md|markdown|mdx|rst|txt|adoc|org))?")
_RST_RULE = re.compile(
    "(?:" + "|".join(re.escape(it) + "{3,}+" for it in "=-~^\"'`#*+.:_") + r")\s*+"
)
_TITLE = re.compile(
    r"^(?:#\s++(?P<md>.+)|title:\s*+[\"']?+(?P<front>[^\"'\n]++)[\"']?)$", re.MULTILINE
)


class _ParsedDocuments:
    """Parsed Markdown files of a workspace; the least recently added make room."""

    def __init__(self) -> None:
        self._documents: OrderedDict[SourceFile, Document] = OrderedDict()
        self._lock = Lock()

    def __contains__(self, file: SourceFile) -> bool:
        return file in self._documents

    def find(self, file: SourceFile) -> Document | None:
        with self._lock:
            return self._documents.get(file)

    def add(self, file: SourceFile, document: Document) -> None:
        with self._lock:
            self._documents[file] = document
            if len(self._documents) > _MAX_PARSED_DOCUMENTS:
                self._documents.popitem(last=False)


@dataclass(frozen=True, slots=True)
class Readme:
    """A README and its headings."""

    path: str
    headings: tuple[Heading, ...]
    text: str


def is_markdown(path: str) -> bool:
    """Whether a file is Markdown, by its name."""
    return path.lower().endswith(_MARKDOWN_ENDINGS)


def markdown_files(tree: RepositoryTree) -> list[SourceFile]:
    """Return the Markdown files of a repository, except test data and our own packs."""
    return [
        file
        for file in tree.files
        if is_markdown(file.path)
        and not is_test_path(tree.local(file.path))
        and not is_of_benchpin(tree, file)
    ]


def is_of_benchpin(tree: RepositoryTree, file: SourceFile) -> bool:
    """Whether a file is a pack or a page that Benchpin wrote, which is no document."""
    return is_own_output(tree.read(file.path, HEAD_BYTES) or b"")


def _parsed(tree: RepositoryTree) -> _ParsedDocuments:
    return tree.session.service(_ParsedDocuments, _ParsedDocuments)


def is_time_to_parse(tree: RepositoryTree, file: SourceFile, job: Job, *, reserve_s: float) -> bool:
    """Whether there is time to parse a Markdown file and to spend `reserve_s` afterwards."""
    left_s = job.time_left_s()
    if left_s is None:
        return True
    is_known = file in _parsed(tree)
    needed_s = 0 if is_known else min(file.size_bytes, MAX_TEXT_BYTES) / _PARSED_BYTES_PER_S
    return left_s > needed_s + reserve_s


def read_document(tree: RepositoryTree, file: SourceFile, job: Job) -> Document | None:
    """Return a parsed Markdown file; None when it cannot be read, or not in time."""
    parsed = _parsed(tree)
    known = parsed.find(file)
    if known is not None:
        return known
    data = tree.read(file.path)
    if data is None:
        return None
    shown = plain(sendable(tree.local(file.path)))
    if file.size_bytes > len(data):
        job.leave_out(f"what follows the first {MAX_TEXT_BYTES >> 20} MiB of {shown}")
    try:
        document = parse(data.decode("utf-8", errors="replace"), job)
    except TimeLimitExceeded:
        job.leave_out(f"the links and headings of {shown}")
        return None
    parsed.add(file, document)
    return document


def find_readme(tree: RepositoryTree) -> SourceFile | None:
    """Return the README at the top of the repository; Markdown is preferred."""
    start = tree.base
    found = [
        file
        for file in tree.files
        if file.path.startswith(start) and _README.fullmatch(file.path[len(start) :])
    ]
    return min(found, key=lambda it: (not is_markdown(it.path), it.path), default=None)


def read_readme(tree: RepositoryTree, job: Job) -> Readme | None:
    """Return the README of a repository with its headings."""
    file = find_readme(tree)
    data = None if file is None else tree.read(file.path)
    if file is None or data is None:
        return None
    text = data.decode("utf-8", errors="replace")
    if is_markdown(file.path):
        document = read_document(tree, file, job)
        return Readme(file.path, document.headings if document else (), text)
    return Readme(file.path, tuple(_rst_headings(text)), text)


def title_of(tree: RepositoryTree, file: SourceFile) -> str:
    """Return the first heading of a document, or an empty text."""
    data = tree.read(file.path, _TITLE_BYTES)
    text = (data or b"").decode("utf-8", errors="replace")
    if is_markdown(file.path):
        found = _TITLE.search(text)
        return "" if found is None else _bare(found["md"] or "") or found["front"].strip()
    return next((it.text for it in _rst_headings(text)), "")


def _bare(title: str) -> str:
    """Remove the signs that may close a heading."""
    return title.strip().rstrip("#").rstrip() or title.strip()


def _rst_headings(text: str) -> list[Heading]:
    """Return the headings of reStructuredText, or of plain text that underlines them."""
    lines = text.splitlines()
    levels: list[str] = []
    found = []
    for at, line in enumerate(lines[1:], start=1):
        title = lines[at - 1].strip()
        if not title or _RST_RULE.fullmatch(title) or not _RST_RULE.fullmatch(line):
            continue
        if len(line.rstrip()) >= len(title):
            if line[0] not in levels:
                levels.append(line[0])
            found.append(Heading(levels.index(line[0]) + 1, title, at, ""))
    return found
