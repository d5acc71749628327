"""Validate the SARIF of every tool that writes it against the schema of the standard.

The schema comes out of Microsoft's own validator, which carries it inside its one big file.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jsonschema import Draft7Validator

from benchpin import Workbench
from benchpin.core.tools import Schema
from benchpin.toolsets import load_toolsets
from npm_packages import FOLDER, ROOT, UNAVAILABLE, Unavailable, prepare

CARRIER = FOLDER / f"node_modules/@microsoft/sarif-multitool-{sys.platform}/Sarif.Multitool"
TITLE = b"Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"
MAX_BYTES = 1 << 20
GATE = "performance_gate"
COLUMNS = "url,route,ttfb_ms,wall_ms,cpu_ms,mem_mb"


def main() -> None:
    """Judge the report of each tool about this repository."""
    try:
        prepare()
        validator = Draft7Validator(read_schema(CARRIER))
    except Unavailable as error:
        print(error)
        sys.exit(UNAVAILABLE)
    if not list(validator.iter_errors({"version": "2.1.0", "runs": [{"results": 5}]})):
        sys.exit("The schema lets everything pass")
    failed = [name for name in tools() if not is_valid(validator, name)]
    if failed:
        sys.exit(f"Not valid: {', '.join(failed)}")


def read_schema(carrier: Path) -> Schema:
    """Cut the schema out of the program that carries it.

    Raises:
        Unavailable: when there is none for this system.
    """
    if not carrier.exists():
        raise Unavailable(f"there is no validator of SARIF for {sys.platform}")
    content = carrier.read_bytes()
    start = content.rfind(b"{", 0, content.index(TITLE))
    text = content[start : start + MAX_BYTES].decode(errors="replace")
    schema: Schema = json.JSONDecoder().raw_decode(text)[0]
    return schema


def tools() -> list[str]:
    """Return the tools that have SARIF among their formats."""
    return [
        name
        for toolset in load_toolsets()
        for name in toolset.tools
        if '"sarif"' in json.dumps(toolset.load_tool(name).input_schema)
    ]


def arguments_of(tool: str, bench: Workbench) -> dict[str, object]:
    """Return what a tool cannot do without: the performance gate compares two snapshots."""
    if tool != GATE:
        return {}
    ids = []
    for number, slower in enumerate((1, 3)):
        rows = [f"http://127.0.0.1/,/,,{100 * slower + it},," for it in range(20)]
        artifact = bench.bench.data_folder / f"timings{number}.csv"
        artifact.write_text("\n".join((COLUMNS, *rows)), encoding="utf-8")
        found: Any = bench.call("ingest_artifacts", artifacts=[{"path": str(artifact)}])
        ids.append(found.normalized_snapshot_id)
    return {"baseline": ids[0], "normalized_snapshot_id": ids[1]}


def is_valid(validator: Draft7Validator, tool: str) -> bool:
    """Validate one report."""
    with TemporaryDirectory() as folder:
        bench = Workbench.open(ROOT, data_dir=folder, artifacts=[folder])
        report = bench.call(tool, format="sarif", **arguments_of(tool, bench))
    log = json.loads(report.to_text())
    errors = list(validator.iter_errors(log))
    print(f"{tool}: {len(log['runs'][0]['results'])} findings, {len(errors)} errors of the format")
    for error in errors[:5]:
        print("  ", error.json_path, error.message[:200])
    return not errors


if __name__ == "__main__":
    main()
