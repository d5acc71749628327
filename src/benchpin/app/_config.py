"""Read settings from flags, `BENCHPIN_*` variables, the workspace's file and the user's file.

The first source that has a setting wins. The workspace's file comes with the code, so it may only
narrow what the other three grant.
"""

import difflib
import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from benchpin.core.calls import Caller, Limits, Permissions, Workspace, only_denies
from benchpin.core.errors import ConfigError
from benchpin.core.text import NotPlainYaml, parse_plain_yaml
from benchpin.core.tools import Effect
from benchpin.system.formats import NotToml, parse_toml
from benchpin.system.processes import home_folder

from ._settings import (
    DEBUG_WORDS,
    FILES_ONLY,
    OPERATOR_ONLY,
    Settings,
    as_rules,
    settings_type,
    toolset_tables,
)

Layer = Mapping[str, object]
# These are in the root of the workspace.
OWN_FILES = ("benchpin.toml", "benchpin.yaml", "benchpin.yml")
# These are in the user's folder.
USER_FILES = ("config.toml", "config.yaml", "config.yml")
_MAX_BYTES = 1 << 20
# Windows has neither: there, a file of settings cannot be a pipe.
# A longer file is refused: people write a few kilobytes.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_PREFIX = "BENCHPIN_"
_ENVIRONMENT = "the environment"
# Given to programs in the sandbox, where Benchpin may run again.
_NO_SETTINGS = frozenset(Caller("", "", "").environment())
_REMEDIES = {
    "allow": "Give effects: --allow write,execute,network; a list of them in a file.",
    "debug": 'Give a list of what to trace: ["protocol", "tools"].',
    "resource_permissions": 'Each has a pattern and operations: ["read"], ["read", "write"] or [].',
    "auth_token": "Give a token without spaces, or none.",
    "tool_timeout": "Give seconds, more than 0 and at most 86400.",
    "tool_timeouts": "Give seconds for each tool, more than 0 and at most 86400.",
}


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


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What the workspace's file still allows; None where it does not restrict anything."""

    effects: frozenset[Effect] | None = None
    toolsets: frozenset[str] | None = None
    tools: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Configuration:
    """The operator's settings, and the restrictions of the workspace's file."""

    settings: Settings
    narrowing: Narrowing = field(default_factory=Narrowing)
    permissions: Permissions = field(default_factory=Permissions)
    notes: tuple[str, ...] = ()
    """Requests of the workspace's file that were not granted, and likely mistakes."""

    @property
    def effects(self) -> frozenset[Effect]:
        """The allowed effects; a tool that is exposed by name may have others."""
        granted, narrowed = self.settings.effects, self.narrowing.effects
        return granted if narrowed is None else granted & narrowed

    @property
    def typed_effects(self) -> frozenset[Effect]:
        """The effects that typing a command allows: all, unless a setting restricts them."""
        if self.settings.read_only:
            return frozenset()
        return frozenset(Effect) if self.narrowing.effects is None else self.narrowing.effects


def load(flags: Layer, environment: Mapping[str, str] | None = None) -> Configuration:
    """Read every source and combine them.

    Raises:
        ConfigError: when a key is unknown or a value is wrong, with the source and the key.
        InvalidPath: when the root is not a folder.
    """
    environment = os.environ if environment is None else environment
    user_file = read_one_of(_user_folder(environment), USER_FILES)
    user = {} if user_file is None else _checked(user_file.layer, str(user_file.place))
    variables = _checked(_from_environment(environment), _ENVIRONMENT)
    granted = _merged(user, variables, _checked(flags, "the command line"))
    root = Workspace.at(Path(cast("Path", granted.get("root", ".")))).root
    source, workspace = _workspace_layer(root)
    return _narrowed(granted, _checked(workspace, source, OPERATOR_ONLY), source)


def sources(root: Path) -> list[Path]:
    """Return the configuration files of a workspace, in order of precedence."""
    own = read_one_of(root, OWN_FILES)
    user = read_one_of(_user_folder(os.environ), USER_FILES)
    project = [root / "pyproject.toml"] if own is None and _workspace_layer(root)[1] else []
    return [*([own.place] if own else project), *([user.place] if user else [])]


def configure(**settings: object) -> Configuration:
    """Return a configuration from arguments, without files or environment.

    Raises:
        ConfigError: when a setting is unknown or wrong.
    """
    return _narrowed(_checked(settings, "the arguments"), {}, "")


def _narrowed(granted: Layer, workspace: Layer, source: str) -> Configuration:
    operator = _validated(granted, "the settings")
    layer = {key: value for key, value in workspace.items() if key not in OPERATOR_ONLY}
    requested = _validated(layer, source)
    notes = [
        f"{source}: {key} can only be set by the operator and is ignored"
        for key in workspace
        if key in OPERATOR_ONLY
    ]
    notes += [
        f"{source}: {effect} was not granted; start with --allow {effect}"
        for effect in sorted(requested.allow - operator.effects)
    ]
    settings = operator.model_copy(update=_lowered(operator, requested, layer))
    notes += [f"{source}: {key} can only be lowered" for key in _unmet(settings, requested, layer)]
    granted_rules = as_rules(operator.resource_permissions)
    own_rules = as_rules(requested.resource_permissions)
    notes += [
        f"{place}: resource_permissions only deny, so no file can be read or written; add "
        '{ pattern = "**", operations = ["read"] }'
        for place, rules in (("the operator's settings", granted_rules), (source, own_rules))
        if only_denies(rules)
    ]
    return Configuration(
        settings=settings,
        narrowing=Narrowing(
            effects=requested.effects if "allow" in layer or requested.read_only else None,
            toolsets=None if requested.toolsets is None else frozenset(requested.toolsets),
            tools=frozenset(requested.expose_tools) if requested.expose_tools else None,
        ),
        permissions=Permissions().narrowed(granted_rules).narrowed(own_rules),
        notes=tuple(notes),
    )


def _lowered(operator: Settings, requested: Settings, layer: Layer) -> dict[str, object]:
    """Return the settings that the workspace's file changes, as far as it may."""
    update: dict[str, object] = {
        name: ours.narrowed_by(requested.of_toolsets[name])
        for name, ours in operator.of_toolsets.items()
        if name in layer
    }
    if "hooks" in layer:
        update["hooks"] = operator.hooks and requested.hooks
    if "tool_timeout" in layer:
        update["tool_timeout"] = min(operator.tool_timeout, requested.tool_timeout)
    if "tool_timeouts" in layer:
        update["tool_timeouts"] = operator.tool_timeouts | {
            tool: min(seconds, operator.timeout_of(tool))
            for tool, seconds in requested.tool_timeouts.items()
        }
    if "limits" in layer:
        ours, theirs = operator.limits.model_dump(), requested.limits.model_dump(exclude_unset=True)
        update["limits"] = operator.limits.model_copy(
            update={key: min(ours[key], value) for key, value in theirs.items()}
        )
    return update


def _unmet(settings: Settings, requested: Settings, layer: Layer) -> list[str]:
    """Return the names of the limits that the workspace's file tries to raise."""
    asked = {f"tool_timeouts.{tool}": seconds for tool, seconds in requested.tool_timeouts.items()}
    given = {f"tool_timeouts.{tool}": settings.timeout_of(tool) for tool in requested.tool_timeouts}
    if "tool_timeout" in layer:
        asked["tool_timeout"], given["tool_timeout"] = requested.tool_timeout, settings.tool_timeout
    for name, value in requested.limits.model_dump(exclude_unset=True).items():
        asked[f"limits.{name}"], given[f"limits.{name}"] = value, getattr(settings.limits, name)
    return [name for name, value in asked.items() if given[name] < value]


def _merged(*layers: Layer) -> Layer:
    """Merge layers, later ones over earlier ones; single limits are merged too."""
    merged: dict[str, object] = {}
    for layer in layers:
        below, above = merged.get("limits"), layer.get("limits")
        merged |= layer
        if isinstance(below, Mapping) and isinstance(above, Mapping):
            merged["limits"] = {**below, **above}
    return merged


def _user_folder(environment: Mapping[str, str]) -> Path:
    base = environment.get("XDG_CONFIG_HOME")
    folder = Path(base) if base else home_folder() / ".config"
    return folder / "benchpin"


def _workspace_layer(root: Path) -> tuple[str, Layer]:
    own = read_one_of(root, OWN_FILES)
    if own is not None:
        return own.place.name, own.layer
    project = _read_project(root / "pyproject.toml")
    source = "pyproject.toml [tool.benchpin]"
    tool = _table(project.get("tool", {}), "pyproject.toml [tool]")
    return source, _table(tool.get("benchpin", {}), source)


def _read_project(file: Path) -> Layer:
    """Read pyproject.toml; one with errors counts as empty unless it mentions Benchpin."""
    try:
        return read_settings(file) or {}
    except ConfigError:
        if b"benchpin" in (read_start(file) or b"benchpin"):
            raise
        return {}


def _table(value: object, source: str) -> Layer:
    if not isinstance(value, Mapping):
        raise ConfigError(f"{source} is not a table", suggestion="Correct the file.")
    return value


def _from_environment(environment: Mapping[str, str]) -> Layer:
    layer: dict[str, object] = {}
    limits: dict[str, object] = {}
    for variable, text in environment.items():
        if not variable.startswith(_PREFIX) or not text or variable in _NO_SETTINGS:
            continue
        key = variable.removeprefix(_PREFIX).lower()
        if key.startswith("limits_"):
            limits[key.removeprefix("limits_")] = text
        elif key in FILES_ONLY or key in toolset_tables():
            raise ConfigError(
                f"{variable} cannot be set in the environment", suggestion=f"Set {key} in a file."
            )
        else:
            layer[key] = text
    # Words that other programs gave DEBUG are not ours to refuse.
    traced = [it for it in re.split(r"[\s,]+", environment.get("DEBUG", "")) if it in DEBUG_WORDS]
    if traced:
        layer["debug"] = ",".join((*traced, *filter(None, [environment.get(f"{_PREFIX}DEBUG")])))
    return {**layer, "limits": limits} if limits else layer


def _checked(layer: Layer, source: str, ignoring: frozenset[str] = frozenset()) -> Layer:
    """Return the layer, or refuse it: unknown keys and wrong values are errors."""
    _refuse_unknown(layer, settings_type().model_fields, source)
    limits = layer.get("limits")
    if isinstance(limits, Mapping):
        _refuse_unknown(limits, Limits.model_fields, f"{source}, limits")
    known = {key: value for key, value in layer.items() if key not in ignoring}
    _validated(known, source)
    return layer


def _refuse_unknown(keys: Iterable[str], known: Iterable[str], source: str) -> None:
    names = list(known)
    for key in keys:
        if key in names:
            continue
        [nearest] = difflib.get_close_matches(key, names, n=1, cutoff=0.0)
        shown = f"{_PREFIX}{key.upper()}" if source == _ENVIRONMENT else key
        raise ConfigError(
            f"{source}: there is no setting {shown!r}",
            suggestion=f"The nearest setting is {nearest!r}; see docs/configuration.md.",
            data={"key": key, "source": source, "nearest": nearest},
        )


def _validated(layer: Layer, source: str) -> Settings:
    try:
        return settings_type().model_validate(dict(layer))
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in problem["loc"])
        # Not shown: a token is secret, and a whole table is too long.
        is_shown = key != "auth_token" and not isinstance(problem["input"], Mapping)
        found = f", not {problem['input']!r}" if is_shown else ""
        raise ConfigError(
            f"{source}: {key}: {problem['msg']}{found}",
            suggestion=_remedy(problem["type"], str(problem["loc"][0])),
            data={"key": key, "source": source},
        ) from error


def _remedy(kind: str, key: str) -> str:
    if key in _REMEDIES:
        return _REMEDIES[key]
    if kind.endswith("_type") and key in {"toolsets", "expose_tools"}:
        return "Give a list."
    table = toolset_tables().get(key)
    return (table and table.remedy) or f"See {key} in docs/configuration.md."
