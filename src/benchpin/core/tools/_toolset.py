"""A tool as a static value, and a toolset: tools, resources, prompts, commands of one package.

The MCP schema of a tool, its command and its docs page are derived from it. A toolset holds names,
not objects: a module is imported when its tool is first listed or called, so that server and
commands start without loading what they do not use.
"""

import inspect
import re
import typing
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar, cast, overload

from pydantic import BaseModel, ConfigDict
from pydantic_core import from_json

from benchpin.core.calls import Bench
from benchpin.core.content import Prompt, Resource
from benchpin.core.errors import ToolsetBroken
from benchpin.core.results import Result

from ._effects import Effect
from ._params import Params
from ._schemas import Schema

P = TypeVar("P", bound=Params)
R = TypeVar("R", bound=Result)
ToolFunction = Callable[[P, Bench], R] | Callable[[P, Bench], Awaitable[R]]
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_MAX_NAME = 40
_MAX_DESCRIPTION = 300
Arguments = dict[str, object]
REQUIRED: object = object()
T = TypeVar("T")
# The file of a package with what its tools publish, written by `make generate`.
DEFINITIONS = "definitions.json"


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


# Commands that a toolset declares: short ones, and those that differ from what their tool says.


@dataclass(frozen=True, slots=True)
class CommandField:
    """How a command takes a field of its tool; type, limits and help come from the schema."""

    name: str
    """`PATH` is an argument, `--slow-log FILE` an option; a field without a name is not offered."""
    default: object = REQUIRED
    """The value if none is typed, where the schema has another one or requires one."""
    variable: str = ""
    """An environment variable that gives the value, if the command line does not."""
    is_path: bool = False
    """Whether it is a path; typing one gives access to its folder."""
    help: str = ""
    """What the command's help says, if the description of the field does not fit."""
    parse: Callable[[str], object] | None = None
    """Returns an item of a list, or a key and its value, from one text."""


@dataclass(frozen=True, slots=True)
class Command:
    """A tool under another name, or with other arguments, than the command derived from it."""

    tool: str
    help: str = ""
    """Follows the summary."""
    fields: Mapping[str, CommandField] = field(default_factory=dict)
    """Fields that differ from the derived option, by name."""
    complete: Callable[[Arguments, Bench], Arguments] | None = None
    """Adds arguments that were not typed."""
    remember: Callable[[Result, Bench], None] | None = None
    """Stores part of the result for the next command."""
    summary: str = ""
    """What the command does; the description of the tool by default."""
    say: Callable[[Any], str] | None = None
    """Returns what is printed in place of the text of the result, which a protocol fixes."""
    confirm: str = ""
    """The argument that names a preview to write; typed alone, it is asked about."""


def pair(separator: str) -> Callable[[str], tuple[str, str]]:
    """Return a parser of `NAME=VALUE`, with some separator.

    Raises:
        ValueError: when the text has none.
    """

    def parse(text: str) -> tuple[str, str]:
        name, found, value = text.partition(separator)
        if not found:
            message = f"{text!r} is not NAME{separator}VALUE"
            raise ValueError(message)
        return name.strip(), value.strip()

    return parse


@dataclass(frozen=True, slots=True)
class Example:
    """A call that shows what a toolset does; it must work on any repository."""

    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)


class ToolsetSettings(BaseModel):
    """Base of the settings of a toolset, from the configuration table with its name.

    The docstring of a subclass says what can be set; it is published in docs/configuration.md. The
    environment cannot set a table.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    remedy: ClassVar[str] = ""
    """What to do about a wrong value; by default the error points to docs/configuration.md."""

    def narrowed_by(self, workspace: Self) -> Self:
        """Combine these settings with those of the workspace's own file.

        By default the file replaces them. Override this where a setting grants a right, so that the
        file can only take it away.
        """
        return workspace


@dataclass(frozen=True, slots=True)
class Toolset:
    """A package of tools, resources and prompts."""

    package: str
    title: str
    description: str
    tools: tuple[str, ...]
    """Names of modules of the package, each with a tool of the same name."""
    example: Example
    resources: tuple[str, ...] = ()
    """Names of values in the package's `resources` module."""
    prompts: tuple[str, ...] = ()
    """Names of values in the package's `prompts` module."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Tools by their aliases."""
    codes: Mapping[str, int] = field(default_factory=dict)
    """JSON-RPC codes by error kind, if the toolset's protocol has any."""
    command: str = ""
    """The group of its commands, such as `perf`; without one, their names are like tools'."""
    commands: tuple[str, ...] = ()
    """Names of commands that differ from a tool's, and of values in the `commands` module."""
    settings: str = ""
    """Name of a class in the package's `settings` module; empty without settings."""
    distribution: str = ""
    """Name and version of the distribution that adds it; empty for Benchpin's own."""

    @property
    def name(self) -> str:
        return self.package.rpartition(".")[2]

    def load_tool(self, name: str) -> AnyTool:
        tool: AnyTool = self._load(name, name, Tool)
        if tool.name != name:
            message = f"{self.package}.{name} has a tool called {tool.name!r}, not {name!r}"
            raise TypeError(message)
        return tool

    def definitions(self) -> dict[str, ToolDefinition]:
        """Return what the tools publish, without importing them where that was prepared."""
        prepared = Path(import_module(self.package).__path__[0]) / DEFINITIONS
        if not prepared.is_file():
            return {name: self.load_tool(name).definition for name in self.tools}
        described = from_json(prepared.read_bytes())
        return {name: ToolDefinition.from_json(name, described[name]) for name in self.tools}

    def load_resources(self) -> tuple[Resource, ...]:
        return tuple(self._load("resources", name, Resource) for name in self.resources)

    def load_prompts(self) -> tuple[Prompt, ...]:
        return tuple(self._load("prompts", name, Prompt) for name in self.prompts)

    def load_command(self, name: str) -> Command:
        """Import one short command."""
        return self._load("commands", name, Command)

    def load_settings(self) -> type[ToolsetSettings] | None:
        """Import the class of the settings; None without any."""
        if not self.settings:
            return None
        kind: type[ToolsetSettings] = self._load("settings", self.settings, type)
        return kind

    def _load(self, module: str, name: str, kind: type[T]) -> T:
        if not self.distribution:
            return self._import(module, name, kind)
        try:
            return self._import(module, name, kind)
        except (Exception, SystemExit) as error:  # code of others may raise anything
            raise ToolsetBroken.of(self.name, self.distribution, error) from error

    def _import(self, module: str, name: str, kind: type[T]) -> T:
        value = getattr(import_module(f"{self.package}.{module}"), name, None)
        if not isinstance(value, kind):
            message = f"{self.package}.{module} has no {kind.__name__} called {name!r}"
            raise TypeError(message)
        return value
