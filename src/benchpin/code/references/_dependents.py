"""What depends on symbols: the functions that use them, those that use these, nearest first."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from benchpin.code import CodeIndex
from benchpin.code.names import Symbol
from benchpin.core.calls import Job
from benchpin.facts import Function
from benchpin.workspace.walking import is_test_path

from ._fixtures import is_fixture, is_set_up, users_of_fixture
from ._uses import Certainty, UseKind, enclosing_symbol, find_uses

# Functions whose users are looked for; the rest of a popular one is listed, not followed.
_MAX_FOLLOWED_SYMBOLS = 150
_TEST_MARKS = frozenset(
    {"Test", "ParameterizedTest", "RepeatedTest", "test", "tokio::test", "rstest", "Fact", "Theory"}
)


@dataclass(frozen=True, slots=True)
class Dependent:
    """Code that uses a symbol, directly or through others."""

    id: str
    """The path, `::` and the qualified name; only the path for code outside of functions."""
    file: str
    line: int
    """Where it uses what it depends on."""
    distance: int
    certainty: Certainty
    kind: UseKind
    uses: str
    """The id of what it uses."""
    is_test: bool


@dataclass(frozen=True, slots=True)
class Dependents:
    """What was found, nearest and most certain first."""

    found: list[Dependent]
    is_cut: bool
    """Whether more depends on it than was followed."""


def find_dependents(
    index: CodeIndex, symbols: Sequence[Symbol], job: Job, *, depth: int
) -> Dependents:
    """Return what uses some symbols, up to a number of steps.

    What uses them only possibly is listed, but what uses that is not. Tests are not followed.
    """
    seen = {it.id for it in symbols}
    level = list(symbols)
    found: list[Dependent] = []
    followed = 0
    is_cut = False
    for distance in range(1, depth + 1):
        reached: dict[str, Symbol] = {}
        for symbol in job.each(level, "symbols"):
            if followed >= _MAX_FOLLOWED_SYMBOLS:
                is_cut = True
                break
            followed += 1
            for dependent, user in _users(index, symbol, distance, job):
                if dependent.id in seen:
                    continue
                found.append(dependent)
                if dependent.certainty == "certain":
                    seen.add(dependent.id)
                    if user is not None and not dependent.is_test:
                        reached[dependent.id] = user
        level = list(reached.values())
    return Dependents(_nearest(found), is_cut)


def _nearest(found: Iterable[Dependent]) -> list[Dependent]:
    """Return each dependent once, as its nearest and most certain use."""
    ordered = sorted(
        found, key=lambda it: (it.certainty != "certain", it.distance, it.file, it.line, it.id)
    )
    best: dict[str, Dependent] = {}
    for dependent in ordered:
        best.setdefault(dependent.id, dependent)
    return list(best.values())


def _users(
    index: CodeIndex, symbol: Symbol, distance: int, job: Job
) -> Iterator[tuple[Dependent, Symbol | None]]:
    """Yield the functions that use a symbol; what runs around tests counts as those tests."""
    places: defaultdict[str, list[tuple[bool, int, UseKind]]] = defaultdict(list)
    users: dict[str, Symbol | None] = {}
    for use in find_uses(index, symbol, job, mentions=False).found:
        if use.kind != "import":
            user = enclosing_symbol(index.symbols.modules[use.file], use.inside)
            user_id = use.file if user is None else user.id
            users[user_id] = user
            places[user_id].append((use.certainty != "certain", use.line, use.kind))
    for user_id, user in users.items():
        is_unsure, line, kind = min(places[user_id])
        file = user_id if user is None else user.file
        found = Dependent(
            id=user_id,
            file=file,
            line=line,
            distance=distance,
            certainty="possible" if is_unsure else "certain",
            kind=kind,
            uses=symbol.id,
            is_test=user is not None and is_test(user),
        )
        yield found, user
        for test in _tests_around(index, user, file):
            yield replace(found, id=test.id, file=test.file, line=test.line, is_test=True), test


def is_test(symbol: Symbol) -> bool:
    """Whether a function is a test, by the conventions of its language."""
    declared = symbol.declared
    if not isinstance(declared, Function):
        return False
    if not _TEST_MARKS.isdisjoint(declared.decorators):
        return True
    name = symbol.name
    if symbol.file.endswith("_test.go"):
        return name.startswith(("Test", "Benchmark", "Example", "Fuzz"))
    return is_test_path(symbol.file) and name.startswith("test")


def _tests_around(index: CodeIndex, user: Symbol | None, file: str) -> Iterator[Symbol]:
    """Yield the tests that code outside of them runs for: a fixture, `setUp`, the file itself."""
    # Few users are: the tests of a file are looked for late.
    if (user is None or is_set_up(user)) and is_test_path(file):
        tests = (it for it in index.symbols.modules[file].symbols.values() if is_test(it))
        owner = "" if user is None else user.owner
        yield from (it for it in tests if not owner or it.owner == owner)
    if user is None:
        return
    if is_fixture(user):
        yield from filter(is_test, users_of_fixture(index, user))
