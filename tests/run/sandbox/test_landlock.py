"""Where there are no namespaces: what Landlock and seccomp alone confine, and what they do not."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchpin.core.calls import Job, Operation, Permissions, Rule
from benchpin.run.sandbox import Execution, ExecutionReport, run_confined
from benchpin.run.sandbox import _running as running
from benchpin.run.sandbox._process import WorkspaceChanged
from benchpin.run.sandbox._workspace_mounts import workspace_mounts
from run.sandbox.test_memory import ATTACKS, START
from sandboxes import survivors, working
from waiting import WAIT_S

pytestmark = pytest.mark.slow
Shell = Callable[..., ExecutionReport]
ALL = frozenset(Operation)


@pytest.fixture
def run(workspace: Path) -> Shell:
    """Return a function that runs a shell command, or Python code, in the workspace."""

    def run_program(
        command: str = "",
        *,
        code: str | None = None,
        may_write: bool = False,
        permissions: Permissions | None = None,
        timeout_s: float = WAIT_S,
    ) -> ExecutionReport:
        rights = permissions or Permissions()
        view = workspace_mounts(workspace, rights, Job(), may_write=may_write)
        argv = ("/bin/sh", "-c", command) if code is None else (sys.executable, "-I")
        program = Execution(argv, str(workspace), script=code)
        return run_confined(program, view, working("landlock"), timeout_s, Job())

    return run_program


def test_a_program_sees_the_workspace_and_a_home_that_is_gone_afterwards(
    run: Shell, workspace: Path
) -> None:
    (workspace / "a.txt").write_text("hello ", encoding="utf-8")
    outcome = run('cat a.txt; echo x >"$HOME/x" && mkdir $TMPDIR/d && cat $HOME/x; echo $HOME')
    content, home = outcome.stdout.splitlines()
    assert (content, outcome.stderr, outcome.sandbox) == ("hello x", "", "landlock")
    assert not Path(home).parent.exists()


def test_nothing_outside_is_read_or_written(run: Shell, tmp_path: Path, workspace: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hunter2", encoding="utf-8")
    (workspace / "way").symlink_to(secret)
    places = f"{secret} way /etc/shadow /proc/{os.getpid()}/environ /dev/shm/x /tmp/x {tmp_path}/y"
    outcome = run(f"cat {places}; ls {tmp_path}; for it in {places}; do echo x >>$it; done")
    assert outcome.stdout == ""
    assert secret.read_text(encoding="utf-8") == "hunter2"
    assert sorted(it.name for it in tmp_path.iterdir()) == ["secret", "workspace"]
    code = f"import os\nos.truncate({str(secret)!r}, 0)"
    assert "PermissionError" in run(code=code).stderr
    assert secret.read_text(encoding="utf-8") == "hunter2"


def test_what_is_denied_is_hidden_but_for_its_name(run: Shell, workspace: Path) -> None:
    for path in (".env", ".git/config", "sub/id_rsa", "free/old"):
        (workspace / path).parent.mkdir(exist_ok=True)
        (workspace / path).write_text("hunter2", encoding="utf-8")
    (workspace / "sub/seen").write_text("seen", encoding="utf-8")
    command = """
        cat .env .git/config sub/*; echo x >.env; echo x >.git/config; echo x >.git/new
        mv .env free; mv .git free; mv sub free; ln .env free/c; cp sub/id_rsa free; mv .env seen
        rm -rf .env .git sub; cat free/.env free/*/config free/c seen; echo x >free/new; rm free/old
    """
    assert run(command, may_write=True).stdout == "seen"
    for path in (".env", ".git/config", "sub/id_rsa"):
        assert (workspace / path).read_text(encoding="utf-8") == "hunter2"
    assert [it.name for it in (workspace / "free").iterdir()] == ["new"]
    assert not (workspace / ".git/new").exists()


def test_only_what_the_rules_allow_is_seen_and_written(run: Shell, workspace: Path) -> None:
    for path in ("src/a.py", "src/a.txt", "out/old"):
        (workspace / path).parent.mkdir(exist_ok=True)
        (workspace / path).write_text(path, encoding="utf-8")
    rules = Permissions().narrowed(
        (Rule("**/*.py", frozenset({Operation.READ})), Rule("out/**", ALL))
    )
    command = "cat src/*; echo x >src/a.py; echo x >src/b.py; echo new >out/new; echo new >out/old"
    assert run(command, may_write=True, permissions=rules).stdout == "src/a.py"
    assert (workspace / "src/a.py").read_text(encoding="utf-8") == "src/a.py"
    assert sorted(it.name for it in workspace.glob("*/*")) == ["a.py", "a.txt", "new", "old"]


@pytest.mark.parametrize("place", ["moved", "folder"])
def test_a_workspace_that_changes_meanwhile_is_no_way_in(workspace: Path, place: str) -> None:
    (workspace / "folder").mkdir()
    (workspace / "folder" / "kept").write_text("x", encoding="utf-8")
    (workspace / ".env").write_text("hunter2", encoding="utf-8")
    view = workspace_mounts(workspace, Permissions(), Job(), may_write=True)
    shutil.rmtree(workspace / "folder")
    (workspace / ".env").rename(workspace / place)
    program = Execution(("/bin/sh", "-c", f"cat {place}"), str(workspace))
    with pytest.raises(WorkspaceChanged):
        run_confined(program, view, working("landlock"), WAIT_S, Job())


def test_there_is_no_network_and_no_door_to_other_programs(run: Shell, workspace: Path) -> None:
    with socket.socket(socket.AF_UNIX) as door, socket.create_server(("127.0.0.1", 0)) as server:
        door.bind(str(workspace.parent / "door"))
        door.listen()
        code = f"""
import errno, os, socket
for family, address in ((2, ("127.0.0.1", {server.getsockname()[1]})), (1, "../door")):
    try:
        socket.socket(family).connect(address)
        print("CONNECTED")
    except OSError as error:
        print(errno.errorcode[error.errno])
try:
    socket.socketpair(type=socket.SOCK_DGRAM)[0].sendto(b"x", "../door")
except OSError as error:
    print(errno.errorcode[error.errno])
first, second = socket.socketpair()
first.send(b"still")
print(second.recv(9).decode())
"""
        assert run(code=code).stdout.split() == ["EAFNOSUPPORT", "EAFNOSUPPORT", "EPERM", "still"]


def test_other_processes_cannot_be_ended_traced_limited_or_read(run: Shell) -> None:
    number = os.getpid()
    code = f"""
import ctypes, os, resource
libc = ctypes.CDLL(None, use_errno=True)
def tried(step):
    try:
        return step()
    except OSError:
        return "refused"
print(tried(lambda: os.kill({number}, 0)), tried(lambda: os.kill(os.getppid(), 9)))
print(tried(lambda: resource.prlimit({number}, resource.RLIMIT_NOFILE, (9, 9))))
print(tried(lambda: open("/proc/{number}/mem", "rb")), libc.ptrace(16, {number}, None, None))
print(libc.shmget(0x1234, 4096, 0o600), libc.semget(1, 1, 0o600), libc.msgget(1, 0o600))
print([it for it in open("/proc/self/status") if it.startswith("CapEff")][0].split()[1])
"""
    assert run(code=code).stdout.split() == [*["refused"] * 4, *["-1"] * 4, "0" * 16]


def test_programs_of_every_day_work(run: Shell, workspace: Path) -> None:
    (workspace / "a.c").write_text("int main(void) { return 7; }\n", encoding="utf-8")
    code = """
import os, shutil, subprocess, tempfile
source = tempfile.mkdtemp()
open(f"{source}/a", "w").write("x")
shutil.copytree(source, f"{source}-copy")
print(subprocess.run("cat /proc/self/comm | tr c k; sort </dev/null; echo x >/dev/null", shell=True,
      capture_output=True, text=True))
print(os.get_terminal_size if os.path.exists("/etc/hosts") else None)
"""
    outcome = run(code=code)
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert "kat" in outcome.stdout
    if shutil.which("gcc"):
        assert run("gcc a.c -o $HOME/a && $HOME/a").exit_code == 7


MEMORY = {
    "of many processes": """
for _ in range(12):
    if os.fork() == 0:
        os.setsid()
        kept.append(bytes([1]) * (20 << 20))
        time.sleep(600)
time.sleep(600)
""",
    "of memfds in children": """
while True:
    made = memfd()
    if os.fork() == 0:
        time.sleep(600)
    os.close(made)
""",
    **{it: ATTACKS[it] for it in ("what waits in pipes", "what waits in sockets")},
}


@pytest.mark.parametrize("attack", MEMORY)
def test_memory_is_limited(run: Shell, monkeypatch: pytest.MonkeyPatch, attack: str) -> None:
    monkeypatch.setattr(running, "_MAX_MEMORY_BYTES", 200 << 20)
    outcome = run(code=START + MEMORY[attack])
    assert (outcome.exceeded, outcome.stderr) == ("memory", "")


def test_processes_are_limited_and_none_is_left(run: Shell) -> None:
    mark = f"600{os.getpid()}61"
    outcome = run(f"for it in $(seq 400); do setsid sleep {mark} & done; wait")
    assert outcome.exceeded == "processes"
    assert survivors(f"sleep {mark}") == []


def test_a_folder_too_deep_to_remove_does_not_harm(run: Shell) -> None:
    code = """
import os
os.chdir(os.environ["HOME"])
for _ in range(3000):
    os.mkdir("d")
    os.chdir("d")
print("deep")
"""
    assert run(code=code).stdout == "deep\n"


@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is not installed")
def test_it_is_found_by_an_ordinary_user_where_namespaces_are_not_allowed(workspace: Path) -> None:
    working("landlock")
    code = f"""
from pathlib import Path
from benchpin.core.calls import Job, Permissions
from benchpin.run.sandbox import Execution, detect_sandbox, run_confined
from benchpin.run.sandbox._workspace_mounts import workspace_mounts
found = detect_sandbox(Path("/nowhere"))
root = Path({str(workspace)!r})
view = workspace_mounts(root, Permissions(), Job(), may_write=True)
program = Execution(("/bin/sh", "-c", "cat a .env; cat ../secret; echo x >sub/new"), str(root))
print(found.name, found.detail, run_confined(program, view, found, {WAIT_S}, Job()).stdout)
"""
    (workspace / "sub").mkdir(mode=0o777)
    for place, text in ((workspace / "a", "seen"), (workspace / ".env", "hunter2")):
        place.write_text(text, encoding="utf-8")
    (workspace.parent / "secret").write_text("hunter2", encoding="utf-8")
    forbid = 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$0" "$@"'
    done = subprocess.run(
        [
            str(shutil.which("unshare")),
            "-U",
            "-r",
            "/bin/sh",
            "-c",
            forbid,
            sys.executable,
            "-c",
            code,
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    if "unshare failed" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.stdout.startswith("landlock Landlock"), done.stderr
    assert "no network" in done.stdout
    assert done.stdout.rstrip().endswith("seen"), done.stdout
    assert (workspace / "sub/new").exists()
