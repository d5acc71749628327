"""Ask everything, in workspaces that are made for the run, and give each answer with its name."""

import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parent.parent / "tests"))

import oracle_calls as calls
from edited_project import CALLS, RandomEdits
from oracle_calls import Step
from oracle_server import AskedServer, Surroundings
from oracle_trees import TREES, PinnedTree, export_fixtures, leave_uncommitted

EVERYWHERE = ("json", "sarif")
IN_ALL_FORMATS = frozenset({"benchpin", "express", "performance", "templates", "fleet"})
PICTURES = frozenset({"png", "pprof"})  # compressed by libraries whose bytes may change
SURFACE = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
EDITS = (("small", 25, 20), ("express", 32, 4))  # the tree, the seed, how many

Answer = tuple[str, str]


@dataclass
class Run:
    """One run: where its folders are, and which cases are wanted."""

    around: Surroundings
    trees: Path
    wants: Callable[[str], bool]

    def answers(self) -> Iterator[Answer]:
        """Give the name and the text of every wanted case."""
        for tree in TREES:
            yield from self._of_tree(tree)
        for name, prepare, steps in (
            ("comments", self._place_tree("express"), calls.of_comments("lib/response.js")),
            ("templates", Path.mkdir, calls.of_templates()),
            ("performance", self._place_fixtures, calls.of_performance()),
            ("fleet", self._place_fleet, calls.of_fleet()),
        ):
            yield from self._in_workspace(name, prepare, list(steps))
        for name, seed, count in EDITS:
            yield from self._of_edits(name, seed, count)

    def _of_tree(self, tree: PinnedTree) -> Iterator[Answer]:
        def prepare(root: Path) -> None:
            self._place_tree(tree.name)(root)
            leave_uncommitted(root, tree.subjects)

        yield from self._in_workspace(tree.name, prepare, list(calls.of_code(tree.subjects)))
        if tree.name == TREES[0].name:
            yield from self._of_commands(tree.name)

    def _of_commands(self, name: str) -> Iterator[Answer]:
        for command in calls.COMMANDS:
            case = f"{name} $ benchpin {' '.join(command)}"
            if self.wants(case):
                root, cache = self._folders(name)
                if not root.exists():
                    self._place_tree(name)(root)
                yield case, self.around.command(root, cache, command)

    def _in_workspace(
        self, name: str, prepare: Callable[[Path], object], steps: list[Step]
    ) -> Iterator[Answer]:
        cases = list(_named(name, steps))
        # The names of templates are known when the server is asked, so there it always starts.
        if name != "templates" and not any(self.wants(case) for case, _ in cases):
            return
        root, cache = self._folders(name)
        prepare(root)
        with closing(self.around.serve(root, cache)) as server:
            formats = _formats(server)
            for at, (case, step) in enumerate(cases):
                self.around.set_clock(at)
                if step.records or self.wants(case):
                    yield from self._of_step(name, case, step, server, formats)
            if name == "templates":
                yield from self._of_surface(server)
                yield from self._of_every_template(server)

    def _of_step(
        self, name: str, case: str, step: Step, server: AskedServer, formats: dict[str, list[str]]
    ) -> Iterator[Answer]:
        result = server.call(step.tool, step.arguments)
        text = server.shown(result)
        if self.wants(case):
            yield case, text
        if step.records or not step.formats or "format" in step.arguments:
            return
        for form in formats.get(step.tool, []):
            if form in EVERYWHERE or name in IN_ALL_FORMATS:
                other = server.call(step.tool, {**step.arguments, "format": form})
                # A difference of the structure is shown once, in the first case.
                if other.get("structuredContent") == result.get("structuredContent"):
                    other.pop("structuredContent", None)
                yield f"{case} as {form}", server.shown(other)

    def _of_surface(self, server: AskedServer) -> Iterator[Answer]:
        for method in SURFACE:
            case = f"templates {method}"
            if self.wants(case):
                yield case, server.shown(server.ask(method, {}))

    def _of_every_template(self, server: AskedServer) -> Iterator[Answer]:
        listed = server.call("list_templates", {"limit": 1_000}).get("structuredContent", {})
        for it in listed.get("templates", []):
            given = {"resource_uri": it["uri"], "parameters": {"project_name": "oracle-project"}}
            for tool in ("generate_template", "validate_template"):
                case = f"templates {tool} {it['uri']}"
                if self.wants(case):
                    yield case, server.shown(server.call(tool, given))

    def _of_edits(self, name: str, seed: int, count: int) -> Iterator[Answer]:
        """Give the answers after each edit, from nothing; add what a warm server says otherwise."""
        cases = [f"edits {name} {seed} #{number}" for number in range(1, count + 1)]
        if not any(map(self.wants, cases)):
            return
        root, cache = self._folders(f"edits-{name}")
        if name == "small":
            root.mkdir()
        else:
            self._place_tree(name)(root)
        edits = RandomEdits(root, seed)
        with closing(self.around.serve(root, cache)) as warm:
            for case, edit in zip(cases, edits.steps(count), strict=True):
                empty = self.around.folder / f"empty-{case.replace(' ', '-')}"
                with closing(self.around.serve(root, empty)) as server:
                    expected = _asked(server)
                shutil.rmtree(empty, ignore_errors=True)
                said = [
                    f"=== {tool} {json.dumps(arguments)}\n{text}"
                    + ("" if text == kept else f"\n=== A WARM SERVER SAYS:\n{kept}")
                    for (tool, arguments), text, kept in zip(
                        CALLS, expected, _asked(warm), strict=True
                    )
                ]
                yield case, "\n".join((edit, *said))

    def _folders(self, name: str) -> tuple[Path, Path]:
        return self.around.folder / name, self.around.folder / f"cache-{name}"

    def _place_tree(self, name: str) -> Callable[[Path], None]:
        (tree,) = (it for it in TREES if it.name == name)

        def place(root: Path) -> None:
            shutil.copytree(tree.prepare(self.trees), root, symlinks=True)

        return place

    def _place_fixtures(self, root: Path) -> None:
        shutil.copytree(export_fixtures(self.trees), root)

    def _place_fleet(self, root: Path) -> None:
        root.mkdir()
        for name in ("express", "rpds"):
            self._place_tree(name)(root / name)


def _asked(server: AskedServer) -> list[str]:
    return [server.shown(server.call(tool, arguments)) for tool, arguments in CALLS]


def _named(workspace: str, steps: Iterable[Step]) -> Iterator[tuple[str, Step]]:
    """Name each call by its arguments, and number those that are made again."""
    seen: Counter[str] = Counter()
    for step in steps:
        given = json.dumps(step.arguments) if step.arguments else ""
        name = f"{workspace} {step.tool} {given}".rstrip()
        seen[name] += 1
        yield (f"{name} #{seen[name]}" if seen[name] > 1 else name), step


def _formats(server: AskedServer) -> dict[str, list[str]]:
    """Return the formats of each tool besides the one that it has if none is asked for."""
    listed: Any = server.ask("tools/list", {})
    found: dict[str, list[str]] = {}
    for tool in listed["tools"]:
        schema = tool["inputSchema"]["properties"].get("format", {})
        names = set(schema.get("enum", ())) - {schema.get("default")} - PICTURES
        found[tool["name"]] = sorted(names)
    return found
