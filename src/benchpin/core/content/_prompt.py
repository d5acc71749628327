"""Prompts: texts with placeholders for a model or a person."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from benchpin.core.calls import Bench
from benchpin.core.errors import ConfigError, DependencyMissing, InvalidParams
from benchpin.core.text import parse_plain_yaml

from ._content import Content, Text

DEFAULT_CATEGORY = "workspace"
MAX_FRONT_MATTER_CHARS = 8_192
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*\r?\n(.*)\Z", re.DOTALL | re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{[ \t]*(\w+)[ \t]*\}\}")

Word = Annotated[str, Field(pattern=r"^[A-Za-z_][\w.-]{0,63}$")]


@dataclass(frozen=True, slots=True)
class PromptArgument:
    """One placeholder."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z_]\w{0,63}$")]
    description: str = ""
    required: bool = False
    default: str = ""
    choices: tuple[str, ...] = ()
    type: Literal["string", "number", "boolean"] = "string"
    """What clients may send besides text, which is what the prompt is filled with."""

    def as_text(self, value: object) -> object:
        """Return a number or boolean as text if the argument has that type; others as they are."""
        if isinstance(value, bool):
            return str(value).lower() if self.type == "boolean" else value
        if isinstance(value, int | float) and self.type == "number":
            return str(value)
        return value


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message of the conversation that a prompt starts."""

    content: Content
    role: Literal["user", "assistant"] = "user"


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """A prompt with its values filled in."""

    messages: tuple[PromptMessage, ...]
    raw: str
    """The text with its placeholders."""

    @property
    def text(self) -> str:
        """The text of all messages."""
        return "\n\n".join(
            message.content.text for message in self.messages if isinstance(message.content, Text)
        )


# One that asks the client something is awaited.
Rendering = RenderedPrompt | Awaitable[RenderedPrompt]


@dataclass(frozen=True, slots=True)
class Prompt:
    """The definition of a prompt: name, arguments and the function that renders it."""

    name: str
    title: str
    description: str
    category: str
    arguments: tuple[PromptArgument, ...]
    render: Callable[[Mapping[str, str], Bench], Rendering]

    def fill(self, values: Mapping[str, str], bench: Bench) -> RenderedPrompt:
        """Render where nobody can be asked.

        Raises:
            InvalidParams: as `rendering` does.
            DependencyMissing: when the prompt asks the client.
        """
        made = self.rendering(values, bench)
        if isinstance(made, RenderedPrompt):
            return made
        raise DependencyMissing(
            f"The prompt {self.name} asks its client", suggestion="Get it with an MCP client."
        )

    def rendering(self, values: Mapping[str, str], bench: Bench) -> Rendering:
        """Check the values, add the defaults and render.

        Raises:
            InvalidParams: naming each argument that is missing, unknown or not among its choices.
        """
        known = {argument.name: argument for argument in self.arguments}
        # Hosts send fields that a person left empty as empty strings.
        values = {name: value for name, value in values.items() if value or name not in known}
        problems = [f"{name} is not an argument" for name in values if name not in known]
        problems += [
            f"{argument.name} is required"
            for argument in self.arguments
            if argument.required and argument.name not in values
        ]
        problems += [
            f"{name} must be one of {', '.join(known[name].choices)}"
            for name, value in values.items()
            if name in known and known[name].choices and value not in known[name].choices
        ]
        if problems:
            names = ", ".join(known) or "none"
            raise InvalidParams(
                f"Prompt {self.name}: {'; '.join(problems)}",
                suggestion=f"Arguments of {self.name}: {names}.",
                data={"prompt": self.name, "problems": problems},
            )
        defaults = {argument.name: argument.default for argument in self.arguments}
        return self.render({**defaults, **values}, bench)


def prompt(
    *, title: str, category: str, arguments: tuple[PromptArgument, ...] = ()
) -> Callable[[Callable[[Mapping[str, str], Bench], Rendering]], Prompt]:
    """Make a prompt from a function that renders it; its docstring is the description."""

    def define(render: Callable[[Mapping[str, str], Bench], Rendering]) -> Prompt:
        return Prompt(
            name=getattr(render, "__name__", ""),
            title=title,
            description=" ".join((render.__doc__ or "").split()),
            category=category,
            arguments=arguments,
            render=render,
        )

    return define


# Prompts written as Markdown files: front matter with the description, then the text.
#
# The files come with the code and are not trusted: the front matter must be short and flat, all
# values are read as text, and YAML aliases, which can multiply without bound, are refused.


class _FrontMatter(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: Word | None = None
    title: str | None = None
    description: Annotated[str, Field(min_length=1)]
    category: Word = DEFAULT_CATEGORY
    arguments: tuple[PromptArgument, ...] = ()


def read_prompt(stem: str, content: str) -> Prompt:
    """Return the prompt of a file; its name is that of the file unless the front matter has one.

    Raises:
        ConfigError: when there is no front matter, or it is invalid.
    """
    found = _FRONT_MATTER.match(content.removeprefix("\ufeff"))
    hint = "Start the file with `---`, `description: …`, `---`."
    if found is None:
        raise ConfigError(f"The prompt {stem!r} has no front matter", suggestion=hint)
    try:
        front = _FrontMatter.model_validate(parse_plain_yaml(found[1], MAX_FRONT_MATTER_CHARS))
    except ValueError as error:
        reason = " ".join(str(error).split())[:300]
        raise ConfigError(
            f"The front matter of the prompt {stem!r} cannot be used: {reason}", suggestion=hint
        ) from error
    raw = found[2].strip()
    name = front.name or stem
    return Prompt(
        name=name,
        title=front.title or name.replace("_", " ").capitalize(),
        description=front.description,
        category=front.category,
        arguments=front.arguments,
        render=lambda values, _bench: render(raw, values),
    )


def render(raw: str, values: Mapping[str, str]) -> RenderedPrompt:
    """Fill in values in one pass, so that a value cannot add placeholders of its own."""
    text = _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), raw)
    return RenderedPrompt((PromptMessage(Text(text)),), raw)
