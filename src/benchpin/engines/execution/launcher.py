"""Confine this process, start a program in it, and see to it that nothing outlives the program.

This file is run by itself, in an interpreter of its own and without Benchpin: inside bubblewrap,
where bubblewrap has built the walls, or alone, where it builds them. It gets its orders as one line
of JSON over a socket and answers on it with one line; when the other end closes, everything ends.

    server ── socket ── launcher (process 1 of its namespace) ── program and whatever it starts
"""

import base64
import ctypes
import json
import os
import resource
import select
import signal
import socket
import sys
from typing import Literal, NoReturn, TypedDict


class Mount(TypedDict):
    """Something at a place in the file system that the program sees."""

    kind: Literal["bind", "dev", "proc", "symlink", "tmpfs"]
    target: str
    source: str
    is_writable: bool
    size_bytes: int
    hides: bool
    """Covers what lies there; without anything there, there is nothing to do."""


class Walls(TypedDict):
    """The namespaces to build."""

    mounts: list[Mount]


class Orders(TypedDict):
    """What to start and how to confine it."""

    argv: list[str]
    folder: str
    environment: dict[str, str]
    files: dict[str, str]
    limits: dict[str, int]
    niceness: int
    walls: Walls | None
    writable: list[str] | None
    """The only places to write beneath, for Landlock; None leaves Landlock out."""
    filter: str | None
    """The system call filter, in base64."""
    most_processes: int | None
    most_memory_bytes: int | None


class Ending(TypedDict, total=False):
    """How it ended; one of these."""

    exit_code: int
    signal: int
    exceeded: Literal["processes", "memory"]
    error: str


_TICK_MS = 50

_libc = ctypes.CDLL(None, use_errno=True)

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_CAPBSET_DROP = 1, 4, 22, 24
_PR_SET_CHILD_SUBREAPER, _PR_SET_NO_NEW_PRIVS = 36, 38
_SECCOMP_MODE_FILTER = 2

_NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x60000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REC, _MS_PRIVATE = 2, 4, 8, 0x4000, 1 << 18
_MNT_DETACH = 2
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
_AT_FDCWD, _AT_EMPTY_PATH, _AT_RECURSIVE = -100, 0x1000, 0x8000
_OPEN_TREE_CLONE, _MOVE_FROM_FD = 1, 4
_READ_ONLY, _NO_SETUID, _NO_DEVICES = 1, 2, 4

_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_LANDLOCK_SIZES = {1: 8, 2: 8, 3: 8, 4: 16, 5: 16}
_LANDLOCK_FILE_BITS = {1: 13, 2: 14, 3: 15, 4: 15}


def main() -> NoReturn:
    """Follow the orders that come in on the socket whose number is the argument."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    channel.set_inheritable(False)
    with channel.makefile("rb") as lines:
        orders: Orders = json.loads(lines.readline())
    try:
        _prepare(orders)
        main_child = _start(orders, channel)
    except OSError as error:
        _answer(channel, {"error": str(error)})
        os._exit(1)
    _answer(channel, _supervise(orders, channel, main_child))
    _end_descendants()
    os._exit(0)


def _prepare(orders: Orders) -> None:
    walls = orders["walls"]
    if walls is not None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
            score.write("1000")
        _enter_namespaces()
        _build(walls["mounts"])
        _drop_capabilities()
    if sys.platform == "linux":
        if orders["filter"] is not None:
            _prctl(_PR_SET_NO_NEW_PRIVS, 1)
            _prctl(_PR_SET_DUMPABLE, 0)
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    for place, text in orders["files"].items():
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)


def _start(orders: Orders, channel: socket.socket) -> int:
    """Start the program, and return its number."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    child = os.fork()
    if child:
        return child
    try:
        for number in (*signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP},):
            if signal.getsignal(number) not in {signal.SIG_DFL, None}:
                signal.signal(number, signal.SIG_DFL)
        os.setsid()
        os.nice(orders["niceness"])
        os.chdir(orders["folder"])
        for name, most in orders["limits"].items():
            _limit(name, most)
        if orders["writable"] is not None:
            _restrict_files(orders["writable"])
        if orders["filter"] is not None:
            _filter_calls(base64.b64decode(orders["filter"]))
        os.execve(orders["argv"][0], orders["argv"], orders["environment"])
    except (OSError, ValueError) as error:
        _answer(channel, {"error": str(error)})
    finally:
        os._exit(127)


def _answer(channel: socket.socket, ending: Ending) -> None:
    try:
        channel.sendall(json.dumps(ending).encode() + b"\n")
    except OSError:
        pass  # nobody listens any more


def _supervise(orders: Orders, channel: socket.socket, main_child: int) -> Ending:
    """Wait for the program, bury orphans, and watch what all processes take together."""
    woken, wakes = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC) if hasattr(os, "pipe2") else os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    events = select.poll()
    events.register(channel, select.POLLIN)
    events.register(woken, select.POLLIN)
    is_watched = orders["most_processes"] is not None
    while True:
        ending = _bury(main_child)
        if ending is not None:
            return ending
        exceeded = _exceeded(orders) if is_watched else None
        if exceeded is not None:
            return {"exceeded": exceeded}
        ready = dict(events.poll(_TICK_MS if is_watched else None))
        if channel.fileno() in ready:
            return {"signal": signal.SIGKILL}
        if woken in ready:
            os.read(woken, 4096)


def _bury(main_child: int) -> Ending | None:
    """Reap the dead; return how the program ended, if it did."""
    ending: Ending | None = None
    while True:
        try:
            dead, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ending
        if not dead:
            return ending
        if dead == main_child:
            code = os.waitstatus_to_exitcode(status)
            ending = {"exit_code": code} if code >= 0 else {"signal": -code}


def _exceeded(orders: Orders) -> Literal["processes", "memory"] | None:
    """Look at everything in this process namespace; limits of the kernel do not hold for root."""
    numbers = [name for name in os.listdir("/proc") if name.isdigit()]
    if len(numbers) - 1 > (orders["most_processes"] or 0):
        return "processes"
    total = sum(_memory_of(number) for number in numbers)
    return "memory" if total > (orders["most_memory_bytes"] or 0) else None


def _memory_of(number: str) -> int:
    """Return the bytes that a process has to itself or shares with others of its kind."""
    try:
        with open(f"/proc/{number}/status", encoding="utf-8", errors="replace") as lines:
            return 1024 * sum(
                int(line.split()[1]) for line in lines if line.startswith(("RssAnon", "RssShmem"))
            )
    except (OSError, IndexError):
        return 0


def _end_descendants() -> None:
    """Kill what is left; orphans come to us, so in the end nothing is.

    Process 1 of a namespace need not bother: the kernel kills the others when it ends.
    """
    while os.getpid() != 1 and sys.platform == "linux":
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as listing:
            children = listing.read().split()
        if not children:
            return
        for child in children:
            os.kill(int(child), signal.SIGKILL)
        os.waitpid(-1, 0)


def _enter_namespaces() -> None:
    """Become process 1 of namespaces of our own; the process outside waits for it and ends."""
    user, group = os.getuid(), os.getgid()
    _check(_libc.unshare(_NAMESPACES), "new namespaces")
    for file, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{file}", "w", encoding="ascii") as out:
            out.write(text)
    inside = os.fork()
    if inside:
        os.closerange(0, 256)
        os.waitpid(inside, 0)
        os._exit(0)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _build(mounts: list[Mount]) -> None:
    """Put together the file system that the program sees, and leave the old one behind."""
    _check(_libc.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None), "private mounts")
    pieces = {
        place: _piece(mount["source"], is_writable=mount["is_writable"])
        for place, mount in enumerate(mounts)
        if mount["kind"] == "bind"
    }
    root = "/tmp"  # noqa: S108 - any folder will do: the new root is mounted over it
    _mount("tmpfs", root, _MS_NOSUID | _MS_NODEV, "mode=0755,size=16m")
    os.umask(0o022)
    for place, mount in enumerate(mounts):
        target = root + mount["target"] if mount["target"] != "/" else root
        if mount["kind"] == "symlink":
            os.symlink(mount["source"], target)
        elif place not in pieces:
            _mount_new(mount, target)
        elif os.path.lexists(target) or not mount["hides"]:
            _place(pieces[place], target)
    _forbid_user_namespaces(root)
    for mount in mounts:
        if mount["kind"] in {"dev", "proc", "tmpfs"} and not mount["is_writable"]:
            _set_attributes(_AT_FDCWD, root + mount["target"], 0, _READ_ONLY)
    os.chdir(root)
    _set_attributes(_AT_FDCWD, ".", 0, _READ_ONLY)
    _check(_libc.pivot_root(b".", b"."), "pivot_root")
    _check(_libc.umount2(b".", _MNT_DETACH), "leaving the old root")
    os.chdir("/")


def _piece(source: str, *, is_writable: bool, is_device: bool = False) -> int:
    """Return a mount of its own of a file or folder of the outside, not placed yet."""
    flags = _OPEN_TREE_CLONE | _AT_RECURSIVE | os.O_CLOEXEC
    piece = _syscall(_OPEN_TREE, _AT_FDCWD, os.fsencode(source), flags, what=source)
    attributes = _NO_SETUID
    attributes |= 0 if is_device else _NO_DEVICES
    attributes |= 0 if is_writable else _READ_ONLY
    _set_attributes(piece, "", _AT_EMPTY_PATH | _AT_RECURSIVE, attributes)
    return piece


def _place(piece: int, target: str) -> None:
    if not os.path.lexists(target):
        if os.path.isdir(f"/proc/self/fd/{piece}"):
            os.makedirs(target)
        else:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o444))
    arguments = (piece, b"", _AT_FDCWD, os.fsencode(target), _MOVE_FROM_FD)
    _syscall(_MOVE_MOUNT, *arguments, what=target)
    os.close(piece)


def _mount_new(mount: Mount, target: str) -> None:
    if not os.path.isdir(target):
        if mount["hides"]:
            return
        os.makedirs(target)
    if mount["kind"] == "proc":
        _mount("proc", target, _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, "")
        return
    options = f"mode=0755,size={mount['size_bytes']}"
    _mount("tmpfs", target, _MS_NOSUID | _MS_NODEV, options)
    if mount["kind"] == "dev":
        _furnish_devices(target)


def _furnish_devices(target: str) -> None:
    for name in ("null", "zero", "full", "random", "urandom", "tty"):
        piece = _piece(f"/dev/{name}", is_writable=True, is_device=True)
        _place(piece, f"{target}/{name}")
    for name, source in (
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
        ("ptmx", "pts/ptmx"),
    ):
        os.symlink(source, f"{target}/{name}")
    os.mkdir(f"{target}/pts")
    terminals = "newinstance,ptmxmode=0666,mode=620"
    _mount("devpts", f"{target}/pts", _MS_NOSUID | _MS_NOEXEC, terminals)


def _mount(kind: str, target: str, flags: int, options: str) -> None:
    done = _libc.mount(kind.encode(), os.fsencode(target), kind.encode(), flags, options.encode())
    _check(done, f"{kind} on {target}")


def _set_attributes(folder: int, path: str, flags: int, attributes: int) -> None:
    wanted = (ctypes.c_uint64 * 4)(attributes, 0, 0, 0)
    _syscall(
        _MOUNT_SETATTR, folder, os.fsencode(path), flags, wanted, ctypes.sizeof(wanted), what=path
    )


def _forbid_user_namespaces(root: str) -> None:
    """Set this user namespace's own limit; the filter for system calls says the same."""
    try:
        with open(f"{root}/proc/sys/user/max_user_namespaces", "w", encoding="ascii") as limit:
            limit.write("0")
    except OSError:
        pass  # the filter for system calls says the same


def _drop_capabilities() -> None:
    with open("/proc/sys/kernel/cap_last_cap", encoding="ascii") as last:
        for capability in range(int(last.read()) + 1):
            _prctl(_PR_CAPBSET_DROP, capability)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    _check(_libc.capset(header, (ctypes.c_uint32 * 6)()), "dropping capabilities")


def _limit(name: str, most: int) -> None:
    kind = getattr(resource, name, None)
    if kind is None:
        return
    _, hard = resource.getrlimit(kind)
    least = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (least, least))


def _restrict_files(writable: list[str]) -> None:
    """Have Landlock let the program write only beneath some places, and nowhere connect to."""
    version = _libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return
    everything = (1 << _LANDLOCK_FILE_BITS.get(version, 16)) - 1
    # Files, then TCP both ways, then abstract sockets and signals.
    handled = (ctypes.c_uint64 * 3)(everything, 3, 3)
    size = _LANDLOCK_SIZES.get(version, 24)
    rules = _syscall(_LANDLOCK_CREATE, handled, ctypes.c_size_t(size), 0, what="Landlock")
    existing = _READ_FILE | _READ_DIR | _WRITE_FILE | _TRUNCATE | _IOCTL_DEV
    _allow(rules, "/", _EXECUTE | _READ_FILE | _READ_DIR)
    _allow(rules, "/dev", existing & everything)
    for place in writable:
        _allow(rules, place, everything)
    _syscall(_LANDLOCK_RESTRICT, rules, 0, what="Landlock")
    os.close(rules)


def _allow(rules: int, place: str, rights: int) -> None:
    folder = os.open(place, os.O_PATH | os.O_CLOEXEC)
    rule = rights.to_bytes(8, sys.byteorder) + folder.to_bytes(4, sys.byteorder)
    _syscall(_LANDLOCK_ADD, rules, 1, rule, 0, what=place)
    os.close(folder)


def _filter_calls(program: bytes) -> None:
    instructions = ctypes.create_string_buffer(program, len(program))

    class _Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))

    whole = _Program(len(program) // 8, ctypes.addressof(instructions))
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(whole))


def _prctl(option: int, *arguments: object) -> None:
    padded = [ctypes.c_ulong(it) if isinstance(it, int) else it for it in (*arguments, 0, 0, 0, 0)]
    _check(_libc.prctl(option, *padded[:4]), f"prctl {option}")


def _syscall(number: int, *arguments: object, what: str) -> int:
    typed = [ctypes.c_long(it) if isinstance(it, int) else it for it in arguments]
    done: int = _libc.syscall(ctypes.c_long(number), *typed)
    _check(done, what)
    return done


def _check(done: int, what: str) -> None:
    if done < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


if __name__ == "__main__":
    main()
