"""Review a change: every check, those that need only the changed files among them."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from benchpin.code.changes import ChangedFile, SymbolChange
from benchpin.code.signatures import defaults_of
from benchpin.core.calls import Job
from benchpin.facts import FileFacts, Function
from benchpin.measures import debt
from benchpin.measures.complexity import Thresholds
from benchpin.present import Level
from benchpin.repository.packing import find_secrets
from benchpin.workspace.diffs import changed_hunks

from ._calls import check_calls
from ._cases import check_cases, check_keys
from ._checkers import check_by_readers, check_silenced
from ._contracts import check_contracts
from ._imports import check_new_imports, check_unused_imports
from ._lost_steps import check_bodies
from ._measured import check_copies, check_cycles, check_unused
from ._names import check_references
from ._pitfalls import check_pitfalls
from ._relied import check_relied
from ._state import (
    LEVELS,
    Remark,
    ReviewState,
    in_order,
    is_distinct,
    last_part,
    remark_at,
    remark_on,
)
from ._tests import check_reached, check_weakened
from ._undefined import check_new_names

_STALE = "stale-documentation"
_DOCUMENTS = (".md", ".rst", ".adoc")
# Documents whose purpose is to name what was removed.
_HISTORY = ("change", "history", "news", "release")
_VALUE = re.compile(r"[\w.-]+")
_MAX_COMMENT_LINES = 40
_NAME = re.compile(r"[A-Za-z_]\w*")
_COMMENT = ("*", "/*", "//", "#", "--")


def check_documentation(state: ReviewState) -> Iterator[Remark]:
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
                remark = remark_on(change, _STALE, "warning", text)
                yield remark.model_copy(update={"line": line, "end_line": line})
        module = state.index.symbols.modules.get(change.now.path)
        if module is not None:
            yield from _stale_defaults(lines, change, module.language)
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


def _stale_defaults(lines: Sequence[str], change: SymbolChange, language: str) -> Iterator[Remark]:
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
                remark = remark_on(change, _STALE, "warning", what)
                yield remark.model_copy(update={"line": line, "end_line": line})


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
                said = f"{file.path} still describes {symbol}, which is gone"
                name = change.now.name
                yield remark_at(_STALE, file.path, line, said, name, level="warning")


# Points of complexity that a change adds before it is worth a warning.
_MIN_GROWTH = 5


# Folders of texts that tests compare with, or feed to a program.
_SAMPLES = frozenset({"__snapshots__", "snapshots", "fixtures", "testdata", "__fixtures__"})


def check_syntax(state: ReviewState) -> Iterator[Remark]:
    """Name files that parsed as a whole before, or are new, and do not parse now."""
    for file in state.files:
        line = file.after.outline.error_line if file.after is not None else 0
        if file.after is None or not line or (file.before and file.before.outline.error_line):
            continue
        if not _SAMPLES.isdisjoint(file.delta.path.split("/")):
            continue
        why = file.after.outline.error or "it does not parse"
        text = f"This line is not {file.after.language}: {why}"
        yield remark_at("syntax-error", file.delta.path, line, text)


def check_complexity(state: ReviewState) -> Iterator[Remark]:
    """Name functions over a limit that are new, or became worse."""
    for change in state.symbols:
        if change.after is None or not isinstance(change.after.fact, Function):
            continue
        was = change.before.fact if change.before is not None else None
        worse = list(_worse(change.after.fact, was if isinstance(was, Function) else None))
        if worse:
            level = min((it.level for it in worse), key=LEVELS.index)
            text = f"{change.after.name} has {' and '.join(it.text for it in worse)}"
            yield remark_on(change, "complexity", level, text)


class _Excess(NamedTuple):
    text: str
    level: Level


def _worse(now: Function, before: Function | None) -> Iterator[_Excess]:
    limits = Thresholds()
    for name, limit in (("cyclomatic", limits.cyclomatic), ("cognitive", limits.cognitive)):
        value = getattr(now, name)
        was = getattr(before, name, 0)
        if value > limit and value > was:
            since = f", was {was}" if before is not None else ""
            text = f"{name} complexity {value} (limit {limit:g}{since})"
            # A branch more in a long function is worth a note. None is an error: nothing breaks.
            yield _Excess(text, "note" if value - was < _MIN_GROWTH else "warning")


def check_debt(files: Sequence[ChangedFile], job: Job) -> Iterator[Remark]:
    """Name comments that admit debt and were not there before."""
    for file in files:
        if file.after is None or file.delta.status == "deleted":
            continue
        known = Counter(one.text for one in _debt(file.before, job))
        for one in _debt(file.after, job):
            if known[one.text]:
                known[one.text] -= 1
                continue
            yield Remark(
                rule="new-debt",
                level="note",
                file=file.delta.path,
                line=one.line,
                end_line=one.end_line,
                message=f"New debt: {one.text}",
                symbol=one.context,
            )


def _debt(file: FileFacts | None, job: Job) -> Sequence[debt.DebtItem]:
    return () if file is None else debt.find_debt([file], job).items


def check_secrets(files: Sequence[ChangedFile], job: Job) -> Iterator[Remark]:
    """Name new lines that look like secrets."""
    for file in job.each(files, "files"):
        after = file.delta.after
        if after is None or b"\0" in after:
            continue
        hunks = changed_hunks(file.delta.before or b"", after)
        new = {at for hunk in hunks for at in range(hunk.new_start + 1, hunk.new_end + 1)}
        lines = after.split(b"\n")
        for line, kind in find_secrets(after.decode(errors="replace"), file.delta.path):
            if line in new and not _was_there(lines[line - 1], file.delta.before or b""):
                text = f"This line has what looks like a secret: {kind}"
                yield remark_at("secret", file.delta.path, line, text)


_LONG_WORD = re.compile(rb"[\w+/=.-]{12,}")


def _was_there(line: bytes, before: bytes) -> bool:
    """Whether a line only moves what it has: all of its long words were in the file."""
    words = _LONG_WORD.findall(line)
    return bool(words) and all(it in before for it in words)


# The checks run in this order, cheap and serious ones first: what does not fit the time is left
# out.
_CHECKS: Mapping[str, Callable[[ReviewState], Iterator[Remark]]] = {
    "secrets": lambda it: check_secrets(it.files, it.job),
    "syntax": check_syntax,
    "references": check_references,
    "imports": check_new_imports,
    "unused imports": check_unused_imports,
    "calls": check_calls,
    "contracts": check_contracts,
    "results and defaults": check_relied,
    "names": check_new_names,
    "cases": check_cases,
    "keys": check_keys,
    "lost steps": check_bodies,
    "mistakes of form": check_pitfalls,
    "complexity": check_complexity,
    "debt": lambda it: check_debt(it.files, it.job),
    "weakened tests": check_weakened,
    "silenced checks": check_silenced,
    "documentation": check_documentation,
    "unused code": check_unused,
    "cycles": check_cycles,
    "copies": check_copies,
    "reached code": check_reached,
    "other checkers": check_by_readers,
}


def review(state: ReviewState) -> list[Remark]:
    """Return the findings about a change, the most serious first."""
    found: list[Remark] = []
    for name, check in _CHECKS.items():
        if state.job.is_expired:
            state.job.leave_out(f"the check of {name}")
            continue
        found += check(state)
    # What is not used yet may be for the code that is broken.
    broken = {it.file for it in found if it.rule == "broken-reference"}
    said = {(it.file, it.line) for it in found if it.rule != "checker"}
    left = [it for it in found if it.rule != "checker" or (it.file, it.line) not in said]
    return in_order([it for it in left if it.rule != "unused-code" or it.file not in broken])
