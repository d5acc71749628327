"""Every example of the five documents, over the wire."""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchpin.app import Workbench, configure
from benchpin.server import Kernel
from documents.matching import differences
from documents.sites import SITES, settings_for
from loopback import Loopback, whole
from waiting import WAIT_S
from wire import Wire

FOLDER = Path(__file__).parent
NUMBERED = {"none", "2024-11-05"}
"""Clients that get an error with a code as JSON-RPC error."""


@dataclass(frozen=True)
class Example:
    """One example of a document."""

    name: str
    section: str
    document: str
    site: str
    versions: list[str]
    request: dict[str, Any] | None = None
    raw: str = ""
    """The line, where it is no message."""
    result: Any = None
    error: Any = None
    text_is_json: Any = None
    """What the text of the result has to contain, as JSON."""
    none_of: dict[str, list[str]] = field(default_factory=dict)
    """What lists of the result must not contain."""
    first: list[dict[str, Any]] = field(default_factory=list)
    then: list[dict[str, Any]] = field(default_factory=list)
    """What is sent afterwards, so that the notification comes."""
    notification: Any = None
    """What a notification has to contain, which comes before the answer or afterwards."""
    replace: dict[str, str] = field(default_factory=dict)
    settings: dict[str, object] = field(default_factory=dict)
    is_handshake: bool = False
    is_silent: bool = False
    is_piped: bool = False
    """Whether the document pipes it into the program."""
    is_slow: bool = False
    is_protocol_error: bool = False
    """Whether the error is a JSON-RPC error for every client."""

    def line(self, message: dict[str, Any] | None, values: dict[str, str]) -> str:
        """Return a message as one line, with the placeholders filled in."""
        text = self.raw if message is None else json.dumps(message)
        for placeholder, stands_for in self.replace.items():
            text = text.replace(placeholder, values.get(stands_for, placeholder))
        return text


def _examples() -> Iterator[Example]:
    for place in sorted((FOLDER / "examples").glob("*.yaml")):
        given = yaml.safe_load(place.read_text(encoding="utf-8"))
        common = {key: given[key] for key in ("document", "site", "versions")}
        for example in given["examples"]:
            yield Example(**{**common, **example})


EXAMPLES = list(_examples())
DIFFERENCES: dict[str, dict[str, str]] = yaml.safe_load(
    (FOLDER / "differences.yaml").read_text(encoding="utf-8")
)


def _each(cases: list[tuple[Example, str]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        ("example", "version"),
        [
            pytest.param(
                example,
                version,
                id=f"{example.document}: {example.name} ({version})",
                marks=[pytest.mark.slow] if example.is_slow else [],
            )
            for example, version in cases
        ],
    )


def _versions(example: Example) -> list[str]:
    return ["none"] if example.is_handshake else example.versions


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Give the URL of a server on this machine that can be probed."""
    with Loopback(whole()) as running:
        yield running.url


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Path], None]:
    """Return a function that places a copy of a site, which is made once, in a workspace."""
    folder = tmp_path_factory.mktemp("sites")

    def copy(name: str, workspace: Path) -> None:
        made = folder / name
        if not made.exists():
            made.mkdir()
            SITES[name](made)
        shutil.copytree(made, workspace, dirs_exist_ok=True)

    return copy


Place = Callable[[str, Path], None]


def check(example: Example, answer: Any, version: str) -> None:
    """Check an answer against what the document promises."""
    assert answer["jsonrpc"] == "2.0"
    if example.request is not None:
        assert answer["id"] == example.request["id"]
    if example.error is not None:
        found = answer.get("error")
        if found is None and version not in NUMBERED and not example.is_protocol_error:
            found = _failure(answer["result"])
        assert found is not None, answer
        assert not list(differences(example.error, found, "error"))
        return
    assert "result" in answer, answer
    result = answer["result"]
    assert not list(differences(example.result, result, "result"))
    if example.text_is_json is not None:
        texts = [it["text"] for it in result["content"] if it["type"] == "text"]
        assert not list(differences(example.text_is_json, json.loads(texts[0]), "text"))
    for name, items in example.none_of.items():
        assert all(list(differences([item], result[name])) for item in items)


def _failure(result: Any) -> dict[str, Any]:
    """Return a failed result in the form of an error."""
    assert result["isError"] is True
    details = result["_meta"]["benchpin/error"]
    message = result["content"][0]["text"].splitlines()[0].removeprefix("Error: ")
    data = {**details["data"], "suggestion": details["suggestion"]}
    return {"code": details["code"], "message": message, "data": data}


@_each([(example, version) for example in EXAMPLES for version in _versions(example)])
async def test_an_example_is_answered_as_the_document_says(
    example: Example, version: str, workspace: Path, place: Place, server: str
) -> None:
    place(example.site, workspace)
    settings = {**settings_for(workspace), **example.settings}
    wire = Wire(Kernel(Workbench(configure(root=workspace, **settings))))
    if version != "none":
        await wire.handshake(version)
    values = {"{artifacts}": str(workspace), "{server}": server}
    for message in example.first:
        made = await wire.ask(example.line(message, values).encode())
        values["{snapshot}"] = made["result"]["normalized_snapshot_id"]
    await wire.send(example.line(example.request, values).encode())
    if example.is_silent:
        assert wire.answers.empty()
    else:
        heard, answer = await _until_answer(wire)
        check(example, answer, version)
        for message in example.then:
            await wire.send(message)
        while example.notification is not None:
            if any(not list(differences(example.notification, it)) for it in heard):
                break
            heard.append(await wire.receive())
    await wire.close()


async def _until_answer(wire: Wire) -> tuple[list[Any], Any]:
    """Return the notifications before an answer, and the answer."""
    heard = []
    while "method" in (answer := await wire.receive()):
        heard.append(answer)
    return heard, answer


@pytest.mark.slow
@_each([(example, "none") for example in EXAMPLES if example.is_piped])
def test_an_example_can_be_piped_into_the_program(
    example: Example, version: str, workspace: Path, place: Place, server: str, benchpin: str
) -> None:
    place(example.site, workspace)
    flags = ["--root", str(workspace)]
    settings = settings_for(workspace)
    for tool in example.settings.get("expose_tools", []):  # type: ignore[attr-defined]  # a list
        flags += ["--expose-tool", tool]
    if not example.settings:
        flags += ["--allow", "write,execute,network"]
    if settings["unconfined"]:
        flags.append("--unconfined")
    values = {"{artifacts}": str(workspace), "{server}": server}
    for message in example.first:
        made = _piped([benchpin, *flags], example.line(message, values))
        values["{snapshot}"] = made["result"]["normalized_snapshot_id"]
    check(example, _piped([benchpin, *flags], example.line(example.request, values)), version)


def _piped(command: list[str], line: str) -> Any:
    ended = subprocess.run(
        command, input=f"{line}\n".encode(), capture_output=True, timeout=WAIT_S, check=True
    )
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    [answer] = [it for it in answers if "method" not in it]
    return answer


def test_every_difference_is_about_an_example() -> None:
    names: dict[str, set[str]] = {}
    for example in EXAMPLES:
        names.setdefault(example.document, {"printed, not a test here"}).add(example.name)
    for document, reasons in DIFFERENCES.items():
        if document != "all documents":
            assert reasons.keys() <= names[document]
            assert all(len(reason) > 20 for reason in reasons.values())


def test_what_is_not_sent_as_printed_is_named_with_its_reason() -> None:
    changed = [it for it in EXAMPLES if it.replace or it.settings]
    assert changed
    assert all(it.name in DIFFERENCES[it.document] for it in changed)


def test_every_example_has_a_name_of_its_own() -> None:
    names = [(it.document, it.name) for it in EXAMPLES]
    assert len(set(names)) == len(names)
