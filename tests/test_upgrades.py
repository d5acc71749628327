"""Files of an older version are read, and files of a newer one are refused and left alone."""

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from benchpin.app import Workbench
from benchpin.cli.main import cli
from benchpin.core.errors import BenchpinError
from benchpin.facts.store import engine_version

OLD = Path(__file__).parent / "fixtures" / "written_by_0_1_0"
SNAPSHOT = "3704cd3d2da4b112eaca0828bd58cb4eb658f29c7a2ba7fc189b75f38fec87cc"
STORED = f".benchpin/var/mcp/snapshots/snapshot_{SNAPSHOT}"
SIDECAR = "app.py.comments"
BASELINE = "baseline.json"
RECORD = "made/.benchpin/scaffold.toml"


@pytest.fixture
def old(workspace: Path) -> Path:
    """Return a workspace that Benchpin 0.1.0 has worked in."""
    shutil.copytree(OLD, workspace, dirs_exist_ok=True)
    (workspace / "data").rename(workspace / ".benchpin")
    (workspace / "app.py.txt").rename(workspace / "app.py")
    (workspace / "made/record").rename(workspace / "made/.benchpin")
    return workspace


def call(folder: Path, tool: str, **arguments: object) -> Any:
    with closing(Workbench.open(folder, allow=("write",))) as bench:
        return bench.call(tool, **arguments).model_dump(mode="json")


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(it.relative_to(folder)): it.read_bytes()
        for it in folder.rglob("*")
        if it.is_file() and it.name != ".lock"
    }


def test_comments_of_the_old_version_are_read_and_edited(old: Path) -> None:
    before = json.loads((old / SIDECAR).read_bytes())
    listed = call(old, "search_comments", query="Close")
    assert "Close the file." in json.dumps(listed)
    call(old, "add_comment", filePath="app.py", line=1, text="More.", tag="TODO", author="Bob")
    after = json.loads((old / SIDECAR).read_bytes())
    assert after["comments"][: len(before["comments"])] == before["comments"]
    assert after["benchpin"]["version"] >= before["benchpin"]["version"]


def test_a_baseline_of_the_old_version_still_holds(old: Path) -> None:
    found = call(old, "quality_gate", baseline=BASELINE, checks=["max_cyclomatic"])
    assert found["passed"]


def test_a_snapshot_of_the_old_version_is_listed_analysed_and_kept(old: Path) -> None:
    before = contents(old / STORED)
    assert [it["id"] for it in call(old, "list_runs")["runs"]] == [SNAPSHOT]
    assert call(old, "run_analysis", normalized_snapshot_id=SNAPSHOT)
    assert contents(old / STORED) == before


def test_the_index_of_snapshots_is_rebuilt_when_it_cannot_be_read(old: Path) -> None:
    (old / ".benchpin/var/mcp/snapshots/index.json").write_bytes(b'{"runs": 2}')
    assert [it["id"] for it in call(old, "list_runs")["runs"]] == [SNAPSHOT]


def test_a_project_that_the_old_version_scaffolded_is_updated(old: Path) -> None:
    preview = call(old, "update_project", path="made", parameters={"license": "Apache-2.0"})
    assert {it["path"] for it in preview["files"]} == {"LICENSE"}
    call(
        old,
        "update_project",
        path="made",
        parameters={"license": "Apache-2.0"},
        apply=preview["digest"],
    )
    assert "Apache License" in (old / "made/LICENSE").read_text(encoding="utf-8")
    assert "format = 2" in (old / RECORD).read_text(encoding="utf-8")


def test_a_cache_of_another_version_is_left_and_a_new_one_is_made(old: Path, home: Path) -> None:
    folder = home / "cache/source"
    folder.mkdir(parents=True)
    other = folder / "facts-2-0123456789abcdef.sqlite"
    with sqlite3.connect(other) as made:
        made.execute("CREATE TABLE something (else_entirely)")
    with closing(Workbench.open(old, cache_dir=home / "cache")) as bench:
        bench.call("analyze_complexity")
    assert other.exists()
    assert list(folder.glob(f"facts-*-{engine_version()}.sqlite"))


def with_value(*keys: str, value: object) -> Callable[[bytes], bytes]:
    """Return a function that changes one value of a JSON document."""

    def change(content: bytes) -> bytes:
        document = json.loads(content)
        inner = document
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = value
        return json.dumps(document).encode()

    return change


NEWER = [
    pytest.param(SIDECAR, with_value("benchpin", "version", value=99), "add_comment",
                 {"filePath": "app.py", "line": 1, "text": "x", "tag": "TODO", "author": "A"},
                 "newer Benchpin", id="comments"),
    pytest.param(BASELINE, with_value("version", value=99), "quality_gate",
                 {"baseline": BASELINE}, "newer Benchpin", id="baseline"),
    pytest.param(BASELINE, with_value("version", value=99), "quality_gate",
                 {"baseline": BASELINE, "update_baseline": True}, "newer Benchpin",
                 id="baseline that is written anew"),
    pytest.param(RECORD, lambda it: it.replace(b"format = 1", b"format = 99"), "update_project",
                 {"path": "made"}, "newer Benchpin", id="scaffold"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "change", "tool", "arguments", "said"), NEWER)
def test_a_file_of_a_newer_version_is_refused_and_stays_as_it_is(
    path: str,
    change: Callable[[bytes], bytes],
    tool: str,
    arguments: dict[str, object],
    said: str,
    old: Path,
) -> None:
    (old / path).write_bytes(change((old / path).read_bytes()))
    before = contents(old)
    with pytest.raises(BenchpinError) as refused:
        call(old, tool, **arguments)
    error = refused.value
    assert said in error.message
    assert "pdate Benchpin" in error.suggestion or "pgrade Benchpin" in error.suggestion
    assert contents(old) == before


def test_a_snapshot_of_a_newer_version_is_refused_and_stays_as_it_is(old: Path) -> None:
    content = with_value("format", value="benchpin-snapshot-v9")(
        (old / STORED / "snapshot.json").read_bytes()
    )
    newer = hashlib.sha256(content).hexdigest()
    folder = (old / STORED).rename((old / STORED).with_name(f"snapshot_{newer}"))
    (folder / "snapshot.json").write_bytes(content)
    before = contents(folder)
    with pytest.raises(BenchpinError, match="another version of Benchpin") as refused:
        call(old, "run_analysis", normalized_snapshot_id=newer)
    assert "Update Benchpin" in refused.value.suggestion
    assert contents(folder) == before


def doctor(folder: Path) -> Result:
    return CliRunner().invoke(cli, ["doctor", "--root", str(folder)], prog_name="benchpin")


def test_doctor_names_what_is_old_or_newer_and_the_command_that_corrects_it(old: Path) -> None:
    assert "written by" not in doctor(old).stdout
    said = doctor(old / "made").stdout
    assert "(format 1); benchpin template update rewrites it" in said
    newer = with_value("benchpin", "version", value=99)
    (old / SIDECAR).write_bytes(newer((old / SIDECAR).read_bytes()))
    (old / STORED / "metadata.json").write_bytes(b"{")
    (old / ".benchpin/var/mcp/snapshots/index.json").unlink()
    said = doctor(old).stdout
    assert f"{SIDECAR} is written by a newer Benchpin; update Benchpin: pip install" in said
    assert "cannot be read; ingest the artefacts again" in said
