"""A tool as a static value; its MCP schema, command and docs page are derived from it."""

import inspect
import re
import typing
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar, cast, overload

from benchpin.core.calls import Bench
from benchpin.core.results import Result

from ._effects import Effect
from ._params import Params, Schema

P = TypeVar("P", bound=Params)
R = TypeVar("R", bound=Result)
ToolFunction = Callable[[P, Bench], R] | Callable[[P, Bench], Awaitable[R]]

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_MAX_NAME = 40
_MAX_DESCRIPTION = 300


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """What is known about a tool without importing it: what is listed, and who may call it."""

    name: str
    summary: str
    """When to take it, in one or two sentences."""
    schema: Schema
    """The arguments that most callers need."""
    effect: Effect
    needs_sandbox: bool = False
    further_effect: Effect | None = None
    also: str = ""
    """Other words that users have for it; `find_tools` searches them."""
    calls_tools: bool = False

    @classmethod
    def from_json(cls, name: str, prepared: Mapping[str, Any]) -> "ToolDefinition":
        """Return a definition that `to_json` prepared."""
        further = prepared["further_effect"]
        return cls(
            name,
            prepared["summary"],
            prepared["schema"],
            Effect(prepared["effect"]),
            prepared["needs_sandbox"],
            None if further is None else Effect(further),
            prepared["also"],
            prepared["calls_tools"],
        )

    def to_json(self) -> dict[str, object]:
        """Return everything but the name, as plain values."""
        return {key: value for key, value in asdict(self).items() if key != "name"}


@dataclass(frozen=True)
class Tool(Generic[P, R]):
    """A function that clients can call, and everything they must know about it."""

    name: str
    title: str
    description: str
    effect: Effect
    params_type: type[P]
    result_type: type[R]
    function: ToolFunction[P, R]
    needs_sandbox: bool = False
    """Whether it runs the caller's programs, and is disabled if no sandbox works."""
    further_effect: Effect | None = None
    """An effect of some calls only, which they check with `Bench.require`."""
    is_heavy: bool = False
    """Whether a call computes for seconds on a large workspace; a server runs few of these at a
    time, so that others are answered meanwhile."""
    is_brief: bool = False
    """Whether a call only reads a little from the workspace or the folder of records, and asks
    `Job.expect` first where it may be more; a server with nothing else to do runs it at once,
    without a thread."""
    also: str = ""
    """Other words that users have for it; `find_tools` searches them."""
    calls_tools: bool = False
    """Whether a call can have the effect of any other enabled tool."""

    def __call__(self, params: P, bench: Bench) -> R | Awaitable[R]:
        """Call the function."""
        return self.function(params, bench)

    @cached_property
    def is_async(self) -> bool:
        """Whether the function runs on the event loop rather than on a worker thread."""
        return inspect.iscoroutinefunction(self.function)

    @cached_property
    def input_schema(self) -> Schema:
        """The schema of the arguments."""
        return self.params_type.json_schema()

    @cached_property
    def definition(self) -> ToolDefinition:
        """What is known without importing the tool."""
        return ToolDefinition(
            self.name,
            _summary(self.description),
            self.params_type.listed_schema(),
            self.effect,
            self.needs_sandbox,
            self.further_effect,
            self.also,
            self.calls_tools,
        )

    @cached_property
    def output_schema(self) -> Schema:
        """The schema of the structured result."""
        return self.result_type.json_schema()


AnyTool = Tool[Params, Result]


class ToolDecorator(Protocol):
    """Turns a function, sync or async, into a tool."""

    @overload
    def __call__(self, function: Callable[[P, Bench], Awaitable[R]], /) -> Tool[P, R]: ...
    @overload
    def __call__(self, function: Callable[[P, Bench], R], /) -> Tool[P, R]: ...


def tool(
    *,
    title: str,
    effect: Effect,
    needs_sandbox: bool = False,
    further_effect: Effect | None = None,
    is_heavy: bool = False,
    is_brief: bool = False,
    also: str = "",
    calls_tools: bool = False,
) -> ToolDecorator:
    """Make a tool from a function `(params, bench) -> result`; its docstring is the description.

    Raises:
        TypeError: when the signature, the name or the docstring is invalid.
    """

    def define(function: ToolFunction[P, R]) -> Tool[P, R]:
        name = cast("str", getattr(function, "__name__", ""))
        description = " ".join((function.__doc__ or "").split())
        if not _NAME.fullmatch(name) or len(name) > _MAX_NAME:
            message = f"{name!r} is not a tool name: use verb_noun, at most {_MAX_NAME} characters"
            raise TypeError(message)
        if not 0 < len(description) <= _MAX_DESCRIPTION:
            message = f"{name}: describe it in a docstring of 1 to {_MAX_DESCRIPTION} characters"
            raise TypeError(message)
        hints = typing.get_type_hints(function)
        takes = [hints.get(parameter) for parameter in inspect.signature(function).parameters]
        params_type, result_type = takes[0] if takes else None, hints.get("return")
        if (
            takes[1:] != [Bench]
            or not _is_model(params_type, Params)
            or not _is_model(result_type, Result)
        ):
            message = f"{name}: the signature of a tool is (params: Params, bench: Bench) -> Result"
            raise TypeError(message)
        return Tool(
            name=name,
            title=title,
            description=description,
            effect=effect,
            params_type=cast("type[P]", params_type),
            result_type=cast("type[R]", result_type),
            function=function,
            needs_sandbox=needs_sandbox,
            further_effect=further_effect,
            is_heavy=is_heavy,
            is_brief=is_brief,
            also=also,
            calls_tools=calls_tools,
        )

    return cast("ToolDecorator", define)


def _summary(description: str) -> str:
    """Return the first sentence, and those that begin with Use: they say when to take the tool."""
    first, *others = re.split(r"(?<=\.) ", description)
    return " ".join([first, *(it for it in others if it.startswith("Use "))]).rstrip(".")


def _is_model(candidate: object, base: type) -> bool:
    return isinstance(candidate, type) and issubclass(candidate, base)
