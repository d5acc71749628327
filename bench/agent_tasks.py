"""What tasks cost an agent: tokens of definitions, calls and results, calls, seconds.

`python bench/agent_tasks.py FOLDER SERVER` measures checkouts of flask, swr and ripgrep in FOLDER.
SERVER is the program of npm's `@modelcontextprotocol/server-filesystem`, its `dist/index.js`; the
rival is that server and a tool that runs `grep`.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_tasks_plans import SUBJECTS, TASKS, Call, Task
from benchpin.repository.packing import count_tokens
from clients import PipeClient, StdioClient
from results import help_if_asked, machine, write_section

WAYS = ("full", "lean", "run_script", "filesystem and grep")
RIVAL = WAYS[-1]
SHELL: dict[str, Any] = {
    "name": "shell",
    "description": "Run a command in the project's folder and return its output.",
    "inputSchema": {
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
    },
}
MAX_SHELL_CHARS = 30_000
"""Where hosts cut the output of a command."""
MANY_CALLS = 3


@dataclass(frozen=True, slots=True)
class Cost:
    """What one task cost, one way."""

    definitions: int
    exchanged: int
    """Tokens of calls and results."""
    calls: int
    seconds: float
    is_answered: bool

    @property
    def total(self) -> int:
        """All tokens."""
        return self.definitions + self.exchanged


class Agent:
    """Makes fixed calls, and counts what a model would see."""

    def __init__(self, client: PipeClient, root: Path, more: Sequence[dict[str, Any]] = ()) -> None:
        self._client, self._root = client, root
        listed = [*client.ask("tools/list")["result"]["tools"], *more]
        self.names = {it["name"] for it in listed}
        shown = [
            {key: it[key] for key in ("name", "description", "inputSchema") if key in it}
            for it in listed
        ]
        self._definitions = count_tokens(json.dumps(shown, separators=(",", ":")))

    def solve(self, task: Task, calls: Sequence[Call]) -> Cost:
        """Make the calls of a task."""
        begin = time.perf_counter()
        results = [self._result(name, arguments) for name, arguments in calls]
        seconds = time.perf_counter() - begin
        sent = [json.dumps({"name": name, "arguments": it}) for name, it in calls]
        tokens = sum(count_tokens(it) for it in (*sent, *results))
        is_answered = any(task.answer.lower() in it.lower() for it in results)
        return Cost(self._definitions, tokens, len(calls), seconds, is_answered)

    def close(self) -> None:
        """End the server."""
        self._client.close()

    def _result(self, name: str, arguments: dict[str, object]) -> str:
        if name == "shell":
            return _shell(str(arguments["command"]), self._root)
        if "path" in arguments and self.names >= {"shell"}:
            # The rival wants absolute paths; the tokens are counted for relative ones.
            arguments = {**arguments, "path": str(self._root / str(arguments["path"]))}
        answer = self._client.ask("tools/call", {"name": name, "arguments": arguments})
        result = answer.get("result", {"isError": True, "content": []})
        if result.get("isError"):
            raise RuntimeError(f"{name} {arguments} failed: {answer}")
        return "\n".join(it.get("text", "") for it in result["content"])


def _shell(command: str, root: Path) -> str:
    done = subprocess.run(("/bin/sh", "-c", command), cwd=root, capture_output=True, check=False)
    return done.stdout.decode(errors="replace")[:MAX_SHELL_CHARS]


def _through_lean(task: Task, listed: set[str]) -> list[Call]:
    """Return the calls of a client that must first find what is not listed."""
    calls: list[Call] = []
    found: set[str] = set()
    for name, arguments in task.calls:
        if name in listed:
            calls.append((name, arguments))
            continue
        if name not in found:
            calls.append(("find_tools", {"query": task.question}))
            found.add(name)
        calls.append(("call_tool", {"name": name, "arguments": arguments}))
    return calls


def measured(root: Path, cache: Path, server: str, tasks: Sequence[Task]) -> list[dict[str, Cost]]:
    """Return what each task of a repository costs, each way."""
    full = Agent(StdioClient(root, cache / "full"), root)
    lean = Agent(StdioClient(root, cache / "lean", "--profile", "lean"), root)
    rival = Agent(PipeClient(["node", server, str(root)]), root, [SHELL])
    costs = [
        {
            "full": full.solve(task, task.calls),
            "lean": lean.solve(task, _through_lean(task, lean.names)),
            "run_script": lean.solve(task, [("run_script", {"code": task.script})]),
            RIVAL: rival.solve(task, task.rival),
        }
        for task in tasks
    ]
    for agent in (full, lean, rival):
        agent.close()
    return costs


def _row(task: Task, costs: dict[str, Cost]) -> str:
    cells = [
        f"{it.exchanged:,} in {it.calls}{'' if it.is_answered else ' (not answered)'}"
        for it in costs.values()
    ]
    return f"| {task.subject}: {task.question} | {' | '.join(cells)} |"


def _summary(way: str, costs: Sequence[dict[str, Cost]]) -> str:
    mine = [it[way] for it in costs]
    shares = [it[way].total / it[RIVAL].total for it in costs]
    bare = [it[way].exchanged / it[RIVAL].exchanged for it in costs]
    cells = (
        f"{mine[0].definitions:,}",
        f"{statistics.median(it.exchanged for it in mine):,.0f}",
        f"{sum(it.exchanged for it in mine):,}",
        f"{statistics.median(shares):.2f}×",
        f"{statistics.median(bare):.2f}×",
        f"{sum(it.calls for it in mine)}",
        f"{sum(it.seconds for it in mine):.1f}",
        f"{sum(it.is_answered for it in mine)}",
    )
    return f"| {way} | {' | '.join(cells)} |"


def main(folder: Path, server: str) -> None:
    """Measure every task, and write the section."""
    costs: list[dict[str, Cost]] = []
    with tempfile.TemporaryDirectory() as cache:
        for subject in SUBJECTS:
            tasks = [it for it in TASKS if it.subject == subject.name]
            costs += measured(folder / subject.name, Path(cache) / subject.name, server, tasks)
    many = [it["run_script"].exchanged / it[RIVAL].exchanged for it in costs if _has_many(it)]
    header = (
        "| way | definitions | calls and results, median | in all | to the rival, median "
        "| the same without definitions | calls | s | answered |\n" + "| --- " * 9 + "|"
    )
    rows = [_row(task, it) for task, it in zip(TASKS, costs, strict=True)]
    about = (
        f"{len(TASKS)} tasks on flask, swr and ripgrep as fixed calls; o200k tokens of what a "
        f"model sees; one run, caches empty at first; {machine()}. An answer counts if it contains "
        "the name that was asked for. The rival reads only the files that have the answer, and "
        f"uses `grep` where that suffices; the output of a command is cut at {MAX_SHELL_CHARS:,} "
        "characters. Ratios with definitions are for a session of one task; "
        "run_script uses the server of lean, after it, so its seconds are those of a warm server.\n"
    )
    scripts = (
        f"\nWhere full needs more than {MANY_CALLS} calls ({len(many)} tasks), run_script takes "
        f"{statistics.median(many):.2f}× the rival's tokens without definitions (aim ≤ 0.25×), "
        f"from {min(many):.3f}× to {max(many):.2f}×.\n"
    )
    titles = f"| task: tokens in calls | {' | '.join(WAYS)} |\n" + "| --- " * (len(WAYS) + 1) + "|"
    lines = (about, header, *(_summary(way, costs) for way in WAYS), scripts, titles, *rows)
    write_section("Tasks of an agent", "\n".join(lines))


def _has_many(costs: dict[str, Cost]) -> bool:
    return costs["full"].calls > MANY_CALLS


if __name__ == "__main__":
    help_if_asked(__doc__)
    main(Path(sys.argv[1]).resolve(), sys.argv[2])
