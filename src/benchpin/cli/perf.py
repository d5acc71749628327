"""`benchpin perf`: from artefacts to a report, each step going on from the one before.

`ingest` notes its snapshot in the data folder; `analyze`, `report` and `flamegraph` take it from
there, unless `SNAPSHOT_ID` or the command line names another.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import click

from benchpin.core import InvalidParams, Result
from benchpin.engines.files.writing import write_atomically
from benchpin.engines.profiles.store import LAST_SNAPSHOT

from .flags import Flags
from .output import show
from .running import run_tool

_PATH = click.Path(path_type=Path)
_json = click.option("--json", "as_json", is_flag=True, help="Print the structured result.")
_top_n = click.option("--top-n", type=int, default=5, show_default=True, help="From 1 to 20.")
_thresholds = click.option(
    "--thresholds",
    help='In ms, as JSON, such as {"span_self_ms": {"P0": 800, "P1": 300, "P2": 100}}.',
)
_snapshot = click.argument("snapshot", required=False)


@click.group(
    epilog="Example: benchpin perf ingest slow.log spx/*.txt.gz && benchpin perf report",
)
def perf() -> None:
    """Say what to fix first, from SPX profiles, slow logs and timings."""


@perf.command()
@click.argument("paths", nargs=-1, required=True)
@_json
def validate(paths: tuple[str, ...], *, as_json: bool) -> None:
    """Tell what files are, before anything is stored."""
    places = _places(paths)
    arguments = {"artifacts": [{"path": str(place)} for place in places]}
    _show("validate_artifacts", arguments, [place.parent for place in places], as_json=as_json)


@perf.command()
@click.argument("base_url")
@click.argument("url_paths", nargs=-1, metavar="[URL_PATH]...")
@click.option("--spx-dir", "spx_dirs", type=_PATH, multiple=True, help="Repeatable.")
@click.option("--slow-log", "slow_log", type=_PATH, help="Copied with its literals redacted.")
@click.option("--sample-count", type=int, default=3, show_default=True, help="From 1 to 20.")
@click.option("--concurrency", type=int, default=1, show_default=True, help="From 1 to 4.")
@click.option("--timeout-ms", type=int, default=3000, show_default=True, help="200 to 15000.")
@click.option("--warmup-count", type=int, default=0, show_default=True, help="From 0 to 5.")
@click.option("--header", "headers", multiple=True, metavar="NAME:VALUE", help="Repeatable.")
@click.option("--raw", is_flag=True, help="Copy literals and URIs as they are.")
@_json
def collect(
    base_url: str,
    url_paths: tuple[str, ...],
    spx_dirs: tuple[Path, ...],
    slow_log: Path | None,
    headers: tuple[str, ...],
    *,
    as_json: bool,
    **numbers: Any,
) -> None:
    """Time GET requests to BASE_URL, then gather SPX profiles and the slow log in a bundle."""
    named = dict(_header(header) for header in headers)
    arguments = {
        "base_url": base_url,
        "url_paths": url_paths or ("/",),
        "spx_dirs": [str(folder.absolute()) for folder in spx_dirs],
        "slow_log_path": None if slow_log is None else str(slow_log.absolute()),
        "headers": named,
        "headers_allowlist": list(named),
        **numbers,
    }
    logs = () if slow_log is None else (slow_log.absolute().parent,)
    _show("collect_artifacts", arguments, [*spx_dirs, *logs], as_json=as_json)


@perf.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("--env", "hints", multiple=True, metavar="NAME=VALUE", help="A hint; repeatable.")
@_json
def ingest(paths: tuple[str, ...], hints: tuple[str, ...], *, as_json: bool) -> None:
    """Read artefacts, or one folder of them, into a snapshot."""
    arguments: dict[str, object] = {"environment_hints": dict(_pair(hint) for hint in hints)}
    places = _places(paths)
    if len(places) > 1 and any(place.is_dir() for place in places):
        raise click.UsageError("Give files, or one folder.")
    if places[0].is_dir():
        arguments["bundle_dir"] = str(places[0])
    else:
        arguments["artifacts"] = [{"path": str(place)} for place in places]
    folders = [place if place.is_dir() else place.parent for place in places]
    result = _show("ingest_artifacts", arguments, folders, as_json=as_json)
    folder, path = _last_snapshot()
    write_atomically(folder, path, f"{result.normalized_snapshot_id}\n".encode())


@perf.command()
@_snapshot
@_top_n
@_thresholds
@_json
def analyze(snapshot: str | None, *, top_n: int, thresholds: str | None, as_json: bool) -> None:
    """Say what to fix first in SNAPSHOT, or in the one ingested last."""
    _show("run_analysis", _analysis(snapshot, top_n, thresholds), as_json=as_json)


@perf.command()
@_snapshot
@_top_n
@_thresholds
@_json
def report(snapshot: str | None, *, top_n: int, thresholds: str | None, as_json: bool) -> None:
    """Write Markdown, JSON and an HTML page of SNAPSHOT, or of the one ingested last."""
    _show("export_report", _analysis(snapshot, top_n, thresholds), as_json=as_json)


@perf.command()
@click.argument("before")
@click.argument("after", required=False)
@_json
def compare(before: str, after: str | None, *, as_json: bool) -> None:
    """Name what became slower from snapshot BEFORE to AFTER, or to the one ingested last."""
    _show("compare_snapshots", {"before": before, "after": _chosen(after)}, as_json=as_json)


@perf.command()
@_snapshot
@click.option("--profile", help="Its key, URI or source; the longest by default.")
@click.option(
    "--format",
    type=click.Choice(["flamegraph", "speedscope", "collapsed", "callgrind", "pprof"]),
    default="flamegraph",
    show_default=True,
)
@click.option("--metric", default="wt", show_default=True, help="wt, ct, zm, …")
@_json
def flamegraph(snapshot: str | None, *, as_json: bool, **chosen: Any) -> None:
    """Write a profile of SNAPSHOT as a flame graph, or for another tool."""
    given = {name: value for name, value in chosen.items() if value is not None}
    _show("export_profile", {"normalized_snapshot_id": _chosen(snapshot), **given}, as_json=as_json)


def _show(
    tool: str, arguments: Mapping[str, object], folders: Iterable[Path] = (), *, as_json: bool
) -> Any:
    """Call a tool and print what it returns; who types a path has thereby opened its folder."""
    result: Result = run_tool(_flags(folders), tool, arguments)
    show(result, as_json=as_json)
    return result


def _flags(folders: Iterable[Path] = ()) -> Flags:
    flags = click.get_current_context().ensure_object(Flags)
    typed = [folder.absolute() for folder in folders]
    if not typed:
        return flags
    return flags.over({"artifacts": (*flags.configuration().settings.artifacts, *typed)})


def _last_snapshot() -> tuple[Path, PurePosixPath]:
    return _flags().workbench().bench.data_folder, LAST_SNAPSHOT


def _chosen(snapshot: str | None) -> str:
    given = snapshot or os.environ.get("SNAPSHOT_ID")
    if given:
        return given
    folder, path = _last_snapshot()
    try:
        return (folder / path).read_text().strip()
    except OSError as error:
        raise InvalidParams(
            "No snapshot was named, and none was ingested here",
            suggestion="Run benchpin perf ingest first, or name one: benchpin list runs.",
        ) from error


def _analysis(snapshot: str | None, top_n: int, thresholds: str | None) -> dict[str, object]:
    arguments: dict[str, object] = {"normalized_snapshot_id": _chosen(snapshot), "top_n": top_n}
    if thresholds is None:
        return arguments
    try:
        return {**arguments, "thresholds": json.loads(thresholds)}
    except ValueError as error:
        raise click.UsageError(f"--thresholds is not JSON: {error}") from error


def _places(paths: Sequence[str]) -> list[Path]:
    """Return where paths lead; an empty one, such as of an unset variable, leads nowhere."""
    if "" in paths:
        raise click.UsageError("A path is empty.")
    return [Path(path).absolute() for path in paths]


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon:
        raise click.UsageError(f"--header {text!r} is not NAME:VALUE")
    return name.strip(), value.strip()


def _pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value
