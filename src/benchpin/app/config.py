"""Where settings come from: flags, `BENCHPIN_*`, the workspace's file, the user's file.

The first that speaks wins. A workspace's own file travels with the code, so it may only narrow
what the operator granted.
"""

import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from benchpin.core import DEFAULT_EFFECTS, ConfigError, Effect, Limits, Permissions, Workspace

from .settings import OPERATOR_ONLY, Settings, as_rules

Layer = Mapping[str, object]

_PREFIX = "BENCHPIN_"
_LISTS = frozenset({"toolsets", "expose_tools", "allow", "debug"})
_PATH_LISTS = frozenset({"artifacts"})
_STRUCTURED = frozenset({"resource_permissions", "tool_timeouts"})
_LOWER_ONLY = ("tool_timeout",)


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings in force, and what the workspace's file took away."""

    settings: Settings
    effects: frozenset[Effect] = DEFAULT_EFFECTS
    permissions: Permissions = field(default_factory=Permissions)
    is_read_only: bool = False
    only_tools: frozenset[str] | None = None
    """Of what is enabled, only these."""
    granted_toolsets: tuple[str, ...] | None = None
    """The toolsets that the operator chose; the settings have what the workspace's file left."""
    notes: tuple[str, ...] = ()
    """What a workspace's file asked for and did not get."""


def load(flags: Layer, environment: Mapping[str, str] | None = None) -> Configuration:
    """Read every source and put them together.

    Raises:
        ConfigError: naming the source, the key and the nearest known key.
        InvalidPath: when the root is not a folder.
    """
    environment = os.environ if environment is None else environment
    user_file = _user_file(environment)
    user = _checked(_read_toml(user_file), str(user_file))
    variables = _checked(_from_environment(environment), "the environment")
    granted = _merged(user, variables, _checked(flags, "the command line"))
    root = Workspace.at(Path(cast("Path", granted.get("root", ".")))).root
    source, workspace = _workspace_layer(root)
    return _narrowed(granted, _checked(workspace, source, OPERATOR_ONLY), source)


def configure(**settings: object) -> Configuration:
    """Make a configuration from settings alone, without files or environment.

    Raises:
        ConfigError: when a setting is unknown or does not fit.
    """
    return _narrowed(_checked(settings, "the arguments"), {}, "")


def _narrowed(granted: Layer, workspace: Layer, source: str) -> Configuration:
    operator = _validated(granted, "the settings")
    free = {key: value for key, value in workspace.items() if key not in OPERATOR_ONLY}
    notes = [
        f"{source}: {key} can only be set by the operator; it was ignored"
        for key in workspace
        if key in OPERATOR_ONLY
    ]
    wish = _validated(free, source)
    effects = operator.effects
    if "allow" in free:
        refused = sorted(wish.allow - effects)
        notes += [
            f"{source}: {effect} was not granted; start with --allow {effect}" for effect in refused
        ]
        effects &= DEFAULT_EFFECTS | wish.allow
    is_read_only = operator.read_only or wish.read_only
    if is_read_only:
        effects &= {Effect.READ}
    settings = operator.model_copy(update=_lowered(operator, wish, free))
    if wish.toolsets is not None:
        allowed = operator.toolsets
        chosen = tuple(name for name in wish.toolsets if allowed is None or name in allowed)
        settings = settings.model_copy(update={"toolsets": chosen})
    permissions = Permissions().narrowed(as_rules(operator.resource_permissions))
    return Configuration(
        settings=settings,
        effects=effects,
        permissions=permissions.narrowed(as_rules(wish.resource_permissions)),
        is_read_only=is_read_only,
        only_tools=frozenset(wish.expose_tools) if wish.expose_tools else None,
        granted_toolsets=operator.toolsets,
        notes=tuple(notes),
    )


def _lowered(operator: Settings, wish: Settings, free: Layer) -> dict[str, object]:
    """Return the limits of which a workspace's file asked for less."""
    update: dict[str, object] = {
        key: min(getattr(operator, key), getattr(wish, key)) for key in _LOWER_ONLY if key in free
    }
    if "tool_timeouts" in free:
        update["tool_timeouts"] = operator.tool_timeouts | {
            tool: min(seconds, operator.timeout_of(tool))
            for tool, seconds in wish.tool_timeouts.items()
        }
    if "limits" in free:
        ours, theirs = operator.limits.model_dump(), wish.limits.model_dump(exclude_unset=True)
        update["limits"] = operator.limits.model_copy(
            update={key: min(ours[key], value) for key, value in theirs.items()}
        )
    return update


def _merged(*layers: Layer) -> Layer:
    """Put layers together, the later over the earlier; limits one by one."""
    merged: dict[str, object] = {}
    for layer in layers:
        below, above = merged.get("limits"), layer.get("limits")
        merged |= layer
        if isinstance(below, Mapping) and isinstance(above, Mapping):
            merged["limits"] = {**below, **above}
    return merged


def _user_file(environment: Mapping[str, str]) -> Path:
    base = environment.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "benchpin" / "config.toml"


def _workspace_layer(root: Path) -> tuple[str, Layer]:
    own = root / "benchpin.toml"
    if own.is_file():
        return "benchpin.toml", _read_toml(own)
    project = root / "pyproject.toml"
    tool = _table(_read_toml(project).get("tool", {}), "pyproject.toml [tool]")
    source = "pyproject.toml [tool.benchpin]"
    return source, _table(tool.get("benchpin", {}), source)


def _table(value: object, source: str) -> Layer:
    if not isinstance(value, Mapping):
        raise ConfigError(f"{source} is not a table", suggestion="Correct the file.")
    return value


def _read_toml(file: Path) -> Layer:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(
            f"{file} cannot be read: {error}", suggestion="Correct the file or remove it."
        ) from error


def _from_environment(environment: Mapping[str, str]) -> Layer:
    layer: dict[str, object] = {}
    limits: dict[str, object] = {}
    for variable, text in environment.items():
        if not variable.startswith(_PREFIX):
            continue
        key = variable.removeprefix(_PREFIX).lower()
        if key.startswith("limits_"):
            limits[key.removeprefix("limits_")] = text
        elif key in _STRUCTURED:
            raise ConfigError(
                f"{variable} cannot be given in the environment", suggestion=f"Set {key} in a file."
            )
        elif key in _LISTS:
            layer[key] = split_list(text)
        elif key in _PATH_LISTS:
            layer[key] = [part for part in text.split(os.pathsep) if part]
        else:
            layer[key] = text
    return {**layer, "limits": limits} if limits else layer


def split_list(text: str) -> list[str]:
    """Split a comma-separated setting."""
    return [part.strip() for part in text.split(",") if part.strip()]


def _checked(layer: Layer, source: str, ignoring: frozenset[str] = frozenset()) -> Layer:
    """Refuse keys that do not exist, naming the nearest that does, and values that do not fit."""
    _refuse_unknown(layer, Settings.model_fields, source)
    limits = layer.get("limits")
    if isinstance(limits, Mapping):
        _refuse_unknown(limits, Limits.model_fields, f"{source}, limits")
    known = {key: value for key, value in layer.items() if key not in ignoring}
    _validated(known, source)
    return layer


def _refuse_unknown(keys: Iterable[str], known: Iterable[str], source: str) -> None:
    for key in keys:
        if key not in known:
            nearest = difflib.get_close_matches(key, list(known), n=1, cutoff=0.0)
            raise ConfigError(
                f"{source}: there is no setting {key!r}",
                suggestion=f"Did you mean {nearest[0]!r}?",
                data={"key": key, "source": source},
            )


def _validated(layer: Layer, source: str) -> Settings:
    try:
        return Settings.model_validate(dict(layer))
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in problem["loc"])
        found = "" if key == "auth_token" else f", not {problem['input']!r}"
        raise ConfigError(
            f"{source}: {key}: {problem['msg']}{found}",
            suggestion=f"Correct {key}.",
            data={"key": key, "source": source},
        ) from error
