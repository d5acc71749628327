"""The pages of apps, and what they show of a result."""

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any, cast
from urllib.parse import quote

from benchpin.core.results import Result
from benchpin.core.tools import AnyTool
from benchpin.performance.exports import flame_script, flame_style
from benchpin.present import Column, Report
from benchpin.present.formats import content
from benchpin.present.page import place_of, script, style
from benchpin.present.pictures import is_installed, script_bundle
from benchpin.server.jsonrpc import ENCODED, Json
from benchpin.server.wire import ENVELOPE_BYTES, to_json

from ._apps import APPS, DATA


def app_page(tool: AnyTool) -> str:
    """Return the page of a tool's app: it waits for the host to send the result.

    With pictures it brings Vega, 0.9 MB.
    """
    app = APPS[tool.name]
    has_pictures = issubclass(tool.result_type, Report) and bool(tool.result_type.view.pictures)
    styles = [style(), _asset("app.css"), *([flame_style()] if app.has_flames else [])]
    flames = flame_script() if app.has_flames else "const showFlames = () => {};"
    code = "\n".join((_asset("bridge.js"), script(), flames, _asset("app.js")))
    bundle = [script_bundle()] if has_pictures and is_installed() else []
    return "\n".join(
        (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Benchpin: {escape(app.title)}</title>",
            *(f"<style>{it}</style>" for it in styles),
            f"</head>\n<body>\n{_BODY}",
            *(f"<script>{it}</script>" for it in bundle),
            f'<script type="module">{code}</script>',
            "</body>\n</html>\n",
        )
    )


_BODY = """\
<button type="button" class="larger" hidden>Full screen</button>
<main><p>Waiting for the result…</p></main>
<aside hidden aria-label="Outline">
<button type="button" class="close">Close</button>
<h2></h2>
<div class="answer"></div>
<div class="comment">
<label>Line <input name="line" type="number" min="1"></label>
<label>Comment <input name="text" maxlength="2000"></label>
<button type="button" class="add">Add comment</button>
</div>
</aside>"""


def add_app(answer: Json, report: Result, most_bytes: int) -> None:
    """Add what the app shows to an encoded result, unless that makes it too large."""
    if not isinstance(report, Report):
        return
    shown = {DATA: {"html": content(report, link=_to_outline, is_full=False)}}
    size = len(to_json(shown)) + sum(map(len, cast("Sequence[bytes]", answer[ENCODED])))
    if size <= most_bytes - ENVELOPE_BYTES:
        answer["_meta"] = {**cast("Json", answer["_meta"]), **shown}


def _to_outline(column: Column[Any], row: object) -> str:
    """Return a link that the app follows by asking for the outline of the file."""
    place = place_of(column, row)
    if place is None:
        return ""
    path, line = place
    return f"#open:{quote(path if line is None else f'{path}:{line}', errors='surrogateescape')}"


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")
