"""The files that settings are read from: TOML, or YAML with the same keys."""

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchpin.core.errors import ConfigError
from benchpin.core.text import NotPlainYaml, parse_plain_yaml
from benchpin.system.formats import NotToml, parse_toml

Layer = Mapping[str, object]

# These are in the root of the workspace.
OWN_FILES = ("benchpin.toml", "benchpin.yaml", "benchpin.yml")
# These are in the user's folder.
USER_FILES = ("config.toml", "config.yaml", "config.yml")
_MAX_BYTES = 1 << 20
# Windows has neither: there, a file of settings cannot be a pipe.
# A longer file is refused: people write a few kilobytes.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file, and the settings in it."""

    place: Path
    layer: Layer


def read_one_of(folder: Path, names: Sequence[str]) -> SettingsFile | None:
    """Return the only one of these files that a folder has; None if it has none.

    Raises:
        ConfigError: when it has several, or the one cannot be used.
    """
    read = ((folder / name, read_settings(folder / name)) for name in names)
    found = [SettingsFile(place, layer) for place, layer in read if layer is not None]
    if len(found) > 1:
        raise ConfigError(
            f"{folder} has both {found[0].place.name} and {found[1].place.name}",
            suggestion="Keep one of them. Each may contain restrictions, so none is ignored.",
        )
    return found[0] if found else None


def read_settings(file: Path) -> Layer | None:
    """Return the content of a file; None if it does not exist.

    Raises:
        ConfigError: when it cannot be read, or is not what its name says.
    """
    try:
        content = read_start(file)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        hint = "Make it a readable file, or remove it."
        raise ConfigError(f"{file} cannot be read: {error.strerror}", suggestion=hint) from error
    if content is None:
        hint = "Make it a regular file, or remove it."
        raise ConfigError(f"{file} is not a regular file", suggestion=hint)
    if len(content) > _MAX_BYTES:
        hint = "Shorten it. It may contain restrictions, so it is not ignored."
        raise ConfigError(f"{file} is longer than {_MAX_BYTES:,} bytes", suggestion=hint)
    kind, parse = ("TOML", parse_toml) if file.suffix == ".toml" else ("YAML", _parse_yaml)
    try:
        return parse(content)
    except (NotToml, NotPlainYaml) as error:
        hint = "Correct the file. It may contain restrictions, so it is not ignored."
        raise ConfigError(f"{file} is not {kind}: {error}", suggestion=hint) from error


def _parse_yaml(content: bytes) -> Layer:
    try:
        document = parse_plain_yaml(content.decode(), _MAX_BYTES)
    except UnicodeDecodeError as error:
        reason = "not UTF-8"
        raise NotPlainYaml(reason) from error
    if not isinstance(document, Mapping) or not all(isinstance(key, str) for key in document):
        reason = "it has no keys at the top"
        raise NotPlainYaml(reason)
    return document


def read_start(file: Path) -> bytes | None:
    """Return a file up to one byte over the limit; None when it is no regular file.

    A repository may bring a named pipe, or a link to a device or to /proc, which never end.
    """
    handle = os.open(file, _READ)
    try:
        is_regular = stat.S_ISREG(os.fstat(handle).st_mode)
        if not is_regular or file.resolve().is_relative_to("/proc"):
            return None
        with os.fdopen(handle, "rb", closefd=False) as opened:
            return opened.read(_MAX_BYTES + 1)
    finally:
        os.close(handle)
