"""Templates, their parameters and the files they produce, in the form in which tools publish them.

Fields marked `exclude=True` are for rendering only and are not part of a tool's result.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Annotated, Literal

import msgspec
from pydantic import ConfigDict, Field, PlainSerializer

from benchpin.core.errors import BenchpinError

Value = str | int | bool | None
ParameterType = Literal["string", "integer", "boolean"]
BUILT_IN = "built-in"
# The toolchain of templates that suit every toolchain.
ANY = "any"
_WORDS = re.compile(r"[a-z0-9+]+")


def words_of(text: str) -> list[str]:
    """Split a text into lower-case words, for searching."""
    return _WORDS.findall(text.lower())


def _is_empty(value: object) -> bool:
    return not value


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter of a template."""

    name: str
    type: ParameterType = "string"
    description: str
    required: bool = False
    default: Value = None
    pattern: Annotated[str | None, Field(exclude_if=_is_empty)] = None
    """The whole value must match it."""
    choices: Annotated[tuple[str, ...], Field(exclude_if=_is_empty)] = ()
    example: Value = None
    forbidden: Annotated[tuple[str, ...], Field(exclude=True)] = ()
    minimum: Annotated[int | None, Field(exclude=True)] = None
    maximum: Annotated[int | None, Field(exclude=True)] = None
    max_length: Annotated[int, Field(exclude=True)] = 200


class TemplateFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file that a template produces, as `template.toml` declares it."""

    source: str
    """The name of the Jinja2 source in its catalogue."""
    path: str
    """Where the file goes; a Jinja2 expression that may use parameters."""
    variants: tuple[str, ...] = ()
    """The variants that have this file; all when empty."""
    format: str | None = None
    """How values are quoted in it; None derives this from the path."""
    is_executable: bool = msgspec.field(default=False, name="executable")


class Toolchain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A toolchain and its usual commands."""

    name: str
    title: str
    language: str
    needs: str
    """What must be installed, in words."""
    commands: Mapping[str, tuple[str, ...]]
    """Command lines by task. `run:web` applies to one variant; `{name}` is the project's name."""


def _names(parameters: Sequence[Parameter]) -> list[str]:
    return [f"{it.name}*" if it.required else it.name for it in parameters]


@dataclass(frozen=True, kw_only=True)  # no slots: cached_property needs a __dict__
class Template:
    """A template for one category, toolchain and variant."""

    __pydantic_config__ = ConfigDict(arbitrary_types_allowed=True)  # TemplateFile is msgspec's

    uri: str
    name: str
    description: str
    mime_type: Annotated[str, Field(serialization_alias="mimeType")]
    category: str
    toolchain: str
    variant: str
    version: str
    origin: str
    """`built-in`, or the name of the folder that it comes from."""
    shadows: Annotated[str | None, Field(exclude_if=_is_empty)] = None
    """The origin of the template with the same URI that this one replaces."""
    parameters: Annotated[tuple[Parameter, ...], PlainSerializer(_names, return_type=list[str])]
    """Published as names; required ones end in a star."""
    tags: Annotated[tuple[str, ...], Field(exclude=True)] = ()
    files: Annotated[tuple[TemplateFile, ...], Field(exclude=True)]
    variant_from: Annotated[str | None, Field(exclude=True)] = None
    """The parameter whose lower-cased value selects the variant when none is given."""

    def parameter_names(self) -> list[str]:
        """Return the names of its parameters; required ones end in a star."""
        return _names(self.parameters)

    @cached_property
    def name_words(self) -> frozenset[str]:
        """The words of its URI, name and tags."""
        names = (self.category, self.toolchain, self.variant, self.name, *self.tags)
        return frozenset(word for text in names for word in words_of(text))

    @cached_property
    def description_words(self) -> frozenset[str]:
        return frozenset(words_of(self.description))


@dataclass(frozen=True, slots=True)
class RenderedFile:
    """A generated file."""

    path: str
    content: str
    size_bytes: int
    sha256: str
    is_executable: bool
    template: Annotated[str, Field(exclude=True)]
    """The URI of the template it comes from."""
    source: Annotated[str, Field(exclude=True)] = ""
    """The Jinja2 source that it comes from."""


def rendered_file(
    path: str, content: str, template: str, *, source: str = "", is_executable: bool = False
) -> RenderedFile:
    """Make a file with its size and hash."""
    data = content.encode()
    digest = hashlib.sha256(data).hexdigest()
    return RenderedFile(path, content, len(data), digest, is_executable, template, source)


@dataclass(frozen=True, slots=True)
class ParameterProblem:
    """What is wrong with one parameter, and how to correct it."""

    path: str
    problem: str
    suggestion: str


# Errors in a request for a template.


class TemplateNotFound(BenchpinError):
    """No template has that URI."""

    kind = "template_not_found"


class InvalidTemplateUri(BenchpinError):
    """The URI is malformed."""

    kind = "invalid_template_uri"


class InvalidTemplateParameters(BenchpinError):
    """The parameters do not fit the template."""

    kind = "invalid_template_parameters"

    def __init__(self, problems: Sequence[ParameterProblem]) -> None:
        """Name every problem at once."""
        listing = "; ".join(f"{it.path}: {it.problem}" for it in problems)
        super().__init__(
            f"Parameter validation failed: {listing}",
            suggestion=" ".join(dict.fromkeys(it.suggestion for it in problems)),
            data={"problems": [asdict(it) for it in problems]},
        )
