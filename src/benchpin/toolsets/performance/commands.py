"""The commands of `benchpin perf`, from artefacts to a report.

`ingest` keeps the id of its snapshot in the data folder. The other commands use that snapshot
unless the command line or `SNAPSHOT_ID` names another.
"""

from collections.abc import Callable
from pathlib import Path
from typing import cast

from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams, PathError
from benchpin.core.results import Result
from benchpin.core.tools import Arguments, Command, CommandField, pair
from benchpin.performance.snapshots import LAST_SNAPSHOT
from benchpin.workspace.files import opened
from benchpin.workspace.writing import write_atomically

from ._artifacts import stored_bundle
from .ingest_artifacts import Ingested

_MAX_ID_BYTES = 1_000


def _bundle(arguments: Arguments, bench: Bench) -> Arguments:
    """Give a folder as `bundle_dir`, where files are `artifacts`."""
    given = cast("list[dict[str, str]]", arguments.get("artifacts", []))
    paths = [stored_bundle(bench, it["path"]) for it in given]
    if not paths:
        raise InvalidParams("No path was given", suggestion="Give files, or one folder.")
    if not any(Path(path).is_dir() for path in paths):
        return arguments
    if len(paths) > 1:
        raise InvalidParams(
            "Several paths, one of them a folder", suggestion="Give files, or one folder."
        )
    del arguments["artifacts"]
    return {**arguments, "bundle_dir": paths[0]}


def _allow_headers(arguments: Arguments, _bench: Bench) -> Arguments:
    """Allow the headers that were typed."""
    names = list(cast("dict[str, str]", arguments.get("headers", {})))
    return {"headers_allowlist": names, **arguments}


def _with_last(field: str) -> Callable[[Arguments, Bench], Arguments]:
    """Return a function that puts in the snapshot that was ingested last."""

    def complete(arguments: Arguments, bench: Bench) -> Arguments:
        if arguments.get(field) is not None:
            return arguments
        try:
            with opened(bench.data_folder, LAST_SNAPSHOT, _MAX_ID_BYTES) as file:
                last = file.read(_MAX_ID_BYTES).decode(errors="replace").strip()
        except PathError as error:
            raise InvalidParams(
                "No profile or log has been read here yet",
                suggestion="Read one with `benchpin perf ingest`, or make one with "
                "`benchpin perf record`; `benchpin perf runs` lists what is stored.",
            ) from error
        return {**arguments, field: last}

    return complete


def _remember(result: Result, bench: Bench) -> None:
    snapshot = cast("Ingested", result).normalized_snapshot_id
    write_atomically(bench.data_folder, LAST_SNAPSHOT, f"{snapshot}\n".encode(), bench.job)


_HIDDEN = CommandField("")
_PATHS = CommandField(
    "PATH",
    is_path=True,
    help="A file: a profile, a slow log or timings.",
    parse=lambda path: {"path": path},
)
_SNAPSHOT = {
    "normalized_snapshot_id": CommandField("SNAPSHOT", variable="SNAPSHOT_ID"),
    "snapshot_id": _HIDDEN,
}
_DEFAULT = "By default SNAPSHOT is $SNAPSHOT_ID, or else what was ingested last."
_LAST = _with_last("normalized_snapshot_id")

validate = Command("validate_artifacts", fields={"artifacts": _PATHS})
collect = Command(
    "collect_artifacts",
    "Without a URL_PATH, / is requested.",
    {
        "base_url": CommandField("BASE_URL"),
        "url_paths": CommandField(
            "URL_PATH", default=["/"], help="Paths to GET, such as /search?q=x."
        ),
        "spx_dirs": CommandField("--spx-dir FOLDER", default=[], is_path=True),
        "slow_log_path": CommandField("--slow-log FILE", default=None, is_path=True),
        "headers": CommandField("--header NAME:VALUE", parse=pair(":")),
        "headers_allowlist": _HIDDEN,
    },
    complete=_allow_headers,
)
ingest = Command(
    "ingest_artifacts",
    "Each PATH is a file; or PATH is one folder with artefacts.",
    {
        "artifacts": _PATHS,
        "bundle_dir": _HIDDEN,
        "environment_hints": CommandField("--env NAME=VALUE", parse=pair("=")),
    },
    complete=_bundle,
    remember=_remember,
)
record = Command(
    "record_profile",
    "Write -- before the program, so that its options are not taken for ours.",
    {
        "argv": CommandField("COMMAND", default=[]),
        "tests": CommandField("--test NAME", default=[]),
    },
    remember=_remember,
)
loop = Command(
    "measure_change",
    "Write -- before the program, so that its options are not taken for ours.",
    {"argv": CommandField("COMMAND")},
)
analyze = Command("run_analysis", _DEFAULT, _SNAPSHOT, complete=_LAST)
report = Command("export_report", _DEFAULT, _SNAPSHOT, complete=_LAST)
compare = Command(
    "compare_snapshots",
    _DEFAULT.replace("SNAPSHOT", "AFTER", 1),
    {
        "before": CommandField("BEFORE"),
        "after": CommandField("AFTER", default=None, variable="SNAPSHOT_ID"),
    },
    complete=_with_last("after"),
)
gate = Command(
    "performance_gate",
    _DEFAULT,
    {
        **_SNAPSHOT,
        "baseline": CommandField("--baseline SNAPSHOT_OR_FILE"),
        "update_baseline": CommandField(
            "--update-baseline", help="Write the snapshot to the baseline, a file, after comparing."
        ),
        # A gate in a script must stop it; over MCP, an agent reads the verdict.
        "fail_on_regression": CommandField("--fail-on-regression", default=True),
    },
    complete=_LAST,
)
flamegraph = Command("export_profile", _DEFAULT, _SNAPSHOT, complete=_LAST)
