import json
import os
import subprocess
from pathlib import Path

import pytest

from repositories import Tree
from waiting import WAIT_S

PROGRAMS = ("bwrap", "git", "sh", "python3", "cc", "unshare", "getconf", "ldd", "uname")
CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("get_status", {}),
    ("analyze_code_churn", {}),
    ("analyze_repository", {}),
    ("quality_gate", {"diff": "HEAD"}),
    ("analyze_deep_context", {}),
)


@pytest.mark.slow
def test_nothing_of_the_workspace_runs_although_its_folders_are_on_the_path(
    workspace: Path, benchpin: str, tmp_path: Path
) -> None:
    tree = Tree(workspace)
    tree.commit({"a.py": b"def f():\n    return 1\n"})
    witness = tmp_path / "ran"
    (workspace / "bin").mkdir()
    for name in PROGRAMS:
        trap = workspace / "bin" / name
        trap.write_text(f'#!/bin/sh\necho "$0" >> {witness}\n', encoding="utf-8")
        trap.chmod(0o755)
    path = os.pathsep.join(["bin", ".", "", str(workspace / "bin"), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": ""}
    lines = [
        {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        for number, params in enumerate({"name": it, "arguments": given} for it, given in CALLS)
    ]
    lines.append({"jsonrpc": "2.0", "id": "list", "method": "tools/list", "params": {}})
    served = subprocess.run(
        [benchpin, "serve", "--root", str(workspace), "--allow", "execute"],
        input="".join(json.dumps(it) + "\n" for it in lines),
        env=environment,
        cwd=workspace,
        text=True,
        capture_output=True,
        timeout=WAIT_S,
        check=False,
    )
    answers = [it for it in map(json.loads, served.stdout.splitlines()) if "id" in it]
    assert len(answers) == len(lines)
    for command in (["doctor"], ["tools"]):
        subprocess.run(
            [benchpin, *command, "--root", str(workspace)],
            env=environment,
            cwd=workspace,
            capture_output=True,
            timeout=WAIT_S,
            check=False,
        )
    assert not witness.exists(), witness.read_text(encoding="utf-8")
