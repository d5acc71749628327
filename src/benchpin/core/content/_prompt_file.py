"""Prompts written as Markdown files: front matter with the description, then the text.

---
description: Review a change.
category: agent
arguments:
- name: focus
description: What to look at first
required: false
---
Review the change. Look at {{focus}} first.

The files come with the code and are not trusted: the front matter must be short and flat, all
values are read as text, and YAML aliases, which can multiply without bound, are refused.
"""

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from benchpin.core.errors import ConfigError
from benchpin.core.text import parse_plain_yaml

from ._content import Text
from ._prompt import Prompt, PromptArgument, PromptMessage, RenderedPrompt

DEFAULT_CATEGORY = "workspace"
MAX_FRONT_MATTER_CHARS = 8_192
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*\r?\n(.*)\Z", re.DOTALL | re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{[ \t]*(\w+)[ \t]*\}\}")

Word = Annotated[str, Field(pattern=r"^[A-Za-z_][\w.-]{0,63}$")]


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
