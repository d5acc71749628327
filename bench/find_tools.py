"""How often `find_tools` has the right tool among its first three.

The tasks in find_tools_tasks.toml are written as a user would say them, each with the tools that
answer it, before the ranking was written.
"""

import tomllib
from pathlib import Path

from benchpin.app import Workbench, configure
from benchpin.toolsets.server._tool_ranking import rank_tools

FIRST = 3


def main() -> None:
    """Print the hit rate and every miss."""
    for place in sorted(Path(__file__).parent.glob("find_tools_*.toml")):
        measure(place)


def measure(place: Path) -> None:
    """Print the hit rate for one file of tasks."""
    tasks = tomllib.loads(place.read_text(encoding="utf-8"))["tasks"]
    tools = [listing.definition for listing in Workbench(configure()).catalogue.listings()]
    hits = dict.fromkeys((1, FIRST), 0)
    for task, right in tasks.items():
        found = [tool.name for _, tool in rank_tools(tools, task)]
        for count in hits:
            hits[count] += any(name in right for name in found[:count])
        if not any(name in right for name in found[:FIRST]):
            print(f"missed: {task!r} wants {', '.join(right)}; found {', '.join(found[:5])}")
    for count, hit in hits.items():
        print(f"{place.name}: top {count}: {hit} of {len(tasks)}, {hit / len(tasks):.1%}")


if __name__ == "__main__":
    main()
