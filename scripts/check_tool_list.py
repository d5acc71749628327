"""Fail when `tools/list` costs an agent more tokens than it may.

Every client reads the list before it does anything. There is a budget for all tools together and
one for the lean profile, as they are sent: one compact JSON document, counted with the o200k
vocabulary.
"""

import json
import sys

from benchpin.app import Workbench, configure
from benchpin.repository.packing import count_tokens
from benchpin.server._announcement import thin_definition
from benchpin.server.jsonrpc import Json

BUDGETS = {"full": 6_000, "lean": 1_300}
HEAVIEST = 10


def main() -> int:
    """Print what the lists cost, and the heaviest tools of one that costs too much."""
    everything = [*Workbench(configure()).catalogue.listings()]
    lean = Workbench(configure(profile="lean")).catalogue.listed_for("")
    problems = 0
    for profile, listings in (("full", everything), ("lean", lean)):
        costs = {it.name: cost(thin_definition(it)) for it in listings}
        total, budget = sum(costs.values()), BUDGETS[profile]
        if total > budget:
            problems += 1
            print(f"{profile}: {total:,} tokens; the budget is {budget:,}. The heaviest:")
            for name in sorted(costs, key=costs.__getitem__, reverse=True)[:HEAVIEST]:
                print(f"  {costs[name]:4}  {name}")
    if problems:
        print("Mark arguments that few callers need as Rare, and shorten the first clauses.")
    return 1 if problems else 0


def cost(tool: Json) -> int:
    """Return the tokens of one tool as it is sent, with the comma after it."""
    return count_tokens(json.dumps(tool, separators=(",", ":"), ensure_ascii=False) + ",")


if __name__ == "__main__":
    sys.exit(main())
