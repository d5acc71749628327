"""The command line of bubblewrap that shows a program a view and nothing else."""

import os
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .orders import Mount

_PROBE_TIMEOUT_S = 5
_OUT_OF_MEMORY_FIRST = '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; exec "$0" "$@"'


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """An installed bubblewrap and what it can do."""

    program: str
    version: str
    disables_namespaces: bool
    """Knows `--disable-userns` (0.8); the filter for system calls stands in for it."""
    sizes_memory: bool
    """Knows `--size` (0.5)."""

    def command(self, arguments_fd: int, inner: Iterable[str]) -> tuple[str, ...]:
        """Return the command line; if memory runs out, the kernel is to look here first."""
        outer = ("/bin/sh", "-c", _OUT_OF_MEMORY_FIRST, self.program)
        return (*outer, "--args", str(arguments_fd), "--", *inner)

    def arguments(self, mounts: Iterable[Mount]) -> bytes:
        """Return the walls, as `--args` reads them."""
        flags = ["--unshare-all", "--unshare-user", "--die-with-parent", "--as-pid-1"]
        flags += ["--cap-drop", "ALL", "--chdir", "/"]
        if self.disables_namespaces:
            flags.append("--disable-userns")
        read_only: list[str] = ["/"]
        for mount in mounts:
            flags += self._mount(mount)
            if mount["kind"] in {"dev", "proc", "tmpfs"} and not mount["is_writable"]:
                read_only.append(mount["target"])
        flags += [it for target in read_only for it in ("--remount-ro", target)]
        return b"".join(os.fsencode(flag) + b"\0" for flag in flags)

    def _mount(self, mount: Mount) -> Iterator[str]:
        target = mount["target"]
        match mount["kind"]:
            case "bind":
                yield from ("--bind" if mount["is_writable"] else "--ro-bind", mount["source"])
            case "symlink":
                yield from ("--symlink", mount["source"])
            case "tmpfs" if self.sizes_memory:
                yield from ("--size", str(mount["size_bytes"]), "--tmpfs")
            case kind:
                yield f"--{kind}"
        yield target


def ask(program: str) -> Bubblewrap:
    """Find out what an installed bubblewrap can do.

    Raises:
        OSError, SubprocessError: when it does not start.
    """
    shown = [
        subprocess.run(  # noqa: S603 - a fixed command, no input
            (program, option), capture_output=True, text=True, check=True, timeout=_PROBE_TIMEOUT_S
        ).stdout
        for option in ("--version", "--help")
    ]
    return Bubblewrap(
        program=program,
        version=shown[0].strip().rpartition(" ")[2],
        disables_namespaces="--disable-userns" in shown[1],
        sizes_memory="--size " in shown[1],
    )
