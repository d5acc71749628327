"""The words of each definition, and tables that say which definitions have each word.

The words of a file are a fact, computed in the workers and kept by content. Words are stems:
`allocations`, `allocated` and `Allocate` are one. Names and paths are not in it: both are known
without a file.

The tables are made of one state of a project. Like those of the code index, they are decoded word
by word. After an edit the definitions of changed files are put into a part of their own, which
hides what older parts say of these files.
"""

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import msgspec

from benchpin.code import documentation
from benchpin.code.names import ANONYMOUS, Module, Postings
from benchpin.facts import FileFacts, Function, TokenKind, Type
from benchpin.facts.derived import FileFact
from benchpin.measures.names import split_identifier, stem
from benchpin.memory import Inputs, Measure
from benchpin.workspace.walking import is_product_path, is_test_path

_PROSE = re.compile(r"[^\W\d_]\w*")
# Of a literal; a longer one is data.
_MAX_LITERAL_CHARS = 8_000
# Words of a file, whose numbers have 16 bits; a file with more is a table.
_MAX_WORDS = 1 << 16
# A count beyond this says no more.
MAX_COUNT = 255
# Words of English and of programming languages that nearly everything has.
_NOISE = frozenset(
    """
    a about after all also an and any are as at be because been before between both but by can could
    did do does each else for from had has have how if in into is it its just may more most must no
    not of off on once one only onto or other our out over own per same shall should so some such
    than that the their them then there these they this those to too under until up us use used uses
    using was we were what when where whether which while who whom whose why will with within
    without would you your
    self cls none true false null nil def func function fn return returns returned let const var
    import public private static void
    """.split()  # noqa: SIM905 - easier to read as a table
)


def stems(text: str) -> Iterator[str]:
    """Yield the stems of a text in order; identifiers in it are split."""
    for token in _PROSE.findall(text):
        yield from stems_of_name(token)


def stems_of_name(name: str) -> Iterator[str]:
    """Yield the stems of an identifier; letters and words that say nothing are left out."""
    for word in split_identifier(name):
        if len(word) > 1 and word not in _NOISE:
            yield stem(word)


class DefinitionTerms(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The words of one definition, without those of definitions inside it."""

    name: str
    """Qualified; empty for the code of the file itself."""
    line: int
    end_line: int
    doc: bytes
    """Numbers of words in the vocabulary and how often, in turns, 16 bits each."""
    body: bytes
    """The same of its code and comments."""


class FileTerms(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The words of a file."""

    words: tuple[str, ...]
    definitions: tuple[DefinitionTerms, ...]
    is_generated: bool

    def counts(self, packed: bytes) -> Iterator[tuple[str, int]]:
        """Yield the words and counts of one field."""
        numbers = array("H", packed)
        for at in range(0, len(numbers), 2):
            yield self.words[numbers[at]], numbers[at + 1]


def terms_of(file: FileFacts) -> FileTerms:
    """Return the words of a file."""
    module = Module(file, ())
    numbers: dict[str, int] = {}
    code, comments = _words_of_code(file), _comments_of(file)
    found = []
    places = {"": (1, file.outline.lines)}
    places |= {name: (it.line, it.end_line) for name, it in module.symbols.items()}
    for name, (line, end_line) in places.items():
        doc = documentation(module, module.symbols[name]) if name else ""
        said, body = Counter(stems(doc)), code.get(name, Counter())
        body.update(it for text in comments.get(name, ()) for it in stems(text))
        if len(doc) <= _MAX_LITERAL_CHARS:  # it is a literal of the code, or a comment, as well
            body.subtract(said)
        packed = _packed(said, numbers), _packed(body, numbers)
        found.append(DefinitionTerms(name, line, end_line, *packed))
    return FileTerms(tuple(numbers), tuple(found), file.outline.is_generated)


def _named(file: FileFacts) -> list[Function | Type]:
    """Return what is defined in a file; closures belong to what is around them."""
    declared: Iterable[Function | Type] = (*file.outline.types, *file.outline.functions)
    return [it for it in declared if ANONYMOUS not in it.name and it.kind != "extension"]


def _words_of_code(file: FileFacts) -> dict[str, Counter[str]]:
    """Return the words in the tokens of each definition; each token counts for the innermost."""
    stream, tokens = file.tokens.indices(), file.tokens
    counts: dict[str, Counter[int]] = {"": Counter()}
    around = [(len(stream), "")]
    at = 0

    def take(until: int) -> None:
        """Count the tokens up to a place, which ends some of the definitions around it."""
        nonlocal at
        while at < until:
            end, owner = around[-1]
            # Slices, not a loop over tokens: it is all counted without running Python code.
            counts[owner].update(stream[at : min(end, until)])
            at = max(min(end, until), at)
            if end <= at and len(around) > 1:
                around.pop()

    ordered = sorted(_named(file), key=lambda it: (it.first_token, -it.last_token))
    for declared in ordered:
        take(declared.first_token)
        around.append((max(declared.last_token, declared.first_token), declared.name))
        counts.setdefault(declared.name, Counter())
    take(len(stream))
    known = [_stems_of_token(*it) for it in zip(tokens.texts, tokens.kinds, strict=True)]
    words: dict[str, Counter[str]] = {}
    for name, counted in counts.items():
        own: Counter[str] = Counter()
        words[name] = own
        for number, count in counted.items():
            for word in known[number]:
                own[word] += count
    return words


def _stems_of_token(text: bytes, kind: int) -> tuple[str, ...]:
    if kind == TokenKind.OPERATOR or len(text) > _MAX_LITERAL_CHARS:
        return ()
    written = text.decode(errors="replace")
    return tuple(stems_of_name(written) if kind == TokenKind.IDENTIFIER else stems(written))


def _comments_of(file: FileFacts) -> dict[str, list[str]]:
    """Return the comments inside each definition, and those right above it."""
    places = sorted(
        (it.line - 1 - len(it.decorators), it.line, it.end_line, it.name) for it in _named(file)
    )
    found: dict[str, list[str]] = {}
    below, owner = 0, ""  # the line at which the comment below begins, and whose it is
    for comment in reversed(file.comments.comments):
        if comment.end_line != below - 1 or comment.is_trailing:
            # The innermost begins last; what ends right above a definition is on it.
            around = [
                name
                for above, line, end_line, name in places
                if line <= comment.line <= end_line or above <= comment.end_line < line
            ]
            owner = around[-1] if around else ""
        below = comment.line
        found.setdefault(owner, []).append(comment.text)
    return found


def _packed(counts: Counter[str], numbers: dict[str, int]) -> bytes:
    packed = array("H")
    for word, count in sorted(counts.items()):
        if count > 0 and (word in numbers or len(numbers) < _MAX_WORDS):
            packed.append(numbers.setdefault(word, len(numbers)))
            packed.append(min(count, MAX_COUNT))
    return packed.tobytes()


FILE_TERMS = FileFact[None, FileTerms](
    f"{__name__}:FILE_TERMS",
    FileTerms,
    lambda file, _option: terms_of(file),
    ("outline", "links", "tokens", "comments"),
)

# With more parts, or more changed files, the tables are made again.
_MAX_PARTS = 16
_MAX_CHANGED_FILES = 200
# In the numbers of `TermPart.words`: how often in the code; above that, in the documentation.
COUNT_BITS = 8
KINDS = PRODUCTION, SAMPLE, TEST, GENERATED = range(4)


class TermPart(msgspec.Struct, frozen=True, array_like=True):
    """The definitions of some files; both are numbered in order."""

    paths: list[str]
    keys: list[bytes]
    """Of the contents of the files."""
    kinds: bytes
    """Of the files: production, samples, tests, generated."""
    ends: bytes
    """After which definition each file ends, 32 bits each, as all numbers here."""
    names: list[str]
    lines: bytes
    """The first and last line of each definition, in turns."""
    lengths: bytes
    """How many words each definition has in its code and in its documentation, in turns."""
    words: Postings
    """The definitions with a word, and how often, in turns."""
    named: Postings
    """The definitions with a word in their qualified names."""
    folders: Postings
    """The files with a word in their paths."""


class TermTables(msgspec.Struct, frozen=True, array_like=True):
    """The definitions of a project and their words."""

    parts: list[TermPart]
    """Made one after the other; a file counts in the last one that has it."""
    gone: list[str]
    """Files of parts that are not there any more."""


def part_of(files: Iterable[tuple[FileFacts, FileTerms]]) -> TermPart:
    """Return the tables of some files."""
    words: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    named: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    folders: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    paths, keys, names, kinds = list[str](), list[bytes](), list[str](), bytearray()
    ends, lines, lengths = array("I"), array("I"), array("I")
    for number, (file, terms) in enumerate(files):
        for word in dict.fromkeys(stems_of_name(file.path.rpartition(".")[0])):
            folders[word].append(number)
        for definition in terms.definitions:
            at = len(names)
            for word in stems_of_name(definition.name):
                named[word].append(at)
            body = dict(terms.counts(definition.body))
            doc = dict(terms.counts(definition.doc))
            for word in {**body, **doc}:
                words[word].extend((at, body.get(word, 0) | doc.get(word, 0) << COUNT_BITS))
            names.append(definition.name)
            lines.extend((definition.line, definition.end_line))
            lengths.extend((sum(body.values()), sum(doc.values())))
        paths.append(file.path)
        keys.append(file.key)
        kinds.append(_kind_of(file.path, terms))
        ends.append(len(names))
    return TermPart(
        paths,
        keys,
        bytes(kinds),
        ends.tobytes(),
        names,
        lines.tobytes(),
        lengths.tobytes(),
        Postings.of(words),
        Postings.of(named),
        Postings.of(folders),
    )


def _kind_of(path: str, terms: FileTerms) -> int:
    if terms.is_generated:
        return GENERATED
    if is_test_path(path):
        return TEST
    return PRODUCTION if is_product_path(path) else SAMPLE


def _made(inputs: Inputs, _option: None) -> TermTables:
    files = inputs.listing.files
    return TermTables([part_of(FILE_TERMS.each(inputs.selection, files, None))], [])


def _updated(before: TermTables, inputs: Inputs, _option: None) -> TermTables | None:
    """Return the tables after an edit; None where to make them again takes less time."""
    known = {path: key for it in before.parts for path, key in zip(it.paths, it.keys, strict=True)}
    now = {it.path: it for it in inputs.listing.files}
    changed = [it for path, it in now.items() if known.get(path) != it.key or path in before.gone]
    gone = sorted(known.keys() - now.keys())
    if len(before.parts) >= _MAX_PARTS or len(changed) + len(gone) > _MAX_CHANGED_FILES:
        return None
    part = part_of(FILE_TERMS.each(inputs.selection, changed, None))
    return TermTables([*before.parts, part] if changed else before.parts, gone)


TERMS = Measure[Inputs, None, TermTables](
    "words of definitions",
    TermTables,
    _made,
    update=_updated,
    is_part=True,
    facts=lambda _option: (FILE_TERMS.order(None),),
)
