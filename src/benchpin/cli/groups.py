"""Which command runs which tool, and what the first screen of help lists.

A tool called `find_tests` is `benchpin find tests` without a line here. `SCREEN` has the groups by
task, and the commands whose names do not follow from their tools'. Each tool is also `benchpin tool
NAME`, and its two words are a command that no help lists: `benchpin search files`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from benchpin.core.tools import Toolset
from benchpin.toolsets import load_toolsets


class ScreenLine(NamedTuple):
    """A line of the first screen: a group of commands, or one command."""

    text: str
    example: str = ""
    """A command of the group, as the group's help shows it."""
    commands: Mapping[str, str] = {}
    """Names of tools, or of commands that toolsets declare, by the word that is typed; before
    them come the short commands of a toolset of the group's name, after them the tools whose names
    begin with it. A tool is listed once, where it comes first."""
    tool: str = ""
    """What runs if the entry is one command, unless it has the name of a tool."""
    by_default: str = ""
    """The word that runs when something else than a word is typed: `analyze src`."""
    alone: str = ""
    """The word that runs when nothing is typed; without it, help is shown."""
    takes: Literal["path", "name"] = "path"
    """What the word that runs by default is given: `analyze src`, `find Parser`."""
    synonyms: Mapping[str, str] = {}
    """What people type instead of a word, with the options that say the same; help lists none."""


SCREEN: dict[str, dict[str, ScreenLine]] = {
    "Understand code": {
        "analyze": ScreenLine(
            "Measure code; `analyze PATH` is an overview on one screen.",
            "benchpin analyze complexity src --top-files 5",
            {"documents": "check_documentation", "links": "check_links"},
            by_default="comprehensive",
            alone="comprehensive",
            synonyms={
                "churn": "code-churn",
                "clones": "duplicates",
                "copies": "duplicates",
                "cycles": "graph-metrics",
                "debt": "debt-comments",
                "defects": "defect-probability",
                "dependencies": "graph-metrics",
                "graph": "graph-metrics",
                "hotspots": "code-churn",
                "names": "name-similarity",
                "owners": "impact",
                "risk": "defect-probability",
                "todos": "debt-comments",
                "trend": "trends",
                "unused": "dead-code",
            },
        ),
        "explore": ScreenLine("Answer a question about the code, with the code."),
        "find": ScreenLine(
            "Find definitions, uses, callers, tests, text, or code by its shape.",
            "benchpin find references Parser.feed",
            {
                "symbol": "find_symbol",
                "references": "find_references",
                "calls": "trace_calls",
                "implementations": "find_implementations",
                "tests": "find_tests",
                "text": "search_files",
                "structure": "search_structure",
            },
            by_default="symbol",
            takes="name",
            synonyms={
                "callees": "calls --direction callees",
                "callers": "calls",
                "definition": "symbol",
                "files": "text --search-type filename",
                "grep": "text",
                "implementers": "implementations",
                "pattern": "structure",
                "refs": "references",
                "usages": "references",
                "uses": "references",
            },
        ),
        "show": ScreenLine(
            "Show a change, a history, an outline, a map, a file.",
            "benchpin show history src/app.py --symbol run",
            {
                "changes": "show_changes",
                "history": "show_history",
                "outline": "outline_file",
                "map": "map_repository",
                "pack": "pack_repository",
                "file": "read_file",
                "directory": "list_directory",
                "result": "read_result",
                "status": "get_status",
            },
            by_default="outline",
            synonyms={"blame": "history", "change": "changes", "diff": "changes", "log": "history"},
        ),
    },
    "Check a change": {
        "review": ScreenLine("Review a change: what it breaks, copies or leaves untested."),
        "prove": ScreenLine("Check whether a change is done; runs the affected tests."),
        "gate": ScreenLine("Fail if code exceeds its limits; for CI.", tool="quality_gate"),
    },
    "Work on code": {
        "edit": ScreenLine(
            "Rename a symbol, rewrite code by its shape, edit a file.",
            "benchpin edit rename Parser.feed consume --apply",
            {
                "rename": "rename_symbol",
                "rewrite": "rewrite_structure",
                "file": "edit_file",
                "write": "write_file",
            },
            synonyms={"replace": "rewrite"},
        ),
        "comments": ScreenLine(
            "Keep notes beside the code; they follow it when it moves.",
            'benchpin comments add src/app.py 42 "Why?" QUESTION',
            {
                "list": "list_comments",
                "show": "get_file_comments",
                "add": "add_comment",
                "edit": "edit_comment",
                "resolve": "resolve_comment",
                "move": "move_comment",
                "delete": "delete_comment",
                "reanchor": "reanchor_comments",
                "import": "import_code_comments",
                "remember": "remember",
                "recall": "recall",
                "export": "export_comments",
            },
            alone="list",
            synonyms={"ls": "list", "remove": "delete", "rm": "delete", "search": "list"},
        ),
        "run": ScreenLine(
            "Run tests, a command or a script in a sandbox.",
            "benchpin run tests",
            {
                "tests": "run_tests",
                "command": "execute_command",
                "python": "python_executor",
                "script": "run_script",
            },
            synonyms={"test": "tests"},
        ),
        "template": ScreenLine(
            "Generate files and projects from templates; update them.",
            "benchpin template list",
            {
                "list": "list_templates",
                "search": "search_templates",
                "generate": "generate_template",
                "scaffold": "scaffold_project",
                "validate": "validate_template",
            },
            synonyms={"create": "scaffold", "new": "scaffold"},
        ),
    },
    "Performance and fleets": {
        "perf": ScreenLine(
            "Find what is slow, from profiles, slow logs and timings.",
            "benchpin perf ingest slow.log spx/*.txt.gz && benchpin perf report",
            {"runs": "list_runs", "run": "get_run", "health": "check_health"},
        ),
        "fleet": ScreenLine(
            "Measure and query many repositories as one.",
            "benchpin fleet measure && benchpin fleet query hotspots",
        ),
    },
    "Look and share": {
        "ui": ScreenLine("Show a codebase in the browser."),
        "report": ScreenLine("Write one HTML page about a codebase."),
    },
    "Set up": {
        "serve": ScreenLine("Run the MCP server, for editors and agents."),
        "install": ScreenLine("Add Benchpin to the MCP hosts of this machine, or remove it."),
        "doctor": ScreenLine("Check this machine and the configuration."),
        "tools": ScreenLine("List all tools, and what is enabled."),
        "tool": ScreenLine("Run any tool by its name."),
    },
}
ENTRIES = {name: entry for section in SCREEN.values() for name, entry in section.items()}
GROUPS = {name: entry for name, entry in ENTRIES.items() if entry.example}


class Owned(NamedTuple):
    """A command of a toolset, by the name of its tool or of its declaration."""

    toolset: Toolset
    name: str


class GroupCommands(NamedTuple):
    """The commands of a group."""

    owners: dict[str, Owned]
    listed: tuple[str, ...]
    """Those that help shows; the others are other words for a command."""


def named() -> dict[str, Owned]:
    """Return the commands that are named as tools are, by name."""
    found: dict[str, Owned] = {}
    for toolset in load_toolsets():
        declared = () if toolset.command else toolset.commands
        alone = {toolset.load_command(it).tool for it in declared if "_" not in it}
        found |= {it: Owned(toolset, it) for it in toolset.tools if it not in alone}
        found |= {it: Owned(toolset, it) for it in declared}
    return found


def words_of(group: str) -> GroupCommands | None:
    """Return the commands of a group; None if there is no such group.

    The first word of a tool is one too, though help lists it nowhere: `benchpin list runs`.
    """
    every = named()
    short = _short(group)
    placed = {
        word: every[name]
        for word, name in (GROUPS[group].commands if group in GROUPS else {}).items()
        if name in every
    }
    derived = {
        name.partition("_")[2].replace("_", "-"): owned
        for name, owned in sorted(every.items())
        if name.partition("_")[0] == group and "_" in name
    }
    if not (short or placed or derived):
        return None
    if not (short or placed or group in _added()):
        return GroupCommands(derived, tuple(derived))
    elsewhere = {
        name for it, entry in GROUPS.items() if it != group for name in entry.commands.values()
    }
    taken = {owned.name for owned in placed.values()}
    own = [
        word
        for word, owned in derived.items()
        if not owned.toolset.command and owned.name not in elsewhere | taken
    ]
    listed = dict.fromkeys([*short, *placed, *own])
    return GroupCommands({**derived, **placed, **short}, tuple(listed))


def _short(group: str) -> dict[str, Owned]:
    toolsets = (it for it in load_toolsets() if it.command == group)
    return {word: Owned(toolset, word) for toolset in toolsets for word in toolset.commands}


def groups() -> list[str]:
    """Return the groups that help lists: those of the screen, and those of other distributions."""
    return [*GROUPS, *sorted(_added() - GROUPS.keys())]


def _added() -> set[str]:
    theirs = [it for it in load_toolsets() if it.distribution]
    return {it.command or name.partition("_")[0] for it in theirs for name in it.tools}


def single(name: str) -> Owned | None:
    """Return what a command of one word runs; None if it is none, or has no tool."""
    entry = ENTRIES.get(name)
    return named().get(entry.tool if entry and entry.tool else name)


def spelled(tool: str) -> str | None:
    """Return what to type after `benchpin` for a tool; None if there is no such tool."""
    if not any(tool in toolset.tools for toolset in load_toolsets()):
        return None
    return next(_spellings(tool), f"tool {tool}")


def _spellings(tool: str) -> Iterator[str]:
    for name, entry in ENTRIES.items():
        owned = single(name)
        if not entry.example and owned is not None and _runs(owned) == tool:
            yield name
    for group in groups():
        if (words := words_of(group)) is None:
            continue
        for word in words.listed:
            if _runs(words.owners[word]) == tool:
                yield f"{group} {word}"


def _runs(owned: Owned) -> str:
    toolset, name = owned
    return toolset.load_command(name).tool if name in toolset.commands else name


def ending_with(word: str) -> list[str]:
    """Return the commands of groups that end with a word: `find text` for `text`.

    A synonym counts only where no group lists the word.
    """
    found = ((it, words_of(it)) for it in groups())
    listed = [f"{group} {word}" for group, words in found if words and word in words.listed]
    return listed or [f"{it} {word}" for it, entry in GROUPS.items() if word in entry.synonyms]


def screen(own: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return what the first screen of help says: sections, their commands, a line about each.

    `own` are the commands without a tool. What is not there, because a toolset is missing, is left
    out.
    """
    there = {*own, *groups(), *(name for name in ENTRIES if single(name))}
    return {
        section: {name: entry.text for name, entry in entries.items() if name in there}
        for section, entries in SCREEN.items()
    }


def added_section() -> dict[str, str]:
    """Return the lines about the groups that other distributions add."""
    described = {it.command: it.description for it in load_toolsets() if it.command}
    lines = {}
    for group in groups()[len(GROUPS) :]:
        words = words_of(group)
        lines[group] = described.get(group) or ", ".join(words.listed if words else ())
    return lines
