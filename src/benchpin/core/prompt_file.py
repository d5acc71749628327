"""Prompts that are written as Markdown: front matter says what they are, the rest is the text.

---
description: Review a change.
category: agent
arguments:
- name: focus
description: What to look at first
required: false
---
Review the change. Look at {{focus}} first.

Such files travel with the code, so the front matter is short and flat, has no aliases, which
multiply, and all that stands in it is text.
"""

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from .content import Text
from .errors import ConfigError
from .prompt import Argument, Message, Prompt, Rendered

DEFAULT_CATEGORY = "workspace"
MAX_FRONT_MATTER_CHARS = 8_192
_DEEPEST = 8
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*\r?\n(.*)\Z", re.DOTALL | re.MULTILINE)
_BLANK = re.compile(r"\{\{[ \t]*(\w+)[ \t]*\}\}")

Word = Annotated[str, Field(pattern=r"^[A-Za-z_][\w.-]{0,63}$")]


class _Argument(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: Annotated[str, Field(pattern=r"^[A-Za-z_]\w{0,63}$")]
    description: str = ""
    required: bool = False
    default: str = ""
    choices: tuple[str, ...] = ()


class _FrontMatter(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: Word | None = None
    title: str | None = None
    description: Annotated[str, Field(min_length=1)]
    category: Word = DEFAULT_CATEGORY
    arguments: tuple[_Argument, ...] = ()


def read_prompt(stem: str, content: str) -> Prompt:
    """Make a prompt of a file; its name is that of the file unless the front matter has one.

    Raises:
        ConfigError: when there is no front matter, or it does not fit.
    """
    found = _FRONT_MATTER.match(content.removeprefix("\ufeff"))
    hint = "Begin the file with `---`, `description: …`, `---`."
    if found is None:
        raise ConfigError(f"The prompt {stem!r} has no front matter", suggestion=hint)
    try:
        front = _FrontMatter.model_validate(_parse(found[1]))
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
        arguments=tuple(Argument(**argument.model_dump()) for argument in front.arguments),
        render=lambda values, _bench: render(raw, values),
    )


def _parse(front_matter: str) -> object:
    """Read YAML of which all scalars are text.

    Raises:
        ValueError: when it is too long, nested too deep, has an alias or is no YAML.
    """
    import yaml  # noqa: PLC0415 - loaded when used

    if len(front_matter) > MAX_FRONT_MATTER_CHARS:
        message = f"it has {len(front_matter):,} characters, more than {MAX_FRONT_MATTER_CHARS:,}"
        raise ValueError(message)
    try:
        depth = 0
        for event in yaml.parse(front_matter, yaml.BaseLoader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST or isinstance(event, yaml.AliasEvent):
                message = "it has an alias" if depth <= _DEEPEST else "it is nested too deep"
                raise ValueError(message)
        return yaml.load(front_matter, yaml.BaseLoader) or {}  # noqa: S506 - it makes text alone
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def render(raw: str, values: Mapping[str, str]) -> Rendered:
    """Fill the blanks in one pass, so that a value cannot bring blanks of its own."""
    text = _BLANK.sub(lambda blank: values.get(blank[1], blank[0]), raw)
    return Rendered((Message(Text(text)),), raw)
