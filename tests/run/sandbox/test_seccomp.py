"""The filter, run by a small interpreter of its language, so on any machine."""

import errno
import struct

import pytest

from benchpin.run.sandbox._seccomp import build_filter

ALLOW, KILL, FAIL = 0x7FFF0000, 0x80000000, 0x00050000
X86, ARM = 0xC000003E, 0xC00000B7
MACHINES = {"x86_64": X86, "aarch64": ARM}

# From asm/unistd_64.h and asm-generic/unistd.h.
NUMBERS = {
    "read": (0, 63),
    "openat": (257, 56),
    "openat2": (437, 437),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "mknodat": (259, 33),
    "execve": (59, 221),
    "futex": (202, 98),
    "wait4": (61, 260),
    "ioctl": (16, 29),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "clone": (56, 220),
    "clone3": (435, 435),
    "ptrace": (101, 117),
    "mount": (165, 40),
    "unshare": (272, 97),
    "setns": (308, 268),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "kexec_load": (246, 104),
    "init_module": (175, 105),
    "process_vm_readv": (310, 270),
    "open_by_handle_at": (304, 265),
    "perf_event_open": (298, 241),
    "landlock_create_ruleset": (444, 444),
}


def _judge(machine: str, call: str | int, *arguments: int, audit: int | None = None) -> int:
    """Return what the filter says of a call."""
    program = build_filter(machine)
    assert program is not None
    column = list(MACHINES).index(machine)
    number = call if isinstance(call, int) else NUMBERS[call][column]
    padded = (*arguments, *[0] * (6 - len(arguments)))
    data = struct.pack("<IIQ6Q", number, audit or MACHINES[machine], 0, *padded)
    instructions = list(struct.iter_unpack("<HBBI", program))
    at, value = 0, 0
    while True:
        operation, if_true, if_false, constant = instructions[at]
        at += 1
        match operation:
            case 0x20:
                [value] = struct.unpack_from("<I", data, constant)
            case 0x15:
                at += if_true if value == constant else if_false
            case 0x35:
                at += if_true if value >= constant else if_false
            case 0x45:
                at += if_true if value & constant else if_false
            case 0x06:
                return int(constant)
            case _:
                pytest.fail(f"unknown operation {operation:#x}")


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize(
    "call", ["read", "openat", "execve", "futex", "wait4", "landlock_create_ruleset"]
)
def test_ordinary_calls_are_let_through(machine: str, call: str) -> None:
    assert _judge(machine, call) == ALLOW


@pytest.mark.parametrize(
    "call",
    [
        "add_key",
        "bpf",
        "init_module",
        "io_uring_setup",
        "kexec_load",
        "keyctl",
        "mount",
        "open_by_handle_at",
        "perf_event_open",
        "process_vm_readv",
        "ptrace",
        "setns",
        "unshare",
        "userfaultfd",
    ],
)
def test_calls_that_reach_past_the_walls_are_refused(machine: str, call: str) -> None:
    assert _judge(machine, call) == FAIL | errno.EPERM


@pytest.mark.parametrize("call", ["socket", "socketpair"])
def test_only_local_sockets_exist(machine: str, call: str) -> None:
    assert _judge(machine, call, 1) == ALLOW
    for family in (0, 2, 10, 16, 17, 38, 40):
        assert _judge(machine, call, family) == FAIL | errno.EAFNOSUPPORT


def test_processes_and_threads_can_be_made_but_no_namespaces(machine: str) -> None:
    fork, thread = 0x01200011, 0x003D0F00
    assert _judge(machine, "clone", fork) == ALLOW
    assert _judge(machine, "clone", thread) == ALLOW
    for bit in (17, 25, 26, 27, 28, 29, 30):
        assert _judge(machine, "clone", fork | 1 << bit) == FAIL | errno.EPERM
    assert _judge(machine, "clone3") == FAIL | errno.ENOSYS


def test_no_program_is_made_that_runs_as_its_owner(machine: str) -> None:
    refused = FAIL | errno.EPERM
    for mode in (0o4755, 0o2755, 0o6000):
        assert _judge(machine, "fchmod", 3, mode) == refused
        for call in ("fchmodat", "fchmodat2", "mknodat"):
            assert _judge(machine, call, 3, 0, mode) == refused
        for creating in (0o101, 0o20200001):
            assert _judge(machine, "openat", 3, 0, creating, mode) == refused
        assert _judge(machine, "openat", 3, 0, 0o1, mode) == ALLOW  # without creating, any rubbish
    assert _judge(machine, "fchmod", 3, 0o1777) == ALLOW
    assert _judge(machine, "openat", 3, 0, 0o101, 0o755) == ALLOW
    assert _judge(machine, "openat2") == FAIL | errno.ENOSYS


def test_input_cannot_be_injected_into_a_terminal(machine: str) -> None:
    assert _judge(machine, "ioctl", 0, 0x5401) == ALLOW
    assert _judge(machine, "ioctl", 0, 0x5412) == FAIL | errno.EPERM
    assert _judge(machine, "ioctl", 0, 0x541C) == FAIL | errno.EPERM
    assert _judge(machine, "ioctl", 0, 0x5412 | 1 << 32) == FAIL | errno.EPERM


def test_calls_newer_than_the_list_do_not_exist(machine: str) -> None:
    assert _judge(machine, 469) == ALLOW
    assert _judge(machine, 470) == FAIL | errno.ENOSYS


def test_calls_of_another_machine_are_deadly() -> None:
    assert _judge("x86_64", "read", audit=0x40000003) == KILL
    assert _judge("x86_64", 0x40000000) == FAIL | errno.ENOSYS


def test_a_strange_machine_has_no_filter() -> None:
    assert build_filter("ppc64le") is None
