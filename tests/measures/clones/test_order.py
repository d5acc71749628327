"""The order of clones, and the lines that they have."""

from benchpin.core.calls import Job
from benchpin.measures.clones import DuplicateOptions, find_duplicates
from clones import found, places, read, search

SMALL = """\
def add(orders, rate):
    result = 0
    for order in orders:
        if order.paid and order.amount > 10:
            result += order.amount * rate
        else:
            result -= order.fee
    return round(result, 2), len(orders)
"""
BIG = SMALL + "\n\n" + SMALL.replace("add", "sum_up").replace("order", "line").replace("10", "12")


def test_the_biggest_clone_comes_first_and_is_measured_by_what_could_go() -> None:
    files = {f"{name}.py": SMALL for name in "abcd"} | {f"{name}.py": BIG for name in "xy"}
    groups = search(files, "exact").groups
    sizes = [(it.tokens, len(it.fragments), it.removable_tokens) for it in groups]
    assert [removable for *_, removable in sizes] == sorted((it[2] for it in sizes), reverse=True)
    assert all(tokens * (count - 1) == removable for tokens, count, removable in sizes)


def test_a_clone_inside_an_earlier_one_keeps_its_rank() -> None:
    files = {"a.py": BIG, "b.py": BIG, "c.py": SMALL, "d.py": "x = 1\n\n" + SMALL}
    shorter = "\n".join(SMALL.split("\n")[:6]) + "\n"
    groups = search(files | {"e.py": shorter + "        pass\n"}, "exact").groups
    removable = [it.removable_tokens for it in groups]
    assert removable == sorted(removable, reverse=True)


def test_clones_of_tests_and_samples_come_after_the_product() -> None:
    names = ("tests/a", "tests/b", "playground/a", "examples/b", "lib/fixtures/c")
    files = {f"{name}.py": BIG for name in names}
    files |= {"shop/a.py": OTHER, "shop/b.py": OTHER}
    result = search(files, "exact")
    assert [it.is_test_code for it in result.groups] == [False, True]
    assert places(result.groups[0]) == [("shop/a.py", 1, 9), ("shop/b.py", 1, 9)]
    assert result.summary.test_groups == 1
    assert [it.is_test_code for it in result.files] == [False, False, *[True] * len(names)]


def test_a_clone_with_one_place_in_the_product_is_one_of_tests() -> None:
    result = search({"shop/a.py": OTHER, "examples/a.py": OTHER}, "exact")
    assert [it.is_test_code for it in result.groups] == [True]


OTHER = """\
class Till:
    def __init__(self, drawer):
        self.drawer = drawer
        self.open = False

    def slam(self):
        while self.drawer.pop():
            print("clack", end="")
        raise SystemExit(self.open)
"""


def test_an_exact_clone_has_whole_lines_only() -> None:
    first = f"print(1, [{SMALL_CALLS}], 2)\n"
    second = f"write([{SMALL_CALLS}], 3)\n"
    assert found({"a.py": first, "b.py": second}, "exact") == [[("a.py", 2, 7), ("b.py", 2, 7)]]


SMALL_CALLS = "\n".join(f"    call({name}, first={name}.a, last={name}.b)," for name in "abcdefgh")


def test_a_line_that_is_whole_at_one_place_only_is_left_out() -> None:
    body = "\n".join(f"    call({name}, first={name}.a, last={name}.b)" for name in "abcdef")
    files = {"a.py": f"def f():\n{body}\n", "b.py": f"def g(): x = 1\ndef f():\n{body} or 1\n"}
    assert found(files, "exact") == [[("a.py", 1, 6), ("b.py", 2, 7)]]


def test_the_differing_head_of_a_small_function_is_left_out() -> None:
    body = "() => {\n  open();\n  read();\n  shut();\n  lock();\n  leave();\n}"
    assert _functions(f"when(1, {body});\n", f"when(2, {body});\n") == [(2, 7, None)] * 2
    assert _functions(f"when(1, {body});\n", f"when(2, {body}, 3);\n") == [(2, 6, None)] * 2
    same = f"const same = {body};\n"
    assert _functions(same, same) == [(1, 7, "same")] * 2


def _functions(first: str, second: str) -> list[tuple[int, int, str | None]]:
    """Return the places of the one clone that is found by the usual minimum."""
    options = DuplicateOptions(types=("exact",))
    (group,) = find_duplicates(read({"a.js": first, "b.js": second}), options, Job()).groups
    return [(it.line, it.end_line, it.function) for it in group.fragments]
