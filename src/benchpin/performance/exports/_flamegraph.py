"""A profile as a file: a flame graph in one HTML page or as SVG, or the format of another tool."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal
from xml.sax.saxutils import escape

import msgspec

from benchpin.core.errors import InvalidParams
from benchpin.performance.comparing import subject_of
from benchpin.performance.snapshots import Snapshot
from benchpin.performance.values import Profile
from benchpin.present.page import Section, as_script, page, text

from ._flames import KINDS, WORDS, Flames, Kind, descriptions, differences, flames_of, summed
from ._stacks import to_callgrind, to_collapsed, to_pprof, to_speedscope

_SCRIPTS = ("flame_calls.js", "flame_canvas.js", "flamegraph.js")
_LEGEND = (
    ("slower", "slower, beyond noise"),
    ("faster", "faster, beyond noise"),
    ("unclear", "changed by over 30 %, but too few profiles to be sure"),
    ("same", "within noise"),
)
_WIDTH = 1200
_MARGIN = 10
_TOP = 58
_LEGEND_HEIGHT = 24
_ROW = 18
# Width of an average letter of 12 pixels.
_LETTER = 6.4
_MIN_LETTERS = 4
_THINNEST = 0.5
_MAX_ROWS = 120
_INK, _FAINT, _PLAIN = "#16181b", "#545c66", "#e3e6ea"
_RAMPS: dict[Kind, tuple[str, str, str]] = {
    "slower": ("#f9c5b5", "#ee9a82", "#d9695a"),
    "faster": ("#c3dcf1", "#92bfe4", "#5b9bd0"),
}


def flame_style() -> str:
    return _asset("flamegraph.css")


def flame_script() -> str:
    return "\n".join(map(_asset, _SCRIPTS))


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def flame_section(flames: Flames) -> Section:
    """Return the flame graph as a part of any page."""
    title = f"<h2>{text(flames.heading)}</h2>\n"
    return Section(title + to_flame_section(flames), flame_style(), flame_script())


def flames_page(flames: Flames) -> str:
    body = f"<h1>{text(flames.heading)}</h1>\n{to_flame_section(flames)}"
    return page(flames.heading, body, styles=[flame_style()], scripts=[flame_script()])


def to_flame_section(flames: Flames) -> str:
    """Return the flame graph for a page that has its style and script."""
    is_difference = flames.before is not None
    noun = text(flames.noun)
    tables = _CHANGES if is_difference else _FUNCTIONS
    data = as_script(msgspec.to_builtins(flames))
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
        f'<script type="application/json" class="flame-data">{data}</script>\n'
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


# A flame graph as an SVG file: as the page draws it first, with a title and no script.


@dataclass(frozen=True, slots=True)
class _Box:
    node: int
    left: float
    width: float
    depth: int


def to_flame_svg(flames: Flames) -> str:
    """Return the SVG; calls that are thinner than half a pixel are left out."""
    boxes = list(_boxes(flames))
    says = descriptions(flames)
    top = _TOP + (_LEGEND_HEIGHT if flames.before is not None else 0)
    deepest = max((box.depth for box in boxes), default=0)
    height = top + (deepest + 1) * _ROW + _MARGIN
    title = escape(flames.heading)
    lines = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
            f'width="{_WIDTH}" height="{height}" role="img" font-family="system-ui, sans-serif" '
            f'font-size="12" fill="{_INK}">'
        ),
        f"<title>{title}</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="{_MARGIN}" y="24" font-size="17" font-weight="600">{_cut(title, 120)}</text>',
        (
            f'<text x="{_MARGIN}" y="44" font-size="13" fill="{_FAINT}">'
            f"{escape(flames.summary)}</text>"
        ),
    ]
    if flames.before is not None:
        lines += _svg_legend()
    lines += (_drawn(flames, box, top, says[box.node]) for box in boxes)
    return "\n".join((*lines, "</svg>\n"))


def _boxes(flames: Flames) -> Iterator[_Box]:
    """Place the calls, the widest callee first, as the page does."""
    widths = summed(flames.parents, [max(0, cost) for cost in flames.self])
    below: dict[int, list[int]] = defaultdict(list)
    for node, parent in enumerate(flames.parents):
        below[parent].append(node)
    scale = (_WIDTH - 2 * _MARGIN) / (sum(widths[node] for node in below[-1]) or 1)
    pending = [(-1, float(_MARGIN), 0)]
    while pending:
        caller, left, depth = pending.pop()
        for node in sorted(below[caller], key=lambda it: (-widths[it], it)):
            width = widths[node] * scale
            if width < _THINNEST or depth >= _MAX_ROWS:
                break
            yield _Box(node, left, width, depth)
            pending.append((node, left, depth + 1))
            left += width


def _drawn(flames: Flames, box: _Box, top: int, says: str) -> str:
    x, y = f"{box.left:.1f}", top + box.depth * _ROW
    width = max(box.width - 0.5, 0.4)
    name = flames.names[flames.functions[box.node]]
    parts = [
        f"<g><title>{escape(says)}</title>",
        (
            f'<rect x="{x}" y="{y}" width="{width:.1f}" height="{_ROW - 1}" '
            f'fill="{_colour(flames, box.node)}"/>'
        ),
    ]
    if flames.kinds and flames.below and (ramp := _RAMPS.get(KINDS[flames.below[box.node]])):
        parts.append(
            f'<rect x="{x}" y="{y + _ROW - 4}" width="{width:.1f}" height="3" fill="{ramp[-1]}"/>'
        )
    letters = int((box.width - 6) / _LETTER)
    if letters >= _MIN_LETTERS:
        text = escape(_cut(name, letters))
        parts.append(f'<text x="{box.left + 3:.1f}" y="{y + 13}">{text}</text>')
    return "".join((*parts, "</g>"))


def _colour(flames: Flames, node: int) -> str:
    if flames.verdicts is None or flames.ratios is None:
        return f"hsl({flames.hues[flames.functions[node]]}, 62%, 82%)"
    ramp = _RAMPS.get(KINDS[flames.verdicts[node]])
    if ramp is None:
        return _PLAIN
    return ramp[int(len(ramp) * min(0.99, abs(flames.ratios[node])))]


def _svg_legend() -> Iterator[str]:
    x = _MARGIN
    for kind in ("slower", "faster", "same"):
        colour = _RAMPS[kind][1] if kind in _RAMPS else _PLAIN
        says = WORDS[kind] if kind == "same" else f"{WORDS[kind]}, beyond noise"
        yield f'<rect x="{x}" y="56" width="18" height="12" fill="{colour}"/>'
        yield f'<text x="{x + 24}" y="66">{says}</text>'
        x += 40 + int(len(says) * _LETTER)


def _cut(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


# One profile as a file: a flame graph, or the format of another tool.

ProfileFormat = Literal["flamegraph", "svg", "speedscope", "collapsed", "callgrind", "pprof"]
# The ending of the file, and the function that draws a flame graph.
_DRAWINGS: dict[ProfileFormat, tuple[str, Callable[[Flames], str]]] = {
    "flamegraph": ("html", flames_page),
    "svg": ("svg", to_flame_svg),
}
# The ending of the file, and the function that writes a profile for a metric.
_WRITERS: dict[ProfileFormat, tuple[str, Callable[[Profile, str | None], str | bytes]]] = {
    "speedscope": ("speedscope.json", lambda profile, _metric: to_speedscope(profile)),
    "collapsed": ("collapsed.txt", to_collapsed),
    "callgrind": ("callgrind.out", lambda profile, _metric: to_callgrind(profile)),
    "pprof": ("pb.gz", lambda profile, _metric: to_pprof(profile)),
}


def write_profile(
    profile: Profile,
    form: ProfileFormat,
    metric: str | None,
    title: str | None,
    snapshots: tuple[Snapshot | None, Snapshot],
) -> tuple[str, bytes]:
    """Return the ending of the file and its content.

    With an older snapshot, the first of the two, it shows what changed since then.
    """
    older, newer = snapshots
    _refuse_without_stacks(profile, form, is_difference=older is not None)
    if form in _DRAWINGS:
        suffix, draw = _DRAWINGS[form]
        if older is None:
            return suffix, draw(flames_of(profile, metric, title)).encode()
        return suffix, draw(_difference(older, newer, subject_of(profile))).encode()
    if older is not None:
        raise InvalidParams(
            f"{form} shows one profile, not what changed since another snapshot",
            suggestion="Use format flamegraph or svg, or leave out before.",
            data={"path": "before"},
        )
    suffix, write = _WRITERS[form]
    content = write(profile, metric)
    return suffix, content.encode() if isinstance(content, str) else content


def _difference(older: Snapshot, newer: Snapshot, subject: str) -> Flames:
    if found := differences(older, newer, subject):
        return found[0]
    raise InvalidParams(
        f"The older snapshot has no profile of {subject or 'the same kind'!r} with stacks",
        suggestion="Ingest profiles of the same route or command, from the same profiler.",
        data={"path": "before"},
    )


def _refuse_without_stacks(profile: Profile, form: ProfileFormat, *, is_difference: bool) -> None:
    """Refuse what needs stacks; a flame graph of one profile says that its own are estimated."""
    is_estimated = form in _DRAWINGS and not is_difference
    if profile.tree or form == "callgrind" or is_estimated:
        return
    shown = "a difference" if is_difference else form
    raise InvalidParams(
        f"{profile.version} records who called whom, but no stacks, which {shown} shows",
        suggestion="Use format flamegraph, svg or callgrind without before, or record with a "
        "profiler that keeps stacks: py-spy, SPX, Excimer, node --cpu-prof or perf.",
        data={"path": "format"},
    )
