"""Prompts: texts with blanks, offered to a model or a person."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from .bench import Bench
from .content import Content, Text
from .errors import InvalidParams


@dataclass(frozen=True, slots=True)
class Argument:
    """One blank."""

    name: str
    description: str
    required: bool = False
    default: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of the conversation that a prompt opens."""

    content: Content
    role: Literal["user", "assistant"] = "user"


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt with its blanks filled."""

    messages: tuple[Message, ...]
    raw: str
    """The text before the blanks were filled."""

    @property
    def text(self) -> str:
        """The words of all messages."""
        return "\n\n".join(
            message.content.text for message in self.messages if isinstance(message.content, Text)
        )


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as a static value."""

    name: str
    title: str
    description: str
    category: str
    arguments: tuple[Argument, ...]
    render: Callable[[Mapping[str, str], Bench], Rendered]

    def fill(self, values: Mapping[str, str], bench: Bench) -> Rendered:
        """Check the values, add the defaults and render.

        Raises:
            InvalidParams: naming each argument that is missing, unknown or not among its choices.
        """
        known = {argument.name: argument for argument in self.arguments}
        # Hosts send the blanks that a person left empty as empty texts.
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
    *, title: str, category: str, arguments: tuple[Argument, ...] = ()
) -> Callable[[Callable[[Mapping[str, str], Bench], Rendered]], Prompt]:
    """Make a prompt of a function that renders it; its docstring is the description."""

    def define(render: Callable[[Mapping[str, str], Bench], Rendered]) -> Prompt:
        return Prompt(
            name=getattr(render, "__name__", ""),
            title=title,
            description=" ".join((render.__doc__ or "").split()),
            category=category,
            arguments=arguments,
            render=render,
        )

    return define
