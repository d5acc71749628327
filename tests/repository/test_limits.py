"""Time limits, cancellation, and continuing where the last call stopped."""

import json
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from benchpin.core.calls import Job, Progress
from benchpin.core.errors import Cancelled
from benchpin.repository import RepositoryTree, read_manifests, survey
from benchpin.repository.documents._documents import read_document
from benchpin.repository.documents.links import check_links
from benchpin.repository.manifests import DamagedManifest, read_manifest
from benchpin.repository.packing import find_secrets, pack, read_text_facts
from repository_kit import open_tree, tree_of


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RepositoryTree:
    # Outside tests, files that were just written are not cached: they may still change.
    monkeypatch.setattr("benchpin.repository.packing._text_facts.RACY_NS", -(10**12))
    return tree_of(tmp_path / "w", {f"m{at:02}.md": "[x](y.md)\n" for at in range(20)})


def short_job(steps: int) -> Job:
    """Return a job whose clock advances by a second whenever it is read."""
    ticks = count()
    return Job(time_limit_s=steps, monotonic=lambda: float(next(ticks)))


def test_what_was_read_is_kept_for_the_next_process(
    tree: RepositoryTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = short_job(15)
    first = read_text_facts(tree, job)
    assert 0 < len(first) < 20
    assert job.missing == [f"{20 - len(first)} of 20 files"]
    read: list[str] = []
    original = RepositoryTree.read

    def reading(it: RepositoryTree, path: str, max_bytes: int = 1 << 20) -> bytes | None:
        read.append(path)
        return original(it, path, max_bytes)

    monkeypatch.setattr(RepositoryTree, "read", reading)
    second = read_text_facts(open_tree(tree.root), Job())
    assert len(second) == 20
    assert set(read) == second.keys() - first.keys()


def test_a_pack_has_what_there_was_time_for(tree: RepositoryTree) -> None:
    job = short_job(20)
    packed = pack(tree, "markdown", None, job)
    assert 0 < len(packed.files) < 20
    assert job.missing == [f"{20 - len(packed.files)} of 20 files"]
    assert packed.text.startswith(f"# w\n\n{len(packed.files)} files\n")


def test_what_was_counted_is_not_counted_by_the_next_process(
    tree: RepositoryTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = pack(tree, "markdown", None, short_job(20))
    counted: list[str] = []

    def finding(text: str, path: str) -> tuple[tuple[int, str], ...]:
        counted.append(path)
        return find_secrets(text, path)

    monkeypatch.setattr("benchpin.repository.packing._packing.find_secrets", finding)
    second = pack(open_tree(tree.root), "markdown", None, Job())
    packed = {it.path for it in first.files}
    assert packed
    assert set(counted) == {it.path for it in second.files} - packed
    assert len(second.files) == 20


def test_links_are_checked_as_far_as_time_goes(tree: RepositoryTree) -> None:
    job = short_job(7)
    report = check_links(tree, job)
    assert 0 < report.files < 20
    assert job.missing == [f"{20 - report.files} of 20 documents"]


def test_a_cancelled_call_stops(tree: RepositoryTree) -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        pack(tree, "xml", None, job)
    with pytest.raises(Cancelled):
        read_text_facts(tree, job)
    with pytest.raises(Cancelled):
        check_links(tree, job)


def test_progress_counts_files(tree: RepositoryTree) -> None:
    seen: list[Progress] = []
    job = Job(on_progress=seen.append, monotonic=map(float, count()).__next__)
    read_text_facts(tree, job)
    assert [it.done for it in seen] == list(range(21))
    assert {(it.total, it.message) for it in seen} == {(20, "files")}


def test_a_damaged_cache_is_written_again(tree: RepositoryTree) -> None:
    read_text_facts(tree, Job())
    [place] = tree.session.cache_dir.rglob("*.msgpack")
    place.write_bytes(b"\xc1 not msgpack")
    assert len(read_text_facts(open_tree(tree.root), Job())) == 20
    assert len(read_text_facts(open_tree(tree.root), short_job(0))) == 20


def test_a_manifest_over_the_limit_is_named_and_not_read(tmp_path: Path) -> None:
    text = "[project]\nname = 'a'\n" + "# long\n" * 200_000
    _, damaged = read_manifests(tree_of(tmp_path, {"pyproject.toml": text}), Job())
    assert [(it.path, it.reason) for it in damaged] == [
        ("pyproject.toml", "larger than 1 MiB, so it was not read")
    ]


def test_what_follows_the_first_megabyte_of_a_document_is_named(tmp_path: Path) -> None:
    # Long paragraphs: 200,000 short ones take 240 MB, which the worker of pytest then peaks at.
    paragraph = "word " * 200 + "\n\n"
    tree = tree_of(tmp_path, {"README.md": "[a](b.md)\n\n" + paragraph * 1_200})
    job = Job()
    assert [it.target for it in check_links(tree, job).problems] == ["b.md"]
    assert job.missing == ["what follows the first 1 MiB of README.md"]


def test_the_time_limit_ends_the_markdown_parser(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, {"README.md": "![" * 10_000})
    ticks = count()
    job = Job(time_limit_s=100, monotonic=lambda: float(next(ticks)))
    assert read_document(tree, tree.by_path["README.md"], job) is None
    assert job.missing == ["the links and headings of README.md"]
    assert next(ticks) < 200


def test_cancellation_ends_the_markdown_parser(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, {"README.md": "![" * 10_000})
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        read_document(tree, tree.by_path["README.md"], job)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("packages:\n" + "- a\n" * 20_000, "it has 80,010 characters, more than 32,768"),
        ("packages: &a [b, *a]\n", "it has an alias"),
    ],
)
def test_a_list_of_packages_over_a_limit_is_named(tmp_path: Path, text: str, reason: str) -> None:
    tree = tree_of(tmp_path, {"pnpm-workspace.yaml": text})
    found = survey(tree, "standard", Job(), datetime(2026, 1, 1, tzinfo=UTC))
    assert found.dependencies is not None
    assert [it.reason for it in found.dependencies.damaged] == [
        f"not YAML that is read here: {reason}"
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("requirements.txt", "a==1\n" * 200_000),
        ("package.json", json.dumps({"dependencies": dict.fromkeys(map(str, range(60_000)), "1")})),
    ],
)
def test_a_manifest_that_declares_too_much_is_named(path: str, text: str) -> None:
    manifest = read_manifest(path, text.encode())
    assert isinstance(manifest, DamagedManifest)
    assert manifest.reason == "it declares more than 5,000 dependencies and commands"
