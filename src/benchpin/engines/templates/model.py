"""What a template is made of."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Literal

Value = str | int | bool | None
ParameterType = Literal["string", "integer", "boolean"]

BUILT_IN = "built-in"
ANY = "any"
"""The toolchain of templates that suit every toolchain."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One thing that a template wants to know."""

    name: str
    description: str
    type: ParameterType = "string"
    default: Value = None
    required: bool = False
    pattern: str | None = None
    """The whole value must match it."""
    choices: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    max_length: int = 200
    example: Value = None


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file that a template makes."""

    source: str
    """The name of the Jinja2 source in its catalogue."""
    path: str
    """Where the file goes; may name parameters, as Jinja2 does."""
    variants: tuple[str, ...] = ()
    """Only in these variants; in all by default."""
    format: str | None = None
    """How values are quoted in it, where the path does not tell."""
    is_executable: bool = False


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A toolchain, and the commands that people use with it."""

    name: str
    title: str
    language: str
    needs: str
    """What must be installed, in words."""
    commands: Mapping[str, tuple[str, ...]]
    """Command lines by task; `run:web` is that of one variant. `{name}` is the project's."""


@dataclass(frozen=True, slots=True)
class Template:
    """A template, as its folder describes it."""

    category: str
    toolchain: str
    variant: str
    title: str
    description: str
    mime_type: str
    version: str
    tags: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    files: tuple[SourceFile, ...]
    origin: str
    """`built-in`, or the name of the folder that it comes from."""
    shadows: str | None = None
    """The origin of the template of the same URI that this one stands before."""
    variant_from: str | None = None
    """The parameter whose value, in lower case, is the variant, when none is asked for."""

    @property
    def uri(self) -> str:
        """The name of it, for everybody."""
        return f"template://{self.category}/{self.toolchain}/{self.variant}"


@dataclass(frozen=True, slots=True)
class RenderedFile:
    """A file that was made."""

    path: PurePosixPath
    content: str
    template: str
    """The URI of the template that made it."""
    is_executable: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, where, and what to do about it."""

    path: str
    problem: str
    suggestion: str

    def as_dict(self) -> dict[str, str]:
        """Return it as plain data."""
        return asdict(self)
