"""Comments and documents that no longer say what the code does."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from benchpin.code.changes import ChangedFile, SymbolChange
from benchpin.code.signatures import defaults_of
from benchpin.facts import FileFacts, Function
from benchpin.facts.code import TokenStream

from ._state import ReviewFinding, ReviewState, finding_at, finding_on, is_distinct, last_part

_STALE = "stale-documentation"
_DOCUMENTS = (".md", ".rst", ".adoc")
# Documents whose purpose is to name what was removed.
_HISTORY = ("change", "history", "news", "release")
_VALUE = re.compile(r"[\w.-]+")
_MAX_COMMENT_LINES = 40
_NAME = re.compile(r"[A-Za-z_]\w*")
_COMMENT = ("*", "/*", "//", "#", "--")


def check_documentation(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name parameters that are documented and gone, and documents that mention what is gone."""
    for change in state.symbols:
        if change.before is None or change.after is None or not change.is_signature_changed:
            continue
        gone = _parameters(change.before.signature) - _parameters(change.after.signature)
        lines = state.text_of(change.now.path).split("\n")
        for name in sorted(gone):
            line = _documented_at(lines, change, name)
            if line:
                text = (
                    f"The documentation of {change.now.name} still describes {name}, which is gone"
                )
                finding = finding_on(change, _STALE, "warning", text)
                yield finding.model_copy(update={"line": line, "end_line": line})
        module = state.index.symbols.modules.get(change.now.path)
        if module is not None:
            yield from _stale_defaults(lines, change, module.language)
    for file in state.files:
        yield from _stale_values(state, file)
    yield from _stale_documents(state)


def _parameters(signature: str) -> set[str]:
    return set(_NAME.findall(signature.partition("(")[2]))


def _documented_at(lines: Sequence[str], change: SymbolChange, name: str) -> int:
    """Return the line that documents a parameter; 0 if none does."""
    fact = change.now.fact
    first = fact.line - 1
    while first > 0 and lines[first - 1].lstrip().startswith(_COMMENT):
        first -= 1
    is_docstring = False
    for at in range(first, min(fact.end_line, len(lines))):
        line = lines[at].strip()
        quotes = line.count('"""') + line.count("'''")
        is_text = is_docstring or quotes or line.startswith(_COMMENT)
        if quotes % 2:
            is_docstring = not is_docstring
        if is_text and _documents(line.lstrip("*/#- "), name):
            return at + 1
    return 0


def _documents(line: str, name: str) -> bool:
    """Whether a line describes a parameter, in the style of Sphinx, Google, NumPy or Javadoc."""
    head, found, _ = line.partition(name)
    after = line[len(head) + len(name) :]
    if not found or after[:1].isalnum() or after[:1] == "_":
        return False
    if head.startswith((":param ", "@param ")):
        return len(head.split()) <= len((":param", "type"))
    return head in {"", "`"} and after.lstrip("`").startswith((":", " (", " : "))


def _stale_defaults(
    lines: Sequence[str], change: SymbolChange, language: str
) -> Iterator[ReviewFinding]:
    """Name the lines that still say the old default of a parameter."""
    was, now = (None if it is None else it.fact for it in (change.before, change.after))
    if not isinstance(was, Function) or not isinstance(now, Function):
        return
    old, new = (defaults_of(it, language) for it in (was, now))
    for name, value in new.items():
        if old.get(name, value) == value:
            continue
        for line in range(max(1, now.line - _MAX_COMMENT_LINES), now.end_line):
            text = lines[line - 1] if line <= len(lines) else ""
            said = {it.strip(".-") for it in _VALUE.findall(text)}
            if name in said and "default" in text.lower() and {old[name]} - {value} <= said:
                what = f"The documentation of {name} still says {old[name]}, and it is {value} now"
                finding = finding_on(change, _STALE, "warning", what)
                yield finding.model_copy(update={"line": line, "end_line": line})


def _stale_documents(state: ReviewState) -> Iterator[ReviewFinding]:
    """Look for names that are gone in the documents of the workspace."""
    gone = {
        last_part(it.before.name): it
        for it in state.symbols
        if it.before is not None
        and it.status in {"removed", "renamed"}
        and it.before.fact.is_public
        and is_distinct(last_part(it.before.name))
        and not state.occurrences(last_part(it.before.name))
    }
    if not gone:
        return
    for file in state.selection.workspace().walk():
        name = last_part(file.path.rpartition("/")[2].lower())
        is_history = any(it in file.path.lower() for it in _HISTORY)
        if f".{name}" not in _DOCUMENTS or is_history:
            continue
        text = state.text_of(file.path)
        for symbol, change in gone.items():
            at = text.find(f"`{symbol}")
            if at >= 0:
                line = text.count("\n", 0, at) + 1
                said = f"{file.path} still describes {symbol}, which is gone"
                name = change.now.name
                yield finding_at(_STALE, file.path, line, said, name, level="warning")


_NUMBER = re.compile(r"\d+(?:\.\d+)?")
# A value that is longer is computed.
_MAX_VALUE_WORDS = 8
# Lines of code after a comment, among which is what it describes.
_DESCRIBED = 3


def _stale_values(state: ReviewState, file: ChangedFile) -> Iterator[ReviewFinding]:
    """Name the lines that still say the old default of a field or constant: `Default is 5`."""
    if file.before is None or file.after is None:
        return
    old, touched = _values(file.before), state.new_lines(file)
    changed = {
        name: (old[name][0], number, line)
        for name, (number, line) in _values(file.after).items()
        if line in touched and name in old and old[name][0] != number
    }
    lines = state.text_of(file.delta.path).split("\n") if changed else []
    for at, text in enumerate(lines):
        if "default" not in text.lower() or not text.lstrip().startswith(_COMMENT):
            continue
        code = (it for it in lines[at + 1 : at + _MAX_COMMENT_LINES] if _is_code(it))
        described = {*_NAME.findall(" ".join([text, *islice(code, _DESCRIBED)]))}
        said = _NUMBER.findall(text)
        for name, (was, now, line) in changed.items():
            if name in described and was in said and now not in said:
                what = f"The documentation of {name} still says {was}, and it is {now} now"
                place = f"{file.delta.path}:{line}"
                yield finding_at(
                    _STALE, file.delta.path, at + 1, what, name, place, level="warning"
                )


def _is_code(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith((*_COMMENT, "@"))


def _values(facts: FileFacts) -> dict[str, tuple[str, int]]:
    """Return the numbers that names are given at one place of a file, and the line of each."""
    stream = TokenStream(facts.tokens)
    words, found = stream.words, dict[str, list[tuple[str, int]]]()
    for at in range(1, len(words) - 1):
        if words[at] != "=" or not stream.is_name(at - 1) or words[at - 2 : at - 1] == ["."]:
            continue
        end, most = at + 1, min(len(words), at + _MAX_VALUE_WORDS + 1)
        while end < most and words[end] not in {";", ","} and end not in stream.line_starts:
            end += 1
        numbers = [it for it in words[at + 1 : end] if _NUMBER.fullmatch(it)]
        if end - at > _MAX_VALUE_WORDS or len(numbers) != 1:
            continue
        # Last, as it reads back over the whole body of a class: 0.1 s for 1,300 assignments.
        opened = stream.enclosing(at)
        if opened < 0 or words[opened] != "(":  # else it is a parameter
            found.setdefault(words[at - 1], []).append((numbers[0], stream.line(at)))
    return {name: places[0] for name, places in found.items() if len(places) == 1}
