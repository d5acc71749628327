"""A flame graph as one self-contained HTML page, usable by mouse and keyboard."""

import base64
import hashlib
from html import escape
from importlib.resources import files

import msgspec

from benchpin.engines.profiles.values import CallNode, Profile

from .stacks import label_of, labels, place_of, unit_of

SCRIPT_NAME = "flamegraph.js"
STYLE_NAME = "flamegraph.css"
_FUNCTIONS_LISTED = 50
MAX_NODES = 20_000
"""As many as a stored profile has at most; about a megabyte of page."""
_OTHER = -1
_METRICS = {"wt": "wall time", "ct": "CPU time", "it": "idle time", "zm": "memory"}


def to_flame_graph_page(
    profile: Profile, metric: str | None = None, title: str | None = None
) -> str:
    """Return a whole HTML page with the flame graph of one metric."""
    name = title or _title(profile)
    body = f"<main>\n<h1>{escape(name)}</h1>\n{to_flame_graph(profile, metric)}</main>"
    return html_page(name, body, asset(STYLE_NAME), asset(SCRIPT_NAME))


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


def to_flame_graph(profile: Profile, metric: str | None = None) -> str:
    """Return the flame graph for a page that has its style and script."""
    place = place_of(profile, metric)
    shown = profile.metrics[place]
    names = labels(profile)
    graph = {
        "unit": unit_of(shown),
        "names": [*names, label_of(names, -1)],
        "parents": [node.parent for node in profile.tree],
        "functions": [node.function if node.function >= 0 else len(names) for node in profile.tree],
        "calls": [node.calls for node in profile.tree],
        "self": [node.self[place] for node in profile.tree],
        "inclusive": [node.inclusive[place] for node in profile.tree],
    }
    called = escape(_METRICS.get(shown, shown))
    return (
        f'<section class="flame" aria-label="Flame graph of {called}">\n'
        '<p class="flame-bar"><label>Search <input type="search" class="flame-search" '
        'autocomplete="off" spellcheck="false"></label> '
        '<button type="button" class="flame-reset">Reset zoom</button> '
        '<output class="flame-found"></output></p>\n'
        '<p class="flame-help">Click or Enter zooms, Escape zooms out; arrow keys move between '
        f"calls, / searches. Width is {called}; callers are above their callees.</p>\n"
        f'<div class="flame-graph" role="tree" aria-label="Calls by {called}"></div>\n'
        '<p class="flame-details" aria-live="polite">&nbsp;</p>\n'
        f'<script type="application/json" class="flame-data">{_inert(graph)}</script>\n'
        f"{_table(profile, place, names)}</section>\n"
    )


def asset(name: str) -> str:
    """Return the style or the script of flame graphs."""
    return (files(__package__) / name).read_text(encoding="utf-8")


def _title(profile: Profile) -> str:
    name = profile.request and profile.request.name
    return f"Flame graph: {name}" if name else "Flame graph"


def _inert(value: object) -> str:
    """Return JSON that cannot end the script element around it."""
    text = msgspec.json.encode(value).decode()
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _csp_source(text: str) -> str:
    # CSP 3 §2.3.1: a hash source allows exactly this text
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _table(profile: Profile, place: int, names: list[str]) -> str:
    """Return the functions with the highest self cost, for readers who cannot see the graph."""
    unit = unit_of(profile.metrics[place])
    order = sorted(range(len(names)), key=lambda it: (-profile.functions[it].self[place], it))
    rows = [
        f'<tr><th scope="row">{escape(names[it])}</th><td>{cost.calls}</td>'
        f"<td>{cost.self[place]}</td><td>{cost.inclusive[place]}</td></tr>\n"
        for it in order[:_FUNCTIONS_LISTED]
        for cost in [profile.functions[it]]
    ]
    return (
        f'<details class="flame-table"><summary>Functions: {len(rows)} of {len(names)}</summary>\n'
        '<table>\n<thead><tr><th scope="col">Function</th><th scope="col">Calls</th>'
        f'<th scope="col">Self ({unit})</th><th scope="col">Inclusive ({unit})</th></tr></thead>\n'
        f"<tbody>\n{''.join(rows)}</tbody>\n</table></details>\n"
    )


def drawable(profile: Profile, max_nodes: int = MAX_NODES) -> Profile:
    """Keep the longest calls, and sum up the others of each caller as `(other)`."""
    if len(profile.tree) <= max_nodes:
        return profile
    tree, place = profile.tree, place_of(profile)
    longest = sorted(range(len(tree)), key=lambda it: (-tree[it].inclusive[place], it))
    places: dict[int, int] = {-1: -1}
    kept: list[CallNode] = []
    for old in sorted(_with_callers(tree, longest[:max_nodes])):
        places[old] = len(kept)
        kept.append(msgspec.structs.replace(tree[old], parent=places[tree[old].parent]))
    return msgspec.structs.replace(profile, tree=(*kept, *_others(tree, places)))


def _with_callers(tree: tuple[CallNode, ...], chosen: list[int]) -> set[int]:
    """Add missing callers: in a damaged profile a caller can have less time than its callees."""
    found: set[int] = set()
    for node in chosen:
        place = node
        while place >= 0 and place not in found:
            found.add(place)
            place = tree[place].parent
    return found


def _others(tree: tuple[CallNode, ...], places: dict[int, int]) -> list[CallNode]:
    """Make one node for each caller, with all of its calls that were left out."""
    others: dict[int, CallNode] = {}
    for old, node in enumerate(tree):
        if old in places or node.parent not in places:
            continue
        parent = places[node.parent]
        before = others.get(parent)
        times = node.inclusive if before is None else _sum(before.self, node.inclusive)
        calls = node.calls + (0 if before is None else before.calls)
        others[parent] = CallNode(parent, _OTHER, calls, times, times)
    return list(others.values())


def _sum(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(one, other, strict=True))
