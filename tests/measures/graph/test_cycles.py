"""Cycles: of which kind, through which imports."""

from collections.abc import Mapping

import pytest

from benchpin.core.calls import Job
from benchpin.measures.graph import DependencyCycle, Graph, build_graph, find_cycles
from made_sources import parsed, reader_of


def _graph(texts: Mapping[str, str]) -> Graph:
    return build_graph(parsed(texts), reader_of(texts), "import-graph", Job())


def _cycles(texts: Mapping[str, str]) -> list[DependencyCycle]:
    return [it for it, _ in find_cycles(_graph(texts))]


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        ({"a.py": "import b", "b.py": "import a"}, "runtime"),
        ({"a.py": "import b", "b.py": "def f():\n    import a"}, "lazy"),
        ({"a.py": "import b", "b.py": "if TYPE_CHECKING:\n    import a"}, "type-only"),
        (
            {"a.ts": "import { B } from './b'; B()", "b.ts": "import type { A } from './a'"},
            "type-only",
        ),
        ({"a.pyi": "import b", "b.pyi": "import a"}, "type-only"),
        ({"a.d.ts": "import { B } from './b'", "b.d.ts": "import { A } from './a'"}, "type-only"),
        ({"tests/a.py": "import b", "tests/b.py": "import a"}, "test"),
        ({"src/lib.rs": "mod a;", "src/a.rs": "use crate::B;"}, "containment"),
        ({"src/lib.rs": "mod a;\nuse a::A;", "src/a.rs": "use crate::B;"}, "runtime"),
    ],
)
def test_a_cycle_has_the_kind_of_its_weakest_import(texts: Mapping[str, str], kind: str) -> None:
    assert [it.kind for it in _cycles(texts)] == [kind]


def test_a_cycle_names_the_lines_of_its_imports() -> None:
    [cycle] = _cycles({"a.py": "\nimport b", "b.py": "\n\nimport c", "c.py": "import a"})
    assert cycle == DependencyCycle(3, ["a.py", "b.py", "c.py"], "runtime", [2, 3, 1])
    assert cycle.steps() == ["a.py:2", "b.py:3", "c.py:1"]


def test_of_several_imports_the_strongest_makes_the_edge() -> None:
    text = "if TYPE_CHECKING:\n    import b\ndef f():\n    import b\nimport b\nimport b"
    [edge] = _graph({"a.py": text, "b.py": ""}).edges
    assert (edge.dependency, edge.line, edge.count) == ("runtime", 5, 4)


def test_a_weaker_kind_that_only_closes_a_known_cycle_is_not_reported_again() -> None:
    texts = {"a.py": "import b", "b.py": "import a\ndef f():\n    import a"}
    assert [it.kind for it in _cycles(texts)] == ["runtime"]


def test_a_cycle_that_a_weaker_kind_extends_is_reported_for_each_kind() -> None:
    texts = {
        "a.py": "import b",
        "b.py": "import a\nimport c",
        "c.py": "if TYPE_CHECKING:\n    import d",
        "d.py": "import c\ndef f():\n    import a",
    }
    found = [(it.kind, it.size, it.steps()) for it in _cycles(texts)]
    assert found == [
        ("runtime", 2, ["a.py:1", "b.py:1"]),
        ("type-only", 4, ["c.py:2", "d.py:1"]),
    ]


def test_crates_that_use_one_another_in_tests_are_no_cycle_at_run_time() -> None:
    texts = {
        "core/Cargo.toml": '[package]\nname = "core"\n[dev-dependencies]\nkit = "1"\n',
        "core/src/lib.rs": "mod a;\npub use a::A;\n",
        "core/src/a.rs": "#[cfg(test)]\nmod tests {\n    use kit::check;\n}\n",
        "kit/Cargo.toml": '[package]\nname = "kit"\n[dependencies]\ncore = "1"\n',
        "kit/src/lib.rs": "use core::a::A;\n",
    }
    assert [(it.kind, it.path) for it in _cycles(texts)] == [
        ("test", ["core/src/a.rs", "kit/src/lib.rs"])
    ]
