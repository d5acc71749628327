"""The workspaces in which the examples run, with the files that the documents mention."""

import base64
import gzip
import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchpin.app import Workbench, configure
from benchpin.run.sandbox import detect_sandbox
from repositories import Tree

FIXTURES = Path(__file__).parents[1] / "fixtures" / "performance"
PROFILE = "spx-full-20261115_064605-vm-3470-1102520059"
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAACklEQVR4nGMAAQAABQABDQottAAAAABJRU5ErkJggg=="
)

_BRANCHES = "".join(
    f"    for i in 0..n {{ if i == {it} {{ while n > {it} {{ return {it}; }} }} }}\n"
    for it in range(30)
)
_MAIN_RS = f"""\
// TODO: read the rates from a file
use crate::lib_rates;

fn main() {{
    println!("{{}}", calculate_total(3));
}}

fn calculate_total(n: i32) -> i32 {{
{_BRANCHES}    n
}}
"""
_LIB_RS = "pub fn rate(n: i32) -> i32 {\n    n * 2\n}\n"


def _rust(root: Path) -> None:
    """Make a project in Rust with a past, for the analyses."""
    tree = Tree(root)
    tree.commit({"src/main.rs": _MAIN_RS.encode(), "src/lib.rs": _LIB_RS.encode()}, "Start")


def _project(root: Path) -> None:
    """Make a small project, for files, prompts and repository analysis."""
    _write(root, "README.md", "# AIWhisperer\n\nAn AI-powered development assistant...\n")
    _write(
        root, "src/main.py", "#!/usr/bin/env python3\n\ndef main():\n    print('Hello, World!')\n"
    )
    _write(root, "test.py", "print('test')\n")
    _write(root, ".env", "SECRET=1\n")
    (root / "image.png").write_bytes(base64.b64decode(PIXEL))
    for folder in ("my-project", "test-repo"):
        _write(root, f"{folder}/package.json", '{"name": "example", "version": "1.0.0"}\n')
        _write(root, f"{folder}/README.md", "# Example\n")


def _auth_ts() -> str:
    """Return 150 lines: validatePassword around line 42, comparePasswords around line 78."""
    lines = ["// a line of the service"] * 150
    lines[14] = "export class AuthService {"
    lines[39] = "  validatePassword(password: string): boolean {"
    lines[41] = "    return password.length > 8;"
    lines[43] = "  }"
    lines[75] = "  comparePasswords(one: string, other: string): boolean {"
    lines[77] = "    return one === other;"
    lines[79] = "  }"
    lines[148] = "}"
    return "\n".join(lines) + "\n"


def _comments(root: Path) -> None:
    """Make the files that comments are about, and two comments with the ids of the document."""
    _write(root, "src/services/auth.ts", _auth_ts())
    moved = ["// moved"] * 40
    moved[9], moved[38] = "export class AuthService {", "}"
    moved[23], moved[25] = "  validatePassword(password: string): boolean {", "  }"
    moved[24] = "    return password.length > 8;"
    _write(root, "src/services/security/auth.ts", "\n".join(moved) + "\n")
    _write(root, "src/app.ts", "console.log(1);\n" * 150)
    broken = ["function f() {", *["  call();"] * 39, "}", "}"]
    _write(root, "src/broken.ts", "\n".join(broken) + "\n")
    _write(root, "src/damaged.ts", "const x = 1;\n")
    _write(root, "src/damaged.ts.comments", '{"comments": [')
    _write(root, ".env", "SECRET=1\n")
    todo = "TODO: Implement rate limiting using Redis (max 5 attempts per minute)"
    meta = {"model": "claude-sonnet-4.5", "confidence": 0.95}
    _add_comment(root, "c_1730000000000", line=42, text=todo, tag="TODO", aiMeta=meta)
    fixme = "Hash comparison is vulnerable to timing attacks"
    _add_comment(root, "c_1730000000001", line=78, text=fixme, tag="FIXME")


def _add_comment(root: Path, comment_id: str, **arguments: object) -> None:
    """Add a comment with the id and the date of the document."""
    bench = Workbench(configure(root=root))
    path = "src/services/auth.ts"
    added: Any = bench.call("add_comment", filePath=path, author="claude", **arguments)
    bench.close()
    place = root / f"{path}.comments"
    sidecar = json.loads(place.read_text(encoding="utf-8").replace(added.comment_id, comment_id))
    sidecar["comments"][-1]["created"] = "2025-10-19T15:00:00.000Z"
    place.write_text(json.dumps(sidecar), encoding="utf-8")


def _profiles(root: Path) -> None:
    """Place artefacts under the names of the examples, in the folders of both kinds of examples."""
    log = gzip.decompress((FIXTURES / "slowlog/bundle.log.gz").read_bytes())
    places = [("spx", "mysql", "timings", "web1-4242"), (".", ".", ".", "host-123")]
    for spx, mysql, timings, host in [*places, ("spx-dir", ".", ".", "host-123")]:
        for folder in (spx, mysql, timings):
            (root / folder).mkdir(exist_ok=True)
        for suffix in (".json", ".txt.gz"):
            source = FIXTURES / "spx" / f"{PROFILE}{suffix}"
            shutil.copy(source, root / spx / f"spx-full-20260216-{host}-runA{suffix}")
        (root / mysql / "slow.log").write_bytes(log)
        shutil.copy(FIXTURES / "timings/collector_v1.json", root / timings / "timings.json")


def _write(root: Path, path: str, content: str) -> None:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(content, encoding="utf-8")


SITES: Mapping[str, Callable[[Path], None]] = {
    "comments": _comments,
    "empty": lambda _: None,
    "profiles": _profiles,
    "project": _project,
    "rust": _rust,
}


def settings_for(root: Path) -> dict[str, object]:
    """Return the settings under which every tool may run."""
    is_confined = detect_sandbox(root).confines
    return {"allow": ["write", "execute", "network"], "unconfined": not is_confined}
