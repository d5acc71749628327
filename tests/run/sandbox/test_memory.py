"""Ways to hold more memory than is allowed, in every kind of sandbox; each looks small."""

from collections.abc import Callable

import pytest

from benchpin.run.sandbox import ExecutionReport
from benchpin.run.sandbox import _running as running

Run = Callable[..., ExecutionReport]

PIECE = 16 << 20
MOST = 200 << 20
START = f"""
import ctypes, fcntl, mmap, os, shutil, socket, threading, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + 3 * [ctypes.c_int] + [ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
kept, content = [], bytes({PIECE})

def memfd():
    made = os.memfd_create("x", os.MFD_ALLOW_SEALING)
    os.write(made, content)
    return made

def forever(step):
    while True:
        step()
"""
ATTACKS = {
    "a memfd that waits in a socket": """
ours, theirs = socket.socketpair()
def step():
    made = memfd()
    socket.send_fds(ours, [b"x"], [made])
    os.close(made)
forever(step)
""",
    "a memfd of which one page is mapped": """
def step():
    made = memfd()
    libc.mmap(None, 4096, 1, 1, made, 0)
    os.close(made)
forever(step)
""",
    "sealed memfds, one in each child": """
def step():
    made = memfd()
    fcntl.fcntl(made, 1033, 15)  # F_ADD_SEALS, all of them
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
    os.close(made)
forever(step)
""",
    "a shared map whose pages are dropped": f"""
def step():
    kept.append(mmap.mmap(-1, {PIECE}))
    kept[-1].write(content)
    kept[-1].madvise(mmap.MADV_DONTNEED)
forever(step)
""",
    "a shared map that is unmapped but for one page": f"""
def step():
    place = libc.mmap(None, {PIECE}, 3, 0x21, -1, 0)
    ctypes.memset(place, 1, {PIECE})
    libc.munmap(place + 4096, {PIECE} - 4096)
forever(step)
""",
    "memfds of a program that cannot be read": """
shutil.copy(os.path.realpath("/usr/bin/python3"), "/tmp/copy")
os.chmod("/tmp/copy", 0o111)
code = "import os\\nwhile True: os.write(os.memfd_create('x'), bytes(1 << 24))"
os.execv("/tmp/copy", ["/tmp/copy", "-S", "-c", code])
""",
    "files that were removed": """
def step():
    kept.append(open("/tmp/x", "wb", buffering=0))
    os.unlink("/tmp/x")
    try:
        kept[-1].write(content)
    except OSError:
        time.sleep(1)  # /tmp is full, at more than is allowed: hold it
forever(step)
""",
    "empty files": """
for number in range(10**6):
    os.close(os.open(f"/tmp/{number}", os.O_CREAT | os.O_WRONLY))
""",
    "semaphores": """
forever(lambda: libc.semget(0, 32000, 0o600))
""",
    "messages": """
message = (8).to_bytes(8, "little") + bytes(8000)
def step():
    queue = libc.msgget(0, 0o600)
    libc.msgsnd(queue, message, 8000, 0o4000)
    libc.msgsnd(queue, message, 8000, 0o4000)
forever(step)
""",
    "what waits in sockets": """
def step():
    pair = socket.socketpair()
    kept.append(pair)
    pair[0].setblocking(False)
    try:
        while True:
            pair[0].send(content)
    except BlockingIOError:
        pass
for _ in range(500):
    step()
time.sleep(600)
""",
    "what waits in pipes": """
for _ in range(20):
    if os.fork() == 0:
        for _ in range(1000):
            reading, writing = os.pipe()
            os.set_blocking(writing, False)
            os.write(writing, content)
            os.close(writing)
        time.sleep(600)
time.sleep(600)
""",
    "what waits in named pipes": """
for number in range(20):
    if os.fork() == 0:
        for place in range(1000):
            os.mkfifo(f"/tmp/{number}.{place}")
            both = os.open(f"/tmp/{number}.{place}", os.O_RDWR | os.O_NONBLOCK)
            os.unlink(f"/tmp/{number}.{place}")
            os.write(both, content)
        time.sleep(600)
time.sleep(600)
""",
    "a program with very many mappings": f"""
for _ in range(20):
    if os.fork() == 0:
        for number in range(20000):  # neighbours with other rights are not merged
            libc.mmap(None, 4096, number % 2, 0x22, -1, 0)
        time.sleep(600)
kept.append(mmap.mmap(-1, 13 * {PIECE}))
kept[-1].write(13 * content)
kept[-1].madvise(mmap.MADV_DONTNEED)
time.sleep(600)
""",
    "a thread whose process seems to have ended": f"""
def hold():
    kept.extend(bytes([1]) * {PIECE} for _ in range(30))
    time.sleep(600)
threading.Thread(target=hold).start()
libc.pthread_exit(None)
""",
    "processes that leave the session": f"""
for _ in range(20):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            kept.append(bytes([1]) * {PIECE})
            time.sleep(600)
        os._exit(0)
time.sleep(600)
""",
}


REFUSED = {
    "memory that no other process can look into": "libc.syscall(447, 0)",
    "a memfd of huge pages": "os.memfd_create('x', 4)",
    "a map of huge pages": "mmap.mmap(-1, 1 << 21, flags=mmap.MAP_PRIVATE | 0x40020)",
    "shared memory of huge pages": "libc.shmget(0, 1 << 21, 0o4600)",
    "pages that a pipe keeps after they are unmapped": """
reading, writing = os.pipe()
page = mmap.mmap(-1, 4096)
vector = (ctypes.c_void_p * 2)(ctypes.addressof(ctypes.c_char.from_buffer(page)), 4096)
libc.vmsplice(writing, vector, 1, 0)
""",
    "a ring for input and output": "libc.syscall(425, 8, bytes(120))",
    "a key": "libc.syscall(248, b'user', b'x', bytes(100), 100, -1)",
    "a thread with descriptors of its own": "libc.syscall(56, 0x10900, 0, 0, 0, 0)",
}


@pytest.fixture(autouse=True)
def _little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_MAX_MEMORY_BYTES", MOST)


@pytest.mark.parametrize("attack", ATTACKS)
def test_memory_cannot_be_hidden(python: Run, attack: str) -> None:
    outcome = python(START + ATTACKS[attack])
    assert (outcome.exceeded, outcome.exit_code, outcome.stderr) == ("memory", None, "")


@pytest.mark.parametrize("call", REFUSED)
def test_memory_that_is_not_counted_is_refused(python: Run, call: str) -> None:
    """As where the kernel lacks it: programs then do without."""
    *before, last = REFUSED[call].strip().splitlines()
    code = "\n".join(
        (
            START.replace("CDLL(None)", "CDLL(None, use_errno=True)"),
            *before,
            "try:",
            f"    returned = {last}",
            "except OSError as error:",
            "    returned, number = -1, error.errno",
            "else:",
            "    number = ctypes.get_errno()",
            "print(returned, number in (1, 12, 38))",
        )
    )
    outcome = python(code)
    assert (outcome.stdout, outcome.stderr) == ("-1 True\n", "")


def test_what_may_wait_in_a_socket_cannot_be_raised(python: Run) -> None:
    code = """
pair = socket.socketpair()
before = pair[0].getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
print(pair[0].getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) - before)
"""
    outcome = python(START + code)
    assert (outcome.stdout, outcome.stderr) == ("0\n", "")


def test_memory_that_children_share_is_counted_once(python: Run) -> None:
    code = f"""
kept.append(bytes([1]) * {MOST // 4})
for _ in range(8):
    if os.fork() == 0:
        time.sleep(0.5)
        os._exit(0)
for _ in range(8):
    os.wait()
"""
    outcome = python(START + code)
    assert (outcome.exceeded, outcome.exit_code) == (None, 0)


def test_threads_are_limited_for_all_processes_together(python: Run) -> None:
    code = """
threading.stack_size(1 << 15)
for _ in range(10):
    if os.fork() == 0:
        for _ in range(100):
            threading.Thread(target=time.sleep, args=(600,)).start()
time.sleep(600)
"""
    outcome = python(START + code)
    # For ordinary users the kernel refuses the next thread; for root we end the program.
    refused = ("can't start new thread", "Resource temporarily unavailable")
    assert outcome.exceeded == "processes" or any(it in outcome.stderr for it in refused)
