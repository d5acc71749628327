"""What a client sees while a repository is looked at: progress, logs, limits, links."""

from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client

from benchpin.app import Workbench, configure
from benchpin.server import Kernel
from repository_kit import NODE_MONOREPO, PYTHON_LIBRARY, write_files
from wire import Wire, call, request


@pytest.fixture(autouse=True)
def sources(workspace: Path) -> None:
    write_files(workspace, PYTHON_LIBRARY)


def kernel(root: Path, **settings: object) -> Kernel:
    return Kernel(Workbench(configure(root=root, **settings)))


async def answer_to(wire: Wire, request_id: int) -> tuple[Any, list[Any]]:
    """Return the answer to a request, and the notifications that came before it."""
    before: list[Any] = []
    while True:
        message: Any = await wire.receive()
        if message.get("id") == request_id:
            return message, before
        before.append(message)


async def test_progress_only_increases_and_ends_at_its_total_once(workspace: Path) -> None:
    seen: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    async with Client(kernel(workspace)) as client:
        await client.call_tool("analyze_repository", {"path": "."}, progress_callback=note)
    assert {"files", "documents"} <= {message for _, _, message in seen}
    done, total, _ = seen[-1]
    assert done == total
    steps = [progress for progress, _, _ in seen]
    assert steps == sorted(set(steps))
    assert steps.count(done) == 1


async def test_the_line_of_the_document_is_answered_without_a_handshake(workspace: Path) -> None:
    write_files(workspace, {f"test-repo/{name}": text for name, text in NODE_MONOREPO.items()})
    wire = Wire(kernel(workspace))
    await wire.send(call("analyze_repository", 2, path="./test-repo"))
    answer, _ = await answer_to(wire, 2)
    await wire.close()
    [text] = answer["result"]["content"]
    assert text["type"] == "text"
    assert text["text"].startswith("test-repo: 11 files in 8 folders, 42 lines\n")


async def test_a_path_that_does_not_exist_is_an_error_in_the_result(workspace: Path) -> None:
    async with Client(kernel(workspace)) as client:
        result = await client.call_tool("analyze_repository", {"path": "./nowhere"})
    assert result.is_error


async def test_out_of_time_it_returns_what_it_has_and_continues_later(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchpin.repository.packing._text_facts.RACY_NS", -(10**12))
    write_files(workspace, {f"m{at}.py": "x = 1\n" for at in range(600)})
    limited = kernel(workspace, tool_timeouts={"pack_repository": 1e-9})
    async with Client(limited) as client:
        result = await client.call_tool("pack_repository", {})
        whole = await client.call_tool("analyze_repository", {"path": "."})
    found: Any = result.structured_content
    assert found["partial"] is True
    assert found["missing"]
    assert whole.structured_content is not None
    assert "partial" not in whole.structured_content


async def test_a_pack_comes_with_a_link_to_read(workspace: Path) -> None:
    async with Client(kernel(workspace)) as client:
        result = await client.call_tool("pack_repository", {"format": "xml"})
        link = result.content[-1]
        assert link.type == "resource_link"
        read = await client.read_resource(link.uri)
    [content] = read.contents
    assert content.mime_type == "application/xml"


async def test_log_messages_are_those_of_the_level_that_was_asked_for(workspace: Path) -> None:
    for level, expected in (("info", True), ("error", False)):
        wire = Wire(kernel(workspace))
        await wire.handshake()
        await wire.ask(request("logging/setLevel", 5, level=level))
        write_files(workspace, {"new.py": f"{level} = 1\n"})
        await wire.send(call("analyze_repository", 6, path="."))
        _, before = await answer_to(wire, 6)
        await wire.close()
        logged = [it for it in before if it["method"] == "notifications/message"]
        assert bool(logged) is expected
