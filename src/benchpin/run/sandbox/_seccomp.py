"""The seccomp filter, which the kernel runs before every system call of a confined program.

It refuses what could escape the sandbox or is only useful to attackers: access to the memory of
other processes, mounts, new namespaces, keys, kernel modules, sockets other than Unix sockets,
set-user-id files, memory that cannot be counted, and calls newer than this list. Compilers,
interpreters and test runners work.
"""

import errno
import socket
import struct
from collections.abc import Iterator

_X86_64, _GENERIC = 0, 1
# AUDIT_ARCH_* of each machine (linux/audit.h), and the column of its system call numbers.
_MACHINES = {
    "x86_64": (0xC000003E, _X86_64),
    "aarch64": (0xC00000B7, _GENERIC),
    "riscv64": (0xC00000F3, _GENERIC),
}

# Numbers on x86_64, and in the table that newer machines share (asm-generic/unistd.h); None where a
# machine does not have the call.
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    "_sysctl": (156, None),
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "create_module": (174, None),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "get_kernel_syms": (177, None),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "lookup_dcookie": (212, 18),
    "mbind": (237, 235),
    "migrate_pages": (256, 238),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "name_to_handle_at": (303, 264),
    "nfsservctl": (180, 42),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_madvise": (440, 440),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "query_module": (178, None),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "sysfs": (139, None),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "uselib": (134, None),
    "userfaultfd": (323, 282),
    "ustat": (136, None),
    "vhangup": (153, 58),
}

# Refused as well where there are no namespaces: sockets that lead to other programs, and memory
# that all programs of a user share. Landlock checks the path of `truncate` from Linux 6.2 on only.
_REFUSED_OUTSIDE: dict[str, tuple[int, int]] = {
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "semget": (64, 190),
    "shmat": (30, 196),
    "shmget": (29, 194),
    "truncate": (76, 45),
}
_PRLIMIT = (302, 261)  # of another process of the user
_DATAGRAM = 0x2  # the only bit of its type that streams and packets do not have
# Calls that do not exist, so that programs fall back to older ones: the flags of the first two are
# in memory, which a filter cannot read; the others keep memory that nothing shows, in a memfd that
# no process can look into, and in a pipe after it was unmapped.
_MISSING: dict[str, tuple[int, int]] = {
    "clone3": (435, 435),
    "openat2": (437, 437),
    "memfd_secret": (447, 447),
    "vmsplice": (278, 75),
}
# Calls that can take huge pages, which count as nobody's; the index of the flags, and the flag.
_HUGE_PAGES = (
    ((9, 222), 3, 0x40000),  # mmap
    ((319, 279), 1, 0x4),  # memfd_create
    ((29, 194), 2, 0o4000),  # shmget
)
_CLONE, _CLONE_FILES, _CLONE_THREAD = (56, 220), 0x400, 0x10000
_SETSOCKOPT, _SO_SNDBUF = (54, 208), 7
_IOCTL = (16, 29)
_PRCTL, _SET_DUMPABLE = (157, 167), 4
# socket and socketpair.
_SOCKETS = ((41, 198), (53, 199))
# Calls that set the mode of a file, and the index of that argument.
_MODES = (
    ((90, None), 1),  # chmod
    ((91, 52), 1),  # fchmod
    ((268, 53), 2),  # fchmodat
    ((452, 452), 2),  # fchmodat2
    ((85, None), 1),  # creat
    ((133, None), 1),  # mknod
    ((259, 33), 2),  # mknodat
)
# open and openat, and the index of the flags; the mode is the next argument.
_OPENS = (((2, None), 1), ((257, 56), 2))
_CREATING = 0x40 | 0x400000  # O_CREAT, O_TMPFILE: only then is there a mode
_TRUNCATING, _WRITING = 0x200, 0x3  # O_TRUNC; O_WRONLY, O_RDWR
_SET_ID = 0o6000
_FIRST_UNKNOWN = 470  # newer calls were not reviewed, so they do not exist
_X32_BIT = 0x40000000  # marks the x32 numbers of the same calls, which would evade the list

# linux/sched.h: a new mount, cgroup, host name, IPC, user, process or network namespace.
_NEW_NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x60000000
# TIOCSTI and TIOCLINUX inject input into the terminal, as if the user had typed it.
_TERMINAL_INPUT = (0x5412, 0x541C)

# linux/bpf_common.h and linux/seccomp.h
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _MACHINE_AT, _ARGUMENTS_AT = 0, 4, 16
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000

_Instruction = tuple[int, int, int, int]


def build_filter(machine: str, *, has_namespaces: bool = True) -> bytes | None:
    """Return the BPF program for a machine as `platform.machine()` names it; None if unknown."""
    if machine not in _MACHINES:
        return None
    instructions = _instructions(*_MACHINES[machine], has_namespaces=has_namespaces)
    return b"".join(struct.pack("<HBBI", *it) for it in instructions)


def _instructions(audit_name: int, column: int, *, has_namespaces: bool) -> Iterator[_Instruction]:
    yield (_LOAD, 0, 0, _MACHINE_AT)
    yield (_EQUAL, 1, 0, audit_name)
    yield (_RETURN, 0, 0, _KILL)  # another ABI: its numbers mean other calls
    yield (_LOAD, 0, 0, _NUMBER_AT)
    if column == _X86_64:
        yield from _if((_AT_LEAST, _X32_BIT), _fail(errno.ENOSYS))
    yield from _if((_AT_LEAST, _FIRST_UNKNOWN), _fail(errno.ENOSYS))
    for refused in _REFUSED.values():
        yield from _on(refused[column], _fail(errno.EPERM))
    if not has_namespaces:
        yield from _outside_namespaces(column)
    for numbers in _MISSING.values():
        yield from _on(numbers[column], _fail(errno.ENOSYS))
    for numbers, flags_at, flag in _HUGE_PAGES:
        huge = _if((_ANY_BIT, flag), _fail(errno.ENOMEM))
        yield from _on(numbers[column], _argument(flags_at), *huge, _allow())
    yield from _files(column)
    flags = _if((_ANY_BIT, _NEW_NAMESPACES), _fail(errno.EPERM))
    # A thread with descriptors of its own could hold pipes where nobody looks.
    shared = _if((_ANY_BIT, _CLONE_FILES), _allow())
    flags += _if((_ANY_BIT, _CLONE_THREAD), *shared, _fail(errno.EPERM))
    yield from _if((_EQUAL, _CLONE[column]), _argument(0), *flags, _allow())
    local = (*_if((_EQUAL, socket.AF_UNIX), _allow()), _fail(errno.EAFNOSUPPORT))
    for socket_call in _SOCKETS:
        yield from _if((_EQUAL, socket_call[column]), _argument(0), *local)
    # Ignored: more could wait in a socket than the supervisor counts for it.
    larger = _if((_EQUAL, _SO_SNDBUF), _fail(0))
    yield from _if((_EQUAL, _SETSOCKOPT[column]), _argument(2), *larger, _allow())
    # Ignored: the supervisor counts the memory that each process holds, and must be able to look.
    hidden = _if((_EQUAL, _SET_DUMPABLE), _fail(0))
    yield from _if((_EQUAL, _PRCTL[column]), _argument(0), *hidden, _allow())
    requests = [step for it in _TERMINAL_INPUT for step in _if((_EQUAL, it), _fail(errno.EPERM))]
    yield from _if((_EQUAL, _IOCTL[column]), _argument(1), *requests, _allow())
    yield _allow()


def _outside_namespaces(column: int) -> Iterator[_Instruction]:
    for numbers in _REFUSED_OUTSIDE.values():
        yield from _on(numbers[column], _fail(errno.EPERM))
    own = _if((_EQUAL, 0), _allow())
    yield from _on(_PRLIMIT[column], _argument(0), *own, _fail(errno.EPERM))
    plain, pair = _SOCKETS
    yield from _on(plain[column], _fail(errno.EAFNOSUPPORT))
    # It could send to any address, unlike the other kinds, which are connected for good.
    datagrams = _if((_ANY_BIT, _DATAGRAM), _fail(errno.EPERM))
    local = _if((_EQUAL, socket.AF_UNIX), _allow())
    refused = _fail(errno.EAFNOSUPPORT)
    yield from _on(pair[column], _argument(1), *datagrams, _argument(0), *local, refused)


def _files(column: int) -> Iterator[_Instruction]:
    """Refuse to create set-user-id programs, which would also work outside the sandbox."""
    refuse = _if((_ANY_BIT, _SET_ID), _fail(errno.EPERM))
    for numbers, mode_at in _MODES:
        yield from _on(numbers[column], _argument(mode_at), *refuse, _allow())
    for numbers, flags_at in _OPENS:
        # O_TRUNC needs the right to write: Landlock asks for it from Linux 6.2 on only.
        emptied = _if((_ANY_BIT, _TRUNCATING), (_ANY_BIT, 1, 0, _WRITING), _fail(errno.EPERM))
        checked = _if((_ANY_BIT, _CREATING), _argument(flags_at + 1), *refuse)
        yield from _on(numbers[column], _argument(flags_at), *emptied, *checked, _allow())


def _on(number: int | None, *then: _Instruction) -> list[_Instruction]:
    """Return instructions for one call; none on machines that do not have it."""
    return [] if number is None else _if((_EQUAL, number), *then)


def _if(test: tuple[int, int], *then: _Instruction) -> list[_Instruction]:
    """Return a test that skips the instructions after it when it fails."""
    operation, value = test
    return [(operation, 0, len(then), value), *then]


def _argument(index: int) -> _Instruction:
    """Load the lower half of an argument: the kernel ignores the upper half of those tested here.

    The offset is right on little-endian machines only, which all of `_MACHINES` are.
    """
    return (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * index)


def _allow() -> _Instruction:
    return (_RETURN, 0, 0, _ALLOW)


def _fail(error: int) -> _Instruction:
    return (_RETURN, 0, 0, _FAIL | error)
