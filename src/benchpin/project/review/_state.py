"""A workspace before and after a change, as the checks see it, and what they say of it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Literal, TypeVar

from benchpin.code import CodeIndex, index_of
from benchpin.code.changes import ChangedFile, SymbolChange, files_after, files_before
from benchpin.code.names import Module, Symbol
from benchpin.core.calls import Job
from benchpin.core.results import Item
from benchpin.core.text import counted
from benchpin.facts import FileFacts, FileSelection, Function
from benchpin.present import Finding, FindingRule, Level
from benchpin.project import Project
from benchpin.workspace.diffs import changed_hunks

T = TypeVar("T")
RULES = (
    FindingRule("secret", "Secret", "A new line has something that looks like a secret."),
    FindingRule("syntax-error", "SyntaxError", "A file no longer parses as a whole."),
    FindingRule("broken-reference", "BrokenReference", "Something that is gone is still used."),
    FindingRule("broken-call", "BrokenCall", "A call does not fit the new signature."),
    FindingRule("broken-contract", "BrokenContract", "A type lacks a required member."),
    FindingRule("changed-result", "ChangedResult", "Callers get another type of result."),
    FindingRule("changed-default", "ChangedDefault", "Callers get another default."),
    FindingRule("complexity", "Complexity", "A function became harder to follow."),
    FindingRule("copied-code", "CopiedCode", "New code repeats code that exists."),
    FindingRule("new-cycle", "NewCycle", "A new import closes a cycle."),
    FindingRule("stale-documentation", "StaleDocumentation", "A text no longer fits the code."),
    FindingRule("weakened-test", "WeakenedTest", "A test checks less than before, or is gone."),
    FindingRule("silenced-check", "SilencedCheck", "A checker is silenced or reports less."),
    FindingRule("not-awaited", "NotAwaited", "A call does not wait for what it starts."),
    FindingRule("lost-error", "LostError", "An error is dropped, or no longer says what it said."),
    FindingRule("missing-case", "MissingCase", "A choice among members lacks the new one."),
    FindingRule("not-released", "NotReleased", "What was released before may stay open or locked."),
    FindingRule("lost-check", "LostCheck", "A condition no longer says what it said."),
    FindingRule("likely-mistake", "LikelyMistake", "New code does not do what it seems to do."),
    FindingRule("unused-code", "UnusedCode", "Nothing uses a new function or type."),
    FindingRule("checker", "Checker", "Another checker reports it, and did not before."),
    FindingRule("missing-test", "MissingTest", "No test reaches a new or changed function."),
    FindingRule("new-debt", "NewDebt", "A new comment admits debt."),
)
_ORDER = {it.id: at for at, it in enumerate(RULES)}
# The most serious first.
LEVELS: tuple[Level, ...] = ("error", "warning", "note")


HowSure = Literal["certain", "likely", "possible"]
# What these say was counted or compared, so that no level makes it more or less sure.
_COUNTED = frozenset(
    {
        *("syntax-error", "complexity", "copied-code", "new-cycle", "silenced-check", "checker"),
        *("new-debt", "changed-result", "changed-default"),
    }
)


class Fix(Item):
    """Whole lines to replace, where there is only one way to put it right."""

    line: int
    end_line: int
    text: str
    """What the lines become; empty to delete them."""

    def shown(self) -> str:
        """Return what to do, on one line."""
        until = "" if self.end_line == self.line else f"-{self.end_line}"
        what = f"write {self.text.strip()}" if self.text else "delete it"
        return f"fix of line {self.line}{until}: {what}"


class ReviewFinding(Item):
    """One thing to look at."""

    rule: str
    level: Level
    file: str
    line: int
    end_line: int
    message: str
    symbol: str | None = None
    """The function or type that it is about."""
    elsewhere: str | None = None
    """Another place that belongs to it, as path:line."""
    certainty: HowSure = "likely"
    """Whether it is so: likely and possible ones may be as they are meant to be."""
    fix: Fix | None = None
    """What to write instead, where there is only one way."""


def finding_at(
    rule: str,
    file: str,
    line: int,
    message: str,
    symbol: str | None = None,
    elsewhere: str | None = None,
    *,
    level: Level = "error",
) -> ReviewFinding:
    """Return a finding about a line of a file."""
    return ReviewFinding(
        rule=rule,
        level=level,
        file=file,
        line=line,
        end_line=line,
        message=message,
        symbol=symbol,
        elsewhere=elsewhere,
    )


def finding_on(change: SymbolChange, rule: str, level: Level, message: str) -> ReviewFinding:
    """Return a finding about a function or type."""
    now = change.now
    found = finding_at(rule, now.path, now.fact.line, message, now.name, level=level)
    return found.model_copy(update={"end_line": now.fact.end_line})


def in_order(findings: list[ReviewFinding]) -> list[ReviewFinding]:
    """Return findings by how much they matter, then by place, each with how sure it is."""
    return sorted(
        map(_rated, findings),
        key=lambda it: (LEVELS.index(it.level), _ORDER[it.rule], it.file, it.line),
    )


def _rated(finding: ReviewFinding) -> ReviewFinding:
    is_sure = finding.rule in _COUNTED or (finding.level == "error" and finding.rule != "secret")
    found: HowSure = "certain" if is_sure else finding.certainty
    return (
        finding if found == finding.certainty else finding.model_copy(update={"certainty": found})
    )


def replacing(lines: Sequence[str], line: int, old: str, new: str) -> Fix | None:
    """Return the fix that puts one text for another in a line; None if it is not there once."""
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    head, _, rest = text.partition(old)
    is_whole = not (head[-1:].isidentifier() or rest[:1].isidentifier())
    if text.count(old) != 1 or not is_whole:
        return None
    return Fix(line=line, end_line=line, text=f"{head}{new}{rest}\n")


def as_finding(finding: ReviewFinding) -> Finding:
    """Return it as SARIF and JUnit show it."""
    properties: dict[str, object] = {
        "symbol": finding.symbol,
        "elsewhere": finding.elsewhere,
        "certainty": finding.certainty,
    }
    fix = finding.fix
    return Finding(
        finding.rule,
        finding.level,
        finding.message,
        finding.file,
        finding.line,
        finding.end_line,
        properties,
        None if fix is None else (fix.line, fix.end_line, fix.text),
    )


_MIN_CHARS = 6


def first_few(found: Sequence[T], most: int, more: str) -> Iterator[tuple[T, str]]:
    """Yield the first of what was found; the last of them has `more`, with the number left out."""
    left = len(found) - most
    for at, one in enumerate(found[:most], start=1):
        is_last = left > 0 and at == most
        yield one, more.format(left, s="" if left == 1 else "s") if is_last else ""


def last_part(name: str) -> str:
    return name.rpartition(".")[2]


def is_distinct(name: str) -> bool:
    """Whether a name is hardly an ordinary word: of several words, and long."""
    is_compound = "_" in name.strip("_") or any(it.isupper() for it in name[1:])
    return is_compound and len(name) >= _MIN_CHARS


def is_named_like(index: CodeIndex, module: Module, at: int, symbol: Symbol) -> bool:
    """Whether the receiver of a member is named like its type: `data_source` of `DataSource`."""
    owner, code = index.owner_of(symbol), module.code
    mark = -1 if code is None else code.mark_before(at)
    if owner is None or not owner.is_type or code is None or mark < 1:
        return False
    receiver = code.stream.words[mark - 1]
    is_plain = receiver[:1].islower() or receiver[:1] == "_"
    is_own = is_plain and receiver not in module.navigation.predeclared
    if len(index.symbols.names.defining(owner.name)) > 1:
        return False  # of several types of one name, which is meant is not said
    return is_own and receiver.replace("_", "").lower() == owner.name.replace("_", "").lower()


NO_TYPES = "; types not checked (no checker)"


@dataclass(frozen=True)
class ReviewState:
    """What changed, and everything around it."""

    selection: FileSelection
    files: Sequence[ChangedFile]
    symbols: Sequence[SymbolChange]
    now: datetime
    asks_checkers: bool = False
    """Whether checkers of our own environment are asked, too, each in a process of its own."""
    checked: Counter[str] = field(default_factory=Counter)
    """How much of each kind the checks looked at so far."""

    def what_was_checked(self) -> str:
        """Return how much was looked at, in one line, and what was not."""
        functions = sum(isinstance(it.now.fact, Function) for it in self.symbols)
        languages = {it.after.language for it in self.files if it.after is not None}
        parts = (
            counted(functions, "function"),
            counted(self.checked["calls"], "call"),
            counted(self.checked["uses"], "use") + " of what is gone",
            counted(len(languages), "language"),
        )
        by_ruff = self.checked["ruff"]
        ruff = f"; {counted(by_ruff, 'file')} by ruff" if by_ruff else ""
        return f"{', '.join(parts)}{ruff}{NO_TYPES}"

    @property
    def job(self) -> Job:
        return self.selection.job

    def text_of(self, path: str) -> str:
        for file in self.files:
            if file.delta.path == path:
                return (file.delta.after or b"").decode(errors="replace")
        return (self.selection.read_manifest(path) or b"").decode(errors="replace")

    @cached_property
    def project_after(self) -> Project:
        return self._project(files_after(self.files))

    @cached_property
    def project_before(self) -> Project:
        return self._project(files_before(self.files))

    def _project(self, files: Mapping[str, FileFacts | None]) -> Project:
        selection = self.selection.workspace().replacing(files)
        return Project(selection, self.now, skip_when_late=True)

    def file_after(self, path: str) -> FileFacts | None:
        module = self.index.symbols.modules.get(path)
        return None if module is None else module.facts

    def old_path(self, path: str) -> str:
        """Return the path of a file before the change; empty if it is new."""
        for delta in (it.delta for it in self.files):
            if delta.path == path:
                return "" if delta.before is None else delta.old_path or path
        return path

    def place_after(self, path: str, line: int) -> tuple[str, int] | None:
        """Return where a line before the change is after it; None if it was changed."""
        file = self._by_old_path.get(path)
        if file is None:
            return path, line
        if file.delta.after is None:
            return None
        moved = 0
        for hunk in changed_hunks(file.delta.before or b"", file.delta.after):
            if hunk.old_start >= line:
                break
            if line <= hunk.old_end:
                return None
            moved = hunk.new_end - hunk.old_end
        return file.delta.path, line + moved

    def line_after(self, file: ChangedFile, line: int) -> int:
        """Return the line of a file now where a line before the change was, or would be."""
        if file.delta.after is None:
            return 1
        place = self.place_after(file.delta.old_path or file.delta.path, line)
        if place is not None:
            return place[1]
        hunks = changed_hunks(file.delta.before or b"", file.delta.after)
        return next((it.new_start + 1 for it in hunks if it.old_start < line <= it.old_end), 1)

    @cached_property
    def _by_old_path(self) -> dict[str, ChangedFile]:
        return {it.delta.old_path or it.delta.path: it for it in self.files}

    def occurrences(self, name: str) -> int:
        """Return how many files have a name after the change; how often, if one file has it."""
        names, modules = self.index.symbols.names, self.index.symbols.modules
        using = names.using(name)
        found = len(using) + len(names.importing(name)) + len(names.mentioning(name))
        return found if found != 1 or not using else modules[using[0]].facts.links.references[name]

    @cached_property
    def index(self) -> CodeIndex:
        return self._index_with(files_after(self.files))

    @cached_property
    def index_before(self) -> CodeIndex:
        return self._index_with(files_before(self.files))

    def _index_with(self, files: Mapping[str, FileFacts | None]) -> CodeIndex:
        return index_of(self.selection).with_files(files, self.selection.read_manifest, self.job)

    def is_reliable(self, path: str) -> bool:
        """Whether what a file has can be trusted: it parses as well as before the change.

        What a reader did not understand before and after, such as new syntax, hides nothing new.
        """
        module = self.index.symbols.modules.get(path)
        if module is None:
            return False
        line = module.facts.outline.error_line
        file = next((it for it in self.files if it.delta.path == path), None)
        if not line or file is None:
            return True
        before = 0 if file.before is None else file.before.outline.error_line
        return before > 0 and self.place_after(file.delta.old_path or path, before) == (path, line)

    def changed_types(self) -> Iterator[tuple[Symbol, Symbol]]:
        """Yield the types of the files that changed, before and after it."""
        for file in self.job.each(self.files, "files"):
            if file.before is None or not self.is_reliable(file.delta.path):
                continue
            before = self.index_before.symbols.modules.get(file.delta.old_path or file.delta.path)
            after = self.index.symbols.modules.get(file.delta.path)
            if before is None or after is None:
                continue
            for name, now in after.symbols.items():
                was = before.symbols.get(name)
                if was is not None and now.is_type and was.is_type:
                    yield was, now

    def touched(self, path: str) -> frozenset[int]:
        """Return the lines of a file that the change wrote."""
        file = next((it for it in self.files if it.delta.path == path), None)
        return frozenset() if file is None else self.new_lines(file)

    def new_lines(self, file: ChangedFile) -> frozenset[int]:
        """Return the lines that a change adds, and those around what it only deletes."""
        found: set[int] = set()
        for hunk in changed_hunks(file.delta.before or b"", file.delta.after or b""):
            deleted = hunk.new_start == hunk.new_end
            found.update(range(hunk.new_start + (not deleted), hunk.new_end + 1 + deleted))
        return frozenset(found)
