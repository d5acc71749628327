"""Fail when `tools/list` costs an agent more tokens than it may.

Every client reads the list before it does anything. The budget is for all tools together, as they
are sent: one compact JSON document, counted with the o200k vocabulary.
"""

import json
import sys

from benchpin.app import Workbench, configure
from benchpin.repository.packing import count_tokens
from benchpin.server._announcement import thin_definition
from benchpin.server.jsonrpc import Json

BUDGET = 7_000
HEAVIEST = 10


def main() -> int:
    """Print what the list costs, and the heaviest tools if it costs too much."""
    catalogue = Workbench(configure()).catalogue
    costs = {it.name: cost(thin_definition(it)) for it in catalogue.listings()}
    total = sum(costs.values())
    if total <= BUDGET:
        return 0
    print(f"tools/list takes {total:,} tokens; the budget is {BUDGET:,}. The heaviest:")
    for name in sorted(costs, key=costs.__getitem__, reverse=True)[:HEAVIEST]:
        print(f"  {costs[name]:4}  {name}")
    print("Mark arguments that few callers need as Rare, and shorten the first clauses.")
    return 1


def cost(tool: Json) -> int:
    """Return the tokens of one tool as it is sent, with the comma after it."""
    return count_tokens(json.dumps(tool, separators=(",", ":"), ensure_ascii=False) + ",")


if __name__ == "__main__":
    sys.exit(main())
