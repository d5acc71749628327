"""The attacks on paths, P1 to P11, each on every tool that takes a path."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.calls import Operation, Rule
from benchpin.core.errors import BenchpinError, PathError
from benchpin.core.results import Result

Call = Callable[[Workbench, str], Result]

READERS: dict[str, Call] = {
    "read_file": lambda shop, path: shop.call("read_file", path=path),
    "list_directory": lambda shop, path: shop.call("list_directory", path=path),
    "search_files": lambda shop, path: shop.call("search_files", pattern=".", search_path=path),
}
WRITERS: dict[str, Call] = {
    "write_file": lambda shop, path: shop.call("write_file", path=path, content="pwned"),
    "edit_file": lambda shop, path: shop.call(
        "edit_file", path=path, edits=[{"old_text": "secret", "new_text": "pwned"}]
    ),
}
ALL = {**READERS, **WRITERS}

each_tool = pytest.mark.parametrize("call", ALL.values(), ids=ALL)
each_writer = pytest.mark.parametrize("call", WRITERS.values(), ids=WRITERS)


def refused(shop: Workbench, call: Call, path: str) -> BenchpinError:
    with pytest.raises(BenchpinError) as raised:
        call(shop, path)
    assert "secret" not in raised.value.message.replace("secret.txt", "")
    return raised.value


@each_tool
@pytest.mark.parametrize(
    "path",
    [
        "../workspace-evil/secret.txt",
        "a/../../workspace-evil/secret.txt",
        "/etc/passwd",
        "{outside}/secret.txt",
        "{outside}",
        "..",
        "output/../../workspace-evil/secret.txt",
    ],
)
def test_ways_out_are_denied(shop: Workbench, outside: Path, call: Call, path: str) -> None:
    error = refused(shop, call, path.format(outside=outside))
    assert error.kind == "path_outside_workspace"
    assert [place.name for place in outside.iterdir()] == ["secret.txt"]
    assert (outside / "secret.txt").read_text() == "secret"


@each_tool
@pytest.mark.parametrize("leaf", ["link/secret.txt", "file-link", "link/new/file.txt", "link"])
def test_links_out_are_denied(
    shop: Workbench, workspace: Path, outside: Path, call: Call, leaf: str
) -> None:
    (workspace / "link").symlink_to(outside)
    (workspace / "file-link").symlink_to(outside / "secret.txt")
    refused(shop, call, leaf)
    assert (outside / "secret.txt").read_text() == "secret"
    assert not (outside / "new").exists()


@each_writer
def test_a_hard_link_is_not_written(
    shop: Workbench, workspace: Path, outside: Path, call: Call
) -> None:
    (workspace / "name.txt").hardlink_to(outside / "secret.txt")
    assert refused(shop, call, "name.txt").kind == "access_denied"
    assert (outside / "secret.txt").read_text() == "secret"


@each_tool
@pytest.mark.parametrize(
    "path",
    [
        "a\0b",
        "%2e%2e%2fworkspace-evil/secret.txt",
        "%252e%252e%252fsecret.txt",
        "..%c0%afworkspace-evil",
        "file://host/../secret.txt",
        "file:////etc/passwd",
        "\\\\server\\share\\secret.txt",
        "//etc/passwd",
        "secret.txt. ",
        "x" * 5000,
        "\ud800",
    ],
)
def test_odd_spellings_lead_nowhere(
    shop: Workbench, workspace: Path, outside: Path, call: Call, path: str
) -> None:
    try:
        result = call(shop, path)
    except BenchpinError:
        return
    finally:
        assert (outside / "secret.txt").read_text() == "secret"
    made = [place for place in workspace.rglob("*") if place.is_file()]
    assert "write" in type(result).__name__.lower() or "wr" in type(result).__name__.lower()
    assert all(place.read_text() == "pwned" for place in made)


@each_tool
def test_what_is_no_file_is_refused_without_waiting(
    shop: Workbench, workspace: Path, call: Call
) -> None:
    os.mkfifo(workspace / "pipe")
    for path in ("pipe", "/dev/stdin", "/proc/self/root/etc/passwd", "/proc/self/fd/0"):
        try:
            found = call(shop, path)
        except BenchpinError:
            continue
        assert getattr(found, "matches", None) == []


def test_a_huge_sparse_file_is_refused(shop: Workbench, workspace: Path) -> None:
    with (workspace / "huge.txt").open("wb") as file:
        file.truncate(1 << 40)
    error = refused(shop, READERS["read_file"], "huge.txt")
    assert error.kind == "file_too_large"
    assert "search_files" not in error.suggestion  # which skips it as well
    found = shop.call("search_files", pattern="x")
    assert found.model_dump()["skipped"] == {"too large": 1}


@each_tool
@pytest.mark.parametrize(
    "path", [".git/config", ".git/hooks/pre-commit", ".env", ".env.local", "key.pem", "sub/.env"]
)
def test_secrets_are_denied(shop: Workbench, workspace: Path, call: Call, path: str) -> None:
    place = workspace / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("secret")
    error = refused(shop, call, path)
    assert isinstance(error, PathError)
    assert place.read_text() == "secret"


def test_secrets_are_not_found_by_searching(shop: Workbench, workspace: Path) -> None:
    (workspace / ".env").write_text("secret")
    (workspace / "key.pem").write_text("secret")
    found = shop.call("search_files", pattern="secret", include_hidden=True, include_ignored=True)
    assert found.model_dump()["matches"] == []
    listed = shop.call("list_directory", include_hidden=True).to_text()
    assert ".env" not in listed
    assert "key.pem" not in listed


@pytest.mark.parametrize("denial_first", [True, False])
def test_a_denial_wins_in_any_position(workspace: Path, *, denial_first: bool) -> None:
    (workspace / "out").mkdir()
    (workspace / "out/private.txt").write_text("secret")
    both = frozenset({Operation.READ, Operation.WRITE})
    rules = [Rule("out/**", both), Rule("out/private.txt", frozenset())]
    shop = Workbench.open(
        workspace,
        allow=("write",),
        resource_permissions=[
            {"pattern": rule.pattern, "operations": sorted(rule.operations)}
            for rule in (reversed(rules) if denial_first else rules)
        ],
    )
    for call in (READERS["read_file"], *WRITERS.values()):
        assert refused(shop, call, "out/private.txt").kind == "access_denied"
    assert shop.call("write_file", path="out/new.txt", content="x").to_text().startswith("Created")
    assert refused(shop, WRITERS["write_file"], "out/../elsewhere.txt").kind == "access_denied"


@each_writer
@pytest.mark.parametrize("path", ["benchpin.toml", ".benchpin/prompts/a.md", "link.toml"])
def test_the_settings_and_prompts_of_benchpin_are_not_written(
    shop: Workbench, workspace: Path, call: Call, path: str
) -> None:
    place = workspace / path.replace("link", "benchpin")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("# secret\n")
    (workspace / "link.toml").symlink_to("benchpin.toml")
    assert refused(shop, call, path).kind == "access_denied"
    assert shop.call("read_file", path=path).model_dump()["content"] == "# secret\n"
    assert place.read_text() == "# secret\n"


def test_rules_that_only_deny_refuse_everything_and_say_the_way_out(workspace: Path) -> None:
    (workspace / "a.txt").write_text("x")
    rules: list[dict[str, object]] = [{"pattern": "*.log", "operations": []}]
    shop = Workbench.open(workspace, resource_permissions=rules)
    error = refused(shop, READERS["read_file"], "a.txt")
    assert error.kind == "access_denied"
    assert '{ pattern = "**", operations = ["read"] }' in error.suggestion
    assert ["only deny" in note for note in shop.configuration.notes] == [True]
    rules.append({"pattern": "**", "operations": ["read"]})
    reopened = Workbench.open(workspace, resource_permissions=rules)
    assert reopened.call("read_file", path="a.txt").to_text() == "x"
    assert reopened.configuration.notes == ()


def test_writing_is_off_until_it_is_allowed(workspace: Path) -> None:
    with pytest.raises(BenchpinError) as raised:
        Workbench.open(workspace).call("write_file", path="a", content="b")
    assert "--allow write" in raised.value.suggestion
