"""Attacks from inside, each in every kind of sandbox that works here."""

import os
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from benchpin.core import Cancelled, Job, Operation, Permissions, Progress, Rule
from benchpin.engines.execution import Program, Sandbox, running
from benchpin.engines.execution.hiding import workspace_view
from benchpin.engines.execution.process import Outcome, SandboxFailed
from benchpin.engines.execution.running import run_confined
from sandboxes import survivors

Run = Callable[..., Outcome]
READ = frozenset({Operation.READ})


@pytest.fixture
def mark() -> str:
    """Return a number that no other process has in its command line."""
    return f"600{uuid.uuid4().int % 10**12}"


def test_a_program_sees_the_workspace_and_writes_to_its_own_tmp(run: Run, workspace: Path) -> None:
    (workspace / "a.txt").write_text("hello", encoding="utf-8")
    outcome = run('pwd; cat a.txt; echo x >"$HOME/x" && cat /tmp/x; echo oops >&2; exit 3')
    assert outcome.stdout.text == f"{workspace}\nhellox\n"
    assert outcome.stderr.text == "oops\n"
    assert (outcome.exit_code, outcome.signal, outcome.timed_out) == (3, None, False)


def test_the_environment_is_made_anew(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHPIN_SECRET", "hunter2")
    names = {line.partition("=")[0] for line in run("env").stdout.text.splitlines()}
    assert names - {"TZ"} == {"HOME", "LANG", "PATH", "PWD", "TERM", "TMPDIR"}
    everywhere = run("cat /proc/*/environ | tr '\\0' '\\n'").stdout.text
    assert "hunter2" not in everywhere
    assert "PATH=" in everywhere


def test_files_outside_do_not_exist(run: Run, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hunter2", encoding="utf-8")
    outcome = run(f"cat {secret} /etc/shadow /proc/1/root{secret}; ls {tmp_path} /sys /var /home")
    assert "hunter2" not in outcome.stdout.text
    assert "root:" not in outcome.stdout.text
    assert outcome.stdout.text.split() == [f"{tmp_path}:", "workspace"]


def test_nothing_outside_can_be_written(run: Run, workspace: Path, tmp_path: Path) -> None:
    places = "/x /usr/x /etc/passwd /dev/x /proc/self/comm ./x"
    outcome = run(f"for it in {places}; do echo x >>$it && echo WROTE $it; done")
    assert outcome.stdout.text == ""
    run(f"echo x >{tmp_path}/x")
    assert not (tmp_path / "x").exists()
    assert list(workspace.iterdir()) == []


def test_settings_of_the_kernel_cannot_be_written_even_by_root(run: Run) -> None:
    file = "/proc/sys/kernel/panic_on_oops"
    assert "WROTE" not in run(f"cat {file} >{file} && echo WROTE").stdout.text


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
    assert outcome.stdout.text == "seen"
    for path in (".env", ".git/config", "sub/id_rsa", "sub/cert.pem"):
        assert (workspace / path).read_text(encoding="utf-8") == "hunter2"


def test_a_folder_is_not_carried_out_of_a_rules_reach(run: Run, workspace: Path) -> None:
    secret = workspace / "a" / "b" / "plan.txt"
    secret.parent.mkdir(parents=True)
    secret.write_text("hunter2", encoding="utf-8")
    (workspace / "a" / "b" / "other").write_text("x", encoding="utf-8")
    rules = Permissions().narrowed((Rule("a/b/plan.txt", frozenset()),))
    (workspace / "c").mkdir()
    (workspace / "c" / ".env").write_text("hunter2", encoding="utf-8")
    command = "mv a z; mv a/b z; mv c z; cat a/b/plan.txt; mv a/b/other a/"
    outcome = run(command, may_write=True, permissions=rules)
    assert (outcome.stdout.text, outcome.exit_code) == ("", 0)
    files = [it for it in workspace.rglob("*") if it.is_file()]
    secrets = [it for it in files if it.read_text(encoding="utf-8") == "hunter2"]
    assert sorted(secrets) == [secret, workspace / "c" / ".env"]


def test_a_workspace_that_changes_meanwhile_is_no_way_in(workspace: Path, sandbox: Sandbox) -> None:
    (workspace / ".env").write_text("hunter2", encoding="utf-8")
    view = workspace_view(workspace, Permissions(), Job(), may_write=False)
    (workspace / ".env").rename(workspace / "moved")
    program = Program(("/bin/sh", "-c", "cat moved"), str(workspace))
    with pytest.raises(SandboxFailed):
        run_confined(program, view, sandbox.bubblewrap, 30, Job())


def test_only_what_the_rules_allow_is_seen_and_written(run: Run, workspace: Path) -> None:
    for path in ("src/a.py", "src/a.txt", "out/old"):
        (workspace / path).parent.mkdir(exist_ok=True)
        (workspace / path).write_text(path, encoding="utf-8")
    both = frozenset(Operation)
    rules = Permissions().narrowed((Rule("**/*.py", READ), Rule("out/**", both)))
    command = "cat src/*; echo x >src/a.py; echo x >src/b.py; echo new >out/new; echo new >out/old"
    assert run(command, may_write=True, permissions=rules).stdout.text == "src/a.py"
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
    assert outcome.stdout.text.split() == ["new", "private"]
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
    assert outcome.stdout.text.split() == ["EAFNOSUPPORT"] * 4


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
    assert outcome.stdout.text.split() == ["refused", "refused"]


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
    assert outcome.stdout.text.splitlines() == ["[1, 2]", *["refused"] * 3, "-1 -1"]


def test_the_supervisor_inside_cannot_be_read(run: Run) -> None:
    outcome = run("cd /proc/1; cat environ mem maps fd/*; ls root; readlink fd/* exe cwd")
    assert outcome.stdout.text == ""


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
    assert python("import os; print(os.listdir('/proc/self/fd'))").stdout.text.count("'") == 8


def test_a_grandchild_that_leaves_the_session_dies_at_the_timeout(run: Run, mark: str) -> None:
    outcome = run(f"setsid sleep {mark} & (setsid setsid sleep {mark} &); wait", timeout_s=2)
    assert (outcome.timed_out, outcome.exit_code) == (True, None)
    assert survivors(mark) == []


def test_what_runs_in_the_background_ends_with_the_program(run: Run, mark: str) -> None:
    outcome = run(f"setsid sleep {mark} & nohup sleep {mark} & echo done")
    assert (outcome.stdout.text, outcome.exit_code) == ("done\n", 0)
    assert survivors(mark) == []


def test_a_program_that_ignores_signals_dies_too(run: Run, mark: str) -> None:
    outcome = run(f"trap '' TERM INT HUP; sleep {mark}; sleep {mark}", timeout_s=2)
    assert outcome.timed_out
    assert survivors(mark) == []


def test_a_cancelled_job_takes_everything_with_it(run: Run, mark: str) -> None:
    is_running = threading.Event()
    job = Job(on_progress=lambda it: is_running.set() if "here" in it.message else None)

    def cancel() -> None:
        assert is_running.wait(30)
        job.cancel()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    with pytest.raises(Cancelled):
        run(f"while :; do echo here; sleep 0.2; done & setsid sleep {mark}", job=job)
    canceller.join()
    assert survivors(mark) == []


def test_a_server_that_is_killed_takes_everything_with_it(sandbox: Sandbox, mark: str) -> None:
    code = f"""
import sys
from pathlib import Path
from benchpin.core import Job
from benchpin.engines.execution import Program
from benchpin.engines.execution.hiding import WorkspaceView
from benchpin.engines.execution.running import run_confined
from sandboxes import working
nothing = WorkspaceView([], [], is_writable=False)
program = Program(("/bin/sh", "-c", "echo; sleep {mark} & sleep {mark}"), "/")
job = Job(on_progress=lambda it: print("running", flush=True))
run_confined(program, nothing, working("{sandbox.name}").bubblewrap, 60, job)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"running\n"
        assert len(survivors(f"sleep {mark}")) >= 2
        server.kill()
        server.wait()
    _until_gone(f"sleep {mark}")


def _until_gone(mark: str) -> None:
    """Wait for the kernel, which does it in its own time; pytest ends a test that takes long."""
    pause = threading.Event()
    while survivors(mark):
        pause.wait(0.05)


def test_a_flood_on_both_pipes_is_cut_and_drained(run: Run) -> None:
    outcome = run("yes out | head -c 30000000 & yes err | head -c 30000000 >&2; wait")
    assert outcome.exit_code == 0
    for captured, word in ((outcome.stdout, "out\n"), (outcome.stderr, "err\n")):
        assert captured.text.startswith(word * 1000)
        assert captured.text.endswith(word * 1000)
        assert captured.cut_bytes == 30_000_000 - 2 * 16 * 1024


def test_an_endless_flood_ends_at_the_timeout(run: Run, mark: str) -> None:
    outcome = run(f"yes {mark} & yes {mark} >&2", timeout_s=2)
    assert outcome.timed_out
    assert outcome.stdout.cut_bytes > 0
    assert outcome.stderr.cut_bytes > 0
    assert survivors(mark) == []


FORKS = """
import os, time
for _ in range(10):
    try:
        os.fork()
    except BlockingIOError:
        break
time.sleep(20)
"""


def test_a_fork_bomb_comes_to_nothing(run: Run, mark: str) -> None:
    outcome = run(f"{sys.executable} -I -c '{FORKS}' {mark}", timeout_s=5)
    assert (outcome.exceeded, outcome.exit_code) == ("processes", None)
    assert survivors(mark) == []


def test_memory_is_limited(python: Run) -> None:
    outcome = python("bytearray(2 * 10**9)")
    assert outcome.stderr.text.endswith("MemoryError\n")
    assert outcome.exit_code == 1


def test_memory_is_limited_for_all_processes_together(
    python: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "_MOST_MEMORY_BYTES", 200 << 20)
    shared = "import mmap, os, time; os.fork(); it = mmap.mmap(-1, 150 << 20)"
    fill = "for at in range(0, 150 << 20, 4096): it[at] = 1"
    outcome = python(f"{shared}\n{fill}\ntime.sleep(30)")
    assert (outcome.exceeded, outcome.exit_code) == ("memory", None)


def test_a_script_cannot_be_changed_by_itself(python: Run) -> None:
    outcome = python("print(__file__); open(__file__, 'a')")
    assert outcome.stdout.text == "/run/benchpin/main.py\n"
    assert "Permission denied" in outcome.stderr.text or "Read-only" in outcome.stderr.text


def test_files_are_limited(python: Run, run: Run) -> None:
    code = "with open('/tmp/big', 'wb') as it: it.write(bytes(10**8))"
    assert "OSError: [Errno 27] File too large" in python(code).stderr.text
    filled = run("for it in 1 2 3 4 5 6; do head -c 60000000 /dev/zero >/tmp/$it; done; df /tmp")
    assert "No space left on device" in filled.stderr.text


def test_a_spinning_program_is_stopped(run: Run) -> None:
    outcome = run("while :; do :; done", timeout_s=2)
    assert (outcome.timed_out, outcome.exit_code, outcome.signal) == (True, None, None)


def test_open_files_and_core_dumps_are_limited(run: Run) -> None:
    assert run("ulimit -n; ulimit -c").stdout.text == "1024\n0\n"


def test_a_signal_is_named(run: Run) -> None:
    outcome = run("kill -9 $$")
    assert (outcome.exit_code, outcome.signal) == (137, "SIGKILL")
    assert run("kill -40 $$").signal == "SIG40"


def test_signals_and_pipes_are_as_a_shell_expects(run: Run) -> None:
    assert run("yes | head -n 1").stdout.text == "y\n"
    assert run("cat").exit_code == 0


def test_output_is_reported_while_it_comes(run: Run) -> None:
    reports: list[Progress] = []
    run("for it in 1 2 3; do echo line $it; sleep 0.3; done", job=Job(on_progress=reports.append))
    assert "line 1" in "".join(it.message for it in reports)
    assert [it.done for it in reports] == sorted(it.done for it in reports)
    assert {it.total for it in reports} == {40.0}


def test_usual_means_still_work(python: Run) -> None:
    outcome = python("""
import asyncio, json, multiprocessing, pathlib, pty, subprocess, sys, tempfile, threading, zlib
if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        print(pool.map(abs, [-1, 2]))
    print(asyncio.run(asyncio.sleep(0, "async")))
    print(subprocess.run(["echo", "child"], capture_output=True, text=True).stdout.strip())
    with tempfile.NamedTemporaryFile("w") as file:
        print(file.write("x"), len(pty.openpty()))
    thread = threading.Thread(target=print, args=("thread",))
    thread.start()
    thread.join()
""")
    assert outcome.stderr.text == ""
    assert outcome.stdout.text.splitlines() == ["[1, 2]", "async", "child", "1 2", "thread"]
