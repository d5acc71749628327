"""Prompts: texts with placeholders for a model or a person."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams

from ._content import Content, Text


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


@dataclass(frozen=True, slots=True)
class Prompt:
    """The definition of a prompt: name, arguments and the function that renders it."""

    name: str
    title: str
    description: str
    category: str
    arguments: tuple[PromptArgument, ...]
    render: Callable[[Mapping[str, str], Bench], RenderedPrompt]

    def fill(self, values: Mapping[str, str], bench: Bench) -> RenderedPrompt:
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
) -> Callable[[Callable[[Mapping[str, str], Bench], RenderedPrompt]], Prompt]:
    """Make a prompt from a function that renders it; its docstring is the description."""

    def define(render: Callable[[Mapping[str, str], Bench], RenderedPrompt]) -> Prompt:
        return Prompt(
            name=getattr(render, "__name__", ""),
            title=title,
            description=" ".join((render.__doc__ or "").split()),
            category=category,
            arguments=arguments,
            render=render,
        )

    return define
