"""Read a folder of templates: `template.toml`, shared parameters, toolchains and sources.

A template is in `<category>/<toolchain>/<variant>/`. A folder for several variants or toolchains is
one or two levels higher and lists them in its `template.toml`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path, PurePosixPath
from typing import TypeVar

import msgspec

from benchpin.core.errors import PathError
from benchpin.system.formats import NotToml, parse_toml
from benchpin.workspace.files import opened

from ._parameters import compile_pattern
from ._quoting import LITERALS
from ._template import ANY, Parameter, Template, TemplateFile, Toolchain

T = TypeVar("T")
SCHEME = "template://"
DEFINITION = "template.toml"
SHARED_PARAMETERS = "parameters.toml"
TOOLCHAINS = "toolchains.toml"
SOURCE_SUFFIX = ".j2"
# Size limit of one definition or source; the largest built-in one has 11 KB.
MAX_BYTES = 256 << 10
MAX_FILES = 2_000
SEGMENT = re.compile(r"[a-z0-9][a-z0-9+-]*(\.[a-z0-9+-]+)*")
PARAMETER_KEYS = frozenset(it.name for it in fields(Parameter)) - {"name"}
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_LEVELS = 3
_VARIANT_TITLES = {"cli": "CLI", "library": "library", "web": "web"}
# Names that the renderer itself gives to every template.
_RESERVED = frozenset({"categories", "category", "commands", "toolchain", "variant"})

_Table = dict[str, object]


class TemplateDefinition(msgspec.Struct, forbid_unknown_fields=True):
    """The content of a `template.toml`."""

    title: str
    description: str
    mime_type: str
    version: str
    files: list[TemplateFile]
    tags: list[str] = []
    toolchains: list[str] = []
    variants: list[str] = []
    leaves_out: list[str] = []
    variant_titles: dict[str, str] = {}
    variant_from: str | None = None
    uses: list[str] = []
    uses_with: dict[str, list[str]] = {}
    parameters: dict[str, _Table] = {}


def _read_toml(root: Path, file: Path, kind: type[T]) -> T:
    """Read a TOML file.

    Raises:
        ValueError: when it is missing, not readable, or has other content than `kind`.
    """
    try:
        return msgspec.convert(parse_toml(read_text(root, file)), kind)
    except (NotToml, msgspec.ValidationError) as error:
        message = f"{file.name}: {error}"
        raise ValueError(message) from error


def read_text(root: Path, file: Path) -> str:
    """Read a small text file; a link may lead elsewhere in the folder of templates, not out of it.

    Raises:
        ValueError: when it cannot be read, is not a regular file, is too large or is not UTF-8.
    """
    try:
        home, real = root.resolve(), file.resolve()
        if not real.is_relative_to(home):
            message = f"{file.name} cannot be read: it leads out of the folder"
            raise ValueError(message)
        with opened(home, PurePosixPath(real.relative_to(home)), MAX_BYTES) as source:
            return source.read(MAX_BYTES).decode()
    except (OSError, RuntimeError, PathError, UnicodeDecodeError) as error:
        message = f"{file.name} cannot be read: {error}"
        raise ValueError(message) from error


def read_toolchains(root: Path) -> dict[str, Toolchain]:
    tables = _read_toml(root, root / TOOLCHAINS, dict[str, _Table])
    return {
        name: msgspec.convert({"name": name, **table}, Toolchain) for name, table in tables.items()
    }


def read_parameters(root: Path) -> dict[str, Parameter]:
    """Read the parameters that the templates of a folder share; the file is optional."""
    file = root / SHARED_PARAMETERS
    if not file.is_file():
        return {}
    tables = _read_toml(root, file, dict[str, _Table])
    return {name: _parameter(name, table) for name, table in tables.items()}


def definition_files(root: Path) -> Iterator[Path]:
    """Find every `template.toml` of a folder, in a stable order."""
    for depth in range(1, _LEVELS + 1):
        yield from sorted(root.glob("/".join(["*"] * depth) + f"/{DEFINITION}"))


def source_files(root: Path) -> list[Path]:
    """Find the Jinja2 sources of a folder."""
    found = sorted(root.rglob(f"*{SOURCE_SUFFIX}"))
    return [file for file in found if file.is_file()][:MAX_FILES]


def read_templates(
    file: Path,
    root: Path,
    *,
    origin: str,
    shared: Mapping[str, Parameter],
    toolchains: Mapping[str, Toolchain],
) -> list[Template]:
    """Read one `template.toml`: one template for each of its toolchains and variants.

    Raises:
        ValueError: when it is wrong, with the reason.
    """
    folder = PurePosixPath(file.parent.relative_to(root).as_posix())
    table = _read_toml(root, file, TemplateDefinition)
    category, *levels = folder.parts
    return [
        Template(
            uri=SCHEME + "/".join(map(_segment, (category, toolchain, variant))),
            name=_with_titles(table.title, toolchain, variant, table, toolchains),
            description=_with_titles(table.description, toolchain, variant, table, toolchains),
            mime_type=table.mime_type,
            category=category,
            toolchain=toolchain,
            variant=variant,
            version=table.version,
            origin=origin,
            parameters=_parameters(table, (toolchain, variant), shared),
            tags=tuple(table.tags),
            files=_files(table, folder, toolchain, variant),
            variant_from=table.variant_from,
        )
        for toolchain, variant in _toolchains_and_variants(levels, table)
    ]


def _toolchains_and_variants(levels: list[str], table: TemplateDefinition) -> list[tuple[str, str]]:
    toolchains = levels[:1] or table.toolchains
    variants = levels[1:] or table.variants
    if not toolchains or not variants:
        message = "name the toolchains and variants that are not in the path of the folder"
        raise ValueError(message)
    every = [(toolchain, variant) for toolchain in toolchains for variant in variants]
    return [names for names in every if "/".join(names) not in table.leaves_out]


def _segment(name: str) -> str:
    if not SEGMENT.fullmatch(name):
        message = f"{name!r} cannot be part of a template URI: use a-z, 0-9, + . and -"
        raise ValueError(message)
    return name


def _with_titles(
    text: str,
    toolchain: str,
    variant: str,
    table: TemplateDefinition,
    toolchains: Mapping[str, Toolchain],
) -> str:
    """Fill in the titles of the toolchain and the variant."""
    known = toolchains.get(toolchain)
    name = "" if toolchain == ANY else known.title if known else toolchain
    title = table.variant_titles.get(variant) or _VARIANT_TITLES.get(variant, variant)
    filled = text.replace("{toolchain}", name).replace("{variant}", title)
    return " ".join(filled.split())


def _parameters(
    table: TemplateDefinition, where: tuple[str, str], shared: Mapping[str, Parameter]
) -> tuple[Parameter, ...]:
    keys = (*where, "/".join(where))
    names = [*table.uses, *(name for key in keys for name in table.uses_with.get(key, ()))]
    missing = [name for name in names if name not in shared]
    if missing:
        message = f"uses names no shared parameter: {', '.join(missing)}"
        raise ValueError(message)
    own = {name: _parameter(name, it) for name, it in table.parameters.items()}
    used = [shared[name] for name in names if name not in own]
    return (*used, *own.values())


def _parameter(name: str, table: _Table) -> Parameter:
    if not _NAME.fullmatch(name) or name in _RESERVED:
        message = f"{name!r} cannot be the name of a parameter: use a-z, 0-9 and _"
        raise ValueError(message)
    unknown = sorted(table.keys() - PARAMETER_KEYS)
    if unknown:
        message = f"parameters.{name}: unknown field `{unknown[0]}`"
        raise ValueError(message)
    try:
        parameter = msgspec.convert({"name": name, **table}, Parameter)
        compile_pattern(parameter.pattern or "")
    except (ValueError, msgspec.ValidationError) as error:
        message = f"parameters.{name}: {error}"
        raise ValueError(message) from error
    return parameter


def _files(
    table: TemplateDefinition, folder: PurePosixPath, toolchain: str, variant: str
) -> tuple[TemplateFile, ...]:
    wanted = [file for file in table.files if not file.variants or variant in file.variants]
    if not wanted:
        message = f"there is no file for the variant {variant!r}"
        raise ValueError(message)
    unknown = [it.format for it in wanted if it.format is not None and it.format not in LITERALS]
    if unknown:
        message = f"there is no format {unknown[0]!r}; known: {', '.join(LITERALS)}"
        raise ValueError(message)
    return tuple(
        msgspec.structs.replace(
            file, source=_source(file.source.replace("{toolchain}", toolchain), folder)
        )
        for file in wanted
    )


def _source(name: str, folder: PurePosixPath) -> str:
    """Return the catalogue name of a source: `_shared/x.j2`, or next to the definition."""
    return name if name.startswith("_shared/") else str(folder / name)
