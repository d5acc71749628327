"""Every tool says how whole, how fresh and how sure its answer is, in one form."""

from collections.abc import Iterator
from typing import Any

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import TimeLimitExceeded
from benchpin.core.results import not_read
from benchpin.core.results._result import NOW
from benchpin.server import Kernel
from benchpin.server.wire import ASSURANCE
from catalogue.arguments import EVERY_READER, EVERY_TOOL, arguments_of
from catalogue.clocks import call, ending_after
from catalogue.conftest import PlaceFor
from catalogue.site import Site
from wire import Wire

FIELDS = {"whole", "as_of", "left_out", "confidence", "measures"}
INCOMPLETE = frozenset(
    {
        *("partial", "is_cut", "truncated", "is_shallow", "is_lossy", "is_binary"),
        *("next_cursor", "nextCursor", "next_start_line"),
        *("unmeasured_total", "not_parsed", "not_read", "total_unreadable", "damaged", "damage"),
        *("refused_total", "over_budget", "notes"),
    }
)
"""Fields that say, if they are not empty, that an answer is not whole."""
SNAPSHOT_TOOLS = {
    *("get_run", "run_analysis", "compare_snapshots", "performance_gate"),
    *("export_report", "export_profile"),
}


def _signs(value: Any, above: str = "") -> Iterator[str]:
    """Yield the fields of a structured result by which the answer is not whole."""
    if isinstance(value, list):
        for it in value:
            yield from _signs(it, above)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key in INCOMPLETE:
                yield from [f"{above}{key}"] * bool(inner)
            elif key in {"skipped", "left_out"}:  # by reason, or those that are damaged
                is_lacking = not_read(inner) if isinstance(inner, dict) else inner
                yield from [f"{above}{key}"] * bool(is_lacking)
            elif key == "not_measured" and isinstance(inner, dict):
                yield from (it for it in inner.values() if not it.startswith("depth"))
            elif key == "stored" and isinstance(inner, str):
                yield f"{above}{key}"
            else:
                yield from _signs(inner, f"{above}{key}.")


def _confidences(value: Any) -> Iterator[float]:
    if isinstance(value, list):
        for it in value:
            yield from _confidences(it)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key == "confidence" and isinstance(inner, int | float):
                yield inner
            elif key != "aiMeta":  # what a model said of its own comment
                yield from _confidences(inner)


async def _answer(bench: Workbench, name: str, arguments: dict[str, object]) -> Any:
    wire = Wire(Kernel(bench))
    await wire.handshake()
    answer = await wire.call(name, **arguments)
    while "method" in answer:  # a notification
        answer = await wire.receive()
    await wire.close()
    return answer["result"]


def _check(name: str, result: Any) -> None:
    said = result["_meta"][ASSURANCE]
    structured = result["structuredContent"]
    assert {"whole", "as_of"} <= said.keys() <= FIELDS
    signs = list(_signs(structured))
    assert said["whole"] == (not signs), signs or said
    known = list(_confidences(structured))
    expected = [min(known), max(known)] if known else None
    assert said.get("confidence") == expected
    is_stored = name in SNAPSHOT_TOOLS or name == "read_result"
    assert (said["as_of"] != NOW) == is_stored
    _check_text(said, result)


def _check_text(said: Any, result: Any) -> None:
    texts = [it["text"] for it in result["content"] if it["type"] == "text"]
    lines = [line.removeprefix("- ") for it in texts for line in it.splitlines()]
    notes = [line for line in lines if line.startswith("[left out: ")]
    missing = result["structuredContent"].get("missing", [])
    lacks = [it for it in said.get("left_out", ()) if it not in missing]
    assert len(notes) == bool(lacks)
    closing = texts[-1].splitlines()[-1] if texts else ""
    for it in lacks[:2]:
        assert it.partition(" ")[0] in closing
    if said["as_of"] != NOW:
        assert f"as of {said['as_of']}" in closing
    if round(said.get("confidence", [1])[0], 2) < 1:
        assert "confidence 0." in closing


@pytest.mark.anyio
@EVERY_TOOL
async def test_every_answer_says_whether_it_is_whole_current_and_certain(
    place_for: PlaceFor, name: str
) -> None:
    site, bench = place_for(name)
    arguments = arguments_of(name, site)
    asked = str(arguments["name"]) if name == "call_tool" else name
    _check(asked, await _answer(bench, name, arguments))


@pytest.mark.anyio
@EVERY_TOOL
async def test_files_that_may_not_be_read_are_counted(
    guarded_place_for: PlaceFor, name: str
) -> None:
    site, bench = guarded_place_for(name)
    arguments = arguments_of(name, site)
    result = await _answer(bench, name, arguments)
    if not result["isError"]:
        _check(str(arguments["name"]) if name == "call_tool" else name, result)


@EVERY_READER
def test_what_was_cut_short_is_not_whole(made_site: Site, warm: Workbench, name: str) -> None:
    try:
        late = call(warm, name, arguments_of(name, made_site), ending_after(0))
    except TimeLimitExceeded:
        return
    said = late.assurance()
    assert set(late.missing) <= set(said.left_out)
    assert not (late.partial and said.to_fields()["whole"])
