import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled
from benchpin.facts.liveness import NamesOutsideCode
from benchpin.measures.unused._search import find_dead_code
from dead_code_kit import confidences, dead_code_in, facts_of

SURE = 0.8


def test_a_private_function_that_nothing_names_is_dead() -> None:
    found = dead_code_in({"app.py": "def _old():\n    return 1\n\nprint(2)\n"})
    [item] = found.items
    assert (item.file, item.line, item.end_line, item.name) == ("app.py", 1, 2, "_old")
    assert (item.kind, item.label, item.status) == ("function", "function", "unused")
    assert item.confidence == 0.95
    assert item.reason == "nothing in the workspace uses _old"


def test_a_function_that_is_called_is_not_dead() -> None:
    assert confidences({"app.py": "def _used():\n    return 1\n\nprint(_used())\n"}) == {}


def test_a_function_that_calls_only_itself_is_dead() -> None:
    found = confidences({"app.py": "def _again(n):\n    return _again(n - 1)\n"})
    assert found == {"_again": 0.95}


def test_functions_that_only_dead_functions_call_are_dead() -> None:
    found = dead_code_in(
        {
            "app.py": """
            def _first():
                return _second()

            def _second():
                return _third()

            def _third():
                return 1
            """
        }
    )
    assert {it.name: (it.confidence, it.status) for it in found.items} == {
        "_first": (0.95, "unused"),
        "_second": (0.95, "used_by_dead_code"),
        "_third": (0.95, "used_by_dead_code"),
    }
    assert "_second in app.py" in next(it.reason for it in found.items if it.name == "_third")


def test_two_functions_that_call_one_another_are_dead() -> None:
    found = confidences({"app.py": "def _ping():\n    _pong()\n\ndef _pong():\n    _ping()\n"})
    assert found == {"_ping": 0.95, "_pong": 0.95}


def test_a_chain_of_uses_continues_through_imports() -> None:
    files = {
        "pkg/a.py": "from .b import _helper\n\ndef _dead():\n    return _helper()\n",
        "pkg/b.py": "def _helper():\n    return 1\n",
    }
    assert confidences(files) == {"_dead": 0.95, "_helper": 0.95}
    alive = {**files, "pkg/c.py": "from .a import _dead\n\n_dead()\n"}
    assert confidences(alive) == {}


def test_a_class_and_all_in_it_are_one_finding() -> None:
    text = "class _Old:\n    def run(self):\n        self.go()\n\n    def go(self):\n        pass\n"
    files = {"app.py": text}
    found = dead_code_in(files)
    assert [it.name for it in found.items] == ["_Old"]
    assert [it.name for it in dead_code_in(files, is_folded=False).items] == [
        "_Old",
        "_Old.run",
        "_Old.go",
    ]


def test_a_method_of_a_dead_class_is_dead_although_its_name_is_used() -> None:
    files = {
        "app.py": "class _Old:\n    def run(self):\n        pass\n",
        "other.py": "import engine\n\nengine.run()\n",
    }
    assert confidences(files) == {"_Old": 0.95, "_Old.run": 0.95}


def test_a_method_is_not_kept_alive_by_a_variable_of_its_name() -> None:
    text = """
    class Box:
        def _size(self):
            return 1

    def measure(_size):
        return _size

    measure(Box())
    """
    assert confidences({"app.py": text}) == {"Box._size": 0.95}


def test_a_bare_name_means_a_function_of_another_file_only_when_it_is_imported() -> None:
    files = {"a.py": "def _load():\n    pass\n", "b.py": "_load = 1\nprint(_load)\n"}
    assert confidences(files) == {"_load": 0.95}
    assert confidences({**files, "b.py": "from a import *\nprint(_load)\n"}) == {}


def test_code_that_only_tests_use_is_reported_as_such() -> None:
    files = {
        "app.py": "def _helper():\n    return 1\n",
        "tests/test_app.py": "from app import _helper\n\ndef test_it():\n    assert _helper()\n",
    }
    [item] = dead_code_in(files).items
    assert (item.name, item.status, item.confidence) == ("_helper", "used_by_tests", 0.6)
    assert item.reason == "only tests use _helper: test_it in tests/test_app.py"
    files["app.py"] += "\ndef _other():\n    return _helper()\n"
    reasons = {item.name: item.reason for item in dead_code_in(files).items}
    assert reasons["_helper"] == (
        "only tests and code that seems unused use _helper: _other in app.py,"
        " test_it in tests/test_app.py"
    )


def test_dead_code_in_tests_does_not_count_as_a_test() -> None:
    files = {
        "app.py": "def _helper():\n    return 1\n",
        "tests/test_app.py": "from app import _helper\n\ndef _forgotten():\n    _helper()\n",
    }
    [item] = dead_code_in(files).items
    assert (item.name, item.status, item.confidence) == ("_helper", "used_by_dead_code", 0.95)


def test_dead_code_in_tests_is_reported_on_request() -> None:
    files = {
        "tests/test_app.py": "def _forgotten():\n    return 1\n\ndef test_it():\n    assert True\n"
    }
    assert dead_code_in(files).items == []
    assert [it.name for it in dead_code_in(files, include_tests=True).items] == ["_forgotten"]


def test_public_names_are_less_surely_dead_than_private_ones() -> None:
    found = confidences({"pkg/shapes.py": "def area():\n    pass\n\ndef _area():\n    pass\n"})
    assert found == {"area": 0.8, "_area": 0.95}


@pytest.mark.parametrize(
    ("outside", "confidence"),
    [
        (NamesOutsideCode(configured=frozenset({"handler"})), 0.02),
        (NamesOutsideCode(documented=frozenset({"handler"})), 0.1),
        (NamesOutsideCode(configured=frozenset({"other"})), 0.8),
    ],
)
def test_names_outside_the_source_code_count(outside: NamesOutsideCode, confidence: float) -> None:
    found = confidences({"app.py": "def handler():\n    pass\n"}, outside)
    assert found == {"handler": confidence}


@pytest.mark.parametrize(
    ("use", "confidence"),
    [
        ('getattr(box, "rotate")', 0.05),
        ('load("pkg.app:rotate")', 0.05),
        ('print("call rotate() first")', 0.7),
        ('print("I rotate things")', 0.8),
    ],
)
def test_strings_that_could_be_a_name_lower_the_confidence(use: str, confidence: float) -> None:
    files = {"pkg/app.py": "def rotate():\n    pass\n", "run.py": f"{use}\n"}
    assert confidences(files) == {"rotate": confidence}


@pytest.mark.parametrize(
    ("name", "text", "confidence"),
    [
        ("rotateBox", "use rotateBox instead", 0.7),
        ("rotate_box", "use rotate_box instead", 0.7),
        ("rotate", "use box.rotate instead", 0.7),
        ("rotate", "use `rotate` instead", 0.7),
        ("otateBox", "use RotateBox instead", 0.8),
        ("rotate", "use box.rotate_box instead", 0.8),
    ],
)
def test_words_in_a_text_that_look_like_code_may_be_a_use(
    name: str, text: str, confidence: float
) -> None:
    files = {"pkg/app.py": f"def {name}():\n    pass\n", "run.py": f'print("{text}")\n'}
    assert confidences(files) == {name: confidence}


def test_a_docstring_that_names_its_own_function_is_no_use() -> None:
    text = 'def _rotate():\n    """Call _rotate() twice."""\n'
    assert confidences({"app.py": text}) == {"_rotate": 0.95}


def test_a_file_that_does_not_parse_is_doubted() -> None:
    found = confidences({"app.py": "def _old():\n    return 1\n\ndef broken(:\n"})
    assert found["_old"] == 0.1


def test_only_the_chosen_files_are_reported_but_all_are_read() -> None:
    files = facts_of(
        {
            "a/one.py": "def _kept():\n    pass\n\ndef _dead():\n    pass\n",
            "b/two.py": "from a.one import _kept\n\ndef _other():\n    pass\n\n_kept()\n",
        }
    )
    found = find_dead_code(files, NamesOutsideCode(), chosen={"a/one.py"})
    assert [it.name for it in found.items] == ["_dead"]
    assert found.summary.total_files == 1


def test_the_summary_adds_up_what_was_found() -> None:
    found = dead_code_in(
        {
            "app.py": "def _a():\n    pass\n\nclass _B:\n    x = 1\n    y = 2\n",
            "lib.py": "class Box:\n    def _size(self):\n        return 1\n\nprint(Box())\n",
        },
        min_confidence=SURE,
    )
    summary = found.summary
    assert (summary.dead_functions, summary.dead_methods, summary.dead_types) == (1, 1, 1)
    assert (summary.dead_lines, summary.total_lines, summary.dead_percent) == (7, 11, 63.64)
    assert (summary.total_files, summary.total_definitions) == (2, 4)
    assert [(it.file, it.items, it.dead_lines, it.dead_percent) for it in found.files] == [
        ("app.py", 2, 5, 83.3),
        ("lib.py", 1, 2, 40.0),
    ]


def test_a_member_of_something_less_surely_dead_is_listed_but_its_lines_count_once() -> None:
    found = dead_code_in({"pkg/app.py": "class Box:\n    def _size(self):\n        return 1\n"})
    assert [(it.name, it.confidence) for it in found.items] == [("Box._size", 0.95), ("Box", 0.8)]
    assert found.summary.dead_lines == 3


def test_no_files_have_no_dead_share() -> None:
    assert dead_code_in({}).summary.dead_percent is None


def test_findings_come_surest_first_and_always_the_same() -> None:
    files = {
        "b.py": "def old():\n    pass\n\ndef _old():\n    pass\n",
        "a.py": "def _older():\n    pass\n",
    }
    found = [(it.confidence, it.file, it.name) for it in dead_code_in(files).items]
    assert found == [(0.95, "a.py", "_older"), (0.95, "b.py", "_old"), (0.8, "b.py", "old")]
    assert dead_code_in(files) == dead_code_in(files)


def test_the_search_can_be_cancelled() -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        find_dead_code(facts_of({"app.py": "x = 1\n"}), NamesOutsideCode(), job=job)


def test_what_another_measure_left_out_does_not_stop_the_search() -> None:
    job = Job()
    job.leave_out("clones of the last files")
    files = facts_of({"app.py": "def _old():\n    pass\n"})
    assert [it.name for it in find_dead_code(files, NamesOutsideCode(), job=job).items] == ["_old"]
