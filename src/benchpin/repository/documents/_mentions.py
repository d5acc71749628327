"""What the sentences of a document name: paths, symbols, settings and commands."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from ._documents import CodeBlock, CodeSpan, Document, in_sentences, parse

MentionKind = Literal["path", "symbol", "setting", "target", "script"]

# Documents that speak of the past, or of what readers leave behind.
_OF_THE_PAST = re.compile(
    r"(?i)(?:^|/)[^/]*(?:change[-_]?s?log|changes|history|news|release|migrat|upgrad|whats?[-_]?new"
    r"|deprecat|roadmap|proposal|rfcs?|adrs?|decisions?|archive|blog|posts?|version(?:ed)?[-_]"
    r"|plans?|post-?mortem|todo|ideas?|designs?(?:[-_]docs?)?(?=/)|drafts?"
    r"|differences?|compar(?:ed?|ison|ing)|v\d+[-_.]v\d+)[^/]*(?:/|$)"
)
# Sentences that do.
_PAST_WORDS = re.compile(
    r"(?i)\b(?:remov(?:ed?|es|al|ing)|delet(?:ed|ion)|dropped|deprecat\w+|renam(?:ed|es|ing)"
    r"|moved|former(?:ly)?|previous(?:ly)?|used to|no longer|not (?:available|supported) any ?more"
    r"|any ?more|obsolete|legacy|histor(?:y|ic\w*)|earlier|old(?:er)?|once was|(?:was|were) called"
    r"|replac(?:ed?|es|ing|ements?)|instead of|superseded|in favou?r of|migrat\w+|upgrad\w+"
    r"|introduced|(?:since|before|until|as of|up to) v?\d|prior to"
    r"|versions? (?:lower|older|earlier|before|prior|below)|(?:lower|older|less) than v?\d"
    r"|v?\d[\d.x]{0,20}+ (?:and|or) (?:below|earlier|older|lower)|gone|discontinued|retired"
    r"|new(?:ly)? name|now called|do(?:es)? not exist|doesn't exist|there is no|never)\b"
)
# Documents that walk through a project which the reader makes.
OF_A_WALK = re.compile(r"(?i)(?:^|/)[^/]*(?:tutorial|quick-?start|getting-?started|walkthrough)")
# Sentences about what readers have or make themselves.
_OF_THE_READER = re.compile(
    r"(?i)\b(?:your(?:self)?|example|e\.g\.|such as|suppose|imagine|let's|say,"
    r"|(?:add|copy|move|put|rename|save|write) (?:it|them|this|these|the following)"
    r"|creat(?:e|es|ing) (?:an?|the)|hypothetical|would|could|might|foo|bar)\b"
)
# The number of a proposal or a decision: `sep-007.rst`, `0001-store.md`.
_NUMBER = re.compile(r"(?<!\d)\d{2,4}(?!\d)")
_MIN_SERIES = 3
_PATH = re.compile(r"(?:\./)?[\w@+-][\w.@+-]*(?:/[\w.@+-]+)*/?|\.[\w-][\w.@+-]*(?:/[\w.@+-]+)*/?")
_ENDING = re.compile(r"[\w)]\.[A-Za-z][A-Za-z0-9]{0,9}$")
_AT_LINE = re.compile(r"(?::\d+(?:[-:]\d+)?|#L?[\w-]+)$")
_SYMBOL = re.compile(
    r"(?:(?:[A-Za-z_$][\w$]*)(?:\.|::|#|->))*([A-Za-z_$][\w$]*)(\(\)|\([^()]*\))?", re.ASCII
)
_SETTING = re.compile(r"--([a-z][a-z0-9]+(?:-[a-z0-9]+)*)(?:[= ].*)?", re.ASCII)
_TELLING = re.compile(r"_(?!$)[A-Za-z]|[a-z][A-Z]|[A-Z]{2}[a-z]", re.ASCII)
_MIN_CHARS = 5
_MAKE = re.compile(r"\bmake\s+([A-Za-z][\w.-]*)(?=\s|$|`)")
_RUN = re.compile(r"\b(npm|pnpm|yarn|bun)\s+run\s+([A-Za-z][\w:.-]*)")
_SCRIPT_PATH = re.compile(
    r"(?:^|\s)((?:\./)?(?:[\w.@-]+/)+[\w.@-]+\.(?:sh|py|js|ts|rb|mjs|bash))\b"
)
_BLANK = re.compile(r"(\n(?:[ \t]*+\n)++)")
_ITEM = re.compile(r"\n(?=[ \t]{0,40}(?:[*+-]|\d{1,4}\.|#\.)\s)|\n(?=``)")
_PROMPT = re.compile(r"^\s*(?:\([\w.-]+\)\s*)?(?:\$|%|>|#)\s+")
# The languages of blocks with commands.
SHELLS = frozenset({"", "sh", "bash", "shell", "zsh", "console", "shell-session", "terminal"})
_RST = re.compile(r"``([^`\n]+)``")
_ADOC = re.compile(r"(?<![`\w])`\+?([^`\n]+?)\+?`(?![`\w])")
_MAX_CHARS = 200


@dataclass(frozen=True, slots=True)
class Mention:
    """Something of the repository that a document names."""

    kind: MentionKind
    text: str
    """As written."""
    name: str
    """What is looked for: a path, the last part of a symbol, a setting without dashes."""
    line: int
    sentence: str


def speaking_of_today(paths: Iterable[str]) -> frozenset[str]:
    """Return the documents that are not about what was or what may be, by their paths.

    Numbered documents, such as proposals and decisions, are each about the day of writing.
    """
    chosen = [it for it in paths if _OF_THE_PAST.search(it) is None]
    series = Counter(map(_series_of, chosen))
    return frozenset(
        it for it in chosen if not _series_of(it) or series[_series_of(it)] < _MIN_SERIES
    )


def _series_of(path: str) -> str:
    """Return what the paths of a numbered series have in common: `sep/sep-007.rst`."""
    folder, slash, name = path.rpartition("/")
    number = _NUMBER.search(name)
    return "" if number is None else f"{folder}{slash}{name[: number.start()]}#"


def mentions_in(path: str, text: str) -> list[Mention]:
    """Return what a document names, in order; sentences about the past or the reader's code not."""
    if path.lower().endswith((".rst", ".adoc", ".asciidoc", ".txt")):
        spans = _of_plain_text(text, _RST if path.lower().endswith((".rst", ".txt")) else _ADOC)
        return [*_of_spans(spans)]
    return mentions_of(parse(text))


def mentions_of(document: Document) -> list[Mention]:
    """Return what a Markdown document names."""
    past = _past_sections(document)
    found = [*_of_spans(it for it in document.spans if it.line not in past)]
    for block in document.blocks:
        if block.language in SHELLS:
            for number, line in typed_lines(block):
                found += _commands(line, number, line.strip())
                found += (
                    Mention("path", it[1], it[1].removeprefix("./"), number, line.strip())
                    for it in _SCRIPT_PATH.finditer(line)
                )
    return found


def typed_lines(block: CodeBlock) -> Iterator[tuple[int, str]]:
    """Yield the commands of a block; when some lines have a prompt, the others are output."""
    lines = block.text.splitlines()
    has_prompt = any(re.match(r"\s*\$\s", line) for line in lines)
    is_named = block.language not in {"", "console", "shell-session"}
    for number, line in enumerate(lines, start=block.line):
        is_typed = bool(re.match(r"\s*\$\s", line)) if has_prompt else is_named
        if is_typed and not line.lstrip().startswith("#"):
            yield number, _PROMPT.sub("", line)


def _past_sections(document: Document) -> frozenset[int]:
    """Return the lines of sections whose heading, or one above it, is about the past."""
    spans = document.spans
    last = max((it.line for it in spans), default=0)
    lines: set[int] = set()
    for number, heading in enumerate(document.headings):
        if _PAST_WORDS.search(heading.text):
            after = document.headings[number + 1 :]
            end = next((it.line for it in after if it.level <= heading.level), last + 1)
            lines.update(range(heading.line, end))
    return frozenset(lines)


def _of_plain_text(text: str, code: re.Pattern[str]) -> Iterator[CodeSpan]:
    line = 1
    for paragraph in _BLANK.split(text):
        found = [
            (
                it[1].strip(),
                line + paragraph.count("\n", 0, it.start()),
                it.start(),
                it.end(),
            )
            for it in code.finditer(paragraph)
        ]
        if found:
            # An item of a list, or a row of a table, is a sentence; the first row is its context.
            flat = _ITEM.sub(lambda it: "|" + " " * (len(it[0]) - 1), paragraph).replace("\n", " ")
            yield from in_sentences(flat, found, paragraph.lstrip().partition("\n\n")[0][:400])
        line += paragraph.count("\n")


def _of_spans(spans: Iterable[CodeSpan]) -> Iterator[Mention]:
    for span in spans:
        around = span.sentence
        if len(span.text) > _MAX_CHARS or span.is_replaced:
            continue
        if _PAST_WORDS.search(around) or _PAST_WORDS.search(span.context):
            continue
        commands = [*_commands(span.text, span.line, around)]
        if commands:
            yield from commands
        elif not _OF_THE_READER.search(around):
            mention = _mention(span)
            if mention is not None:
                yield mention


def _commands(text: str, line: int, sentence: str) -> Iterator[Mention]:
    for found in _MAKE.finditer(text):
        yield Mention("target", found[0], found[1], line, sentence)
    for found in _RUN.finditer(text):
        yield Mention("script", found[0], found[2], line, sentence)


def _mention(span: CodeSpan) -> Mention | None:
    text = span.text
    bare = _AT_LINE.sub("", text).removeprefix("./")
    if _PATH.fullmatch(bare) and ("/" in bare.rstrip("/") or _ENDING.search(bare)):
        is_call = text.endswith(")")
        if not is_call and ("/" in bare or not _looks_like_member(bare)):
            return Mention("path", text, bare.rstrip("/"), span.line, span.sentence)
    setting = _SETTING.fullmatch(text)
    if setting is not None and ("-" in setting[1] or len(setting[1]) >= _MIN_CHARS):
        return Mention("setting", text, setting[1], span.line, span.sentence)
    symbol = _SYMBOL.fullmatch(text)
    if symbol is None or len(symbol[1]) < _MIN_CHARS:
        return None
    is_qualified = symbol[1] != text.partition("(")[0]
    if is_qualified or symbol[2] or _TELLING.search(symbol[1]):
        return Mention("symbol", text, symbol[1], span.line, span.sentence)
    return None


_FILE_ENDING = re.compile(
    r"(?i)\.(?:pyi?|[mc]?jsx?|[mc]?tsx?|vue|go|rs|java|kts?|c|h|cc|[ch]pp|cs|php|rb|(?:ba|z)?sh|mdx?"
    r"|rst|txt|json|ya?ml|toml|cfg|ini|lock|xml|gradle|properties|sql|html|s?css|svg|png|tf|lua"
    r"|exs?|dart|zig|swift|scala|proto|graphql|ipynb|bat|ps1|mk|cmake|in|env|conf)$"
)


def _looks_like_member(bare: str) -> bool:
    """Whether a name with dots and without slashes is `object.member`, not a file."""
    return _FILE_ENDING.search(bare) is None


def owner_of(mention: Mention) -> list[str]:
    """Return the type that a symbol is said to be a member of: `Parser` of `Parser.feed()`."""
    parts = re.split(r"\.|::|#|->", mention.text.partition("(")[0])
    is_type = mention.kind == "symbol" and len(parts) > 1 and parts[-2][:1].isupper()
    return [parts[-2]] if is_type else []


def spellings_of(setting: str) -> list[str]:
    """Return the ways in which code writes a setting: `dry-run`, `dry_run`, `dryRun`, `DryRun`."""
    first, *rest = setting.split("-")
    camel = first + "".join(it.capitalize() for it in rest)
    return list(
        dict.fromkeys((setting, "_".join((first, *rest)), camel, camel[:1].upper() + camel[1:]))
    )
