"""The workspace of the soak: a part for each client, and answers computed from nothing.

Each part has the same four modules in one of a few versions, so that every state comes back: its
answers are computed once, by a new workbench with an empty cache, on a copy of that part alone.
"""

import json
import random
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchpin.app import Workbench, configure
from benchpin.server.wire import to_json

MODULES = 4
VERSIONS = 3
NOTES = 3
_SHOWN = "part_00"
"""The part that answers are computed for; names of parts have the same length."""


def module_text(number: int, version: int, note: int = 0) -> str:
    """Return a version of a module: other functions, debt comments and duplicates in each."""
    lines = [f'"""Module {number}, version {version}."""', "", f'NOTE = "note {note}"', "", ""]
    for function in range(3 + version):
        lines += [
            f"def step_{function}(values: list[int], limit: int) -> int:",
            f'    """Do step {function}."""',
            "    total = 0",
            f"    # {('TODO', 'FIXME', 'HACK')[function % 3]}: handle overflow in step {function}",
            "    for value in values:",
            "        if value > limit:",
            "            total += value",
        ]
        for depth in range(version):
            lines.append(f"        elif value == {depth} and total < limit:")
            lines.append(f"            total -= {depth + number}")
        lines += ["    return total", "", ""]
    return "\n".join(lines)


@dataclass
class Part:
    """The folder of one client, which nobody else changes."""

    root: Path
    name: str
    dice: random.Random
    versions: list[int] = field(default_factory=lambda: [0] * MODULES)
    note: int = 0

    def write_all(self) -> None:
        """Write the folder as it must be."""
        (self.root / self.name / "notes").mkdir(parents=True, exist_ok=True)
        for number in range(MODULES):
            self.place(number).write_text(self.text(number), encoding="utf-8")
        (self.root / self.name / "notes/topic.py").write_text("x = 1\ny = 2\n", encoding="utf-8")

    def path(self, number: int) -> str:
        """Return the path of a module in the workspace."""
        return f"{self.name}/module_{number}.py"

    def place(self, number: int) -> Path:
        """Return where a module is."""
        return self.root / self.path(number)

    def text(self, number: int) -> str:
        """Return what a module must contain now."""
        return module_text(number, self.versions[number], self.note if number == 0 else 0)

    def state(self) -> tuple[int, ...]:
        """Return what the answers depend on."""
        return (*self.versions, self.note)


class Expected:
    """Answers computed from nothing, by tool, arguments and state."""

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}
        self._lock = threading.Lock()
        self.computed = 0

    def answer(self, part: Part, tool: str, arguments: dict[str, object]) -> Any:
        """Return the structured result that a tool must give for a part as it is now."""
        plain = json.dumps(arguments).replace(part.name, _SHOWN)
        key = f"{tool} {plain} {part.state()}"
        with self._lock:
            if key not in self._known:
                self._known[key] = self._compute(part, tool, json.loads(plain))
                self.computed += 1
            found = self._known[key]
        return json.loads(json.dumps(found).replace(_SHOWN, part.name))

    @staticmethod
    def _compute(part: Part, tool: str, arguments: dict[str, object]) -> Any:
        with tempfile.TemporaryDirectory() as place:
            root = Path(place, "workspace")
            copy = Part(root, _SHOWN, part.dice, list(part.versions), part.note)
            copy.write_all()
            shop = Workbench(configure(root=root, cache_dir=Path(place, "cache")))
            try:
                return json.loads(to_json(shop.call(tool, **arguments)))
            finally:
                shop.close()
