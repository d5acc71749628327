"""Bundles hold redacted artefacts, are written atomically, and are removed with care."""

import errno
import gzip
import hashlib
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from artifact_kit import read_timings
from benchpin.core.calls import Job, Progress
from benchpin.core.errors import (
    AccessDenied,
    Cancelled,
    DiskFull,
    FileMissing,
    InvalidParams,
    PathOutsideWorkspace,
)
from benchpin.performance.collector import Bundle, CollectRequest, collect, read_manifest
from benchpin.performance.collector import _bundle as bundle_module
from benchpin.performance.collector._bundle import ArtifactCounts, prune
from benchpin.performance.collector._copying import BundleFile, BundleRun, Manifest
from benchpin.performance.snapshots import Retention
from loopback import Loopback, whole
from probe_plans import planned

NOW = datetime(2026, 2, 16, 10, 25, 30, tzinfo=UTC)
EVENT = b"# Query_time: 0.1  Lock_time: 0.0\nselect 'SECRET';\n"
TEXT = gzip.compress(b"[events]\n0 1 0\n0 0 5\n[functions]\nmain\n", mtime=0)
METADATA = {
    "exec_ts": 1794722941,
    "process_pid": 12,
    "cli_command_line": "bin/console app:import SECRET --token=SECRET",
    "http_request_uri": "/?p=SECRET",
    "http_host": "host:8099",
    "custom_metadata_str": '{"user": "SECRET"}',
    "wall_time_ms": 5836,
    "enabled_metrics": ["wt"],
}


class Site:
    """A server, SPX files and a slow log, all in one place."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.url = url
        self.spx = folder / "spx"
        self.spx.mkdir()
        self.add_report("spx-full-20261115_060901-vm-1-1", at=1)
        self.log = folder / "mysql-slow.log"
        self.log.write_bytes(EVENT)
        self.bundles = folder / "var" / "bundles"

    def add_report(self, name: str, at: int) -> None:
        (self.spx / f"{name}.json").write_text(json.dumps(METADATA), encoding="utf-8")
        (self.spx / f"{name}.txt.gz").write_bytes(TEXT)
        for ending in (".json", ".txt.gz"):
            os.utime(self.spx / f"{name}{ending}", (at, at))

    def collection(self, *, is_raw: bool = False, **more: object) -> CollectRequest:
        options: dict[str, object] = {
            "plan": planned(self.url, ["/?token=SECRET"], sample_count=2),
            "spx_folders": (self.spx,),
            "slow_log": self.log,
            "correlation_id": "corr-1",
            **more,
        }
        return CollectRequest(is_raw=is_raw, **options)  # type: ignore[arg-type]  # as the test has it

    def collect(self, wanted: CollectRequest | None = None, job: Job | None = None) -> Bundle:
        return collect(
            wanted or self.collection(),
            self.bundles,
            job or Job(),
            now=lambda: NOW,
        )


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with Loopback(whole()) as server:
        yield Site(tmp_path.resolve(), server.url)


def manifest_of(bundle: Bundle) -> dict[str, list[dict[str, object]]]:
    found: dict[str, list[dict[str, object]]] = json.loads(Path(bundle.manifest_path).read_bytes())
    return found


def files_of(bundle: Bundle) -> list[str]:
    places = (it for it in Path(bundle.bundle_dir).rglob("*") if it.is_file())
    return sorted(it.relative_to(Path(bundle.bundle_dir)).as_posix() for it in places)


def test_a_bundle_holds_timings_profiles_and_log_with_their_hashes(site: Site) -> None:
    bundle = site.collect()
    assert bundle.bundle_id.startswith("bundle_20260216_102530_")
    assert Path(bundle.bundle_dir) == site.bundles / bundle.bundle_id
    assert bundle.artifact_counts == ArtifactCounts(2, 3, 2)
    report = "spx/1/spx-full-20261115_060901-vm-1-1"
    assert files_of(bundle) == [
        "manifest.json",
        "slow.log",
        f"{report}.json",
        f"{report}.txt.gz",
        "timings.json",
    ]
    manifest = json.loads(Path(bundle.manifest_path).read_bytes())
    assert manifest["run"]["bundle_id"] == bundle.bundle_id
    assert [(it["kind"], it["path"]) for it in manifest["inventory"]] == [
        ("spx_metadata", f"{report}.json"),
        ("spx_text", f"{report}.txt.gz"),
        ("mysql_slow_log", "slow.log"),
    ]
    for item in [*manifest["inventory"], manifest["timings"]]:
        content = (Path(bundle.bundle_dir) / item["path"]).read_bytes()
        assert item["sha256"] == hashlib.sha256(content).hexdigest()
        assert item["size_bytes"] == len(content)
    assert (Path(bundle.bundle_dir) / f"{report}.txt.gz").read_bytes() == TEXT


def test_nothing_secret_is_written(site: Site) -> None:
    bundle = site.collect()
    for name in files_of(bundle):
        assert b"SECRET" not in (Path(bundle.bundle_dir) / name).read_bytes(), name
    copied = json.loads(next(Path(bundle.bundle_dir).rglob("spx-full*.json")).read_bytes())
    assert copied == {
        **METADATA,
        "cli_command_line": "bin/console ? ? --token",
        "http_request_uri": "/?p",
        "custom_metadata_str": None,
    }


def test_raw_copies_are_made_when_asked_for(site: Site) -> None:
    bundle = site.collect(site.collection(is_raw=True))
    assert (Path(bundle.bundle_dir) / "slow.log").read_bytes() == EVENT
    assert (
        json.loads(next(Path(bundle.bundle_dir).rglob("spx-full*.json")).read_bytes()) == METADATA
    )
    assert {it["is_redacted"] for it in manifest_of(bundle)["inventory"]} == {False}
    assert b"SECRET" not in Path(bundle.timings_path).read_bytes()


def test_the_timings_of_a_bundle_can_be_read_back(site: Site) -> None:
    bundle = site.collect()
    timings = read_timings(Path(bundle.timings_path).read_bytes())
    assert (timings.version, timings.is_complete) == ("collector-v1", True)
    assert [(it.route, it.status, it.error) for it in timings.samples] == [
        ("/?token", 200, None)
    ] * 2
    written = json.loads(Path(bundle.timings_path).read_bytes())
    assert [it.wall_us for it in timings.samples] == [
        round(it["wall_ms"] * 1000) for it in written["requests"]
    ]
    assert written["correlation_id"] == "corr-1"
    assert written["redaction_rules"] == {"strip_query_params": True, "redact_url_userinfo": True}


def test_what_is_large_is_referenced_and_not_copied(site: Site) -> None:
    site.log.write_bytes(EVENT * 100)
    bundle = site.collect(site.collection(copy_max_bytes=1000))
    item = manifest_of(bundle)["inventory"][-1]
    assert item == {
        "kind": "mysql_slow_log",
        "path": str(site.log),
        "source": str(site.log),
        "sha256": hashlib.sha256(EVENT * 100).hexdigest(),
        "size_bytes": len(EVENT) * 100,
        "is_copied": False,
        "is_redacted": False,
    }
    assert "slow.log" not in files_of(bundle)
    assert any("referenced, not copied" in it for it in bundle.notices)


def test_the_newest_reports_are_taken_with_both_halves(site: Site) -> None:
    site.add_report("spx-full-b", at=30)
    site.add_report("spx-full-c", at=20)
    bundle = site.collect(site.collection(most_spx_files=4))
    names = [Path(str(it["path"])).name for it in manifest_of(bundle)["inventory"]]
    assert names == [
        "spx-full-b.json",
        "spx-full-b.txt.gz",
        "spx-full-c.json",
        "spx-full-c.txt.gz",
        "slow.log",
    ]
    assert f"2 older files in {site.spx} were left out" in bundle.notices


def test_files_that_are_no_spx_stay_where_they_are(site: Site) -> None:
    (site.spx / "package.json").write_text('{"name": "SECRET"}', encoding="utf-8")
    (site.spx / "notes.txt").write_text("SECRET", encoding="utf-8")
    (site.spx / "bad.json").write_text(json.dumps(METADATA)[:-5], encoding="utf-8")
    bundle = site.collect()
    assert bundle.artifact_counts.spx_files == 2
    assert [it for it in bundle.notices if "bad.json" in it] == [
        f"{site.spx / 'bad.json'} was left out: it is damaged, and may hold secrets"
    ]


def test_links_and_pipes_are_not_followed(site: Site) -> None:
    outside = site.folder / "outside.txt.gz"
    outside.write_bytes(TEXT)
    (site.spx / "link.txt.gz").symlink_to(outside)
    os.mkfifo(site.spx / "pipe.txt.gz")
    assert site.collect().artifact_counts.spx_files == 2

    link = site.folder / "link.log"
    link.symlink_to(site.log)
    with pytest.raises(AccessDenied):
        site.collect(site.collection(slow_log=link))
    os.mkfifo(site.folder / "pipe.log")
    with pytest.raises(FileMissing):
        site.collect(site.collection(slow_log=site.folder / "pipe.log"))


def test_a_folder_behind_a_link_is_not_entered(site: Site) -> None:
    (site.folder / "linked").symlink_to(site.spx, target_is_directory=True)
    with pytest.raises((AccessDenied, FileMissing)):
        site.collect(site.collection(spx_folders=(site.folder / "linked",)))


def test_a_missing_source_is_refused_and_nothing_is_written(site: Site) -> None:
    for wanted in (
        site.collection(slow_log=site.folder / "nothing.log"),
        site.collection(spx_folders=(site.folder / "nothing",)),
    ):
        with pytest.raises(FileMissing):
            site.collect(wanted)
    assert not site.bundles.exists()


def test_cancelling_leaves_nothing_behind(site: Site) -> None:
    job = Job(on_progress=lambda _progress: job.cancel())
    with pytest.raises(Cancelled):
        site.collect(job=job)
    assert list(site.bundles.iterdir()) == []


def test_a_full_disk_is_named_and_leaves_nothing_behind(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(bundle_module, "_write", fail)
    with pytest.raises(DiskFull, match="No space left"):
        site.collect()


def test_a_bundle_appears_only_when_it_is_whole(site: Site) -> None:
    seen: list[list[str]] = []

    def look(_progress: Progress) -> None:
        seen.append([it.name for it in site.bundles.iterdir() if not it.name.startswith(".")])

    bundle = site.collect(job=Job(on_progress=look))
    assert seen
    assert not any(seen)
    assert [it.name for it in site.bundles.iterdir()] == [bundle.bundle_id]


def test_a_log_without_events_is_warned_of(site: Site) -> None:
    site.log.write_bytes(b"hello\n")
    assert f"{site.log} does not look like a slow log" in site.collect().notices


def test_notes_of_the_plan_are_warnings_of_the_bundle(site: Site) -> None:
    plan = planned(site.url, ["/"], sample_count=99)
    bundle = site.collect(site.collection(plan=plan))
    assert "sample_count 99 was clamped to 20" in bundle.notices
    assert bundle.artifact_counts.timing_samples == 20


@pytest.mark.parametrize("output_dir", ["..", "/tmp", "a/../../b", "out/link", "a\0b"])  # noqa: S108, must be refused
def test_a_bundle_is_not_made_outside_its_folder(site: Site, output_dir: str) -> None:
    (site.bundles / "out").mkdir(parents=True)
    (site.bundles / "out" / "link").symlink_to(site.folder)
    with pytest.raises(PathOutsideWorkspace):
        site.collect(site.collection(output_dir=output_dir))


def test_a_bundle_can_be_made_in_a_folder_inside(site: Site) -> None:
    bundle = site.collect(site.collection(output_dir="nightly"))
    assert Path(bundle.bundle_dir).parent == site.bundles / "nightly"


def test_the_manifest_of_a_bundle_can_be_read_back(site: Site) -> None:
    bundle = site.collect()
    manifest = read_manifest(Path(bundle.bundle_dir))
    assert manifest.run.bundle_id == bundle.bundle_id
    assert [it.kind for it in manifest.files] == [
        "ttfb_timings",
        "spx_metadata",
        "spx_text",
        "mysql_slow_log",
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"path": "slow.log"', '"path": "../../../etc/passwd"'),
        ('"path": "slow.log"', '"path": "/etc/passwd"'),
        ('"benchpin_bundle"', '"another"'),
        ('"inventory"', '"inventories"'),
        ("{", "[" * 100_000),
    ],
)
def test_a_manifest_that_is_not_ours_is_refused(site: Site, old: str, new: str) -> None:
    bundle = site.collect()
    text = Path(bundle.manifest_path).read_text(encoding="utf-8")
    assert old in text
    Path(bundle.manifest_path).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InvalidParams):
        read_manifest(Path(bundle.bundle_dir))


def test_a_folder_without_a_manifest_is_no_bundle(workspace: Path) -> None:
    with pytest.raises(FileMissing):
        read_manifest(workspace)


def made(folder: Path, name: str, *, claims: str | None = None) -> str:
    place = folder / name
    place.mkdir(parents=True)
    timings = BundleFile(
        kind="ttfb_timings",
        path="timings.json",
        source=None,
        sha256=None,
        size_bytes=0,
        is_copied=True,
        is_redacted=True,
    )
    manifest = Manifest(
        format="benchpin_bundle",
        version="bundle-v1",
        run=BundleRun(claims or name, "2026-02-16T10:25:30Z", "c"),
        probe={},
        redaction_rules={},
        timings=timings,
        inventory=(),
        warnings=(),
    )
    (place / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    return name


def test_retention_keeps_the_newest_and_the_one_just_made(workspace: Path) -> None:
    names = [made(workspace, f"bundle_2026021{day}_000000_00000000aa") for day in range(1, 7)]
    removed = prune(workspace, Retention(keep_last_n=3), NOW, spared=names[0])
    assert removed == [names[3], names[2], names[1]]
    assert sorted(it.name for it in workspace.iterdir()) == [names[0], names[4], names[5]]


def test_retention_removes_what_is_too_old(tmp_path: Path) -> None:
    names = [made(tmp_path, f"bundle_2026020{day}_102531_00000000aa") for day in (3, 4, 5)]
    assert prune(tmp_path, Retention(50, ttl_days=12), NOW, spared="") == [names[0]]


def test_retention_touches_nothing_that_is_not_ours(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    ours = made(tmp_path, "bundle_20260101_000000_00000000aa")
    made(tmp_path, "bundle_20260101_000000_00000000bb", claims="another")
    made(tmp_path, "bundle_20260101_000000_short")
    made(tmp_path, "bundle_20269999_000000_00000000ee")
    made(precious, "bundle_20260101_000000_00000000cc")
    (tmp_path / "bundle_20260101_000000_00000000dd").mkdir()
    (tmp_path / "bundle_20260101_000000_00000000cc").symlink_to(
        precious / "bundle_20260101_000000_00000000cc"
    )
    before = {it.name for it in tmp_path.iterdir()}
    assert prune(tmp_path, Retention(keep_last_n=0, ttl_days=0), NOW, spared="") == [ours]
    assert {it.name for it in tmp_path.iterdir()} == before - {ours}
    assert list(precious.iterdir())
