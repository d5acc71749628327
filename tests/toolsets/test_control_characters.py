"""No tool passes control characters of a repository on in its text."""

import json
from collections.abc import Iterator

import pytest

from benchpin.app import Workbench
from benchpin.core.content import Text
from benchpin.core.errors import BenchpinError
from benchpin.core.text import visible
from repositories import Tree

EVIL = "\x1b]0;t\x07\x9b2J\u202e"
CALLS: list[tuple[str, dict[str, object]]] = [
    ("add_comment", {"file_path": f"ev{EVIL}il.py", "line": 1, "text": EVIL, "tag": "NOTE"}),
    ("analyze_code_churn", {"path": "."}),
    ("analyze_complexity", {"path": ".", "format": "full"}),
    ("analyze_graph_metrics", {"path": ".", "format": "dot"}),
    ("analyze_graph_metrics", {"path": ".", "format": "mermaid"}),
    ("analyze_repository", {"path": ".", "format": "markdown"}),
    ("check_links", {}),
    ("get_file_comments", {"file_path": "a.py"}),
    ("ingest_artifacts", {"artifacts": [{"path": "slow.log"}]}),
    ("list_directory", {"path": "."}),
    ("map_repository", {}),
    ("outline_file", {"path": f"ev{EVIL}il.py"}),
    ("quality_gate", {"path": ".", "diff": f"b{EVIL}"}),
    ("read_file", {"path": f"no{EVIL}such"}),
    ("search_comments", {"query": "."}),
    ("search_files", {"pattern": "TODO"}),
]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    root = tmp_path_factory.mktemp("hostile")
    comments = {"comments": [{"id": "c_1", "text": EVIL, "line": 2, "author": EVIL}]}
    Tree(root).commit(
        {
            f"ev{EVIL}il.py": f"# TODO {EVIL}\ndef f(a):\n    return '{EVIL}'\n".encode(),
            "a.py": b"import os\nclass A: pass\n",
            "a.py.comments": json.dumps(comments).encode(),
            "README.md": f"# T{EVIL}\n\n[x]({EVIL}.md)\n".encode(),
            "slow.log": (
                "# Time: 2024-01-01T00:00:01.000000Z\n"
                f"# User@Host: a{EVIL}[a] @ h []  Id: 1\n"
                "# Query_time: 1.5  Lock_time: 0.1 Rows_sent: 1  Rows_examined: 10\n"
                f"SET timestamp=1700000000;\nSELECT `{EVIL}` FROM t{EVIL};\n"
            ).encode(),
        }
    )
    made = Workbench.open(root)
    yield made
    made.close()


@pytest.mark.parametrize(("tool", "arguments"), CALLS, ids=[it[0] for it in CALLS])
def test_no_control_characters_are_in_texts_or_errors(
    bench: Workbench, tool: str, arguments: dict[str, object]
) -> None:
    try:
        blocks = bench.call(tool, **arguments).to_content()
        texts = [it.text for it in blocks if isinstance(it, Text)]
    except BenchpinError as error:
        texts = [error.message, error.suggestion]
    assert texts == [visible(it) for it in texts]
