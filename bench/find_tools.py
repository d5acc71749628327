"""How often `find_tools` has the right tool among its first three.

The first and the last set of tasks were written by the author of the ranking, before it was written
and before its last change; the others by readers of the table of tools only.
"""

import tomllib
from pathlib import Path

from benchpin.app import Workbench, configure
from benchpin.toolsets.server._tool_ranking import rank_tools
from results import help_if_asked, write_section

FIRST = 3
SETS = {
    "find_tools_tasks.toml": "before the ranking, by its author",
    "find_tools_held_out.toml": "by a reader of the table; synonyms were added after it",
    "find_tools_fresh.toml": "by a reader of the table; 85.0% at first sight, words added after it",
    "find_tools_unseen.toml": "before the last change of the ranking, by its author; first sight",
}


def main() -> None:
    """Print every miss and write the hit rates."""
    rows = [f"| {written} | {measured(name)} |" for name, written in SETS.items()]
    header = "| tasks, 60 each | right tool first | among the first three |\n| --- | --- | --- |"
    write_section("Finding tools", "\n".join((header, *rows)))


def measured(name: str) -> str:
    """Return the hit rates for one file of tasks."""
    tasks = tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))["tasks"]
    tools = [listing.definition for listing in Workbench(configure()).catalogue.listings()]
    hits = dict.fromkeys((1, FIRST), 0)
    for task, right in tasks.items():
        found = [tool.name for _, tool in rank_tools(tools, task)]
        for count in hits:
            hits[count] += any(it in right for it in found[:count])
        if not any(it in right for it in found[:FIRST]):
            print(f"missed: {task!r} wants {', '.join(right)}; found {', '.join(found[:5])}")
    return " | ".join(f"{hit / len(tasks):.1%}" for hit in hits.values())


if __name__ == "__main__":
    help_if_asked(__doc__)
    main()
