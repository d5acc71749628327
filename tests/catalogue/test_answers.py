"""Answers of every tool: the same each time, on every surface, and no longer than allowed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchpin.app import Workbench
from benchpin.cli.main import cli
from benchpin.server import Kernel
from catalogue.arguments import EVERY_READER, arguments_of
from catalogue.saying import said, without_times
from catalogue.site import Site
from wire import Wire


@EVERY_READER
def test_the_same_call_gives_the_same_bytes(
    made_site: Site, other_site: Site, tmp_path: Path, warm: Workbench, name: str
) -> None:
    arguments = arguments_of(name, made_site)
    first, second = (said(warm.call(name, **arguments), made_site) for _ in range(2))
    cold = other_site.open(tmp_path / "cache").call(name, **arguments)
    assert first == second == said(cold, other_site)


@pytest.mark.anyio
@EVERY_READER
async def test_every_surface_has_the_same_result(
    made_site: Site, warm: Workbench, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = arguments_of(name, made_site)
    by_python = warm.call(name, **arguments)
    expected = without_times(by_python.model_dump(mode="json", by_alias=True))
    by_wire = await _by_wire(warm, name, arguments)
    assert without_times(by_wire["structuredContent"]) == expected
    monkeypatch.chdir(made_site.root)
    monkeypatch.setenv("BENCHPIN_CACHE_DIR", str(warm.bench.cache_dir))
    flags = ("--json", json.dumps(arguments), "--root", str(made_site.root), "--allow")
    by_command = CliRunner().invoke(cli, ["call", name, *flags, "write,execute,network"])
    assert without_times(json.loads(by_command.stdout)) == expected


async def _by_wire(bench: Workbench, name: str, arguments: dict[str, object]) -> Any:
    wire = Wire(Kernel(bench))
    await wire.handshake()
    answer = await wire.call(name, **arguments)
    while "method" in answer:  # a notification
        answer = await wire.receive()
    await wire.close()
    assert "result" in answer, answer
    return answer["result"]


TEXT_CHARS = 600


@pytest.fixture(scope="module")
def terse(made_site: Site) -> Iterator[Workbench]:
    """Give a workbench whose server shows very little at once."""
    limits = {"text_chars": TEXT_CHARS}
    workbench = made_site.open(made_site.root.with_name("terse"), limits=limits)
    yield workbench
    workbench.close()


@pytest.mark.anyio
@EVERY_READER
async def test_a_long_text_is_cut_at_its_limit_and_stored_whole(
    made_site: Site, terse: Workbench, name: str
) -> None:
    content = (await _by_wire(terse, name, arguments_of(name, made_site)))["content"]
    for text in (it["text"] for it in content if it["type"] == "text"):
        shown, is_cut, _ = text.partition("\n… ")
        assert len(shown) <= TEXT_CHARS
        if is_cut:
            uri = content[-1]["uri"]
            stored = terse.bench.results.read(uri.removeprefix("result://"), 0, 10**6)
            assert stored.text.startswith(shown)
            assert len(stored.text) > TEXT_CHARS
