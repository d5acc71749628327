"""The sandbox of this machine, and the program to run in it."""

import codecs
import hashlib
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from benchpin._version import __version__
from benchpin.core.own_files import read_own
from benchpin.system.processes import find_program
from benchpin.workspace.writing import write_cache

if TYPE_CHECKING:
    from ._detection import Bubblewrap

UNCONFINED = "none"
LANDLOCK = "landlock"
_FILE = "sandbox-works"
# This boot, and what allows or forbids namespaces; not every kernel has all of them.
_KERNEL = (
    "/proc/sys/kernel/random/boot_id",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/self/attr/current",
)
_NAMESPACES = ("/proc/self/ns/user", "/proc/self/ns/mnt", "/proc/self/ns/pid")
_PRIVILEGES = ("CapBnd", "CapEff", "NoNewPrivs", "Seccomp")
KEPT_BYTES = 32 * 1024
_CONTINUATION_BYTES = range(0x80, 0xC0)


@dataclass(frozen=True, slots=True)
class Execution:
    """A command line and its working directory."""

    argv: tuple[str, ...]
    cwd: str
    script: str | None = None
    """Text to write to a file, whose path becomes the last argument."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables in addition to those that every program gets."""
    toolchains: tuple[Path, ...] = ()
    """Folders to show, read-only, in addition to those that the operator allows."""
    kept_bytes: int = KEPT_BYTES
    """How much of stdout is kept, and of stderr; the middle is cut."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A kind of sandbox; `name` is UNCONFINED when none works, and `detail` says why."""

    name: str
    detail: str
    bubblewrap: "Bubblewrap | None" = None

    @property
    def confines(self) -> bool:
        """Whether programs are confined at all."""
        return self.name != UNCONFINED

    @property
    def remedy(self) -> str:
        """What brings a sandbox to a machine without one."""
        is_linux = sys.platform == "linux"
        return "Install bubblewrap" if is_linux else "Run Benchpin in a container or on Linux"


def detect_sandbox(root: Path) -> Sandbox:
    """Return the strongest sandbox that works here, without programs of the workspace."""
    return _probed(find_program("bwrap", root))


@cache
def _probed(bubblewrap: str | None) -> Sandbox:
    """Probe once for each program: it takes a tenth of a second."""
    if sys.platform != "linux":
        return Sandbox(UNCONFINED, "programs can be confined on Linux only")
    from ._detection import find_strongest  # noqa: PLC0415 - exists on Linux only

    return find_strongest(bubblewrap)


# Whether programs can be confined here, remembered from one start to the next.
#
# Probing starts programs and takes a tenth of a second, and a server needs the answer for its first
# list of tools. Only "yes" is remembered, under everything that it depends on. It decides what is
# listed, not what is run: every run still probes, and refuses where nothing confines.


def can_confine(root: Path, memory: Path) -> bool:
    """Whether a sandbox works here; `memory` is the folder in which a yes is kept."""
    if sys.platform == "linux" and _is_remembered(memory / _FILE, _key(root)):
        return True
    return detect_sandbox(root).confines


def remember(root: Path, memory: Path) -> None:
    """Keep that a sandbox works here."""
    if sys.platform != "linux" or _is_remembered(memory / _FILE, _key(root)):
        return
    write_cache(memory / _FILE, _key(root).encode())


def _is_remembered(place: Path, key: str) -> bool:
    with suppress(OSError):
        return read_own(place) == key.encode()
    return False


def _key(root: Path) -> str:
    return hashlib.sha256("\n".join(_circumstances(root)).encode(errors="replace")).hexdigest()


def _circumstances(root: Path) -> Iterator[str]:
    """Yield everything that the answer depends on."""
    yield from (__version__, sys.executable, *os.uname(), f"{os.getuid()}:{os.getgid()}")
    program = find_program("bwrap", root)
    with suppress(OSError):  # it may be removed in this moment
        found = Path(program or "").stat()
        yield f"{program} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_mode}"
    for path in _KERNEL:
        with suppress(OSError):
            yield f"{path} {Path(path).read_text(encoding='utf-8', errors='replace')}"
    for path in _NAMESPACES:
        with suppress(OSError):
            yield f"{path} {Path(path).readlink()}"
    with suppress(OSError):
        status = Path("/proc/self/status").read_text(encoding="utf-8", errors="replace")
        yield from (it for it in status.splitlines() if it.startswith(_PRIVILEGES))


# Keep the beginning and the end of an output of any length.


class OutputCapture:
    """Collects an output in pieces; holds at most 1.5 times `kept_bytes` and one piece."""

    def __init__(self, kept_bytes: int = KEPT_BYTES) -> None:
        """Keep at most this many bytes: half from the beginning, half from the end."""
        self._half = kept_bytes // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def add(self, piece: bytes) -> None:
        """Append the next piece."""
        self._total += len(piece)
        room = self._half - len(self._head)
        self._head += piece[:room]
        self._tail += piece[room:]
        # Cut at twice the size, so that small pieces do not each move the whole tail.
        if len(self._tail) > 2 * self._half:
            del self._tail[: -self._half]

    def finish(self) -> tuple[str, int]:
        """Return the text, invalid UTF-8 replaced, and how many bytes were cut from its middle."""
        if self._total <= 2 * self._half:
            return (self._head + self._tail).decode(errors="replace"), 0
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        head = decoder.decode(self._head)
        tail = self._tail[-self._half :]
        # Drop the rest of a character that the cut split: at most three continuation bytes.
        while tail and tail[0] in _CONTINUATION_BYTES and len(tail) > self._half - 4:
            del tail[0]
        incomplete, _ = decoder.getstate()
        cut = self._total - len(self._head) + len(incomplete) - len(tail)
        return f"{head}\n[{cut:,} bytes cut]\n{tail.decode(errors='replace')}", cut
