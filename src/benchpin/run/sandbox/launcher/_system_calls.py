"""System calls that Python has no functions for: mounts, Landlock, seccomp.

Mounts are made by descriptor: neither the source nor the target can be exchanged for a symbolic
link. The constants repeat `signal` and `fcntl`, whose import would slow the start of every program.
"""

# Importing pathlib, typing or contextlib takes as long as starting the interpreter.

from __future__ import annotations

import ctypes
import errno
import os
import resource
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from benchpin.run.sandbox import Grant

SIGHUP, SIGINT, SIGKILL, SIGPIPE, SIGTERM, SIGXFSZ = 1, 2, 9, 13, 15, 25
AT_FDCWD, AT_EMPTY_PATH, AT_RECURSIVE = -100, 0x1000, 0x8000

libc = ctypes.CDLL(None, use_errno=True)
_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
# The size of struct landlock_ruleset_attr, and how many rights for files there are.
_LANDLOCK_SIZES = {1: 8, 2: 8, 3: 8, 4: 16, 5: 16}
# The keys are versions of Landlock; later versions have the size and the bits of the newest known
# one.
_LANDLOCK_FILE_BITS = {1: 13, 2: 14, 3: 15, 4: 15}
_OPEN_TREE, _MOVE_MOUNT, _FSOPEN, _FSCONFIG, _FSMOUNT, _MOUNT_SETATTR = 428, 429, 430, 431, 432, 442
_OPENAT2 = 437
_NO_LINKS_BELOW = 0x02 | 0x04 | 0x08  # RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS, RESOLVE_BENEATH
_OPEN_TREE_CLONE = 1
_MOVE_BETWEEN_DESCRIPTORS = 0x04 | 0x40  # MOVE_MOUNT_F_EMPTY_PATH, MOVE_MOUNT_T_EMPTY_PATH
_SET_STRING, _CREATE, _CLOSE_ON_EXEC = 1, 6, 1  # of fsconfig(2), fsconfig(2) and fsmount(2)
READ_ONLY, NO_SETUID, NO_DEVICES = 1, 2, 4
PATH_ONLY = os.O_PATH | os.O_CLOEXEC


def set_signal(number: int, *, is_ignored: bool) -> None:
    """Ignore a signal (SIG_IGN), or restore its default action (SIG_DFL)."""
    libc.signal(number, ctypes.c_void_p(1 if is_ignored else 0))


def prctl(option: int, *arguments: object) -> None:
    """Change an attribute of this process.

    Raises:
        OSError: when the kernel refuses.
    """
    # Padded with zeros: the kernel requires unused arguments of some options to be 0.
    padded = [ctypes.c_ulong(it) if isinstance(it, int) else it for it in (*arguments, 0, 0, 0, 0)]
    check(libc.prctl(option, *padded[:4]), f"prctl {option}")


def syscall(number: int, *arguments: object, what: str) -> int:
    """Make a system call that has the same number on all machines.

    Raises:
        OSError: when the kernel refuses; its message starts with `what`.
    """
    typed = [ctypes.c_long(it) if isinstance(it, int) else it for it in arguments]
    returned: int = libc.syscall(ctypes.c_long(number), *typed)
    check(returned, what)
    return returned


def check(returned: int, what: str) -> None:
    """Check the return value of a call.

    Raises:
        OSError: when it is negative; its message starts with `what`.
    """
    if returned < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def limit(kind: int, most: int) -> None:
    """Limit a resource of this process and of each that it starts."""
    _, hard = resource.getrlimit(kind)
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (allowed, allowed))


def landlock_version() -> int:
    """Return the version of Landlock in this kernel; 0 without it."""
    if sys.platform != "linux":
        return 0
    version: int = libc.syscall(
        _LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1
    )  # 1: ask for the version
    return max(version, 0)


def restrict_files(writable_paths: list[str], grants: list[Grant] | None) -> None:
    """Have Landlock deny writing outside some folders, TCP, and signals to processes outside.

    With `grants` it denies everything else, also reading.

    Raises:
        OSError: when the kernel refuses, or a granted path is something else now.
    """
    version = landlock_version()
    if not version:
        if grants is not None:
            raise OSError("this kernel has no Landlock")
        return
    everything = (1 << _LANDLOCK_FILE_BITS.get(version, 16)) - 1
    # Files; TCP bind and connect; scopes: abstract Unix sockets and signals.
    handled = (ctypes.c_uint64 * 3)(everything, 3, 3)
    size = _LANDLOCK_SIZES.get(version, 24)
    rules = syscall(_LANDLOCK_CREATE, handled, ctypes.c_size_t(size), 0, what="Landlock")
    device_rights = (_READ_FILE | _READ_DIR | _WRITE_FILE | _TRUNCATE | _IOCTL_DEV) & everything
    rights = {"list": _READ_DIR, "read": _EXECUTE | _READ_FILE | _READ_DIR, "write": everything}
    if grants is None:
        _allow(rules, "/", rights["read"])
        _allow(rules, "/dev", device_rights)
    else:
        for name in DEVICES:
            _allow(rules, f"/dev/{name}", device_rights)
        for grant in grants:
            _allow(rules, grant["path"], rights[grant["right"]], grant["identity"])
    for path in writable_paths:
        _allow(rules, path, everything)
    syscall(_LANDLOCK_RESTRICT, rules, 0, what="Landlock")
    os.close(rules)


def _allow(rules: int, path: str, rights: int, identity: tuple[int, int] | None = None) -> None:
    try:
        place = os.open(path, PATH_ONLY | (os.O_NOFOLLOW if identity else 0))
    except FileNotFoundError as error:
        raise OSError(errno.ESTALE, "is gone", path) from error
    status = os.fstat(place)
    if identity and (status.st_dev, status.st_ino) != identity:
        raise OSError(errno.ESTALE, "is another one", path)
    if not stat.S_ISDIR(status.st_mode):
        rights &= _OF_FILES
    # struct landlock_path_beneath_attr, which is packed.
    rule = rights.to_bytes(8, sys.byteorder) + place.to_bytes(4, sys.byteorder)
    syscall(_LANDLOCK_ADD, rules, 1, rule, 0, what=path)
    os.close(place)


def install_filter(program: bytes) -> None:
    """Install a seccomp filter, which the kernel runs before every later system call."""
    instructions = ctypes.create_string_buffer(program, len(program))

    class _SockFprog(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))

    fprog = _SockFprog(len(program) // 8, ctypes.addressof(instructions))
    prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(fprog))


def open_below(folder: int, path: str) -> int:
    """Open a path below a folder; no symbolic link is followed, the last one is opened itself.

    Raises:
        OSError: when it cannot be opened, or a folder on the way is a symbolic link.
    """
    # One call for the whole path: name by name, a deep folder took seconds.
    parent, _, name = path.strip("/").rpartition("/")
    opened = _open_folder(folder, parent)
    try:
        return os.open(name, PATH_ONLY | os.O_NOFOLLOW, dir_fd=opened) if name else os.dup(opened)
    finally:
        os.close(opened)


def _open_folder(folder: int, path: str) -> int:
    how = (ctypes.c_uint64 * 3)(PATH_ONLY | os.O_DIRECTORY, 0, _NO_LINKS_BELOW)
    name = os.fsencode(path) or b"."
    return syscall(_OPENAT2, folder, name, how, ctypes.sizeof(how), what=path)


def clone_tree(source: int, *, is_writable: bool, is_device: bool = False) -> int:
    """Return a detached mount of an open file or folder.

    Raises:
        OSError: when the kernel refuses.
    """
    flags = _OPEN_TREE_CLONE | AT_RECURSIVE | AT_EMPTY_PATH | os.O_CLOEXEC
    tree = syscall(_OPEN_TREE, source, b"", flags, what="copying a mount")
    attributes = NO_SETUID
    attributes |= 0 if is_device else NO_DEVICES
    attributes |= 0 if is_writable else READ_ONLY
    set_attributes(tree, attributes, recursive=True)
    if is_writable:
        try:  # noqa: SIM105 - contextlib is slow to import
            _clear_read_only(tree)  # which it has from a read-only workspace around it
        except OSError:
            pass  # read-only outside as well
    return tree


def clone_path(source: str, *, is_writable: bool = False, is_device: bool = False) -> int:
    """Return a detached mount of a path that no confined program can change.

    Raises:
        OSError: when it cannot be opened, or the kernel refuses.
    """
    opened = os.open(source, PATH_ONLY)
    try:
        return clone_tree(opened, is_writable=is_writable, is_device=is_device)
    finally:
        os.close(opened)


def new_file_system(kind: str, attributes: int, **options: str) -> int:
    """Return a detached mount of a new file system, such as tmpfs.

    Raises:
        OSError: when the kernel refuses.
    """
    context = syscall(_FSOPEN, kind.encode(), _CLOSE_ON_EXEC, what=kind)
    for key, value in options.items():
        arguments = (context, _SET_STRING, key.encode(), value.encode(), 0)
        syscall(_FSCONFIG, *arguments, what=f"{kind} {key}")
    syscall(_FSCONFIG, context, _CREATE, None, None, 0, what=kind)
    tree = syscall(_FSMOUNT, context, _CLOSE_ON_EXEC, attributes, what=kind)
    os.close(context)
    return tree


def attach(tree: int, target: int) -> None:
    """Mount a detached mount over an open file or folder, and close it.

    Raises:
        OSError: when the kernel refuses.
    """
    syscall(_MOVE_MOUNT, tree, b"", target, b"", _MOVE_BETWEEN_DESCRIPTORS, what="mounting")
    os.close(tree)


def set_attributes(mount: int, attributes: int, *, recursive: bool = False) -> None:
    """Add attributes, such as READ_ONLY, to the mount of an open file or folder.

    Raises:
        OSError: when the kernel refuses.
    """
    wanted = (ctypes.c_uint64 * 4)(attributes, 0, 0, 0)
    flags = AT_EMPTY_PATH | (AT_RECURSIVE if recursive else 0)
    syscall(_MOUNT_SETATTR, mount, b"", flags, wanted, ctypes.sizeof(wanted), what="mount flags")


def _clear_read_only(mount: int) -> None:
    wanted = (ctypes.c_uint64 * 4)(0, READ_ONLY, 0, 0)
    arguments = (mount, b"", AT_EMPTY_PATH, wanted, ctypes.sizeof(wanted))
    syscall(_MOUNT_SETATTR, *arguments, what="mount flags")
