"""Attacks from inside, each in every kind of sandbox that works here."""

import os
import socket
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from benchpin.core.calls import Job, Operation, Permissions, Rule
from benchpin.run.sandbox import Execution, ExecutionReport, run_confined
from benchpin.run.sandbox._process import SandboxFailed
from benchpin.run.sandbox._sandbox import Sandbox
from benchpin.run.sandbox._workspace_mounts import workspace_mounts

Run = Callable[..., ExecutionReport]
READ = frozenset({Operation.READ})


def test_a_program_sees_the_workspace_and_writes_to_its_own_tmp(run: Run, workspace: Path) -> None:
    (workspace / "a.txt").write_text("hello", encoding="utf-8")
    outcome = run('pwd; cat a.txt; echo x >"$HOME/x" && cat /tmp/x; echo oops >&2; exit 3')
    assert outcome.stdout == f"{workspace}\nhellox\n"
    assert outcome.stderr == "oops\n"
    assert (outcome.exit_code, outcome.signal, outcome.timed_out) == (3, None, False)


def test_the_environment_is_built_from_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHPIN_SECRET", "hunter2")
    names = {line.partition("=")[0] for line in run("env").stdout.splitlines()}
    assert names - {"TZ"} == {"HOME", "LANG", "PATH", "PWD", "TERM", "TMPDIR"}
    everywhere = run("cat /proc/*/environ | tr '\\0' '\\n'").stdout
    assert "hunter2" not in everywhere
    assert "PATH=" in everywhere


def test_files_outside_do_not_exist(run: Run, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hunter2", encoding="utf-8")
    outcome = run(f"cat {secret} /etc/shadow /proc/1/root{secret}; ls {tmp_path} /sys /var /home")
    assert "hunter2" not in outcome.stdout
    assert "root:" not in outcome.stdout
    assert outcome.stdout.split() == [f"{tmp_path}:", "workspace"]


def test_nothing_outside_can_be_written(run: Run, workspace: Path, tmp_path: Path) -> None:
    places = "/x /usr/x /etc/passwd /dev/x /proc/self/comm ./x"
    outcome = run(f"for it in {places}; do echo x >>$it && echo WROTE $it; done")
    assert outcome.stdout == ""
    run(f"echo x >{tmp_path}/x")
    assert not (tmp_path / "x").exists()
    assert list(workspace.iterdir()) == []


def test_settings_of_the_kernel_cannot_be_written_even_by_root(run: Run) -> None:
    file = "/proc/sys/kernel/panic_on_oops"
    assert "WROTE" not in run(f"cat {file} >{file} && echo WROTE").stdout


def test_the_workspace_is_written_where_that_is_allowed(run: Run, workspace: Path) -> None:
    assert run("echo x >new && mkdir d && mv new d/", may_write=True).exit_code == 0
    assert (workspace / "d" / "new").read_text(encoding="utf-8") == "x\n"


def test_denied_files_are_hidden_and_stay_whole(run: Run, workspace: Path) -> None:
    for path in (".env", ".git/config", "sub/id_rsa", "sub/cert.pem", "sub/seen.txt"):
        (workspace / path).parent.mkdir(exist_ok=True)
        (workspace / path).write_text("hunter2", encoding="utf-8")
    (workspace / "sub/seen.txt").write_text("seen", encoding="utf-8")
    command = """
        cat .env .git/config sub/*; ls .git; echo x >.env; echo x >.git/config
        mv .env a; mv .git b; ln .env c; cp .env d; rm -rf .env .git sub; cat a b/config c d
    """
    outcome = run(command, may_write=True)
    assert outcome.stdout == "seen"
    for path in (".env", ".git/config", "sub/id_rsa", "sub/cert.pem"):
        assert (workspace / path).read_text(encoding="utf-8") == "hunter2"


def test_a_folder_is_not_carried_out_of_a_rules_reach(run: Run, workspace: Path) -> None:
    secret = workspace / "a" / "b" / "plan.txt"
    secret.parent.mkdir(parents=True)
    secret.write_text("hunter2", encoding="utf-8")
    (workspace / "a" / "b" / "other").write_text("x", encoding="utf-8")
    everything = Rule("**", frozenset(Operation))
    rules = Permissions().narrowed((everything, Rule("a/b/plan.txt", frozenset())))
    (workspace / "c").mkdir()
    (workspace / "c" / ".env").write_text("hunter2", encoding="utf-8")
    command = "mv a z; mv a/b z; mv c z; cat a/b/plan.txt; mv a/b/other a/"
    outcome = run(command, may_write=True, permissions=rules)
    assert (outcome.stdout, outcome.exit_code) == ("", 0)
    files = [it for it in workspace.rglob("*") if it.is_file()]
    secrets = [it for it in files if it.read_text(encoding="utf-8") == "hunter2"]
    assert sorted(secrets) == [secret, workspace / "c" / ".env"]


def test_the_settings_and_prompts_of_benchpin_stay_as_they_are(run: Run, workspace: Path) -> None:
    for path in ("benchpin.toml", ".benchpin/prompts/a.md"):
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text("kept", encoding="utf-8")
    command = """
        cat benchpin.toml .benchpin/prompts/a.md
        echo x >benchpin.toml; echo x >.benchpin/prompts/a.md; echo x >.benchpin/prompts/b.md
        rm -rf benchpin.toml .benchpin; mv benchpin.toml a; mv .benchpin b; echo x >c
        mv c benchpin.toml
    """
    assert run(command, may_write=True).stdout == "keptkept"
    assert (workspace / "benchpin.toml").read_text(encoding="utf-8") == "kept"
    assert [it.name for it in (workspace / ".benchpin/prompts").iterdir()] == ["a.md"]
    assert (workspace / ".benchpin/prompts/a.md").read_text(encoding="utf-8") == "kept"


def test_what_has_another_name_outside_is_not_written(
    run: Run, workspace: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("kept", encoding="utf-8")
    (workspace / "sub").mkdir()
    (workspace / "sub/name.txt").hardlink_to(outside)
    command = """
        cat sub/name.txt; echo x >sub/name.txt; ln sub/name.txt b; echo x >b
        mv sub moved; echo x >moved/name.txt; chmod 666 moved/name.txt; truncate -s 0 moved/name.txt
    """
    assert run(command, may_write=True).stdout == "kept"
    assert outside.read_text(encoding="utf-8") == "kept"


def test_a_workspace_that_changes_meanwhile_is_no_way_in(workspace: Path, sandbox: Sandbox) -> None:
    (workspace / ".env").write_text("hunter2", encoding="utf-8")
    view = workspace_mounts(workspace, Permissions(), Job(), may_write=False)
    (workspace / ".env").rename(workspace / "moved")
    program = Execution(("/bin/sh", "-c", "cat moved"), str(workspace))
    with pytest.raises(SandboxFailed):
        run_confined(program, view, sandbox, 30, Job())


def test_only_what_the_rules_allow_is_seen_and_written(run: Run, workspace: Path) -> None:
    for path in ("src/a.py", "src/a.txt", "out/old"):
        (workspace / path).parent.mkdir(exist_ok=True)
        (workspace / path).write_text(path, encoding="utf-8")
    both = frozenset(Operation)
    rules = Permissions().narrowed((Rule("**/*.py", READ), Rule("out/**", both)))
    command = "cat src/*; echo x >src/a.py; echo x >src/b.py; echo new >out/new; echo new >out/old"
    assert run(command, may_write=True, permissions=rules).stdout == "src/a.py"
    assert (workspace / "src/a.py").read_text(encoding="utf-8") == "src/a.py"
    assert sorted(it.name for it in workspace.glob("*/*")) == ["a.py", "a.txt", "new", "old"]
    assert (workspace / "out/old").read_text(encoding="utf-8") == "new\n"


def test_a_folder_that_shows_nothing_stays_hidden_where_all_around_is_writable(
    run: Run, workspace: Path
) -> None:
    (workspace / "private").mkdir()
    (workspace / "private" / "plan").write_text("hunter2", encoding="utf-8")
    both = frozenset(Operation)
    rules = Permissions().narrowed((Rule("/*", both), Rule("[!p]*/**", both)))
    command = "cat private/*; echo x >private/new; mv private other; echo x >new && ls"
    outcome = run(command, may_write=True, permissions=rules)
    assert outcome.stdout.split() == ["new", "private"]
    assert [it.name for it in (workspace / "private").iterdir()] == ["plan"]


NETWORK = """
import errno, socket
for family in (socket.AF_INET, socket.AF_INET6):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        try:
            with socket.socket(family, kind) as it:
                it.settimeout(5)
                it.connect(("127.0.0.1" if family == socket.AF_INET else "::1", {port}))
            print("CONNECTED", family, kind)
        except OSError as error:
            print(errno.errorcode[error.errno])
"""


def test_there_is_no_network(python: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        outcome = python(NETWORK.format(port=server.getsockname()[1]))
    assert outcome.stdout.split() == ["EAFNOSUPPORT"] * 4


def test_sockets_of_the_outside_cannot_be_reached(
    python: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"benchpin-{uuid.uuid4()}"
    monkeypatch.chdir(workspace)
    with socket.socket(socket.AF_UNIX) as abstract, socket.socket(socket.AF_UNIX) as door:
        abstract.bind(f"\0{name}")
        door.bind("door")
        for it in (abstract, door):
            it.listen()
        outcome = python(f"""
import socket
for address in ("\\0{name}", "door"):
    try:
        socket.socket(socket.AF_UNIX).connect(address)
        print("CONNECTED", address)
    except OSError as error:
        print("refused")
""")
    assert outcome.stdout.split() == ["refused", "refused"]


def test_processes_outside_can_be_neither_seen_nor_signalled_nor_traced(python: Run) -> None:
    outcome = python(f"""
import ctypes, os
numbers = sorted(int(it) for it in os.listdir("/proc") if it.isdigit())
print(numbers)
for number in (1, {os.getpid()}, {os.getppid()}):
    try:
        os.kill(number, 9)
        print("KILLED", number)
    except OSError as error:
        print("refused")
libc = ctypes.CDLL(None, use_errno=True)
print(libc.ptrace(16, 1, None, None), libc.ptrace(16, {os.getpid()}, None, None))
""")
    assert outcome.stdout.splitlines() == ["[1, 2]", *["refused"] * 3, "-1 -1"]


def test_the_supervisor_inside_cannot_be_read(run: Run) -> None:
    outcome = run("cd /proc/1; cat environ mem maps fd/*; ls root; readlink fd/* exe cwd")
    assert outcome.stdout == ""


def test_no_namespaces_no_mounts_no_devices(run: Run) -> None:
    for command in (
        "unshare --user true",
        "unshare --net true",
        "mount -t tmpfs none /tmp",
        "umount /proc",
        "mknod /tmp/disk b 254 0",
        "chroot /tmp true",
    ):
        assert run(command).exit_code != 0, command


def test_no_program_is_left_behind_that_runs_as_its_owner(run: Run, workspace: Path) -> None:
    command = (
        "cp /bin/sh a && chmod 755 a && chmod 4755 a; chmod u+s a; chmod g+s a; mkdir -m 755 d"
    )
    assert run(command, may_write=True).exit_code == 0
    assert oct((workspace / "a").stat().st_mode) == "0o100755"


def test_nothing_is_left_open(python: Run) -> None:
    assert python("import os; print(os.listdir('/proc/self/fd'))").stdout.count("'") == 8
