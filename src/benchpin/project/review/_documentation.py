"""Documentation that a change makes wrong."""

import re
from collections.abc import Iterator, Sequence

from benchpin.code.changes import SymbolChange

from ._checks import remark_on
from ._remarks import Remark
from ._state import ReviewState, is_distinct, last_part

_DOCUMENTS = (".md", ".rst", ".adoc")
# Documents whose purpose is to name what was removed.
_HISTORY = ("change", "history", "news", "release")
_NAME = re.compile(r"[A-Za-z_]\w*")
_COMMENT = ("*", "/*", "//", "#", "--")


def check_documentation(state: ReviewState) -> Iterator[Remark]:
    """Name parameters that are documented and gone, and documents that mention what is gone."""
    for change in state.symbols:
        if change.before is None or change.after is None or not change.is_signature_changed:
            continue
        gone = _parameters(change.before.signature) - _parameters(change.after.signature)
        lines = state.lines_of(change.now.path)
        for name in sorted(gone):
            line = _documented_at(lines, change, name)
            if line:
                text = (
                    f"The documentation of {change.now.name} still describes {name}, which is gone"
                )
                remark = remark_on(change, "stale-documentation", "warning", text)
                yield remark.model_copy(update={"line": line, "end_line": line})
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


def _stale_documents(state: ReviewState) -> Iterator[Remark]:
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
                yield Remark(
                    rule="stale-documentation",
                    level="warning",
                    file=file.path,
                    line=line,
                    end_line=line,
                    message=f"{file.path} still describes {symbol}, which is gone",
                    symbol=change.now.name,
                )
