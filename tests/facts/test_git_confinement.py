"""Attacks E2 and E3: every trap is first shown to snap for plain git, then not to for ours."""

import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.measures.history import Commit, read_history, read_line_history
from benchpin.workspace.git import GitFailed, find_head, find_repository, stream
from benchpin.workspace.git_objects import open_objects
from repositories import Tree


@dataclass(frozen=True)
class Trap:
    """A repository that runs a program of its own, and a plain command that shows it."""

    tree: Tree
    program: Path
    marker: Path

    def configure(self, **settings: str) -> None:
        """Set `section__key` or `section__name__key`."""
        for name, value in settings.items():
            self.tree.git("config", name.replace("__", ".").replace("_", "-"), value)

    def snaps(self, *command: str) -> bool:
        """Tell whether the program runs under plain git, and reset the trap."""
        parent, child = os.openpty()  # a pager only shows on a terminal
        subprocess.run(
            ["git", *command],  # noqa: S607 - whatever git the tests are run with
            cwd=self.tree.root,
            stdin=subprocess.DEVNULL,
            stdout=child,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        os.close(child)
        os.close(parent)
        return self.has_run()

    def has_run(self) -> bool:
        """Tell whether the program has run, and reset the trap."""
        ran = self.marker.exists()
        self.marker.unlink(missing_ok=True)
        return ran


@pytest.fixture
def trap(workspace: Path, tmp_path: Path) -> Trap:
    tree = Tree(workspace)
    tree.commit({"a.txt": b"one\n", ".gitattributes": b"*.txt diff=evil filter=evil\n"})
    tree.commit({"a.txt": b"one\ntwo\n"})
    marker, program = tmp_path / "marker", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{marker}'\nexit 1\n", encoding="utf-8")
    program.chmod(0o755)
    return Trap(tree, program, marker)


def use_everything(trap: Trap) -> tuple[Commit, ...]:
    """Do all that the engine does, and ask for patches besides."""
    repository = find_repository(trap.tree.root, trap.tree.root)
    list(stream(repository, "log", ("-p", "--stat"), ("HEAD",), ("a.txt",), Job()))
    with open_objects(repository, Job()) as objects:
        assert objects.read(f"{find_head(repository, Job())}:.gitattributes") is not None
    head = find_head(repository, Job()) or ""
    with suppress(GitFailed):
        options = ("--word-regexp", "--only-matching", "-e", "one")
        found = b"".join(stream(repository, "grep", options, (head,), None, Job()))
        assert found.startswith(f"{head}:".encode())
        assert found.endswith(b".txt\0one\n")
    with suppress(GitFailed):  # some traps take an object away
        read_line_history(repository, "a.txt", b"one\n", Job(), (1, 1))
    return read_history(trap.tree.root, trap.tree.root, Job()).commits


def set_blamed_text_converter(trap: Trap) -> tuple[str, ...]:
    trap.configure(diff__evil__textconv=str(trap.program))
    return ("blame", "HEAD", "--", "a.txt")


def set_blamed_filter(trap: Trap) -> tuple[str, ...]:
    trap.configure(filter__evil__clean=str(trap.program))
    trap.tree.write({"a.txt": b"changed\n"})
    return ("blame", "--", "a.txt")


def set_searched_text_converter(trap: Trap) -> tuple[str, ...]:
    trap.configure(diff__evil__textconv=str(trap.program))
    return ("grep", "--textconv", "one", "HEAD")


def set_hooks(trap: Trap) -> tuple[str, ...]:
    for name in ("post-index-change", "post-commit", "pre-commit", "reference-transaction"):
        (trap.tree.root / ".git" / "hooks" / name).symlink_to(trap.program)
    return ("-c", "user.name=x", "-c", "user.email=x", "commit", "--allow-empty", "--message=x")


def set_hooks_path(trap: Trap) -> tuple[str, ...]:
    (trap.tree.root / "hooks").mkdir()
    (trap.tree.root / "hooks" / "post-index-change").symlink_to(trap.program)
    trap.configure(core__hooksPath="hooks")
    return ("update-index", "--force-write-index")


def set_monitor(trap: Trap) -> tuple[str, ...]:
    trap.configure(core__fsmonitor=str(trap.program))
    return ("status",)


def set_pager(trap: Trap) -> tuple[str, ...]:
    trap.configure(core__pager=str(trap.program), pager__log=str(trap.program))
    return ("log",)


def set_external_diff(trap: Trap) -> tuple[str, ...]:
    trap.configure(diff__external=str(trap.program))
    return ("log", "-p", "--ext-diff")


def set_diff_driver(trap: Trap) -> tuple[str, ...]:
    trap.configure(diff__evil__command=str(trap.program))
    return ("log", "-p", "--ext-diff")


def set_text_converter(trap: Trap) -> tuple[str, ...]:
    trap.configure(diff__evil__textconv=str(trap.program), diff__evil__cachetextconv="true")
    return ("log", "-p")


def set_filter(trap: Trap) -> tuple[str, ...]:
    program = str(trap.program)
    trap.configure(filter__evil__clean=program, filter__evil__smudge=program)
    trap.tree.write({"a.txt": b"changed\n"})
    return ("diff",)


def set_filter_process(trap: Trap) -> tuple[str, ...]:
    trap.configure(filter__evil__process=str(trap.program), filter__evil__required="true")
    trap.tree.write({"a.txt": b"changed\n"})
    return ("diff",)


def set_signature_checker(trap: Trap) -> tuple[str, ...]:
    trap.configure(log__showSignature="true", gpg__program=str(trap.program))
    plain = trap.tree.git("cat-file", "commit", "HEAD")
    head, _, message = plain.partition(b"\n\n")
    armour = b"-----BEGIN PGP SIGNATURE-----\n \n eA==\n -----END PGP SIGNATURE-----"
    signed = head + b"\ngpgsig " + armour + b"\n\n" + message + b"\n"
    made = trap.tree.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=signed).decode()
    trap.tree.git("update-ref", "refs/heads/main", made)
    return ("log",)


def lose_object(trap: Trap, **remote: str) -> tuple[str, ...]:
    """Make a partial clone that lacks a file and says where to fetch it."""
    blob = trap.tree.git("rev-parse", "HEAD~1:a.txt").decode()
    (trap.tree.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    trap.configure(
        core__repositoryFormatVersion="1",
        extensions__partialClone="origin",
        remote__origin__promisor="true",
        protocol__allow="always",
        **remote,
    )
    return ("log", "-p")


def set_upload_pack(trap: Trap) -> tuple[str, ...]:
    return lose_object(
        trap,
        remote__origin__url=str(trap.tree.root),
        remote__origin__uploadpack=str(trap.program),
        protocol__file__allow="always",
    )


def set_ssh(trap: Trap) -> tuple[str, ...]:
    return lose_object(
        trap,
        remote__origin__url="ssh://localhost/x",
        core__sshCommand=str(trap.program),
        protocol__ssh__allow="always",
    )


def set_proxy(trap: Trap) -> tuple[str, ...]:
    return lose_object(
        trap, remote__origin__url="git://localhost/x", core__gitProxy=str(trap.program)
    )


def set_remote_helper(trap: Trap) -> tuple[str, ...]:
    trap.tree.git("config", "alias.remote-none", f"!{trap.program}")
    return lose_object(trap, remote__origin__url="x", remote__origin__vcs="none")


def set_external_transport(trap: Trap) -> tuple[str, ...]:
    return lose_object(
        trap, remote__origin__url=f"ext::{trap.program}", protocol__ext__allow="always"
    )


TRAPS: list[Callable[[Trap], tuple[str, ...]]] = [
    set_hooks,
    set_hooks_path,
    set_monitor,
    set_pager,
    set_external_diff,
    set_diff_driver,
    set_text_converter,
    set_filter,
    set_blamed_text_converter,
    set_searched_text_converter,
    set_blamed_filter,
    set_filter_process,
    set_signature_checker,
]
FETCHES: list[Callable[[Trap], tuple[str, ...]]] = [
    set_upload_pack,
    set_ssh,
    set_proxy,
    set_remote_helper,
    set_external_transport,
]


@pytest.mark.parametrize("set_trap", TRAPS)
def test_nothing_that_the_repository_configures_runs(
    trap: Trap, set_trap: Callable[[Trap], tuple[str, ...]]
) -> None:
    command = set_trap(trap)
    assert trap.snaps(*command)
    commits = use_everything(trap)
    assert not trap.has_run()
    assert [file.added for commit in commits for file in commit.files][-2:] == [1, 1]


def test_a_list_of_revisions_that_the_repository_names_is_not_read(trap: Trap) -> None:
    pipe = trap.tree.root / "pipe"
    os.mkfifo(pipe)  # who opens it waits for ever
    trap.configure(blame__ignoreRevsFile=str(pipe))
    repository = find_repository(trap.tree.root, trap.tree.root)
    found = read_line_history(repository, "a.txt", b"one\ntwo\n", Job(time_limit_s=20))
    assert [it.lines for it in found] == [(2,), (1,)]


@pytest.mark.parametrize("set_trap", FETCHES)
def test_what_a_partial_clone_lacks_is_not_fetched(
    trap: Trap, set_trap: Callable[[Trap], tuple[str, ...]]
) -> None:
    command = set_trap(trap)
    assert trap.snaps(*command)
    repository = find_repository(trap.tree.root, trap.tree.root)
    lost = trap.tree.git("rev-parse", "HEAD~1:a.txt").decode()
    with open_objects(repository, Job()) as objects, suppress(GitFailed):
        assert objects.read(lost) is None
    history = read_history(trap.tree.root, trap.tree.root, Job())
    assert len(history.commits) == 2  # from the trees, which are there
    assert not trap.has_run()


def test_a_bare_repository_inside_a_folder_is_not_met(trap: Trap) -> None:
    bare = trap.tree.root / "vendor"
    trap.tree.git("clone", "--quiet", "--bare", ".", "vendor")
    inner = Trap(Tree(bare, is_new=False), trap.program, trap.marker)
    inner.configure(core__bare="false", core__worktree=".", core__fsmonitor=str(trap.program))
    assert inner.snaps("status")
    assert find_repository(bare, trap.tree.root).git_dir == trap.tree.root / ".git"
    assert len(read_history(bare, trap.tree.root, Job()).commits) == 2
    assert not trap.has_run()


@pytest.mark.parametrize(
    ("variable", "command"),
    [
        ("GIT_EXTERNAL_DIFF", ("log", "-p", "--ext-diff")),
        ("GIT_PAGER", ("log",)),
        ("PAGER", ("log",)),
    ],
)
def test_nothing_that_the_environment_names_runs(
    trap: Trap, monkeypatch: pytest.MonkeyPatch, variable: str, command: tuple[str, ...]
) -> None:
    monkeypatch.delenv("GIT_PAGER", raising=False)
    monkeypatch.setenv(variable, str(trap.program))
    assert trap.snaps(*command)
    assert len(use_everything(trap)) == 2
    assert not trap.has_run()


def test_the_environment_does_not_lead_git_elsewhere(
    trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Tree(tmp_path / "other")
    other.commit({"private.txt": b"x"})
    seen = use_everything(trap)
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_TRACE", str(trace))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "log.showRoot")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "false")
    assert use_everything(trap) == seen
    assert not trace.exists()


@pytest.mark.parametrize("folder", ["bin", "."])
def test_a_git_in_the_repository_itself_is_not_the_one_that_runs(
    trap: Trap, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    own = trap.tree.root / folder / "git"
    own.parent.mkdir(exist_ok=True)
    own.symlink_to(trap.program)
    monkeypatch.chdir(trap.tree.root)
    place = folder if folder == "." else str(own.parent)
    monkeypatch.setenv("PATH", place, prepend=os.pathsep)
    assert trap.snaps("log")
    assert len(use_everything(trap)) == 2
    assert not trap.has_run()


@pytest.mark.parametrize(
    "settings",
    [
        {"log__showRoot": "false"},
        {"log__follow": "true", "log__date": "relative", "log__abbrevCommit": "true"},
        {"diff__renames": "false"},
        {"diff__renames": "copies"},
        {"diff__algorithm": "patience", "diff__relative": "true"},
        {"diff__orderFile": "a.txt"},
        {"color__ui": "always", "color__diff": "always", "diff__colorMoved": "zebra"},
        {"core__bigFileThreshold": "1"},
        {"core__quotePath": "true", "core__abbrev": "4"},
        {"i18n__logOutputEncoding": "UTF-16"},
        {"format__pretty": "oneline", "log__decorate": "full", "notes__displayRef": "*"},
        {"core__attributesFile": "binary-attributes"},
        {"mailmap__file": "people", "log__mailmap": "true"},
        {"mailmap__blob": "HEAD:people"},
        {"grep__column": "true", "grep__lineNumber": "true", "grep__patternType": "perl"},
        {"core__worktree": "/"},
        {"core__bare": "true"},
    ],
)
def test_no_setting_of_the_repository_changes_what_is_read(
    trap: Trap, settings: dict[str, str]
) -> None:
    trap.tree.commit(
        {
            "a.txt": None,
            "b.txt": b"one\ntwo\n",
            "binary-attributes": b"*.txt binary\n",
            "people": b"Mallory <mallory@example.org> <ada@example.org>\n",
        }
    )
    seen = use_everything(trap)
    assert {file.path for commit in seen for file in commit.files} >= {"b.txt", "people"}
    trap.configure(**settings)
    assert use_everything(trap) == seen


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives files away")
def test_a_repository_of_another_user_is_read(trap: Trap) -> None:
    for place in (trap.tree.root, *trap.tree.root.rglob("*")):
        os.chown(place, 65534, 65534, follow_symlinks=False)
    assert len(use_everything(trap)) == 2


def test_a_folder_named_like_a_command_is_a_folder(trap: Trap) -> None:
    name = "$(touch x); `touch y` && -h *"
    trap.tree.commit({f"{name}/a.txt": b"one\n"})
    folder = trap.tree.root / name
    commits = read_history(folder, folder, Job()).commits
    assert [file.path for commit in commits for file in commit.files] == ["a.txt"]
    assert [it.name for it in folder.iterdir()] == ["a.txt"]
