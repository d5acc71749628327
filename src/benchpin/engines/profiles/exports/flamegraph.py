"""A flame graph as one self-contained HTML page, usable by mouse and keyboard."""

import base64
import hashlib
from html import escape
from importlib.resources import files

import msgspec

from benchpin.engines.profiles.values import Profile

from .flames import Flames, flames_of

_SCRIPTS = ("flame_calls.js", "flame_canvas.js", "flamegraph.js")
_LEGEND = (
    ("slower", "slower, beyond noise"),
    ("faster", "faster, beyond noise"),
    ("unclear", "changed by over 30 %, but too few profiles to be sure"),
    ("same", "within noise"),
)


def flame_style() -> str:
    """Return the style of flame graphs."""
    return _asset("flamegraph.css")


def flame_script() -> str:
    """Return the script of flame graphs."""
    return "\n".join(map(_asset, _SCRIPTS))


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def to_flame_graph_page(
    profile: Profile, metric: str | None = None, title: str | None = None
) -> str:
    """Return a whole HTML page with the flame graph of one metric."""
    return flames_page(flames_of(profile, metric, title))


def flames_page(flames: Flames) -> str:
    """Return a whole HTML page with one flame graph."""
    body = (
        f'<main class="flame-page">\n<h1><bdi>{escape(flames.heading)}</bdi></h1>\n'
        f"{to_flame_section(flames)}</main>"
    )
    return html_page(flames.heading, body, flame_style(), flame_script())


def html_page(title: str, body: str, style: str, script: str) -> str:
    """Return a page that loads nothing: its policy allows only this style and this script."""
    policy = (
        f"default-src 'none'; style-src {_csp_source(style)}; script-src {_csp_source(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"{body}\n<script>{script}</script>\n</body>\n</html>\n"
    )


def to_flame_section(flames: Flames) -> str:
    """Return the flame graph for a page that has its style and script."""
    is_difference = flames.before is not None
    noun = escape(flames.noun)
    tables = _CHANGES if is_difference else _FUNCTIONS
    return (
        f'<section class="flame" aria-label="Flame graph of {noun}">\n'
        f'<p class="flame-summary">{escape(flames.summary)}</p>\n'
        f"{_legend() if is_difference else ''}"
        '<div class="flame-bar"><label>Search <input type="search" class="flame-search" '
        'autocomplete="off" spellcheck="false"></label> '
        '<output class="flame-found"></output>'
        f"{_WIDTHS if is_difference else ''}"
        '<button type="button" class="flame-reset">Reset zoom</button></div>\n'
        '<nav aria-label="Zoomed call"><ol class="flame-path"></ol></nav>\n'
        '<div class="flame-graph" role="tree" tabindex="0" aria-describedby="flame-help" '
        f'aria-label="Calls by {noun}">\n'
        '<canvas class="flame-canvas" aria-hidden="true"></canvas>\n'
        '<div class="flame-spacer" aria-hidden="true"></div>\n'
        '<div class="flame-item" role="treeitem" aria-level="1"></div>\n</div>\n'
        '<p class="flame-details" aria-live="polite">&nbsp;</p>\n'
        '<div class="flame-tip" hidden></div>\n'
        f"{_HELP}{_RELATED}{tables}"
        f'<script type="application/json" class="flame-data">{_inert(flames)}</script>\n'
        "</section>\n"
    )


def _legend() -> str:
    entries = "".join(
        f'<li><span class="flame-key flame-{kind}" aria-hidden="true"></span> {says}</li>'
        for kind, says in _LEGEND
    )
    return (
        f'<ul class="flame-legend">{entries}</ul>\n'
        '<p class="flame-help">A frame has the colour of its own change, the darker the larger; a '
        "line below it says that what it calls changed.</p>\n"
    )


_WIDTHS = (
    '<fieldset class="flame-widths"><legend>Width</legend>'
    '<label><input type="radio" name="flame-width" value="after" checked> after</label> '
    '<label><input type="radio" name="flame-width" value="before"> before</label></fieldset>'
)
_HELP = (
    '<p class="flame-help" id="flame-help">Callers are above their callees. Click or Enter zooms, '
    "Escape zooms out, 0 shows all; arrow keys move between calls; / searches, n goes to the next "
    "match.</p>\n"
)
_RELATED = (
    '<section class="flame-related" hidden><h2>Callers and callees of '
    '<bdi class="flame-chosen"></bdi> <button type="button" class="flame-close">Close</button>'
    "</h2>\n<div>\n"
    + "".join(
        f'<table class="flame-{name}"><caption>{title}</caption><thead><tr>'
        f'<th scope="col">Function</th><th scope="col">Calls</th><th scope="col">{cost}</th>'
        "</tr></thead><tbody></tbody></table>\n"
        for name, title, cost in (
            ("callers", "Called by", "Total of these calls"),
            ("callees", "Calls", "Total of these calls"),
        )
    )
    + "</div></section>\n"
)
_FUNCTIONS = (
    '<details class="flame-table" open><summary>Functions by their own cost: '
    '<span class="flame-count"></span></summary>\n<table class="flame-functions"><thead><tr>'
    '<th scope="col">Function</th><th scope="col">Calls</th><th scope="col">Self</th>'
    '<th scope="col">Total</th></tr></thead><tbody></tbody></table></details>\n'
)
_CHANGES = (
    '<section class="flame-table"><h2>Largest changes</h2>\n'
    '<p class="flame-help">Chosen by what each frame itself costs; the numbers include callees.</p>\n'
    '<table class="flame-changes"><thead>'
    '<tr><th scope="col">Function</th><th scope="col">Before</th>'
    '<th scope="col">After</th><th scope="col">Change</th><th scope="col">Itself</th></tr>'
    "</thead><tbody></tbody></table></section>\n"
)


def _inert(value: object) -> str:
    """Return JSON that cannot end the script element around it."""
    text = msgspec.json.encode(value).decode()
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _csp_source(text: str) -> str:
    # CSP 3 §2.3.1: a hash source allows exactly this text
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
