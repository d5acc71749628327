"""Review a change: every check, those that need only the changed files among them."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from benchpin.code.changes import ChangedFile
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
from ._documentation import check_documentation
from ._fields import check_fields
from ._imports import check_new_imports, check_unused_imports
from ._lost_steps import check_bodies
from ._measured import check_copies, check_cycles, check_unused
from ._names import check_references
from ._pitfalls import check_pitfalls
from ._relied import check_relied
from ._state import (
    LEVELS,
    ReviewFinding,
    ReviewState,
    finding_at,
    finding_on,
    in_order,
)
from ._tests import check_weakened
from ._undefined import check_new_names
from ._untested import check_reached

# Points of complexity that a change adds before it is worth a warning.
_MIN_GROWTH = 5


# Folders of texts that tests compare with, or feed to a program.
_SAMPLES = frozenset({"__snapshots__", "snapshots", "fixtures", "testdata", "__fixtures__"})


def check_syntax(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name files that parsed as a whole before, or are new, and do not parse now."""
    for file in state.files:
        line = file.after.outline.error_line if file.after is not None else 0
        if file.after is None or not line or (file.before and file.before.outline.error_line):
            continue
        if not _SAMPLES.isdisjoint(file.delta.path.split("/")):
            continue
        why = file.after.outline.error or "it does not parse"
        text = f"This line is not {file.after.language}: {why}"
        yield finding_at("syntax-error", file.delta.path, line, text)


def check_complexity(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name functions over a limit that are new, or became worse."""
    for change in state.symbols:
        if change.after is None or not isinstance(change.after.fact, Function):
            continue
        was = change.before.fact if change.before is not None else None
        worse = list(_worse(change.after.fact, was if isinstance(was, Function) else None))
        if worse:
            level = min((it.level for it in worse), key=LEVELS.index)
            text = f"{change.after.name} has {' and '.join(it.text for it in worse)}"
            yield finding_on(change, "complexity", level, text)


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


def check_debt(files: Sequence[ChangedFile], job: Job) -> Iterator[ReviewFinding]:
    """Name comments that admit debt and were not there before."""
    for file in files:
        if file.after is None or file.delta.status == "deleted":
            continue
        known = Counter(one.text for one in _debt(file.before, job))
        for one in _debt(file.after, job):
            if known[one.text]:
                known[one.text] -= 1
                continue
            yield ReviewFinding(
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


def check_secrets(files: Sequence[ChangedFile], job: Job) -> Iterator[ReviewFinding]:
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
                yield finding_at("secret", file.delta.path, line, text)


_LONG_WORD = re.compile(rb"[\w+/=.-]{12,}")


def _was_there(line: bytes, before: bytes) -> bool:
    """Whether a line only moves what it has: all of its long words were in the file."""
    words = _LONG_WORD.findall(line)
    return bool(words) and all(it in before for it in words)


# The checks run in this order, cheap and serious ones first: what does not fit the time is left
# out.
_CHECKS: Mapping[str, Callable[[ReviewState], Iterator[ReviewFinding]]] = {
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
    "fields": check_fields,
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


def review(state: ReviewState) -> list[ReviewFinding]:
    """Return the findings about a change, the most serious first."""
    found: list[ReviewFinding] = []
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
