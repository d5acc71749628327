import ast

import pytest

from check_state import find_state


@pytest.mark.parametrize(
    "text",
    [
        "_open = {}",
        "_open: dict[str, int] = dict()",
        "_lock = Lock()",
        "_lock = threading.Lock()",
        "_known = deque(maxlen=2)",
        "_learning = defaultdict(Lock)",
        "_remembered = lru_cache(maxsize=64)(read)",
        "TABLE = {1: 2}\n\ndef grow():\n    TABLE[3] = 4",
        "TABLE = [1]\n\ndef grow():\n    TABLE.append(2)",
        "@lru_cache(4)\ndef tree_at(root: Path) -> Tree: ...",
        "@functools.cache\ndef read(session: WorkspaceSession, name: str) -> bytes: ...",
        "def turn_on():\n    global is_on\n    is_on = True",
    ],
)
def test_state_of_a_module_is_found(text: str) -> None:
    assert list(find_state(ast.parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "TABLE = {1: 2}",
        "NAMES = ('a', 'b')",
        "@cache\ndef load() -> Table: ...",
        "@lru_cache(256)\ndef snake(name: str) -> str: ...",
        "def make():\n    found = []\n    found.append(1)",
        "class Index:\n    def __init__(self) -> None:\n        self._open = {}",
    ],
)
def test_constants_and_local_values_are_no_state(text: str) -> None:
    assert list(find_state(ast.parse(text))) == []
