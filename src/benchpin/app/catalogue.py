"""Which tools, resources and prompts there are, which are switched on, and why."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from benchpin.core import (
    AnyTool,
    ConfigError,
    Effect,
    Prompt,
    PromptNotFound,
    Resource,
    ResourceNotFound,
    ToolDisabled,
    Toolset,
    UnknownTool,
    Variables,
)

from .config import Configuration


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a tool is on, why, and what would turn it on."""

    is_enabled: bool
    reason: str
    way_in: str = ""
    is_barred: bool = False
    """Off even for somebody who asks for it by name."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A tool and where it comes from."""

    toolset: Toolset
    tool: AnyTool
    verdict: Verdict


class Catalogue:
    """The contents of the toolsets under one configuration."""

    def __init__(self, toolsets: Sequence[Toolset], configuration: Configuration) -> None:
        """Index the names; nothing is imported yet.

        Raises:
            ConfigError: when a toolset or tool that was asked for does not exist.
        """
        self._configuration = configuration
        self._toolsets = tuple(toolsets)
        self._owners = {name: toolset for toolset in toolsets for name in toolset.tools}
        self._aliases = {
            alias: name for toolset in toolsets for alias, name in toolset.aliases.items()
        }
        settings = configuration.settings
        _require_known("toolset", settings.toolsets or (), [toolset.name for toolset in toolsets])
        _require_known("tool", settings.expose_tools, [*self._owners, *self._aliases])
        _require_known("tool", sorted(settings.tool_timeouts), [*self._owners])
        only = configuration.only_tools
        _require_known("tool", sorted(only or ()), [*self._owners, *self._aliases])
        self._only = None if only is None else frozenset(self.canonical(name) for name in only)
        self._exposed = frozenset(self.canonical(name) for name in settings.expose_tools)
        self._listings: dict[str, Listing] = {}

    @property
    def toolsets(self) -> tuple[Toolset, ...]:
        """Every toolset, switched on or not."""
        return self._toolsets

    def owns(self, name: str) -> bool:
        """Whether the name or alias means a tool."""
        return self.canonical(name) in self._owners

    def listings(self) -> Iterator[Listing]:
        """Go through all tools in their order."""
        for name, toolset in self._owners.items():
            yield self._listing(name, toolset)

    @cached_property
    def enabled(self) -> tuple[Listing, ...]:
        """The tools that can be called."""
        return tuple(listing for listing in self.listings() if listing.verdict.is_enabled)

    def find(self, name: str, *, for_operator: bool = False) -> Listing:
        """Return the tool that a name or alias means.

        An operator who types the name has thereby exposed the tool, unless it is barred.

        Raises:
            UnknownTool: when there is none.
            ToolDisabled: when it is switched off, with the flag that turns it on.
        """
        canonical = self.canonical(name)
        toolset = self._owners.get(canonical)
        if toolset is None:
            nearest = difflib.get_close_matches(
                name, [*self._owners, *self._aliases], n=3, cutoff=0.4
            )
            raise UnknownTool(
                f"Unknown tool: {name!r}",
                suggestion=f"Nearest: {', '.join(nearest)}."
                if nearest
                else "See tools/list, or benchpin tools.",
                data={"tool": name, "nearest": nearest},
            )
        listing = self._listing(canonical, toolset)
        verdict = listing.verdict
        if verdict.is_barred or not (verdict.is_enabled or for_operator):
            raise ToolDisabled(
                f"The tool {canonical!r} is switched off: {verdict.reason}",
                suggestion=verdict.way_in,
                data={"tool": canonical},
            )
        return listing

    @cached_property
    def resources(self) -> tuple[Resource, ...]:
        """Every resource of the toolsets that are on."""
        return tuple(
            resource for toolset in self._active() for resource in toolset.load_resources()
        )

    def find_resource(self, uri: str) -> tuple[Resource, Variables]:
        """Return the resource that answers to a URI.

        Raises:
            ResourceNotFound: when none does.
        """
        for resource in self.resources:
            variables = resource.match(uri)
            if variables is not None:
                return resource, variables
        known = ", ".join(resource.uri for resource in self.resources)
        raise ResourceNotFound(
            f"No resource answers to {uri!r}",
            suggestion=f"Known forms: {known or 'none'}.",
            data={"uri": uri},
        )

    @cached_property
    def prompts(self) -> tuple[Prompt, ...]:
        """Every prompt of the toolsets that are on."""
        return tuple(prompt for toolset in self._active() for prompt in toolset.load_prompts())

    def find_prompt(self, name: str) -> Prompt:
        """Return a prompt by name.

        Raises:
            PromptNotFound: when there is none.
        """
        for prompt in self.prompts:
            if prompt.name == name:
                return prompt
        known = ", ".join(prompt.name for prompt in self.prompts)
        raise PromptNotFound(
            f"No prompt is called {name!r}",
            suggestion=f"Known prompts: {known or 'none'}.",
            data={"prompt": name},
        )

    def canonical(self, name: str) -> str:
        """Return the name that a name or alias means."""
        return self._aliases.get(name, name)

    def _active(self) -> Iterator[Toolset]:
        chosen = self._configuration.settings.toolsets
        return (toolset for toolset in self._toolsets if chosen is None or toolset.name in chosen)

    def _listing(self, name: str, toolset: Toolset) -> Listing:
        listing = self._listings.get(name)
        if listing is None:
            tool = toolset.load_tool(name)
            listing = self._listings[name] = Listing(toolset, tool, self._verdict(tool, toolset))
        return listing

    def _verdict(self, tool: AnyTool, toolset: Toolset) -> Verdict:
        configuration = self._configuration
        chosen = configuration.settings.toolsets
        effect = tool.effect
        by_name = f"start Benchpin with --expose-tool {tool.name}"
        if self._only is not None and tool.name not in self._only:
            reason = "the workspace's file leaves it out"
            return Verdict(False, reason, "Add it to expose_tools there.", is_barred=True)
        if configuration.is_read_only and effect is not Effect.READ:
            reason = f"its effect is {effect.value} and Benchpin is read-only"
            way_in = (
                "Start without --read-only."
                if configuration.settings.read_only
                else "Take read_only out of the workspace's file."
            )
            return Verdict(False, reason, way_in, is_barred=True)
        if self._exposed:
            if tool.name in self._exposed:
                return Verdict(True, "exposed by name")
            return Verdict(
                False, "not among the exposed tools", f"To use it too, {by_name} as well."
            )
        if chosen is not None and toolset.name not in chosen:
            granted = configuration.granted_toolsets
            is_granted = granted is None or toolset.name in granted
            where = "toolsets in the workspace's file" if is_granted else "--toolsets"
            return Verdict(
                False,
                f"the toolset {toolset.name!r} is off",
                f"Add {toolset.name} to {where}, or {by_name}.",
            )
        if effect not in configuration.effects:
            is_granted = effect in configuration.settings.effects
            way_in = (
                f"Add {effect.value} to allow in the workspace's file"
                if is_granted
                else f"Start Benchpin with --allow {effect.value}"
            )
            return Verdict(False, f"its effect is {effect.value}", f"{way_in}, or {by_name}.")
        return Verdict(True, f"{effect.value} is allowed")


def _require_known(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
            raise ConfigError(
                f"There is no {what} {name!r}",
                suggestion=f"Did you mean {nearest[0]!r}?" if nearest else "",
                data={what: name},
            )
