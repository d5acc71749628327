import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled
from benchpin.project.bridges import find_bridges
from bridge_kit import bridges, line_of
from dead_code_kit import facts_of

C = "int one(void) { return 1; }\nint two(void) { return 2; }\n"
USE = 'import ctypes\nlib = ctypes.CDLL("x")\nlib.two()\nlib.one()\nlib.one()\nlib.gone()\n'
PLAIN = {"a.py": "import os\n\nos.getcwd()\n", "b.js": "console.log(1);\n", "c.c": C}


def test_a_project_without_references_is_not_read() -> None:
    asked: list[str] = []

    def read(path: str) -> bytes | None:
        asked.append(path)
        return None

    found = find_bridges(facts_of(PLAIN), read, Job())
    assert found.references == ()
    assert (found.total, found.by_kind) == (0, ())
    assert asked == []


def test_each_symbol_is_listed_once_a_file_with_what_is_resolved_first() -> None:
    found = bridges({"x.c": C, "use.py": USE})
    assert [(it.symbol, it.from_line) for it in found.references] == [
        ("two", 3),
        ("one", 4),
        ("gone", 6),
    ]
    assert [(it.kind, it.references, it.resolved) for it in found.by_kind] == [("ctypes", 3, 2)]


def test_the_list_is_bounded_and_the_total_is_not() -> None:
    found = bridges({"x.c": C, "use.py": USE}, most=1)
    assert [it.symbol for it in found.references] == ["two"]
    assert found.total == 3


def test_the_order_of_the_files_does_not_matter() -> None:
    files = {"x.c": C, "use.py": USE, "also.py": USE}
    backwards = dict(reversed(files.items()))
    assert bridges(files) == bridges(backwards)


def test_evidence_is_short_and_printable() -> None:
    use = 'import ctypes\nlib = ctypes.CDLL("x")\n\tlib.one("\x1b[31m' + "x" * 300 + '")\n'
    evidence = bridges({"x.c": C, "use.py": use}).references[0].evidence
    assert evidence.isprintable()
    assert len(evidence) <= 120
    assert evidence.startswith('lib.one("')


def test_a_file_that_may_not_be_read_reaches_nothing() -> None:
    files = facts_of({"x.c": C, "use.py": USE})
    assert find_bridges(files, lambda _path: None, Job()).total == 0


def test_text_that_is_not_utf8_is_read_as_far_as_it_can_be() -> None:
    contents = {"x.c": C.encode(), "use.py": USE.encode() + b"\xff\xfe lib.two()\n"}
    found = find_bridges(facts_of({"x.c": C, "use.py": USE}), contents.get, Job())
    assert [line_of(it) for it in found.references][:1] == ["ctypes two use.py:3 -> x.c:2"]


def test_a_cancelled_job_stops() -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        find_bridges(facts_of(PLAIN), lambda _path: None, job)


def test_once_the_time_is_up_the_rest_is_left_out_by_name() -> None:
    now = 0.0

    def read(path: str) -> bytes | None:
        nonlocal now
        now = 9.0 if path == "b.py" else now
        return USE.encode()

    job = Job(time_limit_s=5, monotonic=lambda: now)
    found = find_bridges(facts_of({"a.py": USE, "b.py": USE, "c.py": USE}), read, job)
    assert found.total == 0
    assert job.missing == [
        "the rest of the cross-language references by ctypes",
        "3 of 7 kinds of cross-language references",
    ]


@pytest.mark.parametrize(
    ("path", "text", "unit"),
    [
        ("A.java", 'class A { static { System.loadLibrary("x"); } native void f(); }\n', "//\n"),
        ("use.py", USE, "q."),
        ("use.js", 'const a = require("./x.node");\nfunction f() { return a.b(); }\n', "q."),
        ("lib.rs", "#[pymodule]\nfn m() {}\n#[no_mangle]\npub fn f() {}\n", "#[a]"),
        ("m.go", 'package m\n\n// int f(void);\nimport "C"\n\nfunc g() { C.f() }\n', "/* "),
    ],
)
def test_long_and_odd_texts_come_to_an_end(path: str, text: str, unit: str) -> None:
    files = facts_of({path: text, "x.c": C, "also.py": "import m\n"})
    long = (text + unit * 60_000).encode()
    found = find_bridges(files, lambda it: long if it == path else None, Job())
    assert found == find_bridges(files, lambda it: text.encode() if it == path else None, Job())
