"""The documents of a repository; a Markdown file is parsed once until it changes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import unescape
from typing import TYPE_CHECKING

from benchpin.core.calls import Job
from benchpin.core.errors import TimeLimitExceeded
from benchpin.core.text import HEAD_BYTES, is_own_output, plain, sendable
from benchpin.repository import MAX_TEXT_BYTES, RepositoryTree
from benchpin.system.processes import gc_off
from benchpin.workspace.walking import SourceFile, is_test_path

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_HTML_LINK = re.compile(r"""(?i)<(?:a|img|source)\b[^<>]*?\s(?:href|src)\s*=\s*["']([^"'>]*)["']""")
_HTML_ANCHOR = re.compile(r"""(?i)<\w+\b[^<>]*?\s(?:id|name)\s*=\s*["']([^"'>]+)["']""")
_HTML_HEADING = re.compile(r"(?is)<h([1-6])\b[^<>]*>(.{0,500}?)</h\1>")
_TAG = re.compile(r"<[^>]{0,500}+>")
_OWN_ANCHOR = re.compile(r"(?<!\s)\s*+\{#([\w:.-]++)[^{}]*+\}\s*+$")
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")
_PLACE_ON_A_SITE = re.compile(
    r"^(?:id|layout|permalink|slug|sidebar_\w+|sort_rank|nav_order|weight|parent|redirect_from"
    r"|eleventyNavigation)\s*:",
    re.MULTILINE,
)
_WIKI_LINK = re.compile(r"(?<![\w\])])\[\[[A-Za-z][^\[\]]*\]\]|(?:^|\s)@ref\b|^@@@")
# A footnote, whose text CommonMark takes for the target of a link.
_FOOTNOTE = re.compile(r"^( {0,3})\[(?=\^[^\]\s]+\]:)", re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n.*?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_SENTENCE_END = re.compile(r"[.!?:]\s++(?=[A-Z`(\[])|\|\s++")
_ARROW = re.compile(r"(?<![`*_\s])[`*_\s]*+(?:->|=>|→|⇒|➡)")
_MARKDOWN_ENDINGS = (".md", ".markdown", ".mdx")
_PARSED = "parsed documents"
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


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, and the anchor that GitHub gives it."""

    level: int
    text: str
    line: int
    slug: str


@dataclass(frozen=True, slots=True)
class MarkdownLink:
    """A link or an image, as written."""

    target: str
    line: int


@dataclass(frozen=True, slots=True)
class CodeSpan:
    """A piece of code in a sentence."""

    text: str
    line: int
    sentence: str
    context: str = ""
    """The header of the table that it is in."""
    is_replaced: bool = False
    """Whether an arrow follows: `old` → `new`."""


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A code block and its language."""

    language: str
    text: str
    line: int
    """The line of its first line of code."""


@dataclass(frozen=True, slots=True)
class Document:
    """A Markdown file."""

    headings: tuple[Heading, ...]
    links: tuple[MarkdownLink, ...]
    blocks: tuple[CodeBlock, ...]
    anchors: frozenset[str]
    """From headings, and from HTML with an id or a name."""
    is_for_a_generator: bool = False
    """Whether it has front matter for a site, or links that are not Markdown."""
    spans: tuple[CodeSpan, ...] = ()


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    class Parser(MarkdownIt):
        def normalizeLink(self, url: str) -> str:  # noqa: N802 - the name in markdown-it
            return url  # reports name links as they are written, not percent-encoded

    parser = Parser("commonmark").enable(["table", "strikethrough"])
    # The first rules, tried wherever a block or a piece of text may begin.
    parser.block.ruler.before("table", "time", _look_at_the_clock)
    parser.inline.ruler.before("text", "time", _look_at_the_clock)
    return parser


def _look_at_the_clock(state: "StateBlock | StateInline", *_place: object) -> bool:
    """End the parser when the job ends: hostile text takes ten times as long as other text."""
    job: Job = state.env["job"]
    job.check()
    if job.is_expired:
        raise TimeLimitExceeded("out of time", suggestion="Raise --tool-timeout.")
    return False


@gc_off()
def parse(source: str, job: Job | None = None) -> Document:
    """Parse a Markdown file; front matter between `---` is skipped.

    Raises:
        TimeLimitExceeded: when there is no time for all of it.
    """
    front = _FRONT_MATTER.match(source)
    # Blank lines take the place of the front matter, so that line numbers stay right.
    body = source if front is None else "\n" * front[0].count("\n") + source[front.end() :]
    is_for_a_generator = front is not None and bool(_PLACE_ON_A_SITE.search(front[0]))
    headings: list[Heading] = []
    links: list[MarkdownLink] = []
    blocks: list[CodeBlock] = []
    spans: list[CodeSpan] = []
    anchors: set[str] = set()
    taken: dict[str, int] = {}
    header: list[str] = []
    tokens = _parser().parse(_FOOTNOTE.sub(r"\1\\[", body), {"job": job or Job()})
    for number, token in enumerate(tokens):
        line = (token.map[0] if token.map else 0) + 1
        if token.type in {"fence", "code_block"}:
            is_fence = token.type == "fence"
            language = token.info.strip().partition(" ")[0].lower() if is_fence else ""
            blocks.append(CodeBlock(language, token.content, line + is_fence))
        elif token.type == "table_open":
            header.clear()
        elif token.type == "html_block":
            anchors.update(_HTML_ANCHOR.findall(token.content))
            links += _html_links(token.content, line)
            for found in _HTML_HEADING.finditer(token.content):
                text = " ".join(unescape(_TAG.sub("", found[2])).split())
                at = line + token.content.count("\n", 0, found.start())
                headings.append(_heading(text, int(found[1]), at, taken, anchors))
        elif token.type == "inline":
            children = token.children or []
            links += _links(children, line)
            before = tokens[number - 1].type
            if before == "th_open":
                header.append(_text(children))
            spans += _spans(children, line, " ".join(header) if before == "td_open" else "")
            anchors.update(it for child in children for it in _html_anchors(child))
            is_for_a_generator = is_for_a_generator or _has_wiki_link(token)
            if tokens[number - 1].type == "heading_open":
                level = int(tokens[number - 1].tag[1:])
                headings.append(_heading(_text(children), level, line, taken, anchors))
    anchors.update(it.slug for it in headings)
    return Document(
        tuple(headings),
        tuple(links),
        tuple(blocks),
        frozenset(anchors),
        is_for_a_generator,
        tuple(spans),
    )


def slug(heading: str) -> str:
    """Return GitHub's anchor of a heading, before equal ones are numbered."""
    return _NOT_IN_SLUG.sub("", heading.strip().lower()).replace(" ", "-")


def _heading(text: str, level: int, line: int, taken: dict[str, int], anchors: set[str]) -> Heading:
    own = _OWN_ANCHOR.search(text)
    if own is not None:
        anchors.add(own[1])
        text = text[: own.start()]
    base = slug(text)
    count = taken.get(base, 0)
    taken[base] = count + 1
    name = f"{base}-{count}" if count else base
    taken.setdefault(name, 1)
    return Heading(level, text.strip(), line, name)


def _text(children: "Sequence[Token]") -> str:
    """Return the text of a heading without markup."""
    kinds = {"text", "code_inline", "softbreak"}
    return "".join(it.content or " " for it in children if it.type in kinds)


def _links(children: "Sequence[Token]", line: int) -> Iterator[MarkdownLink]:
    for child in children:
        if child.type in {"softbreak", "hardbreak"}:
            line += 1
        elif child.type == "link_open":
            yield MarkdownLink(str(child.attrGet("href") or ""), line)
        elif child.type == "image":
            yield MarkdownLink(str(child.attrGet("src") or ""), line)
        elif child.type == "html_inline":
            yield from _html_links(child.content, line)


def _spans(children: "Sequence[Token]", line: int, header: str) -> Iterator[CodeSpan]:
    """Yield the pieces of code in a paragraph, each with the sentence around it.

    A cell has the header of its table as its context.
    """
    if not any(it.type == "code_inline" for it in children):
        return
    found: list[tuple[str, int, int, int]] = []
    text = ""
    for child in children:
        if child.type in {"softbreak", "hardbreak"}:
            line += 1
            text += " "
        elif child.type == "code_inline":
            found.append((child.content.strip(), line, len(text), len(text) + len(child.content)))
            text += child.content
        elif child.type == "text":
            text += child.content
    yield from in_sentences(text, found, header)


def in_sentences(
    text: str, found: Sequence[tuple[str, int, int, int]], context: str = ""
) -> Iterator[CodeSpan]:
    """Give each piece of code (text, line, start, end) the sentence that it is in."""
    ends = [it.end() for it in _SENTENCE_END.finditer(text)]
    for code, line, start, end in found:
        first = max((it for it in ends if it <= start), default=0)
        last = min((it for it in ends if it >= end), default=len(text))
        arrow = _ARROW.match(text, end)
        sentence = text[first:last].strip(" |\n")
        yield CodeSpan(code, line, sentence, context, arrow is not None)


def _html_links(html: str, line: int) -> Iterator[MarkdownLink]:
    for found in _HTML_LINK.finditer(html):
        at = line + html.count("\n", 0, found.start(1))
        yield MarkdownLink(found[1], at)


def _has_wiki_link(token: "Token") -> bool:
    if "[[" not in token.content and "@" not in token.content:
        return False
    texts = "".join(it.content for it in token.children or () if it.type == "text")
    return _WIKI_LINK.search(texts) is not None


def _html_anchors(child: "Token") -> list[str]:
    return _HTML_ANCHOR.findall(child.content) if child.type == "html_inline" else []


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


def is_time_to_parse(tree: RepositoryTree, file: SourceFile, job: Job, *, reserve_s: float) -> bool:
    """Whether there is time to parse a Markdown file and to spend `reserve_s` afterwards."""
    left_s = job.time_left_s()
    if left_s is None:
        return True
    is_known = tree.session.recall(_PARSED, file) is not None
    needed_s = 0 if is_known else min(file.size_bytes, MAX_TEXT_BYTES) / _PARSED_BYTES_PER_S
    return left_s > needed_s + reserve_s


def read_document(tree: RepositoryTree, file: SourceFile, job: Job) -> Document | None:
    """Return a parsed Markdown file; None when it cannot be read, or not in time."""
    shown = plain(sendable(tree.local(file.path)))
    if file.size_bytes > MAX_TEXT_BYTES:
        job.leave_out(f"what follows the first {MAX_TEXT_BYTES >> 20} MiB of {shown}")

    def read() -> Document | None:
        data = tree.read(file.path)
        try:
            return None if data is None else parse(data.decode("utf-8", errors="replace"), job)
        except TimeLimitExceeded:
            job.leave_out(f"the links and headings of {shown}")
            return None

    return tree.session.remember(
        job,
        _PARSED,
        file,
        read,
        room=_MAX_PARSED_DOCUMENTS,
        is_current=lambda it: it is not None,
    )


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
