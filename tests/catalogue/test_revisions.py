"""Answers of every tool fit the schema of the client's revision, and machine formats are whole."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench
from benchpin.present import PICTURE_FORMATS
from benchpin.present.formats import MIME_TYPES
from benchpin.server import Kernel
from catalogue.arguments import EVERY_TOOL, TOOLS, arguments_of, properties_of, reads_only
from catalogue.site import Site
from catalogue.test_formats import FORMATS, PARSERS
from revisions import REVISIONS, assert_fits
from wire import Wire, call, request

TEXT_CHARS = 300
WHOLE = [
    (name, style)
    for name, style in FORMATS
    if style in MIME_TYPES and style not in {"markdown", *PICTURE_FORMATS} and reads_only(name)
    if name not in {"export_comments", "pack_repository"}
]
"""Tools that show a format for programs as text."""


@pytest.fixture(scope="module")
def terse(made_site: Site) -> Iterator[Workbench]:
    """Give a workbench that shows so little that most results are stored and linked."""
    limits = {"text_chars": TEXT_CHARS}
    workbench = made_site.open(made_site.root.with_name("short"), limits=limits)
    yield workbench
    workbench.close()


async def _asked(bench: Workbench, revision: str, message: dict[str, Any]) -> Any:
    wire = Wire(Kernel(bench))
    await wire.speak(revision)
    answer = await wire.ask(message)
    while "method" in answer:  # a notification
        answer = await wire.receive()
    await wire.close()
    return answer


@pytest.mark.anyio
@EVERY_TOOL
async def test_results_and_errors_of_a_tool_fit_every_revision(
    made_site: Site, terse: Workbench, tmp_path: Path, name: str
) -> None:
    site, bench = made_site, terse
    if not reads_only(name):
        site = made_site.copied_to(tmp_path / "site")
        bench = site.open(tmp_path / "cache", limits={"text_chars": TEXT_CHARS})
    good = call(name, 1, **arguments_of(name, site))
    wrong = call(name, 1, no_such_argument=1)
    for revision in REVISIONS:
        answer = await _asked(bench, revision, good)
        # What changes something may be refused when it is called again.
        assert not reads_only(name) or answer["result"]["isError"] is False
        assert_fits(answer, "tools/call", revision)
        assert_fits(await _asked(bench, revision, wrong), "tools/call", revision)


@pytest.mark.anyio
@pytest.mark.parametrize("revision", REVISIONS)
async def test_lists_prompts_and_resources_fit_every_revision(
    made_site: Site, terse: Workbench, revision: str
) -> None:
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        assert_fits(await _asked(terse, revision, request(method, "list")), method, revision)
    for prompt in terse.catalogue.prompts:
        given = {it.name: "src/app.py" for it in prompt.arguments if it.required}
        message = request("prompts/get", 2, name=prompt.name, arguments=given)
        assert_fits(await _asked(terse, revision, message), "prompts/get", revision)
    for uri in ("comment://workspace/all", f"file://{made_site.root}/README.md", "file://gone"):
        message = request("resources/read", 3, uri=uri)
        assert_fits(await _asked(terse, revision, message), "resources/read", revision)


@pytest.mark.anyio
@pytest.mark.parametrize(("name", "style"), WHOLE)
async def test_a_format_for_programs_is_sent_whole_or_not_at_all(
    made_site: Site, terse: Workbench, name: str, style: str
) -> None:
    given = {**arguments_of(name, made_site), "format": style}
    for revision in ("2025-03-26", "2025-11-25"):
        content = (await _asked(terse, revision, call(name, 1, **given)))["result"]["content"]
        texts = [it["text"] for it in content if it["type"] == "text"]
        if any("too many to show" in it for it in texts):
            [note] = [it for it in texts if "too many to show" in it]
            stored = note.rpartition("result://")[2]
            assert len(note) < TEXT_CHARS + 250
            body = terse.bench.results.read(stored, 0, 10**7).text
            assert len(body) > TEXT_CHARS
            linked = [it["uri"] for it in content if it["type"] == "resource_link"]
            assert (f"result://{stored}" in linked) == (revision == "2025-11-25")
        else:
            body = next(it for it in texts if "INCOMPLETE" not in it)
        PARSERS[style](body.encode())


@pytest.mark.anyio
async def test_the_largest_answer_is_within_the_limit_whatever_text_is_asked_for(
    made_site: Site,
) -> None:
    assert set(TOOLS) >= {"list_directory", "analyze_complexity"}
    limits = {"response_bytes": 20_000}
    bench = made_site.open(made_site.root.with_name("narrow"), limits=limits)
    for name in ("list_directory", "analyze_complexity", "analyze_deep_context"):
        given = arguments_of(name, made_site)
        for style in properties_of(name)["format"]["enum"]:
            message = call(name, 1, **given, format=style)
            message["params"]["_meta"] = {"benchpin/max_text_chars": 10**6}
            answer = await _asked(bench, "2025-11-25", message)
            assert len(json.dumps(answer, ensure_ascii=False).encode()) <= 20_000, (name, style)
            assert answer["result"]["content"]
    bench.close()


@pytest.mark.anyio
async def test_the_first_page_of_resources_has_all_kinds_before_files(
    made_site: Site, terse: Workbench
) -> None:
    terse.bench.results.store("a result that was too long")
    message = request("resources/list", "list")
    first, again = [(await _asked(terse, "2025-11-25", message))["result"] for _ in range(2)]
    assert first == again
    kinds = [it["uri"].partition(":")[0] for it in first["resources"]]
    in_order = list(dict.fromkeys(kinds))
    assert in_order == ["skill", "comment", "template", "result", "file"]
    uri = next(it["uri"] for it in first["resources"] if it["uri"].startswith("file:"))
    assert uri.startswith(f"file://{made_site.root}/")
