"""What depends on symbols: the functions that use them, those that use these, nearest first."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from benchpin.code import CodeIndex
from benchpin.code.names import Module, Symbol
from benchpin.core.calls import Job
from benchpin.facts import Function
from benchpin.workspace.walking import CodeScope, is_test_path

from ._uses import Certainty, UseKind, enclosing_symbol, find_uses

# Functions whose users are looked for; the rest of a popular one is listed, not followed.
_MAX_FOLLOWED_SYMBOLS = 150
# Of those that may only possibly use it.
_MAX_UNSURE_SYMBOLS = 50
# A name that more places may mean is not followed from these.
_MAX_FOLLOWED_PLACES = 12
# What marks and names code that runs around tests: fixtures of pytest, `setUp` and its like.
_FIXTURES = frozenset({"fixture", "pytest.fixture", "pytest_asyncio.fixture"})
_SET_UP = frozenset(
    {
        *("setUp", "setUpClass", "setUpTestData", "asyncSetUp", "setup_method", "setup_class"),
        *("setup_module", "setUpModule", "setup", "tearDown", "teardown_method"),
    }
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
    text: str = ""
    """The statement, or one line of it."""
    text_line: int = 0
    """The first line of the text."""
    scope: CodeScope = "production"


@dataclass(frozen=True, slots=True)
class Dependents:
    """What was found, nearest and most certain first."""

    found: list[Dependent]
    is_cut: bool
    """Whether more depends on it than was followed."""


def find_dependents(
    index: CodeIndex, symbols: Sequence[Symbol], job: Job, *, depth: int
) -> Dependents:
    """Return what uses some symbols, up to a number of steps; tests are not followed.

    What uses them only possibly is followed where few places do, and is possible as a whole.
    """
    seen = {it.id for it in symbols}
    unsure: set[str] = set()
    level = dict.fromkeys(symbols, True)
    found: list[Dependent] = []
    followed = {True: 0, False: 0}
    is_cut = False
    for distance in range(1, depth + 1):
        reached: dict[Symbol, bool] = {}
        for symbol in job.each(sorted(level, key=lambda it: not level[it]), "symbols"):
            is_sure = level[symbol]
            if followed[is_sure] >= (_MAX_FOLLOWED_SYMBOLS if is_sure else _MAX_UNSURE_SYMBOLS):
                is_cut = True
                continue
            followed[is_sure] += 1
            users = list(_users(index, symbol, distance, job))
            is_few = sum(it.certainty != "certain" for it, _ in users) <= _MAX_FOLLOWED_PLACES
            for dependent, user in users:
                is_certain = is_sure and dependent.certainty == "certain"
                if dependent.id in seen or (not is_certain and dependent.id in unsure):
                    continue
                (seen if is_certain else unsure).add(dependent.id)
                found.append(dependent if is_certain else replace(dependent, certainty="possible"))
                is_followed = dependent.certainty == "certain" or is_few
                if user is not None and not dependent.is_test and is_followed:
                    reached[user] = reached.get(user, False) or is_certain
        level = reached
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
            is_test=user is not None and is_test(index, user),
        )
        yield found, user
        for test in _tests_around(index, user, file):
            yield replace(found, id=test.id, file=test.file, line=test.line, is_test=True), test


def is_test(index: CodeIndex, symbol: Symbol) -> bool:
    """Whether a function is a test, by the conventions of its language."""
    return index.symbols.modules[symbol.file].is_test(symbol)


def _tests_around(index: CodeIndex, user: Symbol | None, file: str) -> Iterator[Symbol]:
    """Yield the tests that code outside of them runs for: a fixture, `setUp`, the file itself."""
    # Few users are: the tests of a file are looked for late.
    if (user is None or is_set_up(user)) and is_test_path(file):
        tests = (it for it in index.symbols.modules[file].symbols.values() if is_test(index, it))
        owner = "" if user is None else user.owner
        yield from (it for it in tests if not owner or it.owner == owner)
    if user is None:
        return
    if is_fixture(user):
        yield from (it for it in users_of_fixture(index, user) if is_test(index, it))


def is_fixture(symbol: Symbol) -> bool:
    declared = symbol.declared
    return isinstance(declared, Function) and not _FIXTURES.isdisjoint(declared.decorators)


def is_set_up(symbol: Symbol) -> bool:
    """Whether a function runs before or after each test of its class or file."""
    return symbol.name in _SET_UP


def users_of_fixture(index: CodeIndex, fixture: Symbol) -> Iterator[Symbol]:
    """Yield the tests and fixtures that can see a fixture and have a parameter of its name.

    Also those that name it in a string, as `usefixtures` and `getfixturevalue` do.
    """
    folder, _, file = fixture.file.rpartition("/")
    is_shared = file == index.symbols.modules[fixture.file].navigation.shared_fixtures
    for path in index.symbols.modules:
        is_inside = path.startswith(f"{folder}/" if folder else "")
        if path == fixture.file or (is_shared and is_inside):
            module = index.symbols.modules[path]
            yield from _with_parameter(module, fixture)
            yield from _naming(module, fixture)


def _with_parameter(module: Module, fixture: Symbol) -> Iterator[Symbol]:
    code = module.code
    if code is None or fixture.name not in module.facts.links.references:
        return
    for symbol in module.symbols.values():
        scope = code.scope_of.get(symbol.qualified)
        if scope is not None and symbol.is_function and symbol is not fixture:
            parameters = code.header(scope).parameters
            if any(parameter.name == fixture.name for parameter in parameters):
                yield symbol


def _naming(module: Module, fixture: Symbol) -> Iterator[Symbol]:
    code = module.code
    if code is None or not module.mentions(fixture.name):
        return
    for at in code.stream.literals_with(fixture.name.encode()):
        if code.stream.words[at].strip("'\"") == fixture.name:
            scope = code.scope_at(at) or code.scope_after(at)
            found = None if scope is None else module.symbols.get(scope.declared.name)
            if found is not None:
                yield found
