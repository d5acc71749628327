"""Toolsets of other distributions: entry points in the group `benchpin.toolsets`.

Each names a `Toolset`. One that cannot be loaded is left out, with an error that names its
distribution: it must not stop the server, and the tools of others work without it.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import Distribution, EntryPoint, distributions

from benchpin._extensions import GROUP, trusted_folders
from benchpin.core.errors import ToolsetBroken
from benchpin.core.tools import Toolset

logger = logging.getLogger(__name__)


def load_added(
    own: Sequence[Toolset],
) -> tuple[tuple[Toolset, ...], tuple[ToolsetBroken, ...]]:
    """Return the toolsets of other distributions, and why some of them are left out.

    They cannot take a name of Benchpin's own ones.
    """
    loaded: list[Toolset] = []
    problems: list[ToolsetBroken] = []
    for distribution, point in _entry_points():
        try:
            loaded.append(_load(distribution, point, (*own, *loaded)))
        except ToolsetBroken as problem:
            logger.warning("%s. %s", problem.message, problem.suggestion)
            problems.append(problem)
    return tuple(loaded), tuple(problems)


def _entry_points() -> Iterator[tuple[Distribution, EntryPoint]]:
    seen: set[str] = set()
    for distribution in distributions(path=trusted_folders()):
        # The first on the path is what an import would find; others are left over from updates.
        if distribution.name in seen:
            continue
        seen.add(distribution.name)
        points = distribution.entry_points.select(group=GROUP)
        yield from ((distribution, it) for it in sorted(points, key=lambda it: it.name))


def _load(distribution: Distribution, point: EntryPoint, others: Sequence[Toolset]) -> Toolset:
    owner = f"{distribution.name} {distribution.version}"
    try:
        toolset = point.load()
        if not isinstance(toolset, Toolset):
            message = f"{point.value} is no Toolset"
            raise TypeError(message)  # noqa: TRY301 - reported as what the distribution raises
        _require_free_names(toolset, others)
        toolset = replace(toolset, distribution=owner)
        _load_parts(toolset)
    except ToolsetBroken:
        raise
    except (Exception, SystemExit) as error:  # code of others may raise anything
        raise ToolsetBroken.of(point.name, owner, error) from error
    return toolset


def _require_free_names(toolset: Toolset, others: Sequence[Toolset]) -> None:
    """Fail when a toolset has a name that another one has."""
    for other in others:
        tools = {*other.tools, *other.aliases}
        # A group of commands hides all commands that begin with its name.
        words = {other.command, *(it.partition("_")[0] for it in other.tools)} - {""}
        taken = tools & {*toolset.tools, *toolset.aliases}
        taken |= words & {toolset.command}
        taken |= {other.name} & {toolset.name}
        if taken:
            message = f"{', '.join(sorted(taken))}: the toolset {other.name!r} has that name"
            raise ValueError(message)


def _load_parts(toolset: Toolset) -> None:
    """Import what lists would import later, so that a failure leaves out this toolset alone."""
    toolset.definitions()
    toolset.load_resources()
    toolset.load_prompts()
    toolset.load_settings()
    for command in toolset.commands:
        toolset.load_command(command)
