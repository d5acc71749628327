"""The checks that need only the changed files, and the names of the others."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchpin.code.changes import ChangedFile, SymbolChange
from benchpin.code.names import ANONYMOUS
from benchpin.core.calls import Job
from benchpin.facts import FileFacts, Function
from benchpin.measures import debt
from benchpin.measures.complexity import ERROR_FACTOR, Thresholds
from benchpin.present import Level
from benchpin.repository.packing import find_secrets
from benchpin.workspace.diffs import changed_hunks
from benchpin.workspace.walking import is_product_path

from ._copies import FunctionShapes, find_copy, open_shapes
from ._names import last_part
from ._remarks import LEVELS, Remark
from ._state import ReviewState

# A shorter function is hardly worth a test of its own.
_MIN_TESTED_LINES = 5
# Points of complexity that a change adds before it is worth a warning.
_MIN_GROWTH = 5
_MAX_NAMED = 3
_SPECIAL = re.compile(r"__\w+__|main|setUp|tearDown|init|new|constructor|toString|equals|hashCode")


def remark_on(
    change: SymbolChange, rule: str, level: Level, message: str, elsewhere: str | None = None
) -> Remark:
    """Return a finding about a function or type."""
    now = change.now
    return Remark(
        rule=rule,
        level=level,
        file=now.path,
        line=now.fact.line,
        end_line=now.fact.end_line,
        message=message,
        symbol=now.name,
        elsewhere=elsewhere,
    )


def check_syntax(state: ReviewState) -> Iterator[Remark]:
    """Name files that parsed as a whole before, or are new, and do not parse now."""
    for file in state.files:
        line = file.after.outline.error_line if file.after is not None else 0
        if file.after is None or not line or (file.before and file.before.outline.error_line):
            continue
        why = file.after.outline.error or "it does not parse"
        yield Remark(
            rule="syntax-error",
            level="error",
            file=file.delta.path,
            line=line,
            end_line=line,
            message=f"This line is not {file.after.language}: {why}",
        )


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
            yield _Excess(text, _level(value - was, is_far=value > ERROR_FACTOR * limit))


def _level(growth: int, *, is_far: bool) -> Level:
    """Return how much growth matters: a branch more in a long function is worth a note."""
    if growth < _MIN_GROWTH:
        return "note"
    return "error" if is_far else "warning"


def check_copies(state: ReviewState) -> Iterator[Remark]:
    """Name new functions that repeat existing ones."""
    new = [it for it in state.symbols if it.status == "added" and is_product_path(it.now.path)]
    if not any(isinstance(it.now.fact, Function) for it in new):
        return
    shapes = open_shapes(state.selection.session)
    existing = _existing(state, shapes)
    for change in new:
        own = shapes.of(state.changed[change.now.path])
        shape = next((one for one in own if one.line == change.now.fact.line), None)
        copy = None if shape is None else find_copy(shape, shapes, existing, state.job)
        if copy is not None:
            alike = "repeats" if copy.share == 1 else f"shares {copy.share:.0%} of its lines with"
            where = f"{copy.path}:{copy.shape.line}"
            text = f"{change.now.name} {alike} {copy.shape.name} ({where}); call that instead"
            yield remark_on(change, "copied-code", "warning", text, where)


def _existing(state: ReviewState, shapes: FunctionShapes) -> list[FileFacts]:
    """Return the files whose functions may be repeated; their tokens are read once."""
    files = [it for it in state.others if is_product_path(it.path)]
    if not all(map(shapes.knows, files)):
        for file in state.selection.workspace().read("tokens").files:
            shapes.of(file)
        shapes.keep_only(files)
    return [it for it in files if shapes.knows(it)]


def check_unused(state: ReviewState) -> Iterator[Remark]:
    """Name new functions and types that nothing uses, not even a string."""
    for change in state.symbols:
        if change.status != "added" or not is_product_path(change.now.path):
            continue
        fact, name = change.now.fact, last_part(change.now.name)
        # A function in an object that a nameless function makes is used by who gets the object.
        is_nameless = not name.lstrip("#").isidentifier() or ANONYMOUS in change.now.name
        is_hook = fact.decorators or _SPECIAL.fullmatch(name) or _may_override(state, change)
        if is_nameless or is_hook or state.names.references(name) > state.names.defined(name):
            continue
        is_member = isinstance(fact, Function) and fact.kind == "method"
        if fact.is_public and is_member:
            continue
        level: Level = "note" if fact.is_public else "warning"
        yield remark_on(change, "unused-code", level, f"Nothing uses {change.now.name} yet")


def _may_override(state: ReviewState, change: SymbolChange) -> bool:
    """Whether a method is in a type with bases, which may call it."""
    owner = change.now.name.rpartition(".")[0]
    file = state.changed.get(change.now.path)
    types = file.outline.types if file is not None else ()
    return any(it.name == owner and it.bases for it in types)


def check_tests(state: ReviewState) -> Iterator[Remark]:
    """Name new functions that no test mentions, one finding a file."""
    if not state.names.has_tests:
        return
    untested: dict[str, list[SymbolChange]] = {}
    for change in state.symbols:
        fact = change.now.fact
        is_worth = (
            change.status == "added"
            and isinstance(fact, Function)
            and fact.is_public
            and fact.code_lines >= _MIN_TESTED_LINES
            and is_product_path(change.now.path)
        )
        if is_worth and not state.names.is_in_tests(last_part(change.now.name)):
            untested.setdefault(change.now.path, []).append(change)
    for changes in untested.values():
        names = [it.now.name for it in changes]
        more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
        text = f"No test mentions {', '.join(names[:_MAX_NAMED])}{more}"
        yield remark_on(changes[0], "missing-test", "note", text)


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
        for line, kind in find_secrets(after.decode(errors="replace"), file.delta.path):
            if line in new:
                yield Remark(
                    rule="secret",
                    level="error",
                    file=file.delta.path,
                    line=line,
                    end_line=line,
                    message=f"This line has what looks like a secret: {kind}",
                )
