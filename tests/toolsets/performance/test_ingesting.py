import gzip
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchpin.app import Workbench
from benchpin.core.calls import Job
from benchpin.core.errors import (
    AccessDenied,
    InvalidParams,
    PathOutsideWorkspace,
    TimeLimitExceeded,
)
from benchpin.toolsets.performance.ingest_artifacts import Ingested
from benchpin.toolsets.performance.validate_artifacts import Validated

from .conftest import FIXTURES, PROFILE, place_artifacts


def paths(names: Sequence[str | Path]) -> list[dict[str, str]]:
    return [{"path": str(name)} for name in names]


def ingest(shop: Workbench, **arguments: object) -> Ingested:
    found = shop.call("ingest_artifacts", **arguments)
    assert isinstance(found, Ingested)
    return found


def validate(shop: Workbench, names: Sequence[str | Path]) -> Validated:
    return validate_hinted(shop, paths(names))


def validate_hinted(shop: Workbench, artifacts: Sequence[object]) -> Validated:
    found = shop.call("validate_artifacts", artifacts=artifacts)
    assert isinstance(found, Validated)
    return found


def test_every_artefact_is_recognised_by_its_content(shop: Workbench, names: list[str]) -> None:
    found = validate(shop, names)
    assert [(it.detected_type, it.detected_version) for it in found.results] == [
        ("spx", "spx-json-v2"),
        ("spx", "spx-text-gz-v1"),
        ("spx", "spx-json-v2"),
        ("spx", "spx-text-zst-v2"),
        ("mysql_slow_log", "mysql-slowlog-v1"),
        ("ttfb_timings", "collector-v1"),
    ]
    assert (found.counts.ok, found.counts.failed) == (6, 0)
    assert found.results[0].metadata == {"pair_status": "paired"}


def test_what_is_no_artefact_fails_and_the_rest_does_not(
    shop: Workbench, workspace: Path, names: list[str]
) -> None:
    (workspace / "notes.txt").write_text("nothing")
    os.mkfifo(workspace / "pipe")
    found = validate(shop, ["notes.txt", "missing.log", "pipe", names[-1]])
    assert [it.ok for it in found.results] == [False, False, False, True]
    assert found.results[0].errors == ("unsupported artifact format",)
    assert re.search(r"^FAILED .* notes\.txt +unsupported", found.to_text(), re.MULTILINE)


def test_all_sides_of_a_session_make_one_snapshot(shop: Workbench, names: list[str]) -> None:
    found = ingest(shop, artifacts=paths(names), environment_hints={"env": "local"})
    assert (found.counts.query_events, found.counts.queries) == (746, 34)
    assert (found.counts.profiles, found.counts.samples) == (2, 15)
    assert found.totals.query_time_us == sum(
        int(line.split()[2].replace(b".", b""))
        for line in gzip.decompress((FIXTURES / "slowlog/bundle.log.gz").read_bytes()).split(b"\n")
        if line.startswith(b"# Query_time:")
    )
    assert [it.path for it in found.sources] == sorted(names)
    assert found.unreadable == []


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(6)), folder=st.sampled_from(["", "deep/er", "ünd"]))
def test_order_and_place_do_not_change_the_id(
    tmp_path: Path, order: list[int], folder: str
) -> None:
    root = tmp_path / "-".join(map(str, order))
    root.mkdir(exist_ok=True)
    names = place_artifacts(root / folder)
    one = ingest(Workbench.open(root), artifacts=paths([Path(folder, names[at]) for at in order]))
    two = ingest(Workbench.open(root), artifacts=paths([Path(folder, it) for it in names]))
    assert one.normalized_snapshot_id == two.normalized_snapshot_id


def test_hints_are_part_of_a_snapshot(shop: Workbench, names: list[str]) -> None:
    one = ingest(shop, artifacts=paths(names))
    other = ingest(shop, artifacts=paths(names), environment_hints={"env": "live"})
    assert one.normalized_snapshot_id != other.normalized_snapshot_id


def test_the_same_again_is_stored_once(shop: Workbench, names: list[str]) -> None:
    assert ingest(shop, artifacts=paths(names)).is_new
    assert not ingest(shop, artifacts=paths(names)).is_new
    listed: Any = shop.call("list_runs")
    assert listed.total == 1


def test_records_are_kept_out_of_git(shop: Workbench, names: list[str], workspace: Path) -> None:
    ingest(shop, artifacts=paths(names))
    assert (workspace / ".benchpin/var/.gitignore").read_text() == "*\n"


def test_the_other_half_of_a_profile_is_read_too(shop: Workbench, names: list[str]) -> None:
    assert f"{PROFILE}.json" in names
    found = ingest(shop, artifacts=paths([f"{PROFILE}.txt.gz"]))
    assert [it.path for it in found.sources] == [f"{PROFILE}.json", f"{PROFILE}.txt.gz"]
    both = ingest(shop, artifacts=paths([f"{PROFILE}.json", f"{PROFILE}.txt.gz"]))
    assert both.normalized_snapshot_id == found.normalized_snapshot_id


def test_a_packed_log_is_read_as_it_is(shop: Workbench, workspace: Path, names: list[str]) -> None:
    shutil.copy(FIXTURES / "slowlog/bundle.log.gz", workspace / "slow.log.1.gz")
    packed = ingest(shop, artifacts=paths(["slow.log.1.gz"]))
    plain = ingest(shop, artifacts=paths([names[-2]]))
    assert packed.counts == plain.counts
    assert packed.totals == plain.totals


def test_a_cut_log_says_where_it_ends(shop: Workbench, workspace: Path) -> None:
    whole = (FIXTURES / "slowlog/bundle.log.gz").read_bytes()
    (workspace / "cut.log.gz").write_bytes(whole[: len(whole) // 2])
    found = ingest(shop, artifacts=paths(["cut.log.gz"]))
    assert 0 < found.counts.query_events < 746
    assert any("truncated" in it.problem for it in found.unreadable)


def test_nothing_is_stored_when_one_file_cannot_be_used(
    shop: Workbench, workspace: Path, names: list[str]
) -> None:
    (workspace / "notes.txt").write_text("nothing")
    with pytest.raises(InvalidParams, match=r"notes\.txt: unsupported artifact format"):
        ingest(shop, artifacts=paths([*names, "notes.txt"]))
    assert not (workspace / ".benchpin").exists()


def test_a_profile_whose_text_is_empty_is_a_warning(shop: Workbench, workspace: Path) -> None:
    name = "spx-full-20261115_064608-vm-3470-1365180540"
    for suffix in ("json", "txt.gz"):
        shutil.copy(FIXTURES / f"spx/{name}.{suffix}", workspace)
    found = ingest(shop, artifacts=paths([f"{name}.txt.gz"]))
    assert any("no text" in it.problem for it in found.unreadable)


def test_a_folder_is_taken_as_a_bundle(shop: Workbench, workspace: Path) -> None:
    names = place_artifacts(workspace / "session")
    (workspace / "session/README").write_text("not an artefact")
    folder = ingest(shop, bundle_dir="session")
    listed = ingest(shop, artifacts=paths([f"session/{name}" for name in names]))
    assert folder.normalized_snapshot_id == listed.normalized_snapshot_id


@pytest.mark.parametrize("arguments", [{}, {"artifacts": [{"path": "a"}], "bundle_dir": "b"}])
def test_a_list_or_a_bundle_is_needed(shop: Workbench, arguments: dict[str, object]) -> None:
    with pytest.raises(InvalidParams, match="either artifacts or bundle_dir"):
        ingest(shop, **arguments)


def test_other_folders_are_read_once_the_operator_names_them(
    tmp_path: Path, workspace: Path
) -> None:
    logs = tmp_path / "logs"
    name = str(logs / place_artifacts(logs)[-2])
    with pytest.raises(PathOutsideWorkspace) as refused:
        ingest(Workbench.open(workspace), bundle_dir=str(logs))
    assert f"--artifacts {logs.parent}" in refused.value.suggestion
    found = ingest(Workbench.open(workspace, artifacts=(logs,)), artifacts=paths([name]))
    assert found.counts.query_events == 746


def test_a_link_out_of_a_folder_of_artefacts_is_not_followed(
    tmp_path: Path, workspace: Path
) -> None:
    elsewhere = place_artifacts(tmp_path / "elsewhere")
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "slow.log").symlink_to(tmp_path / "elsewhere" / elsewhere[-2])
    shop = Workbench.open(workspace, artifacts=(logs,))
    assert not validate(shop, [logs / "slow.log"]).results[0].ok


def test_permissions_hold_for_artefacts_too(workspace: Path, names: list[str]) -> None:
    rules = ({"pattern": "**", "operations": ["read"]}, {"pattern": "*.log", "operations": []})
    shop = Workbench.open(workspace, resource_permissions=rules)
    assert [it.ok for it in validate(shop, names).results] == [True] * 4 + [False, True]


def test_what_a_folder_holds_besides_is_named(shop: Workbench, workspace: Path) -> None:
    place_artifacts(workspace / "session")
    (workspace / "session/notes.txt").write_text("nothing")
    found = ingest(shop, bundle_dir="session")
    assert [(it.source, it.problem) for it in found.unreadable] == [
        ("session/notes.txt", "unsupported artifact format")
    ]
    assert found.total_unreadable == 1


def test_nothing_is_stored_when_time_runs_out(
    workspace: Path, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Job, "is_expired", property(lambda _job: True))
    with pytest.raises(TimeLimitExceeded, match="Time ran out") as late:
        ingest(Workbench.open(workspace), artifacts=paths(names))
    assert "Nothing was stored" in late.value.suggestion
    assert not (workspace / ".benchpin").exists()


def test_a_workspace_does_not_choose_where_records_go(
    shop: Workbench, workspace: Path, tmp_path: Path, names: list[str]
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (workspace / ".benchpin").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(AccessDenied, match="is a link"):
        ingest(shop, artifacts=paths(names))
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_unusable_data_folder_is_refused(
    workspace: Path, tmp_path: Path, names: list[str]
) -> None:
    (tmp_path / "file").touch()
    shop = Workbench.open(workspace, data_dir=tmp_path / "file")
    with pytest.raises(AccessDenied, match="data folder"):
        ingest(shop, artifacts=paths(names))
    health: Any = shop.call("check_health")
    assert (health.status, health.is_writable) == ("degraded", False)


def test_a_hint_says_what_an_artefact_should_be(shop: Workbench, workspace: Path) -> None:
    place_artifacts(workspace)
    right = {"path": "slow.log", "hints": {"type": "mysql_slow_log"}}
    wrong = {"path": "slow.log", "hints": {"type": "spx"}}
    assert validate_hinted(shop, [right]).counts.failed == 0
    [refused] = validate_hinted(shop, [wrong]).results
    assert (refused.ok, refused.detected_type) == (False, "mysql_slow_log")
    assert refused.errors == ("the hint says spx, and it is mysql_slow_log",)
    with pytest.raises(InvalidParams, match="the hint says spx"):
        ingest(shop, artifacts=[wrong])


def test_other_hints_are_shown_with_the_run_but_no_secrets(
    shop: Workbench, workspace: Path
) -> None:
    place_artifacts(workspace)
    hints = {"server": "db1", "password": "hunter2"}
    found = ingest(shop, artifacts=[{"path": "slow.log", "hints": hints}])
    assert [it.hints for it in found.sources] == [{"server": "db1", "password": "[REDACTED]"}]
    text = shop.call("get_run", run_id=found.normalized_snapshot_id).to_text()
    assert '"server": "db1"' in text
    assert "hunter2" not in text


def test_a_stored_bundle_is_named_without_the_data_folder(shop: Workbench, workspace: Path) -> None:
    bundle = "var/mcp/bundles/bundle_20260216_102530_3a4f9b2d11"
    place_artifacts(workspace / ".benchpin" / bundle)
    assert ingest(shop, bundle_dir=bundle).counts.query_events == 746
    assert validate(shop, [f"{bundle}/slow.log"]).counts.ok == 1
    with pytest.raises(PathOutsideWorkspace):
        ingest(shop, bundle_dir="var/mcp/bundles/../../../../..")


def test_metadata_without_its_text_is_named_and_passed_over(
    shop: Workbench, workspace: Path
) -> None:
    place_artifacts(workspace)
    half = f"{PROFILE}.json"
    for text in workspace.glob(f"{PROFILE}.txt*"):
        text.unlink()
    with pytest.raises(InvalidParams, match=r"nothing to store: .*without its text"):
        ingest(shop, artifacts=paths([half]))
    found = ingest(shop, artifacts=paths([half, "slow.log"]))
    assert [(it.source, it.problem[:27]) for it in found.unreadable] == [
        (half, "the metadata of an SPX repo")
    ]
    assert found.counts.query_events == 746


def test_an_empty_profile_is_named_and_passed_over(shop: Workbench, workspace: Path) -> None:
    place_artifacts(workspace)
    empty = "spx-full-20261115_064608-vm-3470-1365180540"
    for suffix in ("json", "txt.gz"):
        shutil.copy(FIXTURES / f"spx/{empty}.{suffix}", workspace)
    lone = ingest(shop, artifacts=paths([f"{empty}.txt.gz"])).normalized_snapshot_id
    with pytest.raises(InvalidParams, match="No profile of the snapshot has a call"):
        shop.call("export_profile", normalized_snapshot_id=lone)
    full = next(it.name for it in workspace.glob(f"{PROFILE}.txt*"))
    both = ingest(shop, artifacts=paths([f"{empty}.txt.gz", full])).normalized_snapshot_id
    drawn = shop.call("export_profile", normalized_snapshot_id=both)
    assert "Empty profiles, skipped: " in drawn.to_text()
