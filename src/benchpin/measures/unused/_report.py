"""Turn scores into findings that a person can check."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from benchpin.core.results import Item
from benchpin.facts import FileFacts
from benchpin.facts.liveness import SURE, TESTED, DefinitionKind
from benchpin.present import Finding, FindingRule

from ._file_uses import KINDS, NONE
from ._general_rules import find_reason
from ._program import LiveProgram

DeadCodeStatus = Literal["unused", "used_by_dead_code", "used_by_tests"]
# The lowest confidence that is reported by default.
SURE_FROM = 0.8
RULES = (
    FindingRule("unused-function", "UnusedFunction", "Nothing in the workspace uses a function."),
    FindingRule("unused-method", "UnusedMethod", "Nothing in the workspace uses a method."),
    FindingRule("unused-type", "UnusedType", "Nothing in the workspace uses a type."),
    FindingRule("test-only-code", "TestOnlyCode", "Only tests use a function, method or type."),
)
_NAMED_USERS = 3


class DeadItem(Item):
    """A definition that seems to be dead, and why."""

    file: str
    line: int
    end_line: int
    lines: int
    name: str
    kind: DefinitionKind
    label: str
    confidence: float
    status: DeadCodeStatus
    reason: str

    @property
    def order(self) -> tuple[float, str, int, str]:
        """The place among other items: the highest confidence first."""
        return -self.confidence, self.file, self.line, self.name


def as_finding(item: DeadItem) -> Finding:
    """Return dead code as SARIF and JUnit show it."""
    return Finding(
        rule="test-only-code" if item.status == "used_by_tests" else f"unused-{item.kind}",
        level="warning" if item.confidence >= SURE_FROM else "note",
        message=f"{item.label} {item.name} seems dead: {item.reason}",
        path=item.file,
        line=item.line,
        end_line=item.end_line,
        properties={"confidence": item.confidence, "status": item.status},
    )


class FileShare(Item):
    """How much of a file is dead."""

    file: str
    items: int
    dead_lines: int
    total_lines: int
    dead_percent: float


class DeadCodeSummary(Item):
    """All findings together."""

    total_files: int
    total_definitions: int
    files_with_dead_code: int
    dead_functions: int
    dead_methods: int
    dead_types: int
    used_by_tests_only: int
    dead_lines: int
    total_lines: int
    dead_percent: float | None


@dataclass(frozen=True, slots=True)
class DeadCode:
    """The findings in the selected files."""

    items: list[DeadItem]
    """The highest confidence first; what is inside a dead definition is not listed again."""
    files: list[FileShare]
    summary: DeadCodeSummary
    lengths: dict[str, int]
    """The number of lines of each selected file."""

    def above(self, min_confidence: float) -> "DeadCode":
        """Return what is dead with at least this confidence."""
        items = [it for it in self.items if it.confidence >= min_confidence]
        return dead_code_of(items, self.lengths, self.summary.total_definitions)


def describe(
    program: LiveProgram, scores: Sequence[float], min_confidence: float
) -> dict[int, DeadItem]:
    """Return what seems dead with at least some confidence, by id."""
    dead = [it for it in program if 0 < confidence(scores[it]) >= min_confidence]
    found = _UserSearch(dead, program)
    return {it: _item(it, found, program, scores[it]) for it in dead}


def confidence(score: float) -> float:
    """Return how sure it is that something with this score is dead."""
    return round(1 - score, 2)


class FileSize(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """How long a file is."""

    lines: int
    definitions: int
    is_generated: bool


class Liveness(msgspec.Struct, frozen=True, gc=False):
    """Everything in a workspace that is not surely alive."""

    items: list[DeadItem]
    around: list[int]
    """For each item, the number of the innermost one that encloses it, or `NONE`."""
    sizes: dict[str, FileSize]
    """The files, by path."""


def liveness_of(
    program: LiveProgram, scores: Sequence[float], min_confidence: float = 0.0
) -> Liveness:
    """Return what is to be kept of a search."""
    items = describe(program, scores, min_confidence)
    numbers = {it: at for at, it in enumerate(items)}
    around: list[int] = []
    for number in items:
        owner = program.owners[number]
        while owner != NONE and owner not in numbers:
            owner = program.owners[owner]
        around.append(numbers.get(owner, NONE))
    sizes = {
        path: FileSize(its.lines, len(its.kinds), its.is_generated)
        for path, its in zip(program.paths, program.uses, strict=True)
    }
    return Liveness(list(items.values()), around, sizes)


def report_dead_code(
    found: Liveness,
    *,
    min_confidence: float = 0.0,
    chosen: Collection[str] | None = None,
    is_folded: bool = True,
) -> DeadCode:
    """Return what is dead in some files; `chosen` has the paths to report on, all by default.

    What is inside a dead definition is left out, unless `is_folded` is false.
    """
    sizes = {path: size for path, size in found.sizes.items() if chosen is None or path in chosen}
    items = [
        (it.order, number, it)
        for number, it in enumerate(found.items)
        if it.file in sizes
        and it.confidence >= min_confidence
        and not (is_folded and _is_inner(number, found))
    ]
    items.sort()
    lengths = {path: it.lines for path, it in sizes.items()}
    return dead_code_of(
        [it for _, _, it in items], lengths, sum(it.definitions for it in sizes.values())
    )


def dead_code_of(items: list[DeadItem], lengths: dict[str, int], definitions: int) -> DeadCode:
    """Return findings, of which the highest confidence comes first, with their totals."""
    shares = rank_files(items, lengths)
    return DeadCode(items, shares, _summarize(items, shares, lengths, definitions), lengths)


def _is_inner(number: int, found: Liveness) -> bool:
    """Whether a definition is inside one that is at least as surely dead."""
    around = found.around[number]
    while around != NONE:
        if found.items[around].confidence >= found.items[number].confidence:
            return True
        around = found.around[around]
    return False


class _Users:
    """Code that names definitions, in the order of its files."""

    def __init__(self, code: Sequence[int], program: LiveProgram) -> None:
        of_code = program.files_of
        self.files = [of_code[it] for it in code]
        self.tests = sum(program.is_test[it] for it in self.files)
        places = {program.place_of(it): it for it in reversed(code)}
        self.places = list(reversed(places.values()))
        """One of each place: several definitions of one name in a file are one place."""
        self.place_files = [of_code[it] for it in self.places]


@dataclass(frozen=True, slots=True)
class _NamedUsers:
    """The code that names one definition."""

    count: int
    tests: int
    names: str


class _UserSearch:
    """Finds the code that names dead definitions.

    Definitions of one name that other files reach alike have the same users in other files, which
    are found once: thousands of files may define and use a name such as `setup`.
    """

    def __init__(self, dead: Sequence[int], program: LiveProgram) -> None:
        self._program = program
        self._group_of: dict[int, Hashable] = {}
        groups: defaultdict[int, dict[Hashable, list[int]]] = defaultdict(dict)
        own: defaultdict[int, defaultdict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        homes = program.files_of
        for number in dead:
            name = program.names[number]
            # Code in another file is inside of these, and does not count as their user.
            alone = number if number in program.spread_types else NONE
            key: Hashable = (name, alone, *program.reached_alike(number))
            self._group_of[number] = key
            groups[name].setdefault(key, []).append(number)
            own[homes[number]][name].append(number)
        users: defaultdict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for code, name, kind in program.uses_of(groups):
            file = homes[code]
            for number in own[file][name] if file in own and name in own[file] else ():
                _note(users[number], program.strength(number, code, kind), code)
            for key, members in groups[name].items():
                # One of another file speaks for all of them; those of this file come above.
                first, last = members[0], members[-1]
                if homes[first] != file or homes[last] != file:
                    example = first if homes[first] != file else last
                    _note(users[key], program.strength(example, code, kind), code)
        nobody = _Users((), program)
        self._users = {
            at: (
                _Users(code, program) if code else nobody,
                _Users(texts, program) if texts else nobody,
            )
            for at, (code, texts) in users.items()
        }
        self._nobody = nobody, nobody

    def of(self, number: int) -> tuple[_NamedUsers, _NamedUsers]:
        """Return the code that uses a definition, and the code that names it in texts."""
        own = self._users.get(number, self._nobody)
        others = self._users.get(self._group_of[number], self._nobody)
        code, texts = (self._joined(number, *both) for both in zip(own, others, strict=True))
        return code, texts

    def _joined(self, number: int, own: _Users, others: _Users) -> _NamedUsers:
        """Put the users in the file of a definition among those of other files."""
        if not own.files and not others.files:  # so it is for most of what is dead
            return _NamedUsers(0, 0, "")
        program = self._program
        home = program.files_of[number]
        count = bisect_right(others.files, home) - bisect_left(others.files, home)
        before, after = (
            bisect_left(others.place_files, home),
            bisect_right(others.place_files, home),
        )
        places = len(own.places) + len(others.places) - (after - before)
        some = (
            *others.places[: min(before, _NAMED_USERS)],
            *own.places[:_NAMED_USERS],
            *others.places[after : after + _NAMED_USERS],
        )[:_NAMED_USERS]
        named = ", ".join(_place(it, program) for it in some)
        more = places - len(some)
        return _NamedUsers(
            len(own.files) + len(others.files) - count,
            own.tests + others.tests - (count if program.is_test[home] else 0),
            f"{named} and {more} more" if more else named,
        )


def _note(users: tuple[list[int], list[int]], strength: float, code: int) -> None:
    if strength:
        users[strength < SURE].append(code)


def _item(number: int, users: _UserSearch, program: LiveProgram, score: float) -> DeadItem:
    definition = program[number]
    code, texts = users.of(number)
    status: DeadCodeStatus = "unused"
    reason = f"nothing in the workspace uses {definition.name}"
    if code.tests and score >= TESTED and not program.is_test[definition.file]:
        status = "used_by_tests"
        others = "" if code.tests == code.count else " and code that seems unused"
        reason = f"only tests{others} use {definition.name}: {code.names}"
    elif code.count:
        status = "used_by_dead_code"
        reason = f"only code that seems unused uses {definition.name}: {code.names}"
    if texts.count:
        reason += f"; it is named in strings of {texts.names}"
    doubt = find_reason(number, program).why
    return DeadItem(
        file=definition.path,
        line=definition.line,
        end_line=definition.end_line,
        lines=definition.end_line - definition.line + 1,
        name=definition.qualified,
        kind=definition.kind,
        label=definition.label,
        confidence=confidence(score),
        status=status,
        reason=f"{reason}; {doubt}" if doubt else reason,
    )


def _place(user: int, program: LiveProgram) -> str:
    path = program.paths[program.files_of[user]]
    return f"{program[user].qualified} in {path}" if program.kinds[user] & KINDS else path


def names_in(files: Iterable[FileFacts]) -> frozenset[str]:
    """Return the unqualified names of everything that some files define."""
    qualified: set[str] = set()
    for file in files:
        qualified |= {it.name for it in file.outline.functions}
        qualified |= {it.name for it in file.outline.types}
    return frozenset(name.rpartition(".")[2] for name in qualified)


def rank_files(items: Iterable[DeadItem], lengths: Mapping[str, int]) -> list[FileShare]:
    """Put the files with the most dead lines first."""
    by_file: defaultdict[str, list[DeadItem]] = defaultdict(list)
    for item in items:
        by_file[item.file].append(item)
    shares = [
        FileShare(
            file=path,
            items=len(found),
            dead_lines=dead,
            total_lines=lengths[path],
            dead_percent=round(100 * dead / lengths[path], 1),
        )
        for path, found in by_file.items()
        for dead in [_count_lines(found)]
    ]
    return sorted(shares, key=lambda it: (-it.dead_lines, it.file))


def _count_lines(items: Sequence[DeadItem]) -> int:
    """Count the dead lines of a file; nested definitions count once."""
    lines: set[int] = set()
    for item in items:
        lines.update(range(item.line, item.end_line + 1))
    return len(lines)


def _summarize(
    items: Sequence[DeadItem],
    shares: Iterable[FileShare],
    lengths: Mapping[str, int],
    definitions: int,
) -> DeadCodeSummary:
    dead = sum(share.dead_lines for share in shares)
    total = sum(lengths.values())
    kinds = [item.kind for item in items]
    return DeadCodeSummary(
        total_files=len(lengths),
        total_definitions=definitions,
        files_with_dead_code=len({item.file for item in items}),
        dead_functions=kinds.count("function"),
        dead_methods=kinds.count("method"),
        dead_types=kinds.count("type"),
        used_by_tests_only=sum(item.status == "used_by_tests" for item in items),
        dead_lines=dead,
        total_lines=total,
        dead_percent=round(100 * dead / total, 2) if total else None,
    )
