import pytest

from dead_code_kit import assert_only_first_alive, confidences, surely_dead


@pytest.mark.parametrize(
    ("path", "alive", "dead"),
    [
        (
            "static.c",
            "static int it(void) { return 1; }\nint main(void) { return it(); }\n",
            "static int it(void) { return 1; }\nint main(void) { return 1; }\n",
        ),
        (
            "macro.c",
            "#define RUN(n) do_ ## n\nstatic int do_it(void) { return 1; }\n",
            "#define RUN(n) n\nstatic int do_it(void) { return 1; }\n",
        ),
        (
            "body.c",
            "#define RUN it(1)\nstatic int it(int a) { return a; }\n",
            "int it(int a);\nint it(int a) { return a; }\n",
        ),
        (
            "pointer.c",
            "static int it(void) { return 1; }\nint (*table[])(void) = { it };\n",
            "static int it(void) { return it(); }\nint (*table[])(void) = { 0 };\n",
        ),
        (
            "struct.c",
            "struct it { int a; };\nint f(struct it *x);\n",
            "struct it { int a; };\nint f(int x);\n",
        ),
    ],
)
def test_code_is_alive_only_with_what_its_rule_looks_for(path: str, alive: str, dead: str) -> None:
    assert_only_first_alive(path, alive, dead)


def test_a_static_function_in_a_file_that_is_included_is_not_local() -> None:
    backend = "static int poll_it(void) { return 1; }\n"
    files = {
        "poll.c": backend,
        "main.c": '#include "poll.c"\nint main(void) { return poll_it(); }\n',
    }
    assert confidences(files) == {}
    assert confidences({**files, "main.c": "int main(void) { return poll_it(); }\n"}) == {
        "poll_it": 0.95
    }


def test_a_header_that_declares_a_function_lowers_the_confidence() -> None:
    source = {"lib/area.c": "int area_it(void) { return 1; }\n"}
    assert confidences(source) == {"area_it": 0.8}
    assert confidences({**source, "lib/area.h": "int area_it(void);\n"}) == {"area_it": 0.7}
    assert confidences({**source, "include/area.h": "int area_it(void);\n"}) == {"area_it": 0.1}


def test_python_and_java_call_functions_by_their_names() -> None:
    text = "void *PyInit_area(void) { return 0; }\nint Java_Area_size(void) { return 1; }\n"
    assert surely_dead({"area.c": text}) == set()
