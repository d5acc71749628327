"""New namespaces, with a file system that contains only what the program may see."""

# Importing pathlib, typing or contextlib takes as long as starting the interpreter.
# ruff: noqa: PTH102, PTH103, PTH112, PTH120, PTH123, PTH211

from __future__ import annotations

import ctypes
import os

from ._system_calls import (
    DEVICES,
    NO_DEVICES,
    NO_SETUID,
    PATH_ONLY,
    READ_ONLY,
    SIGKILL,
    attach,
    check,
    clone_path,
    clone_tree,
    libc,
    new_file_system,
    open_below,
    prctl,
    set_attributes,
)
from ._workspace import cover_workspace, open_workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from benchpin.run.sandbox import Mount, WorkspaceRequest

_PR_SET_PDEATHSIG, _PR_CAPBSET_DROP, _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 1, 24, 47, 4
# linux/sched.h: new mount, cgroup, UTS, IPC, user, PID and network namespaces.
_NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x60000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REC, _MS_PRIVATE = 2, 4, 8, 0x4000, 1 << 18
_MNT_DETACH = 2
DEVICE_LINKS = (
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
)
_ROOT_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def enter_namespaces(mounts: list[Mount], workspace: WorkspaceRequest | None) -> None:
    """Become process 1 of new namespaces with the given mounts, without capabilities.

    Raises:
        OSError: when the kernel refuses.
        WorkspaceChangedError: when the workspace changed since it was scanned.
    """
    prctl(_PR_SET_PDEATHSIG, SIGKILL)
    # The out-of-memory killer prefers the highest score: the sandbox, not the server.
    _try_write("/proc/self/oom_score_adj", "1000")
    _unshare()
    _build_root(mounts, workspace)
    _drop_capabilities()


def finish_bubblewrap(workspace: WorkspaceRequest | None) -> None:
    """Cover the workspace in the namespaces of bubblewrap, and drop the capabilities for it.

    Bubblewrap itself follows symbolic links in the targets of its mounts.

    Raises:
        OSError: when the kernel refuses.
        WorkspaceChangedError: when the workspace changed since it was scanned.
    """
    if workspace is not None:
        top = os.open("/", _ROOT_FOLDER)
        cover_workspace(top, workspace)
        os.close(top)
    _mount_terminals("/dev")
    _forbid_namespaces()
    proc = os.open("/proc", _ROOT_FOLDER)
    set_attributes(proc, READ_ONLY)
    os.close(proc)
    _drop_capabilities()


def _forbid_namespaces() -> None:
    """Set the limit of this user namespace, or do without: the seccomp filter refuses as well."""
    try:
        # A new one, because bubblewrap makes /proc/sys read-only for root.
        proc = new_file_system("proc", NO_SETUID | NO_DEVICES)
    except OSError:
        return
    _try_write(f"/proc/self/fd/{proc}/sys/user/max_user_namespaces", "0")
    os.close(proc)


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


def _build_root(mounts: list[Mount], workspace: WorkspaceRequest | None) -> None:
    """Build the file system of the program and make it the root."""
    check(libc.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None), "private mounts")
    root = "/tmp"  # noqa: S108 - any folder works: the new root is mounted over it
    # Clone the sources first: the new root is about to cover those below `root`.
    trees = {
        mount["target"]: clone_path(mount["source"], is_writable=mount["is_writable"])
        for mount in mounts
        if mount["kind"] == "bind" and (workspace is None or mount["target"] != workspace["root"])
    }
    if workspace is not None:
        trees[workspace["root"]] = _clone_workspace(workspace)
    _mount("tmpfs", root, _MS_NOSUID | _MS_NODEV, "mode=0755,size=16m")
    os.umask(0o022)
    top = os.open(root, _ROOT_FOLDER)
    for mount in mounts:
        target = root + mount["target"]
        if mount["kind"] == "symlink":
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.symlink(mount["source"], target)
        elif mount["kind"] == "bind":
            _attach(trees[mount["target"]], top, mount["target"])
            if workspace is not None and mount["target"] == workspace["root"]:
                os.close(top)
                top = os.open(root, _ROOT_FOLDER)  # again: the workspace may be the whole system
                cover_workspace(top, workspace)
        else:
            _mount_new(mount, target)
    # The limit of this namespace only: no further ones inside it.
    _try_write(f"{root}/proc/sys/user/max_user_namespaces", "0")
    # Read-only last: the lines above create mount points inside these.
    for mount in mounts:
        if mount["kind"] in {"dev", "proc", "tmpfs"} and not mount["is_writable"]:
            opened = open_below(top, mount["target"])
            set_attributes(opened, READ_ONLY)
            os.close(opened)
    set_attributes(top, READ_ONLY)
    os.close(top)
    os.chdir(root)
    # pivot_root(2), NOTES: with "." for both, the old root lies over the new one until detached.
    check(libc.pivot_root(b".", b"."), "pivot_root")
    check(libc.umount2(b".", _MNT_DETACH), "unmounting the old root")
    os.chdir("/")


def _clone_workspace(workspace: WorkspaceRequest) -> int:
    top = os.open("/", _ROOT_FOLDER)
    opened = open_workspace(top, workspace)
    tree = clone_tree(opened, is_writable=workspace["is_writable"])
    os.close(opened)
    os.close(top)
    return tree


def _attach(tree: int, top: int, path: str) -> None:
    """Mount a tree on a path below an open folder; create what does not exist of the path."""
    is_folder = os.path.isdir(f"/proc/self/fd/{tree}")
    try:
        target = open_below(top, path)
    except FileNotFoundError:
        target = _create(top, path, is_folder=is_folder)
    attach(tree, target)
    os.close(target)


def _create(top: int, path: str, *, is_folder: bool) -> int:
    parent, _, name = path.rpartition("/")
    try:
        folder = open_below(top, parent)
    except FileNotFoundError:
        folder = _create(top, parent, is_folder=True)
    try:
        if is_folder:
            os.mkdir(name, dir_fd=folder)
        else:
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
            os.close(os.open(name, flags, 0o444, dir_fd=folder))
        return open_below(folder, name)
    finally:
        os.close(folder)


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
    for name in DEVICES:
        place = f"{target}/{name}"
        os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o444))
        opened = os.open(place, PATH_ONLY)
        attach(clone_path(f"/dev/{name}", is_writable=True, is_device=True), opened)
        os.close(opened)
    for name, source in DEVICE_LINKS:
        os.symlink(source, f"{target}/{name}")
    os.mkdir(f"{target}/pts")
    _mount_terminals(target)


def _mount_terminals(devices: str) -> None:
    options = "newinstance,ptmxmode=0666,mode=620"
    _mount("devpts", f"{devices}/pts", _MS_NOSUID | _MS_NOEXEC, options)


def _mount(kind: str, target: str, flags: int, options: str) -> None:
    returned = libc.mount(
        kind.encode(), os.fsencode(target), kind.encode(), flags, options.encode()
    )
    check(returned, f"{kind} on {target}")


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
    prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    clear_capabilities()


def clear_capabilities() -> None:
    """Give up all capabilities; without new privileges no program gets them back.

    Raises:
        OSError: when the kernel refuses.
    """
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process
    check(libc.capset(header, (ctypes.c_uint32 * 6)()), "dropping capabilities")
