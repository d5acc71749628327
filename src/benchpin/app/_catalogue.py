"""Which tools, resources and prompts exist, which are enabled, and why."""

import difflib
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock

from benchpin.core.content import Prompt, Resource, Variables
from benchpin.core.errors import (
    ConfigError,
    PromptNotFound,
    ResourceNotFound,
    ToolDisabled,
    UnknownTool,
)
from benchpin.core.tools import AnyTool, Effect, ToolDefinition, Toolset

from ._config import Configuration
from ._prompt_folders import files_in, read_files, workspace_files
from ._settings import AUTO, BUILT_IN, FULL, ONLY_LEAN, profile_for

logger = logging.getLogger(__name__)

# Characters of an unknown name that an error repeats.
_MAX_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a tool is enabled, and why."""

    is_enabled: bool
    reason: str
    way_in: str = ""
    """How to enable it."""
    is_barred: bool = False
    """Whether it stays disabled on the command line, where naming a tool enables it."""


@dataclass(frozen=True)  # no slots: the tool is kept once it is imported
class Listing:
    """A tool under one configuration."""

    toolset: Toolset
    definition: ToolDefinition
    verdict: Verdict
    reach: Effect
    """The strongest effect that a call can have."""

    @cached_property
    def name(self) -> str:
        """The name of the tool."""
        return self.definition.name

    @cached_property
    def is_ordered(self) -> bool:
        """Whether calls run in the order of arrival, because they can change something."""
        return self.reach.is_ordered

    @cached_property
    def tool(self) -> AnyTool:
        """The tool itself, imported when it is first used."""
        return self.toolset.load_tool(self.definition.name)


class Catalogue:
    """The tools, resources and prompts of the toolsets under one configuration."""

    def __init__(self, toolsets: Sequence[Toolset], configuration: Configuration) -> None:
        """Index the names; tools are imported when they are first used.

        Raises:
            ConfigError: when the configuration names an unknown toolset or tool.
        """
        self._configuration = configuration
        self._toolsets = tuple(toolsets)
        self._owners = _owners(toolsets)
        self._aliases = {
            alias: name for toolset in toolsets for alias, name in toolset.aliases.items()
        }
        settings = configuration.settings
        _require_known("toolset", settings.toolsets or (), [toolset.name for toolset in toolsets])
        _require_known("tool", settings.expose_tools, self.names())
        _require_known("tool", sorted(settings.tool_timeouts), [*self._owners])
        self._profiles = {
            name: tuple(self.canonical(tool) for tool in tools)
            for name, tools in {**BUILT_IN, **settings.profiles}.items()
        }
        for tools in settings.profiles.values():
            _require_known("tool", tools, self.names())
        _require_known("profile", [settings.profile], [AUTO, FULL, *self._profiles])
        narrowing = configuration.narrowing
        _require_known("toolset", sorted(narrowing.toolsets or ()), [it.name for it in toolsets])
        _require_known("tool", sorted(narrowing.tools or ()), self.names())
        self._narrowed_to = (
            None if narrowing.tools is None else {self.canonical(it) for it in narrowing.tools}
        )
        self._exposed = frozenset(self.canonical(name) for name in settings.expose_tools)
        self._listings: dict[str, Listing] = {}
        self._prompts: tuple[Prompt, ...] | None = None
        self._reading_prompts = Lock()

    @property
    def toolsets(self) -> tuple[Toolset, ...]:
        """Every toolset, enabled or not."""
        return self._toolsets

    def names(self) -> list[str]:
        """Return every name and alias of a tool."""
        return [*self._owners, *self._aliases]

    def owns(self, name: str) -> bool:
        """Whether a name or alias is that of a tool."""
        return self.canonical(name) in self._owners

    def listings(self) -> Iterator[Listing]:
        """Yield all tools in the order of their toolsets."""
        return (self._listing(name) for name in self._owners)

    @cached_property
    def enabled(self) -> tuple[Listing, ...]:
        """The enabled tools."""
        return tuple(listing for listing in self.listings() if listing.verdict.is_enabled)

    def listed_for(self, client: str) -> tuple[Listing, ...]:
        """Return the enabled tools that a client of this name is shown."""
        profile = profile_for(client, self._configuration.settings)
        if profile == FULL:
            return tuple(it for it in self.enabled if it.name not in ONLY_LEAN)
        enabled = {it.name: it for it in self.enabled}
        return tuple(enabled[name] for name in self._profiles[profile] if name in enabled)

    def find(self, name: str, *, for_operator: bool = False) -> Listing:
        """Return the tool with a name or alias.

        For the operator, who types the name, every tool is enabled that is not barred.

        Raises:
            UnknownTool: when there is none.
            ToolDisabled: when it is disabled; the suggestion says how to enable it.
        """
        canonical = self._aliases.get(name, name)
        listing = self._listings.get(canonical) or self._load(name, canonical)
        verdict = listing.verdict
        if verdict.is_barred or not (verdict.is_enabled or for_operator):
            raise ToolDisabled(
                f"The tool {canonical!r} is disabled: {verdict.reason}",
                suggestion=verdict.way_in,
                data={"tool": canonical},
            )
        return listing

    def _load(self, name: str, canonical: str) -> Listing:
        if canonical in self._owners:
            return self._listing(canonical)
        nearest = difflib.get_close_matches(name, self.names(), n=3, cutoff=0.4)
        raise UnknownTool(
            f"Unknown tool: {name[:_MAX_SHOWN]!r}",
            suggestion=f"Nearest: {', '.join(nearest)}."
            if nearest
            else "See tools/list, or benchpin tools.",
            data={"tool": name[:_MAX_SHOWN], "nearest": nearest},
        )

    @cached_property
    def resources(self) -> tuple[Resource, ...]:
        """The resources of the enabled toolsets."""
        return tuple(resource for _, resource in self._owned_resources)

    @cached_property
    def _owned_resources(self) -> tuple[tuple[Toolset, Resource], ...]:
        return tuple(
            (toolset, resource)
            for toolset in self.active()
            for resource in toolset.load_resources()
        )

    def owner_of(self, resource: Resource) -> Toolset:
        """Return the toolset of a resource."""
        return next(toolset for toolset, owned in self._owned_resources if owned is resource)

    def find_resource(self, uri: str) -> tuple[Resource, Variables]:
        """Return the resource with a URI, and the variables in the URI.

        Raises:
            ResourceNotFound: when there is none.
        """
        for resource in self.resources:
            variables = resource.match(uri)
            if variables is not None:
                return resource, variables
        raise self._no_resource(uri)

    def find_template(self, template: str) -> Resource:
        """Return the resource with exactly this URI or URI template.

        Raises:
            ResourceNotFound: when there is none.
        """
        for resource in self.resources:
            if resource.uri == template:
                return resource
        raise self._no_resource(template)

    def _no_resource(self, uri: str) -> ResourceNotFound:
        known = ", ".join(resource.uri for resource in self.resources)
        return ResourceNotFound(
            f"No resource has the URI {uri[:_MAX_SHOWN]!r}",
            suggestion=f"Known URIs: {known or 'none'}.",
            data={"uri": uri[:_MAX_SHOWN]},
        )

    @property
    def prompts(self) -> tuple[Prompt, ...]:
        """The prompts of the enabled toolsets and of the folders, which are read once."""
        with self._reading_prompts:
            if self._prompts is None:
                self._prompts = self._read_prompts()
        return self._prompts

    def _read_prompts(self) -> tuple[Prompt, ...]:
        shipped = [prompt for toolset in self.active() for prompt in toolset.load_prompts()]
        names = {prompt.name for prompt in shipped}
        own, notes = read_files(self._prompt_files())
        for note in notes:
            logger.warning("prompt skipped: %s", note)
        return (*shipped, *(prompt for prompt in own if prompt.name not in names))

    def _prompt_files(self) -> Iterator[Path]:
        settings = self._configuration.settings
        for folder in settings.prompt_folders:
            yield from files_in(folder)
        yield from workspace_files(settings.root, self._configuration.permissions)

    def find_prompt(self, name: str) -> Prompt:
        """Return the prompt with a name.

        Raises:
            PromptNotFound: when there is none.
        """
        for prompt in self.prompts:
            if prompt.name == name:
                return prompt
        known = ", ".join(prompt.name for prompt in self.prompts)
        raise PromptNotFound(
            f"No prompt has the name {name[:_MAX_SHOWN]!r}",
            suggestion=f"Known prompts: {known or 'none'}.",
            data={"prompt": name[:_MAX_SHOWN]},
        )

    def owner_of_prompt(self, prompt: Prompt) -> Toolset | None:
        """Return the toolset of a prompt; those of folders have none."""
        return next((it for it in self.active() if prompt in it.load_prompts()), None)

    def canonical(self, name: str) -> str:
        """Return the name of a tool from its name or alias."""
        return self._aliases.get(name, name)

    def active(self) -> Iterator[Toolset]:
        """Return the enabled toolsets."""
        chosen = self._configuration.settings.toolsets
        narrowed = self._configuration.narrowing.toolsets
        return (
            toolset
            for toolset in self._toolsets
            if (chosen is None or toolset.name in chosen)
            and (narrowed is None or toolset.name in narrowed)
        )

    def _listing(self, name: str) -> Listing:
        listing = self._listings.get(name)
        if listing is None:
            toolset, definition = self._owners[name], self._definitions[name]
            verdict = self._verdict(definition, toolset)
            listing = Listing(toolset, definition, verdict, self._reach(definition))
            self._listings[name] = listing
        return listing

    def _reach(self, tool: ToolDefinition) -> Effect:
        allowed = self._configuration.effects
        if tool.calls_tools:
            reaches = (
                self._reach(other)
                for name, other in self._definitions.items()
                if not other.calls_tools and self._permission(other, self._owners[name]).is_enabled
            )
            return max((tool.effect, *reaches), key=list(Effect).index)
        further = tool.further_effect
        return tool.effect if further is None or further not in allowed else further

    @cached_property
    def _definitions(self) -> dict[str, ToolDefinition]:
        return {
            name: definition
            for toolset in self._toolsets
            for name, definition in toolset.definitions().items()
        }

    def _verdict(self, tool: ToolDefinition, toolset: Toolset) -> Verdict:
        verdict = self._permission(tool, toolset)
        return (self._unconfinable(tool) or verdict) if verdict.is_enabled else verdict

    def _permission(self, tool: ToolDefinition, toolset: Toolset) -> Verdict:
        """Return whether the settings enable a tool, on a machine that can run it."""
        return self._narrowed(tool, toolset) or self._granted(tool, toolset)

    def _unconfinable(self, tool: ToolDefinition) -> Verdict | None:
        """Return why a tool that runs programs is disabled on this machine.

        One that calls other tools needs its sandbox in any case: without, it could do more than its
        caller may.
        """
        is_unconfined = self._configuration.settings.unconfined and not tool.calls_tools
        if not tool.needs_sandbox or is_unconfined:
            return None
        if self._confines:
            return None
        reason = "no sandbox works on this machine"
        way_in = "See `benchpin doctor`."
        if not tool.calls_tools:
            way_in += " To run programs without a sandbox, start with --unconfined."
        return Verdict(False, reason, way_in, is_barred=True)

    @cached_property
    def _confines(self) -> bool:
        from benchpin.run.sandbox import can_confine  # noqa: PLC0415 - if needed

        settings = self._configuration.settings
        return can_confine(settings.root.resolve(), settings.cache_dir)

    def remember_sandbox(self) -> None:
        """Have the next start know that programs can be confined, if this one had to find out."""
        from benchpin.run.sandbox import remember  # noqa: PLC0415 - if needed

        if self.__dict__.get("_confines"):
            settings = self._configuration.settings
            remember(settings.root.resolve(), settings.cache_dir)

    def _narrowed(self, tool: ToolDefinition, toolset: Toolset) -> Verdict | None:
        """Return why the workspace's file or `read_only` disables a tool."""
        narrowing, effect = self._configuration.narrowing, tool.effect.value
        if self._narrowed_to is not None and tool.name not in self._narrowed_to:
            way_in = "Add it to expose_tools there."
        elif narrowing.toolsets is not None and toolset.name not in narrowing.toolsets:
            way_in = f"Add {toolset.name} to toolsets there."
        elif narrowing.effects is not None and tool.effect not in narrowing.effects:
            way_in = f"Add {effect} to allow there, and remove read_only."
        elif self._configuration.settings.read_only and tool.effect is not Effect.READ:
            reason = f"its effect is {effect}, and Benchpin is read-only"
            return Verdict(False, reason, "Start without --read-only.", is_barred=True)
        else:
            return None
        return Verdict(
            False, "the workspace's configuration file excludes it", way_in, is_barred=True
        )

    def _granted(self, tool: ToolDefinition, toolset: Toolset) -> Verdict:
        """Return whether the operator's settings enable a tool."""
        settings, effect = self._configuration.settings, tool.effect
        by_name = f"--expose-tool {tool.name}"
        if tool.name in self._exposed:
            return Verdict(True, "exposed by name")
        if self._exposed:
            return Verdict(False, "only exposed tools are enabled", f"Add {by_name}.")
        if settings.toolsets is not None and toolset.name not in settings.toolsets:
            way_in = f"Add {toolset.name} to --toolsets, or use {by_name}."
            return Verdict(False, f"the toolset {toolset.name!r} is disabled", way_in)
        if effect not in settings.effects:
            way_in = f"Start Benchpin with --allow {effect.value} or {by_name}."
            return Verdict(False, f"its effect is {effect.value}", way_in)
        return Verdict(True, f"{effect.value} is allowed")


def _owners(toolsets: Sequence[Toolset]) -> dict[str, Toolset]:
    owners: dict[str, Toolset] = {}
    for toolset in toolsets:
        for name in toolset.tools:
            if name in owners:
                message = f"{owners[name].name} and {toolset.name} both have a tool {name!r}"
                raise TypeError(message)
            owners[name] = toolset
    return owners


def _require_known(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            nearest = difflib.get_close_matches(name, known, n=1)
            raise ConfigError(
                f"There is no {what} {name!r}",
                suggestion=f"Did you mean {nearest[0]!r}?"
                if nearest
                else "See `benchpin tools` for all toolsets and tools.",
                data={what: name},
            )
