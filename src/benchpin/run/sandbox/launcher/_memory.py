"""Count the memory of all processes of a program together.

A process shows what it has mapped and touched. Shared memory can be held in other ways: by a
descriptor that waits in a socket, by a mapping of one page, by pages that were dropped from the
page table. No file of /proc shows those, so the shared memory of the whole machine is watched too:
when it has grown by more than the limit, a program that is able to hide shared memory is stopped.
"""

# Importing pathlib, typing or contextlib takes as long as starting the interpreter.
# ruff: noqa: PTH115, PTH116, PTH123, PTH208

from __future__ import annotations

import os
import stat
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FOLDERS = ("/tmp", "/dev/shm", "/run/benchpin")  # noqa: S108 - each a tmpfs of the sandbox
_INODE_BYTES = 2048  # with its name; measured: 1,100 for a short one
_SEMAPHORE_BYTES = 64  # struct sem fills a cache line
_MESSAGE_BYTES = 64  # of the kernel, for each message
_STREAM_BYTES = 2 * 212_992  # the default of wmem_max, which SO_SNDBUF doubles
_DATAGRAM_BYTES = 11 * _STREAM_BYTES  # net.unix.max_dgram_qlen and one more
# What may wait in a Unix socket, by its type in /proc/net/unix.
_SOCKET_BYTES = {"0001": _STREAM_BYTES, "0002": _DATAGRAM_BYTES, "0005": _STREAM_BYTES}
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
# Of a pipe, the most that F_SETPIPE_SZ allows, and what it has when its user has very many.
_MAX_PIPE_BYTES, _MIN_PIPE_BYTES = 1 << 20, 2 * _PAGE
_SHARED_MAPS = ("/memfd:", "/dev/zero (deleted)", "/SYSV")
_MAX_MAPS_BYTES = 1 << 20
_EXACT_EVERY_S = 1.0
# A program that takes longer to look into, with very many mappings, is judged by the quick one.
_EXACT_S = 1.0


class MemoryWatch:
    """Compares the memory of a program with its limit."""

    def __init__(self, max_bytes: int, *, is_alone: bool) -> None:
        """Start to watch; the program must not run yet.

        It `is_alone` in namespaces of its own; else tmpfs, System V and sockets are everybody's.
        """
        self._max_bytes = max_bytes
        self._is_alone = is_alone
        self._shared_before = _shared_of_machine()
        self._exact_ended, self._exact_took = time.monotonic(), 0.0

    def is_exceeded(self, processes: list[str]) -> bool:
        """Whether the processes together hold more than the limit."""
        kernel = held = 0
        if self._is_alone:
            folders = _folders()
            kernel, held = _kernel_bytes(folders), _held_bytes(folders)
        grown = _shared_of_machine() - self._shared_before
        private, mapped = _sum(_resident(it) for it in processes)
        pipes = _pipe_bytes(sum(map(_descriptor_count, processes)))
        is_suspect = private + kernel + pipes + max(mapped, held, grown) > self._max_bytes
        started = time.monotonic()
        # A pause as long as the last count: the program cannot keep us busy with counting.
        pause = max(0 if is_suspect else _EXACT_EVERY_S, self._exact_took)
        if started < self._exact_ended + pause:
            return False
        try:
            is_exceeded = self._is_exactly_exceeded(processes, kernel, held, grown)
        except TimeoutError:
            is_exceeded = is_suspect
        self._exact_ended = time.monotonic()
        self._exact_took = self._exact_ended - started
        return is_exceeded

    def _is_exactly_exceeded(
        self, processes: list[str], kernel: int, held: int, grown: int
    ) -> bool:
        until = time.monotonic() + _EXACT_S
        private, mapped = _sum(_proportional(it) for it in _in_time(processes, until))
        if private + kernel + max(mapped, held) > self._max_bytes:
            return True
        # By identity: several processes may have the same one.
        found: dict[str, dict[object, int]] = {"memfd": {}, "pipe": {}, "socket": {}}
        for process in _in_time(processes, until):
            for kind, identity, size in _holders(process):
                found[kind][identity] = size
        memfds = found["memfd"]
        kernel += _pipe_bytes(len(found["pipe"]))
        if not self._is_alone:  # else they are counted, also those that wait in others
            kernel += len(found["socket"]) * _STREAM_BYTES
        if private + kernel + max(mapped, held + sum(memfds.values())) > self._max_bytes:
            return True
        is_hidden = private + kernel + grown > self._max_bytes
        return is_hidden and any(_can_hide(it) for it in _in_time(processes, until))


def _in_time(processes: list[str], until: float) -> Iterator[str]:
    for process in processes:
        if time.monotonic() > until:
            raise TimeoutError
        yield process


def _sum(sizes: Iterable[tuple[int, int]]) -> tuple[int, int]:
    private = shared = 0
    for of_process in sizes:
        private += of_process[0]
        shared += of_process[1]
    return private, shared


def _resident(process: str) -> tuple[int, int]:
    """Return the private and the shared memory of a process in bytes, without mapped files.

    Pages that several processes share are counted in each.
    """
    for task in _tasks(process):
        sizes = _sizes(f"{task}/status")
        if "RssAnon" in sizes:
            private = sizes["RssAnon"] + sizes.get("VmSwap", 0) + sizes.get("VmPTE", 0)
            return private, sizes["RssShmem"]
    return 0, 0


def _proportional(process: str) -> tuple[int, int]:
    """Return what `_resident` does, with the process's share of pages that others have too."""
    for task in _tasks(process):
        sizes = _sizes(f"{task}/smaps_rollup")
        if "Pss_Anon" in sizes:
            return sizes["Pss_Anon"] + sizes.get("SwapPss", 0), sizes["Pss_Shmem"]
    return _resident(process)  # an old kernel, or a process that cannot be looked into


def _tasks(process: str) -> Iterator[str]:
    """Yield the folders of a process and of its threads: when the first has ended, it is empty."""
    yield f"/proc/{process}"
    yield from (f"/proc/{process}/task/{it}" for it in _names(f"/proc/{process}/task"))


def _sizes(path: str) -> dict[str, int]:
    """Read the sizes of a file with lines such as `RssAnon:  12 kB`, in bytes."""
    sizes = {}
    for line in _lines(path):
        words = line.split()
        if len(words) == 3 and words[2] == "kB":  # noqa: PLR2004 - name, number, unit
            sizes[words[0][:-1]] = 1024 * int(words[1])
    return sizes


def _shared_of_machine() -> int:
    return _sizes("/proc/meminfo").get("Shmem", 0)


def _folders() -> list[os.statvfs_result]:
    found = []
    for path in _FOLDERS:
        try:
            found.append(os.statvfs(path))
        except OSError:
            continue
    return found


def _held_bytes(folders: list[os.statvfs_result]) -> int:
    """Return the shared memory that exists without being mapped: tmpfs and System V segments."""
    total = sum((it.f_blocks - it.f_bfree) * it.f_frsize for it in folders)
    return total + sum(int(it["rss"]) + int(it["swap"]) for it in _system_v("shm"))


def _kernel_bytes(folders: list[os.statvfs_result]) -> int:
    """Return about how much the kernel holds for the program in tables and queues."""
    total = sum((it.f_files - it.f_ffree) * _INODE_BYTES for it in folders)
    total += sum(int(it["nsems"]) * _SEMAPHORE_BYTES for it in _system_v("sem"))
    for queue in _system_v("msg"):
        total += int(queue["cbytes"]) + int(queue["qnum"]) * _MESSAGE_BYTES
    # Address, references, protocol, flags, type; the network namespace is the program's own.
    types = [line.split()[4] for line in _lines("/proc/net/unix")[1:]]
    return total + sum(_SOCKET_BYTES.get(it, 0) for it in types)


def _system_v(kind: str) -> Iterator[dict[str, str]]:
    header, *rows = _lines(f"/proc/sysvipc/{kind}") or [""]
    for row in rows:
        yield dict(zip(header.split(), row.split(), strict=False))


def _pipe_bytes(count: int) -> int:
    """Return the most that may wait in so many pipes of one user."""
    pages = _text("/proc/sys/fs/pipe-user-pages-soft").strip()  # 0: as many as it likes
    most = count * _MAX_PIPE_BYTES
    return min(most, int(pages) * _PAGE + count * _MIN_PIPE_BYTES) if int(pages or 0) else most


def _descriptor_count(process: str) -> int:
    """Return how many descriptors a process has open; pipes are among them."""
    try:
        size = os.stat(f"/proc/{process}/fd").st_size  # Linux 6.2
    except OSError:
        return 0
    return size or len(_names(f"/proc/{process}/fd"))


def _holders(process: str) -> Iterator[tuple[str, object, int]]:
    """Yield what a process has open that holds memory: the kind, which one, and its size."""
    for path in _open_descriptors(process):
        try:
            target = os.readlink(path)
            if target.startswith("socket:"):
                yield "socket", target, 0
                continue
            if target.startswith("anon_inode:"):
                continue
            status = os.stat(path)
        except OSError:
            continue
        identity = status.st_dev, status.st_ino
        if target.startswith("/memfd:"):
            yield "memfd", identity, 512 * status.st_blocks
        elif stat.S_ISFIFO(status.st_mode):
            yield "pipe", identity, 0


def _open_descriptors(process: str) -> list[str]:
    """Return the descriptors of a process; of one of its threads when the first has ended."""
    return next(filter(None, map(_descriptors, _tasks(process))), [])


def _can_hide(process: str) -> bool:
    """Whether a process may hold shared memory that `is_exceeded` does not see."""
    if process == str(os.getpid()):
        return False
    for task in _tasks(process):
        try:
            links = [os.readlink(it) for it in _descriptors(task)]
        except OSError:
            return True
        if any(it.startswith(("/memfd:", "socket:")) for it in links):
            return True
    maps = _text(f"/proc/{process}/maps", _MAX_MAPS_BYTES)
    return len(maps) in {0, _MAX_MAPS_BYTES} or any(name in maps for name in _SHARED_MAPS)


def _descriptors(task: str) -> list[str]:
    return [f"{task}/fd/{it}" for it in _names(f"{task}/fd")]


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # ended, or a process that cannot be looked into
        return []


def _lines(path: str) -> list[str]:
    return _text(path).splitlines()


def _text(path: str, max_chars: int = -1) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(max_chars)
    except OSError:
        return ""
