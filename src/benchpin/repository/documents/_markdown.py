"""Parse Markdown: headings with their anchors, links, code blocks."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import unescape
from typing import TYPE_CHECKING

from benchpin.core.calls import Job
from benchpin.core.errors import TimeLimitExceeded
from benchpin.system.processes import gc_off

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
    anchors: set[str] = set()
    taken: dict[str, int] = {}
    tokens = _parser().parse(_FOOTNOTE.sub(r"\1\\[", body), {"job": job or Job()})
    for number, token in enumerate(tokens):
        line = (token.map[0] if token.map else 0) + 1
        if token.type in {"fence", "code_block"}:
            is_fence = token.type == "fence"
            language = token.info.strip().partition(" ")[0].lower() if is_fence else ""
            blocks.append(CodeBlock(language, token.content, line + is_fence))
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
            anchors.update(it for child in children for it in _html_anchors(child))
            is_for_a_generator = is_for_a_generator or _has_wiki_link(token)
            if tokens[number - 1].type == "heading_open":
                level = int(tokens[number - 1].tag[1:])
                headings.append(_heading(_text(children), level, line, taken, anchors))
    anchors.update(it.slug for it in headings)
    return Document(
        tuple(headings), tuple(links), tuple(blocks), frozenset(anchors), is_for_a_generator
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
