"""What each call in the body of a function is of, so that a list of callees says what it lacks."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from benchpin.code import CodeIndex
from benchpin.code.names import ANONYMOUS, Code, Module, Symbol
from benchpin.core.calls import Job
from benchpin.core.text import counted

from ._calls import CallGraph, named_within
from ._uses import is_called

_MAX_NAMED = 6
# Files that use a name, among which a variable of that name is looked for.
_MAX_USERS = 20
# What is before the name of a function where it is defined.
_DEFINES = frozenset({"func", "fn", "fun", "function", "def"})


@dataclass(frozen=True, slots=True)
class BodyCalls:
    """Every call in the body of one function, each in one class."""

    calls: int
    listed: int
    """Of functions and types of the workspace, which the trace has."""
    itself: int
    outside: dict[str, int]
    """Of libraries and the language, by name, the most first."""
    variables: dict[str, int]
    """Of what a variable or a parameter holds, with the first line of each."""
    computed: tuple[int, ...]
    """Lines on which the result of an expression is called."""
    unresolved: dict[str, int]
    """Of members of objects of unknown type, with the first line of each."""

    @property
    def is_whole(self) -> bool:
        """Whether it is known what each call runs."""
        return not (self.variables or self.computed or self.unresolved)

    def sentence(self) -> str:
        """Return the classes in words, as one line."""
        outside = sum(self.outside.values())
        named = _first(self.outside)
        parts = [
            f"{self.listed:,} of the workspace" if self.listed else "",
            f"{self.itself:,} of itself" if self.itself else "",
            f"{outside:,} of libraries ({named})" if outside else "",
            f"of what a variable holds: {_placed(self.variables)}" if self.variables else "",
            f"not resolved: {_placed(self.unresolved)}" if self.unresolved else "",
            f"of computed values, line {_first(self.computed)}" if self.computed else "",
            "nothing else" if self.is_whole else "not whole",
        ]
        return f"{counted(self.calls, 'call')} in its body: {'; '.join(filter(None, parts))}"


def _first(found: Iterable[object]) -> str:
    names = [str(it) for it in found]
    more = len(names) - _MAX_NAMED
    return ", ".join(names[:_MAX_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _placed(found: Mapping[str, int]) -> str:
    return _first(f"`{name}` line {line}" for name, line in found.items())


def calls_in_body(index: CodeIndex, symbol: Symbol, job: Job) -> BodyCalls | None:
    """Return what each call in a function is of; None for what has no body."""
    graph, module = CallGraph(index, job), index.symbols.modules[symbol.file]
    code = module.code
    if code is None:
        return None
    outside, seen = Counter[str](), Counter[str]()
    variables, unresolved = dict[str, int](), dict[str, int]()
    for at in named_within(code, symbol.qualified):
        if is_called(code, at):
            name, line = code.stream.words[at], code.stream.line(at)
            kind = _class_of(graph, module, at, symbol)
            seen[kind] += 1
            if kind == "outside":
                outside[name] += 1
            elif kind == "variable":
                variables.setdefault(name, line)
            elif kind == "unresolved":
                unresolved.setdefault(name, line)
    computed = tuple(_computed_within(code, symbol.qualified))
    return BodyCalls(
        calls=seen.total() + len(computed),
        listed=seen["listed"],
        itself=seen["itself"],
        outside=dict(outside.most_common()),
        variables=variables,
        computed=computed,
        unresolved=unresolved,
    )


def _class_of(graph: CallGraph, module: Module, at: int, symbol: Symbol) -> str:
    """Return what a called name is: `outside` if it cannot be in the workspace."""
    called = [it for it, _, _ in graph.run_at(module, at)]
    if called:
        return "listed" if any(it is not symbol for it in called) else "itself"
    code, meaning = module.code, graph.index.meaning(module, at)
    if meaning.kind == "local":
        return "variable"
    if meaning.symbol is not None:
        return "listed"  # a type that is only made, such as a variant of an enum
    name = "" if code is None else code.stream.words[at]
    is_open = meaning.kind == "unknown" and meaning.receiver is not None
    return "unresolved" if is_open and _is_defined(graph.index, module, name) else "outside"


def _is_defined(index: CodeIndex, module: Module, name: str) -> bool:
    """Whether a function or a variable of the workspace has a name."""
    if any(it.is_function for it in index.symbols.named(module.family, name)):
        return True
    modules = index.symbols.modules
    users = [it for it in index.symbols.names.using(name) if it in modules][:_MAX_USERS]
    return any(modules[it].variable(name) is not None for it in users)


def _computed_within(code: Code, qualified: str) -> Iterator[int]:
    """Yield the lines of a function on which what an expression returns is called: `f(x)(y)`."""
    words = code.stream.words
    for scope in code.scopes:
        if scope.declared.name == qualified and scope.is_function:
            first, last = scope.span
            skipped = [it.span for it in scope.inner if ANONYMOUS not in it.declared.name]
            for at in range(first + 1, last):
                is_call = words[at] == "(" and words[at - 1] in {")", "]"}
                if is_call and not any(start <= at < end for start, end in skipped):
                    opened = code.stream.opening(at - 1)
                    line = code.stream.line(at)
                    # Not `if (a) (b)`, nor the results of `func (it T) name(a int) (int, error)`.
                    is_head = line == scope.declared.line and words[opened - 2] == ")"
                    if opened > 1 and not is_head and _is_value(code, opened):
                        yield line


def _is_value(code: Code, opened: int) -> bool:
    """Whether what is before a bracket is called or indexed, not defined and no keyword."""
    before = code.stream.words[opened - 1]
    is_named = code.stream.is_name(opened - 1) and code.stream.words[opened - 2] not in _DEFINES
    return is_named or before in {")", "]"}
