"""Validate the SARIF of every tool that writes it against the schema of the standard.

The schema comes out of Microsoft's own validator, which carries it inside its one big file.
"""

import json
import sys
from pathlib import Path

from jsonschema import Draft7Validator

from benchpin import Workbench
from benchpin.core import Schema
from benchpin.toolsets import load_toolsets
from npm_packages import FOLDER, ROOT, UNAVAILABLE, Unavailable, prepare

CARRIER = FOLDER / f"node_modules/@microsoft/sarif-multitool-{sys.platform}/Sarif.Multitool"
TITLE = b"Static Analysis Results Format (SARIF) Version 2.1.0 JSON Schema"
MOST_BYTES = 1 << 20


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
    text = content[start : start + MOST_BYTES].decode(errors="replace")
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


def is_valid(validator: Draft7Validator, tool: str) -> bool:
    """Validate one report."""
    log = json.loads(Workbench.open(ROOT).call(tool, format="sarif").to_text())
    errors = list(validator.iter_errors(log))
    print(f"{tool}: {len(log['runs'][0]['results'])} findings, {len(errors)} errors of the format")
    for error in errors[:5]:
        print("  ", error.json_path, error.message[:200])
    return not errors


if __name__ == "__main__":
    main()
