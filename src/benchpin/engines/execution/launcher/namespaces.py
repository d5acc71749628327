"""New namespaces, with a file system that contains only what the program may see."""

# Importing pathlib, typing or contextlib takes as long as starting the interpreter.
# ruff: noqa: PTH102, PTH103, PTH112, PTH120, PTH123, PTH211

from __future__ import annotations

import ctypes
import os

from .libc import (
    AT_EMPTY_PATH,
    AT_FDCWD,
    AT_RECURSIVE,
    SIGKILL,
    check,
    libc,
    prctl,
    syscall,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from benchpin.engines.execution.messages import Mount

_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP = 1, 24
# linux/sched.h: new mount, cgroup, UTS, IPC, user, PID and network namespaces.
_NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x60000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REC, _MS_PRIVATE = 2, 4, 8, 0x4000, 1 << 18
_MNT_DETACH = 2
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
_OPEN_TREE_CLONE, _MOVE_FROM_FD = 1, 4
_READ_ONLY, _NO_SETUID, _NO_DEVICES = 1, 2, 4


def enter_namespaces(mounts: list[Mount]) -> None:
    """Become process 1 of new namespaces with the given mounts, without capabilities.

    Raises:
        OSError: when the kernel refuses.
    """
    prctl(_PR_SET_PDEATHSIG, SIGKILL)
    # The out-of-memory killer prefers the highest score: the sandbox, not the server.
    _try_write("/proc/self/oom_score_adj", "1000")
    _unshare()
    _build_root(mounts)
    _drop_capabilities()


def _unshare() -> None:
    """Become process 1 of new namespaces; the process outside waits for it and ends with it."""
    user, group = os.getuid(), os.getgid()
    check(libc.unshare(_NAMESPACES), "new namespaces")
    for file, text in (
        ("setgroups", "deny"),  # the kernel requires it before gid_map
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{file}", "w", encoding="ascii") as out:
            out.write(text)
    # Only children of the caller of unshare(2) are in the new PID namespace.
    child = os.fork()
    if child:
        os.closerange(0, 1 << 16)  # or the pipes would stay open after the program ends
        os.waitpid(child, 0)
        os._exit(0)
    prctl(_PR_SET_PDEATHSIG, SIGKILL)  # fork clears it


def _build_root(mounts: list[Mount]) -> None:
    """Build the file system of the program and make it the root."""
    check(libc.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None), "private mounts")
    root = "/tmp"  # noqa: S108 - any folder works: the new root is mounted over it
    # Clone the sources below `root` first: the new root is about to cover them.
    trees = {
        index: _clone_tree(mount["source"], is_writable=mount["is_writable"])
        for index, mount in enumerate(mounts)
        if mount["kind"] == "bind" and f"{mount['source']}/".startswith(("//", f"{root}/"))
    }
    _mount("tmpfs", root, _MS_NOSUID | _MS_NODEV, "mode=0755,size=16m")
    os.umask(0o022)
    for index, mount in enumerate(mounts):
        target = root + mount["target"] if mount["target"] != "/" else root
        if mount["hides"] and not os.path.lexists(target):
            message = f"{mount['target']} is gone: the workspace has changed, try again"
            raise FileNotFoundError(message)
        if mount["kind"] == "symlink":
            os.symlink(mount["source"], target)
        elif index in trees:
            _attach(trees[index], target)
        elif mount["kind"] == "bind":
            _attach(_clone_tree(mount["source"], is_writable=mount["is_writable"]), target)
        else:
            _mount_new(mount, target)
    # The limit of this namespace only: no further ones inside it.
    _try_write(f"{root}/proc/sys/user/max_user_namespaces", "0")
    # Read-only last: the loop above creates mount points inside these.
    for mount in mounts:
        if mount["kind"] in {"dev", "proc", "tmpfs"} and not mount["is_writable"]:
            _set_attributes(AT_FDCWD, root + mount["target"], 0, _READ_ONLY)
    os.chdir(root)
    _set_attributes(AT_FDCWD, ".", 0, _READ_ONLY)
    # pivot_root(2), NOTES: with "." for both, the old root lies over the new one until detached.
    check(libc.pivot_root(b".", b"."), "pivot_root")
    check(libc.umount2(b".", _MNT_DETACH), "unmounting the old root")
    os.chdir("/")


def _clone_tree(source: str, *, is_writable: bool, is_device: bool = False) -> int:
    """Return a detached mount of a file or folder from outside."""
    flags = _OPEN_TREE_CLONE | AT_RECURSIVE | os.O_CLOEXEC
    tree = syscall(_OPEN_TREE, AT_FDCWD, os.fsencode(source), flags, what=source)
    attributes = _NO_SETUID
    attributes |= 0 if is_device else _NO_DEVICES
    attributes |= 0 if is_writable else _READ_ONLY
    _set_attributes(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, attributes)
    return tree


def _attach(tree: int, target: str) -> None:
    if not os.path.lexists(target):
        if os.path.isdir(f"/proc/self/fd/{tree}"):
            os.makedirs(target)
        else:
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o444))
    arguments = (tree, b"", AT_FDCWD, os.fsencode(target), _MOVE_FROM_FD)
    syscall(_MOVE_MOUNT, *arguments, what=target)
    os.close(tree)


def _mount_new(mount: Mount, target: str) -> None:
    os.makedirs(target, exist_ok=True)
    if mount["kind"] == "proc":
        _mount("proc", target, _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, "")
        return
    options = f"mode=0755,size={mount['size_bytes']}"
    _mount("tmpfs", target, _MS_NOSUID | _MS_NODEV, options)
    if mount["kind"] == "dev":
        _add_devices(target)


def _add_devices(target: str) -> None:
    for name in ("null", "zero", "full", "random", "urandom", "tty"):
        tree = _clone_tree(f"/dev/{name}", is_writable=True, is_device=True)
        _attach(tree, f"{target}/{name}")
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
    returned = libc.mount(
        kind.encode(), os.fsencode(target), kind.encode(), flags, options.encode()
    )
    check(returned, f"{kind} on {target}")


def _set_attributes(folder: int, path: str, flags: int, attributes: int) -> None:
    wanted = (ctypes.c_uint64 * 4)(attributes, 0, 0, 0)
    syscall(
        _MOUNT_SETATTR, folder, os.fsencode(path), flags, wanted, ctypes.sizeof(wanted), what=path
    )


def _try_write(file: str, value: str) -> None:
    """Write a kernel setting, or do without: other layers provide the same protection."""
    try:
        with open(file, "w", encoding="ascii") as setting:
            setting.write(value)
    except OSError:
        pass


def _drop_capabilities() -> None:
    with open("/proc/sys/kernel/cap_last_cap", encoding="ascii") as last:
        for capability in range(int(last.read()) + 1):
            prctl(_PR_CAPBSET_DROP, capability)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process
    check(libc.capset(header, (ctypes.c_uint32 * 6)()), "dropping capabilities")
