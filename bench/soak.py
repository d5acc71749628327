"""Put a server under mixed load for a long time and check every answer.

    python bench/soak.py [SECONDS]        (make soak DURATION=SECONDS)

Twenty clients over stdio, HTTP and WebSocket read, search, measure, edit, comment, run programs,
cancel and disconnect, while files also change behind the server's back. Each answer is compared
with one computed from nothing. Memory, descriptors and the time of a ping are recorded; the chart
and the figures go to docs/soak.svg and docs/soak.md. It fails on a wrong answer, an internal error
or growth after the first five minutes.
"""

import json
import multiprocessing
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from multiprocessing.connection import Connection
from pathlib import Path

from clients import (
    Answer,
    Client,
    HttpClient,
    StdioClient,
    WebSocketClient,
    call,
    network_server,
)
from results import help_if_asked
from soak_page import Samples, Tally, judge, write_page
from soak_workspace import MODULES, NOTES, VERSIONS, Expected, Part

STDIO, HTTP, WEBSOCKET = 4, 8, 8
PAUSE_S = 0.25
PING_S = 0.1
FLAGS = ("--allow", "write,execute", "--tool-timeout", "60")
BUSY = frozenset({"queue_limit_exceeded", "rate_limited", "time_limit_exceeded"})
ANALYSES = ("analyze_complexity", "analyze_debt_comments", "analyze_duplicates", "outline_file")


class Wrong(Exception):
    """An answer is not what it must be."""


class Busy(Exception):
    """The server said that it has too much to do."""


class Visitor:
    """One client, with the part of the workspace that only it changes."""

    def __init__(self, connect: Callable[[], Client], part: Part, expected: Expected) -> None:
        self._connect = connect
        self._client = connect()
        self._part = part
        self._dice = part.dice
        self._expected = expected
        self._actions: list[tuple[Callable[[], None], int]] = [
            (self.read, 20),
            (self.list_folder, 10),
            (self.search, 10),
            (self.analyse, 25),
            (self.read_resource, 6),
            (self.write, 8),
            (self.write_resource, 4),
            (self.edit, 6),
            (self.change_behind_its_back, 8),
            (self.comment, 4),
            (self.execute, 2),
            (self.cancel, 4),
            (self.reconnect, 3),
        ]

    def work(self, tally: Tally, ending: threading.Event) -> None:
        """Do one thing after another until the end."""
        actions = [action for action, _ in self._actions]
        weights = [weight for _, weight in self._actions]
        while not ending.wait(self._dice.uniform(0, 2 * PAUSE_S)):
            [action] = self._dice.choices(actions, weights)
            try:
                action()
                tally.note(action.__name__, "right")
            except Busy as error:
                tally.note(action.__name__, f"busy: {error}")
            except Wrong as error:
                tally.note(action.__name__, "wrong", f"{type(self._client).__name__} {error}")
            except InternalFailure as error:
                tally.note(action.__name__, "internal error", str(error))
            except (KeyError, TypeError, ValueError) as error:
                tally.note(action.__name__, "wrong", f"form: {error!r}")
            except OSError as error:
                tally.note(
                    action.__name__, "lost connection", f"{type(self._client).__name__} {error!r}"
                )
                self._client = self._connect()
            else:
                continue
            self._part.write_all()  # nobody knows how far the action came
        self._client.close()

    def read(self) -> None:
        """Read a module."""
        number = self._dice.randrange(MODULES)
        result = self._call("read_file", path=self._part.path(number))
        _require(result["content"] == self._part.text(number), "content", result)

    def list_folder(self) -> None:
        """List the part."""
        result = self._call("list_directory", path=self._part.name)
        names = [Path(entry["path"]).name for entry in result["entries"]]
        modules = {f"module_{number}.py" for number in range(MODULES)}
        _require(set(names) == {*modules, "notes"}, "names", result)

    def search(self) -> None:
        """Find the functions of the part."""
        result = self._call("search_files", pattern="^def step_", search_path=self._part.name)
        found = Counter(match["path"] for match in result["matches"])
        functions = {
            self._part.path(number): 3 + version
            for number, version in enumerate(self._part.versions)
        }
        _require(found == functions, "matches", result)

    def analyse(self) -> None:
        """Measure the part."""
        tool = self._dice.choice(ANALYSES)
        arguments: dict[str, object] = {"project_path": self._part.name}
        result = self._call(tool, **arguments)
        if not result.get("partial"):
            wanted = self._expected.answer(self._part, tool, arguments)
            _require(result == wanted, f"{tool}, not {json.dumps(wanted)[:900]}", result)

    def read_resource(self) -> None:
        """Read a module as a resource."""
        number = self._dice.randrange(MODULES)
        result = self._ask("resources/read", {"uri": f"file://{self._part.path(number)}"})
        [contents] = result["contents"]
        _require(contents["text"] == self._part.text(number), "resource", result)

    def write(self) -> None:
        """Write another version of a module."""
        number = self._next_version()
        self._call("write_file", path=self._part.path(number), content=self._part.text(number))
        self._check_disk(number)

    def write_resource(self) -> None:
        """Write another version of a module as a resource."""
        number = self._next_version()
        contents = [{"text": self._part.text(number)}]
        uri = f"file://{self._part.path(number)}"
        self._ask("resources/write", {"uri": uri, "contents": contents})
        self._check_disk(number)

    def edit(self) -> None:
        """Replace a line of a module."""
        before, self._part.note = self._part.note, (self._part.note + 1) % NOTES
        edits = [{"old_text": f'"note {before}"', "new_text": f'"note {self._part.note}"'}]
        self._call("edit_file", path=self._part.path(0), edits=edits)
        self._check_disk(0)

    def change_behind_its_back(self) -> None:
        """Write another version of a module without the server."""
        number = self._next_version()
        self._part.place(number).write_text(self._part.text(number), encoding="utf-8")

    def comment(self) -> None:
        """Add a comment, find it, and remove it."""
        path = f"{self._part.name}/notes/topic.py"
        text = f"note {self._dice.random()}"
        added = self._call("add_comment", filePath=path, line=2, text=text, tag="NOTE")
        found = self._call("get_file_comments", filePath=path)
        _require(text in json.dumps(found), "comments", found)
        self._call("delete_comment", filePath=path, commentId=added["commentId"])

    def execute(self) -> None:
        """Run a program."""
        result = self._call("execute_command", command=f"wc -c < {self._part.path(1)}")
        _require(int(result["stdout"]) == len(self._part.text(1)), "stdout", result)

    def cancel(self) -> None:
        """Ask for something big and change one's mind."""
        params: dict[str, object] = {"name": "analyze_duplicates", "arguments": {}}
        self._client.abandon("tools/call", params)

    def reconnect(self) -> None:
        """Go, and come back."""
        self._client.close()
        self._client = self._connect()

    def _next_version(self) -> int:
        number = self._dice.randrange(MODULES)
        self._part.versions[number] = (self._part.versions[number] + 1) % VERSIONS
        return number

    def _check_disk(self, number: int) -> None:
        on_disk = self._part.place(number).read_text(encoding="utf-8")
        _require(on_disk == self._part.text(number), "file on disk", {"text": on_disk})

    def _call(self, tool: str, **arguments: object) -> Answer:
        result = self._checked(call(self._client, tool, **arguments))
        structured: Answer = result["structuredContent"]
        return structured

    def _ask(self, method: str, params: dict[str, object]) -> Answer:
        return self._checked(self._client.ask(method, params))

    @staticmethod
    def _checked(answer: Answer) -> Answer:
        if "error" in answer:
            kind = answer["error"].get("data", {}).get("kind", "")
        elif answer["result"].get("isError"):
            kind = answer["result"]["_meta"]["benchpin/error"]["kind"]
        else:
            result: Answer = answer["result"]
            return result
        if kind in BUSY:
            raise Busy(kind)
        if kind == "internal_error":
            raise InternalFailure(json.dumps(answer))
        raise Wrong(json.dumps(answer))


class InternalFailure(Exception):
    """The server reports a bug of its own."""


def _require(is_right: bool, what: str, found: Answer) -> None:  # noqa: FBT001 - reads as assert
    if not is_right:
        raise Wrong(f"{what}: {json.dumps(found)[:900]}")


def ping_until_told(address: str, pipe: Connection) -> None:
    """Measure pings from a process of its own, which is not busy with anything else."""
    client, seen, start = WebSocketClient(address), [], time.monotonic()
    while not pipe.poll(PING_S):
        before = time.perf_counter()
        client.ask("ping")
        seen.append((time.monotonic() - start, (time.perf_counter() - before) * 1000))
    pipe.send(seen)


def main() -> None:
    """Run the soak, write the page, and fail if something was wrong."""
    duration_s = float(sys.argv[1]) if len(sys.argv) > 1 else 1800.0
    tally, samples, expected = Tally(), Samples(), Expected()
    ending = threading.Event()
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        root, cache = Path(place, "workspace"), Path(place, "cache")
        parts = [
            Part(root, f"part_{number:02}", random.Random(number))  # noqa: S311 - not a secret
            for number in range(STDIO + HTTP + WEBSOCKET)
        ]
        for part in parts:
            part.write_all()
        address, process = stack.enter_context(network_server(root, cache, *FLAGS))
        connect: list[Callable[[], Client]] = [lambda: StdioClient(root, cache, *FLAGS)] * STDIO
        connect += [lambda: HttpClient(address)] * HTTP
        connect += [lambda: WebSocketClient(address)] * WEBSOCKET
        visitors = [Visitor(it, part, expected) for it, part in zip(connect, parts, strict=True)]
        threads = [threading.Thread(target=it.work, args=(tally, ending)) for it in visitors]
        ours, theirs = multiprocessing.get_context("spawn").Pipe()
        pinger = multiprocessing.get_context("spawn").Process(
            target=ping_until_told, args=(address, theirs)
        )
        pinger.start()
        try:
            for thread in threads:
                thread.start()
            samples.watch(process.pid, duration_s)
            ours.send("end")
            samples.pings = ours.recv()
        finally:
            ending.set()
            for thread in threads:
                thread.join()
            pinger.join()
    failures = judge(tally, samples)
    clients = f"{STDIO} clients over stdio, {HTTP} over HTTP and {WEBSOCKET} over WebSocket"
    write_page(clients, duration_s, tally, samples, expected.computed)
    if failures:
        sys.exit("\n".join([*failures, *tally.wrong[:20]]))


if __name__ == "__main__":
    help_if_asked(__doc__)
    with suppress(KeyboardInterrupt):
        main()
