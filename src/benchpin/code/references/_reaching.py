"""Which tests may run some code: callers, callers of callers, and what is between them.

Unlike `dependents`, which lists what certainly breaks, this follows what is only possible too: a
test that is left out is worse than one too many. What it follows, each at a price, nearest first:

- uses of a name, certain or possible; the more things have the name, the dearer a possible use;
- from a method that is not called by its name (an operator, an override) to its type;
- from code of a file or class to the variable that it gives a value;
- from a method to code of its class, or of a base, that puts its name together: `f"visit_{kind}"`;
- from a fixture of pytest to the tests and fixtures with a parameter of its name.
"""

import heapq
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import log2

from benchpin.code import CodeIndex
from benchpin.code.names import Module, Symbol
from benchpin.core.calls import Job
from benchpin.facts import Function, Type
from benchpin.workspace.walking import is_test_path

from ._dependents import is_fixture, is_set_up, is_test, users_of_fixture
from ._uses import Use, enclosing_symbol, find_uses
from ._written_at import decorated_at, variable_at

_MAX_PRICE = 7.0
_MAX_FOLLOWED_SYMBOLS = 400
# Files, counted once for each symbol whose users are looked for in them. A name that a third of a
# large project has uses up a fifth of it, and most tests are found by then.
_MAX_EXAMINED = 4_000
# Chosen by bench/find_tests.py on its three projects for tuning.
_PRICE = 1.0
_PRICE_OF_TYPE = 1.0
_PRICE_OF_DOUBT = 1.0
# The price of a type that is neither called nor inherited from: in an annotation, in a table.
_PRICE_OF_NAMING = 2.0
# What returns a method by its name, and the shortest part of a name that identifies them.
_BY_NAME, _MIN_BEGINNING_CHARS = ("getattr", "send", "public_send"), 2
# More functions than this, passed on and not called: routes, commands, handlers of a whole program.
_MAX_REGISTERED = 20
_STARTING = frozenset(
    {
        *("createapp", "makeapp", "buildapp", "setupapp", "initapp", "startapp"),
        *("startserver", "runserver", "bootstrap"),
    }
)


@dataclass(frozen=True, slots=True)
class Reached:
    """A test, or a file of tests, that may run the code."""

    file: str
    name: str
    """The qualified name; empty for the file."""
    line: int
    distance: int
    """How many steps lead to the code."""
    price: float
    is_certain: bool
    """Whether only certain calls lead there."""
    is_program: bool = False
    """Whether it only does so by what starts or registers a whole program."""
    lines: frozenset[int] = frozenset()
    """Where it does so, as surely as that; 0 for what a fixture or a class does for it."""


@dataclass(frozen=True, slots=True)
class _Step:
    symbol: Symbol
    distance: int
    price: float
    is_certain: bool
    line: int = 0
    """Of the use in its own code; 0 where there is none."""
    is_program: bool = False
    needs: frozenset[str] = frozenset()
    """Words of which a function on the way, or the test, has to have one: `len` for `__len__`."""


class ReachingTests:
    def __init__(self, index: CodeIndex, job: Job) -> None:
        self._index = index
        self._job = job
        self._order = count()
        self._waiting: list[tuple[bool, float, int, _Step]] = []
        self._best: dict[tuple[str, str], Reached] = {}
        self._lines: defaultdict[tuple[str, str, bool], set[int]] = defaultdict(set)
        self._registrars: dict[Symbol, bool] = {}
        self.is_cut = False
        """Whether there was more to follow."""
        self.callers: set[str] = set()
        """The files of what calls it directly."""
        self._has_test = False

    def find(self, symbols: Sequence[Symbol]) -> list[Reached]:
        self._search(symbols)
        best = (
            replace(it, lines=frozenset(self._lines[it.file, it.name, it.is_certain]))
            for it in self._best.values()
        )
        return sorted(best, key=lambda it: (not it.is_certain, it.price, it.file, it.line))

    def finds_one(self, symbol: Symbol) -> bool:
        """Whether a test may run a symbol; ends at the first one, which `find` would list too."""
        self._search([symbol], first_only=True)
        return self._has_test

    def _search(self, symbols: Sequence[Symbol], *, first_only: bool = False) -> None:
        for symbol in symbols:
            self._follow(_Step(symbol, 0, 0.0, is_certain=True))
        done: set[Symbol] = set()
        left = _MAX_EXAMINED
        while self._waiting and not (first_only and self._has_test):
            *_, step = heapq.heappop(self._waiting)
            if step.symbol in done:
                continue
            left -= len(self._index.symbols.names.using(step.symbol.name))
            if len(done) >= _MAX_FOLLOWED_SYMBOLS or (left < 0 and done):
                self.is_cut = True
                break
            done.add(step.symbol)
            self._job.check()
            self._expand(step)

    def _follow(self, step: _Step) -> None:
        """Note a test; put anything else where its users are looked for."""
        symbol = step.symbol
        if step.price > _MAX_PRICE:
            return
        if step.needs and symbol.is_function and self._has_one(symbol, step.needs):
            step = replace(step, needs=frozenset())
        for test in () if step.needs else self._tests_of(symbol):
            self._note(test, step)
        if not is_test(self._index, symbol) or not step.distance:
            waiting = (step.is_program, step.price, next(self._order), step)
            heapq.heappush(self._waiting, waiting)

    def _note(self, test: tuple[str, str, int], step: _Step) -> None:
        file, name, line = test
        self._has_test |= bool(name)
        self._lines[file, name, step.is_certain].add(step.line)
        known = self._best.get((file, name))
        found = Reached(
            file, name, line, step.distance, step.price, step.is_certain, step.is_program
        )
        if known is None or _standing(found) > _standing(known):
            self._best[file, name] = found

    def _tests_of(self, symbol: Symbol) -> Iterator[tuple[str, str, int]]:
        """Yield the tests that a symbol is, is in, or is run around."""
        module = self._index.symbols.modules[symbol.file]
        own = self._outer_test(module, symbol)
        if own is not None:
            yield from self._inherited(own)
            return
        if not is_test_path(symbol.file):
            return
        owner = symbol if symbol.is_type else self._index.owner_of(symbol)
        if owner is not None and (symbol.is_type or is_set_up(symbol)):
            for heir in (owner, *self._heirs(owner)):
                for test in self._tests_in(heir.file, heir.qualified):
                    yield from self._inherited(test)
        elif is_set_up(symbol):
            for test in self._tests_in(symbol.file, None):
                yield from self._inherited(test)

    def _outer_test(self, module: Module, symbol: Symbol) -> Symbol | None:
        """Return the outermost test that a symbol is or is in: runners know no other."""
        parts = symbol.qualified.split(".")
        for length in range(1, len(parts) + 1):
            found = module.symbols.get(".".join(parts[:length]))
            if found is not None and isinstance(found.declared, Function):
                return found if is_test(self._index, found) else None
        return None

    def _tests_in(self, file: str, owner: str | None) -> Iterator[Symbol]:
        for symbol in self._index.symbols.modules[file].symbols.values():
            if owner in {None, symbol.owner} and is_test(self._index, symbol):
                yield symbol

    def _inherited(self, test: Symbol) -> Iterator[tuple[str, str, int]]:
        """Yield a test, and again under the name of each class that inherits it.

        pytest runs what a file of tests imports from another as its own, too.
        """
        owner = self._index.owner_of(test)
        if owner is None:
            yield test.file, test.qualified, test.line
            yield from ((file, name, 1) for file, name in self._importing(test))
            return
        for heir in (owner, *self._heirs(owner)):
            if self._is_run(heir):
                line = test.line if heir is owner else heir.line
                yield heir.file, f"{heir.qualified}.{test.name}", line
                for file, name in self._importing(heir):
                    yield file, f"{name}.{test.name}", 1

    def _importing(self, symbol: Symbol) -> Iterator[tuple[str, str]]:
        """Yield the files of tests that import a test or a class of tests, and its name there."""
        symbols = self._index.symbols
        start = "Test" if symbol.is_type else "test"
        for module, alias in self._index.importers(symbol.name):
            is_named = alias.startswith(start) or (symbol.is_type and self._is_run(symbol))
            is_test_file = module.navigation.collects_tests and is_test_path(module.path)
            if is_named and is_test_file and symbols.exported(module.path, alias) is symbol:
                yield module.path, alias

    def _is_run(self, owner: Symbol) -> bool:
        """Whether runners take the tests of a class for itself, not only for those that inherit."""
        rules = self._index.symbols.modules[owner.file].navigation
        if not rules.collects_tests or owner.name.startswith("Test"):
            return True
        bases = (
            it for above in (owner, *self._index.names.ancestors(owner)) for it in _bases(above)
        )
        return any("Test" in it for it in bases)

    def _heirs(self, owner: Symbol) -> list[Symbol]:
        """Return the types that inherit from a type, directly or not."""
        waiting, found = list(self._index.types.direct(owner)), dict[Symbol, None]()
        while waiting:
            subtype = waiting.pop()
            if subtype not in found:
                found[subtype] = None
                waiting += self._index.types.direct(subtype)
        return list(found)

    def _expand(self, step: _Step) -> None:
        symbol, index = step.symbol, self._index
        module = index.symbols.modules[symbol.file]
        around = module.symbols.get(symbol.owner)
        if around is not None and around.is_function:  # it is made each time that one runs
            self._follow(replace(step, symbol=around))
        owner = index.owner_of(symbol)
        if owner is not None and self._is_run_by_type(symbol, owner):
            price = step.price + _PRICE_OF_TYPE
            needs = module.navigation.operators.get(symbol.name, step.needs)
            via = replace(step, symbol=owner, price=price, is_certain=False, line=0, needs=needs)
            self._follow(via)
        if is_fixture(symbol):
            for function in users_of_fixture(index, symbol):
                price = step.price + _PRICE
                self._follow(
                    replace(step, symbol=function, distance=step.distance + 1, price=price, line=0)
                )
        for caller in self._asking_by_name(symbol, owner):
            via = replace(step, distance=step.distance + 1, price=step.price + _PRICE, line=0)
            self._follow(replace(via, symbol=caller, is_certain=False))
        family = module.family
        doubt = _PRICE_OF_DOUBT + log2(max(1, index.symbols.count_named(family, symbol.name)))
        for use in find_uses(index, symbol, self._job, mentions=False).found:
            if use.kind == "import":
                continue
            is_certain = use.certainty == "certain"
            price = step.price + _PRICE + (0 if is_certain else doubt)
            if symbol.is_type and use.kind not in {"call", "inherit"}:
                price += _PRICE_OF_NAMING
            users = self._users(use.file, use.inside, use.line)
            if not step.distance and is_certain:
                self.callers.add(use.file)
            is_sure, distance = step.is_certain and is_certain, step.distance + 1
            via = replace(step, distance=distance, price=price, is_certain=is_sure, line=use.line)
            self._follow_users(use, users, via)

    def _has_one(self, function: Symbol, words: frozenset[str]) -> bool:
        """Whether the code of a function has one of some words."""
        code = self._index.symbols.modules[function.file].code
        scope = None if code is None else code.scope_of.get(function.qualified)
        if code is None or scope is None:
            return True
        return not words.isdisjoint(code.stream.words[slice(*scope.span)])

    def _follow_users(self, use: Use, users: Sequence[Symbol], via: _Step) -> None:
        for user in users:
            is_program = via.is_program or self._starts_program(user)
            self._follow(replace(via, symbol=user, is_program=is_program))
        # Code after a variable of a file may be a test without a name as well as its value.
        is_outside = all(it.declared is None for it in users)
        is_known = is_outside and not via.needs
        if is_known and is_test_path(use.file) and via.price <= _MAX_PRICE:
            self._note((use.file, "", 1), replace(via, line=0))

    def _asking_by_name(self, symbol: Symbol, owner: Symbol | None) -> Iterator[Symbol]:
        """Yield what gets methods by names that begin as that of a method does, and go on."""
        start, mark, _ = symbol.name.lstrip("_").partition("_")
        if owner is None or not mark or not symbol.is_function or len(start) < _MIN_BEGINNING_CHARS:
            return
        start = symbol.name[: symbol.name.index(start) + len(start) + 1]
        for file in dict.fromkeys(it.file for it in (owner, *self._index.names.ancestors(owner))):
            module = self._index.symbols.modules[file]
            if module.code is None:
                continue
            for at in module.code.stream.literals_with(start.encode()):
                scope = module.code.scope_at(at)
                user = None if scope is None else module.symbols.get(scope.declared.name)
                said = module.code.stream.words[at].lstrip("bfruBFRU").strip("'\"`")
                is_asking = scope is not None and any(
                    module.code.stream.words[it] in _BY_NAME for it in range(*scope.span)
                )
                if user is not None and is_asking and said in {start, f"{start}%s"}:
                    yield user

    def _is_run_by_type(self, method: Symbol, owner: Symbol) -> bool:
        """Whether something else than a call by its name runs a method: an operator, a base."""
        name = method.name
        if not method.is_function or (name.startswith("__") and name.endswith("__")):
            return True
        names = self._index.names
        if names.has_outside_base(owner):
            return True
        above = (it for it in names.ancestors(owner) if it is not owner)
        return any(self._index.symbols.member(it, name) is not None for it in above)

    def _starts_program(self, user: Symbol) -> bool:
        """Whether it sets up a whole program, or registers many functions without calling them."""
        if not user.is_function or is_test_path(user.file):
            return False
        if not user.owner and user.name.replace("_", "").lower() in _STARTING:
            return True
        if user not in self._registrars:
            self._registrars[user] = self._is_registrar(user)
        return self._registrars[user]

    def _is_registrar(self, user: Symbol) -> bool:
        module = self._index.symbols.modules[user.file]
        scope = None if module.code is None else module.code.scope_of.get(user.qualified)
        if module.code is None or scope is None:
            return False
        words, bound = module.code.stream.words, module.bindings
        first, last = scope.span
        called = {words[it - 1] for it in range(first + 1, last) if words[it] == "("}
        passed = {
            words[it]
            for it in range(first, min(last, len(words) - 1))
            if words[it + 1] in {",", ")"} and words[it].isidentifier()
        }
        count_named = self._index.symbols.count_named
        loops = {
            words[it + 1] for it in range(first, min(last, len(words) - 1)) if words[it] == "for"
        }
        if loops & called:  # it runs what it lists, one after the other
            return False
        known = (it for it in passed - called if it in bound or count_named(module.family, it))
        return sum(1 for _ in known) > _MAX_REGISTERED

    def _users(self, file: str, inside: str, line: int) -> list[Symbol]:
        module = self._index.symbols.modules[file]
        user = enclosing_symbol(module, inside)
        decorated = decorated_at(module, line)
        if decorated is not None and (user is None or user.is_type):
            return [decorated]
        if user is not None:
            return [user]
        variable = variable_at(module, line)
        return [] if variable is None else [variable]


def _standing(test: Reached) -> tuple[bool, bool, float]:
    return not test.is_program, test.is_certain, -test.price


def _bases(symbol: Symbol) -> tuple[str, ...]:
    return symbol.declared.bases if isinstance(symbol.declared, Type) else ()


def is_tested(index: CodeIndex, symbol: Symbol, job: Job) -> bool:
    """Whether a test may run a function, as far as it was followed.

    Much cheaper than a list of the tests: it ends at the first.
    """
    reach = ReachingTests(index, job)
    if reach.finds_one(symbol):
        return True
    if reach.is_cut:
        job.leave_out("tests that reach it by more steps than were followed")
    return reach.is_cut
