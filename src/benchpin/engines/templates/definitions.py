"""Read template folders: `template.toml`, the shared parameters, the toolchains, the sources.

A template lies at `<category>/<toolchain>/<variant>/`. A folder that serves several variants or
toolchains lies a level or two higher and names them in its `template.toml`.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TypeVar

import msgspec

from benchpin.engines.toml import NotToml, parse_toml

from .model import ANY, Parameter, SourceFile, Template, Toolchain
from .quoting import LITERALS

T = TypeVar("T")
DEFINITION = "template.toml"
SHARED_PARAMETERS = "parameters.toml"
TOOLCHAINS = "toolchains.toml"
SOURCE_SUFFIX = ".j2"
MAX_BYTES = 256 << 10
MOST_FILES = 2_000
SEGMENT = re.compile(r"[a-z0-9][a-z0-9+-]*(\.[a-z0-9+-]+)*")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_LEVELS = 3
_VARIANT_TITLES = {"cli": "CLI", "library": "library", "web": "web"}
_RESERVED = frozenset({"categories", "category", "commands", "toolchain", "variant"})


class _Parameter(msgspec.Struct, forbid_unknown_fields=True):
    description: str
    type: str = "string"
    default: str | int | bool | None = None
    required: bool = False
    pattern: str | None = None
    choices: list[str] = []
    forbidden: list[str] = []
    minimum: int | None = None
    maximum: int | None = None
    max_length: int = 200
    example: str | int | bool | None = None


class _File(msgspec.Struct, forbid_unknown_fields=True):
    source: str
    path: str
    variants: list[str] = []
    format: str | None = None
    executable: bool = False


class _Definition(msgspec.Struct, forbid_unknown_fields=True):
    title: str
    description: str
    mime_type: str
    version: str
    files: list[_File]
    tags: list[str] = []
    toolchains: list[str] = []
    variants: list[str] = []
    leaves_out: list[str] = []
    variant_titles: dict[str, str] = {}
    variant_from: str | None = None
    uses: list[str] = []
    uses_with: dict[str, list[str]] = {}
    parameters: dict[str, _Parameter] = {}


class _Toolchain(msgspec.Struct, forbid_unknown_fields=True):
    title: str
    language: str
    needs: str
    commands: dict[str, list[str]]


def read_table(file: Path, kind: type[T]) -> T:
    """Read a TOML file.

    Raises:
        ValueError: when it is missing, unreadable, or does not say what it must.
    """
    try:
        return msgspec.convert(parse_toml(read_text(file)), kind)
    except (NotToml, msgspec.ValidationError) as error:
        message = f"{file.name}: {error}"
        raise ValueError(message) from error


def read_text(file: Path) -> str:
    """Read a small text.

    Raises:
        ValueError: when it cannot be read, or is no small text.
    """
    try:
        with file.open("rb") as opened:
            content = opened.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            message = f"{file.name} has more than {MAX_BYTES} bytes"
            raise ValueError(message)
        return content.decode()
    except (OSError, UnicodeDecodeError) as error:
        message = f"{file.name} cannot be read: {error}"
        raise ValueError(message) from error


def read_toolchains(root: Path) -> dict[str, Toolchain]:
    """Read what is known about toolchains."""
    tables = read_table(root / TOOLCHAINS, dict[str, _Toolchain])
    return {
        name: Toolchain(
            name=name,
            title=table.title,
            language=table.language,
            needs=table.needs,
            commands={task: tuple(lines) for task, lines in table.commands.items()},
        )
        for name, table in tables.items()
    }


def read_parameters(root: Path) -> dict[str, Parameter]:
    """Read the parameters that templates share; a folder need not have any."""
    file = root / SHARED_PARAMETERS
    if not file.is_file():
        return {}
    tables = read_table(file, dict[str, _Parameter])
    return {name: _parameter(name, table) for name, table in tables.items()}


def definition_files(root: Path) -> Iterator[Path]:
    """Find the templates of a folder, in their order."""
    for depth in range(1, _LEVELS + 1):
        yield from sorted(root.glob("/".join(["*"] * depth) + f"/{DEFINITION}"))


def source_files(root: Path) -> list[Path]:
    """Find the Jinja2 sources of a folder."""
    found = sorted(root.rglob(f"*{SOURCE_SUFFIX}"))
    return [file for file in found if file.is_file()][:MOST_FILES]


def read_templates(
    file: Path,
    root: Path,
    *,
    origin: str,
    shared: Mapping[str, Parameter],
    toolchains: Mapping[str, Toolchain],
) -> list[Template]:
    """Read one `template.toml`: a template for each toolchain and variant that it serves.

    Raises:
        ValueError: when it is wrong, saying how.
    """
    folder = PurePosixPath(file.parent.relative_to(root).as_posix())
    table = read_table(file, _Definition)
    category, *levels = folder.parts
    names = _served(levels, table)
    return [
        Template(
            category=_segment(category),
            toolchain=_segment(toolchain),
            variant=_segment(variant),
            title=_filled(table.title, toolchain, variant, table, toolchains),
            description=_filled(table.description, toolchain, variant, table, toolchains),
            mime_type=table.mime_type,
            version=table.version,
            tags=tuple(table.tags),
            parameters=_parameters(table, (toolchain, variant), shared),
            files=_files(table, folder, toolchain, variant),
            origin=origin,
            variant_from=table.variant_from,
        )
        for toolchain, variant in names
    ]


def _served(levels: list[str], table: _Definition) -> list[tuple[str, str]]:
    """Return the toolchains and variants that a folder serves."""
    toolchains = levels[:1] or table.toolchains
    variants = levels[1:] or table.variants
    if not toolchains or not variants:
        message = "name the toolchains and variants that the path of the folder leaves out"
        raise ValueError(message)
    every = [(toolchain, variant) for toolchain in toolchains for variant in variants]
    return [names for names in every if "/".join(names) not in table.leaves_out]


def _segment(name: str) -> str:
    if not SEGMENT.fullmatch(name):
        message = f"{name!r} is no part of a template URI: use a-z, 0-9, + . and -"
        raise ValueError(message)
    return name


def _filled(
    text: str,
    toolchain: str,
    variant: str,
    table: _Definition,
    toolchains: Mapping[str, Toolchain],
) -> str:
    """Put the titles of the toolchain and the variant in."""
    known = toolchains.get(toolchain)
    name = "" if toolchain == ANY else known.title if known else toolchain
    title = table.variant_titles.get(variant) or _VARIANT_TITLES.get(variant, variant)
    filled = text.replace("{toolchain}", name).replace("{variant}", title)
    return " ".join(filled.split())


def _parameters(
    table: _Definition, where: tuple[str, str], shared: Mapping[str, Parameter]
) -> tuple[Parameter, ...]:
    names = [*table.uses, *(name for key in where for name in table.uses_with.get(key, ()))]
    missing = [name for name in names if name not in shared]
    if missing:
        message = f"uses names no shared parameter: {', '.join(missing)}"
        raise ValueError(message)
    own = {name: _parameter(name, it) for name, it in table.parameters.items()}
    used = [shared[name] for name in names if name not in own]
    return (*used, *own.values())


def _parameter(name: str, table: _Parameter) -> Parameter:
    if not _NAME.fullmatch(name) or name in _RESERVED:
        message = f"{name!r} is no name for a parameter: use a-z, 0-9 and _"
        raise ValueError(message)
    try:
        re.compile(table.pattern or "")
        fields = msgspec.structs.asdict(table)
        return msgspec.convert({"name": name, **fields}, Parameter)
    except (re.error, msgspec.ValidationError) as error:
        message = f"parameters.{name}: {error}"
        raise ValueError(message) from error


def _files(
    table: _Definition, folder: PurePosixPath, toolchain: str, variant: str
) -> tuple[SourceFile, ...]:
    wanted = [file for file in table.files if not file.variants or variant in file.variants]
    if not wanted:
        message = f"there is no file for the variant {variant!r}"
        raise ValueError(message)
    odd = [it.format for it in wanted if it.format is not None and it.format not in LITERALS]
    if odd:
        message = f"there is no format {odd[0]!r}; known: {', '.join(LITERALS)}"
        raise ValueError(message)
    return tuple(
        SourceFile(
            source=_source(file.source.replace("{toolchain}", toolchain), folder),
            path=file.path,
            variants=tuple(file.variants),
            format=file.format,
            is_executable=file.executable,
        )
        for file in wanted
    )


def _source(name: str, folder: PurePosixPath) -> str:
    """Return the name of a source in its catalogue: `_shared/x.j2`, or beside the definition."""
    return name if name.startswith("_shared/") else str(folder / name)
