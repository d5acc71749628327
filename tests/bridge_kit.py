"""Small projects in several languages, and the references between these."""

from collections.abc import Mapping
from textwrap import dedent

from benchpin.core.calls import Job
from benchpin.facts.languages import detect_language
from benchpin.project.bridges import Bridges, find_bridges
from benchpin.project.bridges._bridge import Bridge
from dead_code_kit import facts_of


def bridges(files: Mapping[str, str], **options: int) -> Bridges:
    """Return the references in files, given their texts by path."""
    contents = {path: dedent(text).encode() for path, text in files.items()}
    measured = {it: text for it, text in files.items() if detect_language(it, bytes)}
    return find_bridges(facts_of(measured), contents.get, Job(), **options)


def lines(files: Mapping[str, str]) -> list[str]:
    """Return the references, one a line: kind, symbol, from where, to where."""
    return [line_of(it) for it in bridges(files).references]


def line_of(bridge: Bridge) -> str:
    """Say a reference in one line."""
    to = f"{bridge.to_file}:{bridge.to_line}" if bridge.to_file else "?"
    return f"{bridge.kind} {bridge.symbol} {bridge.from_file}:{bridge.from_line} -> {to}"
