"""Draw pictures as SVG and PNG, and get the scripts for pages; all with vl-convert, offline."""

import textwrap
from collections.abc import Mapping
from contextlib import closing
from functools import cache

from benchpin.core.errors import BenchpinError, DependencyMissing
from benchpin.core.text import json_text
from benchpin.system.processes import HelperProcess, has_extra

from ._picture import Drawn, theme
from ._vega_worker import DRAWN

# The width of a picture in a file; pages draw as wide as there is room.
WIDTH = 900
# Pixels of a PNG for each pixel of the drawing: sharp, and not larger than models look at.
_SCALE = 1.5
_SUBTITLE_CHARS = 130
_TIMEOUT_S = 60
_WORKER = "benchpin.present.pictures._vega_worker"

MISSING = "Pictures need the extra `look`: pip install 'benchpin[look]'"


class DrawingFails(BenchpinError):
    """A picture cannot be drawn."""

    kind = "drawing_fails"
    is_server_fault = True


def is_installed() -> bool:
    return has_extra("look")


def to_svg(drawn: Drawn) -> str:
    """Return a picture as an SVG document.

    Raises:
        DependencyMissing: when the extra is not installed.
        DrawingFails: when it takes too long or needs too much memory.
    """
    return _render("svg", _in_full(drawn)).decode()


def to_png(drawn: Drawn) -> bytes:
    """Return a picture as a PNG image; raises what `to_svg` raises."""
    return _render("png", _in_full(drawn))


@cache
def script_bundle() -> str:
    """Return the scripts that draw pictures in a browser: about 0.9 MB; defines `vegaEmbed`."""
    return _render("bundle", {}).decode()


def _in_full(drawn: Drawn) -> dict[str, object]:
    spec = drawn.with_data(width=WIDTH, theme=theme(background="#ffffff"))
    spec["title"] = {"text": drawn.title, "subtitle": textwrap.wrap(drawn.alt, _SUBTITLE_CHARS)}
    return spec


def _render(kind: str, spec: Mapping[str, object]) -> bytes:
    if not is_installed():
        raise DependencyMissing(
            MISSING, suggestion="Install it, or use format=html, which has tables without it."
        )
    order = json_text({"kind": kind, "spec": spec, "scale": _SCALE}, ensure_ascii=True).encode()
    with closing(HelperProcess(_WORKER)) as worker:
        worker.wait_ready()
        answer = worker.ask(order, limit_s=_TIMEOUT_S)
    if answer is None:
        raise DrawingFails(
            f"The picture was not drawn in {_TIMEOUT_S} s",
            suggestion="Select fewer files, or use format=full.",
        )
    if not answer.startswith(DRAWN):
        said = answer.decode(errors="replace").strip().rpartition("\n")[2]
        raise DrawingFails(
            f"vl-convert could not draw the picture: {said[:300] or 'it ended its process'}",
            suggestion="Select fewer files, or use format=full.",
        )
    return answer[len(DRAWN) :]
