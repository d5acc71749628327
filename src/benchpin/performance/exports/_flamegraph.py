"""A flame graph as one self-contained HTML page, usable by mouse and keyboard."""

from importlib.resources import files

import msgspec

from benchpin.present.page import Section, as_script, page, text

from ._flames import Flames

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


def flame_section(flames: Flames) -> Section:
    """Return the flame graph as a part of any page."""
    title = f"<h2>{text(flames.heading)}</h2>\n"
    return Section(title + to_flame_section(flames), flame_style(), flame_script())


def flames_page(flames: Flames) -> str:
    """Return a whole HTML page with one flame graph."""
    body = f"<h1>{text(flames.heading)}</h1>\n{to_flame_section(flames)}"
    return page(flames.heading, body, styles=[flame_style()], scripts=[flame_script()])


def to_flame_section(flames: Flames) -> str:
    """Return the flame graph for a page that has its style and script."""
    is_difference = flames.before is not None
    noun = text(flames.noun)
    tables = _CHANGES if is_difference else _FUNCTIONS
    return (
        f'<section class="flame" aria-label="Flame graph of {noun}">\n'
        f'<p class="flame-summary">{text(flames.summary)}</p>\n'
        f"{_legend() if is_difference else ''}"
        '<div class="flame-bar"><label>Search <input type="search" class="flame-search" '
        'autocomplete="off" spellcheck="false"></label> '
        '<output class="flame-found"></output>'
        f"{_WIDTHS if is_difference else ''}"
        '<button type="button" class="flame-reset">Reset zoom</button></div>\n'
        '<nav aria-label="Zoomed call"><ol class="flame-path"></ol></nav>\n'
        '<div class="flame-graph" role="tree" tabindex="0" '
        f'aria-label="Calls by {noun}">\n'
        '<canvas class="flame-canvas" aria-hidden="true"></canvas>\n'
        '<div class="flame-spacer" aria-hidden="true"></div>\n'
        '<div class="flame-item" role="treeitem" aria-level="1"></div>\n</div>\n'
        '<p class="flame-details">&nbsp;</p>\n'
        '<div class="flame-tip" hidden></div>\n'
        f"{_HELP}{_RELATED}{tables}"
        f'<script type="application/json" class="flame-data">{_data(flames)}</script>\n'
        "</section>\n"
    )


def _data(flames: Flames) -> str:
    return as_script(msgspec.to_builtins(flames))


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
    '<p class="flame-help">Callers are above their callees. Click or Enter zooms, '
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
    '<p class="flame-help">Chosen by their own cost; the numbers include callees.</p>\n'
    '<table class="flame-changes"><thead>'
    '<tr><th scope="col">Function</th><th scope="col">Before</th>'
    '<th scope="col">After</th><th scope="col">Change</th><th scope="col">Itself</th></tr>'
    "</thead><tbody></tbody></table></section>\n"
)
