"""Code that runs around tests: fixtures of pytest, `setUp` and its like."""

from collections.abc import Iterator

from benchpin.code import CodeIndex
from benchpin.code.names import Module, Symbol
from benchpin.facts import Function

_FIXTURES = frozenset({"fixture", "pytest.fixture", "pytest_asyncio.fixture"})
_SET_UP = frozenset(
    {
        *("setUp", "setUpClass", "setUpTestData", "asyncSetUp", "setup_method", "setup_class"),
        *("setup_module", "setUpModule", "setup", "tearDown", "teardown_method"),
    }
)
_SHARED = "conftest.py"


def is_fixture(symbol: Symbol) -> bool:
    """Whether a function is a fixture of pytest."""
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
    for path in index.symbols.modules:
        is_near = path == fixture.file or (
            file == _SHARED and path.startswith(f"{folder}/" if folder else "")
        )
        if is_near:
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
