import pytest

from clones import found, places, search

TOTAL = """\
def total(orders, rate):
    result = 0
    for order in orders:
        if order.paid and order.amount > 10:
            result += order.amount * rate
        else:
            result -= order.fee
    return round(result, 2)
"""
RENAMED = """\
def gather(items, factor):
    answer = 1
    for item in items:
        if item.ready and item.weight > 12:
            answer += item.weight * factor
        else:
            answer -= item.loss
    return clip(answer, 3)
"""
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


def test_a_copy_in_another_file_is_an_exact_clone() -> None:
    files = {"a.py": TOTAL, "b.py": "import os\n\n" + OTHER + "\n\n" + TOTAL, "c.py": OTHER}
    result = search(files, "exact")
    assert [places(it) for it in result.groups] == [
        [("b.py", 3, 11), ("c.py", 1, 9)],
        [("a.py", 1, 8), ("b.py", 14, 21)],
    ]
    assert {it.type for it in result.groups} == {"exact"}
    assert result.groups[1].tokens == 48
    assert result.groups[1].lines == 8


def test_a_copy_in_the_same_file_is_found() -> None:
    assert found({"a.py": TOTAL + "\n\n" + OTHER + "\n\n" + TOTAL}, "exact") == [
        [("a.py", 1, 8), ("a.py", 22, 29)]
    ]


def test_many_copies_are_one_group() -> None:
    files = {f"{name}.py": TOTAL for name in "abcdefghijklmnop"}
    result = search(files, "exact")
    assert [len(group.fragments) for group in result.groups] == [16]


def test_copies_in_a_row_do_not_overlap() -> None:
    assert found({"a.py": (TOTAL + "\n") * 4}, "exact") == [
        [("a.py", 1, 8), ("a.py", 10, 17), ("a.py", 19, 26), ("a.py", 28, 35)]
    ]


def test_layout_and_comments_do_not_matter() -> None:
    changed = TOTAL.replace("    result = 0\n", "    # begin\n\n    result   =  0  # none yet\n")
    assert found({"a.py": TOTAL, "b.py": changed}, "exact") == [[("a.py", 1, 8), ("b.py", 1, 10)]]


def test_tokens_are_counted_before_a_copy_is_cut_to_whole_lines() -> None:
    other = TOTAL.replace("def total", "def other")
    assert found({"a.py": TOTAL, "b.py": other}, "exact", tokens=46) == [
        [("a.py", 2, 8), ("b.py", 2, 8)]
    ]
    assert found({"a.py": TOTAL, "b.py": other}, "exact", tokens=47) == []


def test_lines_are_counted_after_a_copy_is_cut_to_whole_lines() -> None:
    other = TOTAL.replace("def total", "def other")
    assert found({"a.py": TOTAL, "b.py": other}, "exact", lines=8) == []


def test_renamed_code_is_no_exact_clone() -> None:
    assert found({"a.py": TOTAL, "b.py": RENAMED}, "exact") == []


def test_renamed_code_is_a_renamed_clone() -> None:
    result = search({"a.py": TOTAL, "b.py": RENAMED}, "renamed")
    assert [(it.type, places(it)) for it in result.groups] == [
        ("renamed", [("a.py", 1, 8), ("b.py", 1, 8)])
    ]


def test_names_must_correspond_to_one_name_throughout() -> None:
    mixed = RENAMED.replace("answer -= item.loss", "item -= answer.loss")
    assert found({"a.py": TOTAL, "b.py": mixed}, "renamed", tokens=45) == []


def test_a_name_that_changes_far_away_ends_a_clone() -> None:
    head = """\
def one(left, right):
    shelf = [left, 1]
    shelf.append({right: shelf})
    while shelf and stock.more():
        yield shelf[2:], -len(shelf)
    assert not shelf, "rest"
    stock.close(every=shelf.pop() or 3)
    for box in sorted(stock, key=size):
        del box.lid, box.label[0]
    try:
        return stock.count
    except KeyError as error:
        raise Missing(box) from error
    finally:
"""
    first = head + "        log(left)\n"
    second = head.replace("one", "two") + "        log(right)\n"
    assert found({"a.py": first, "b.py": second}, "renamed", tokens=40) == [
        [("a.py", 1, 15), ("b.py", 1, 15)]
    ]
    group = search({"a.py": first, "b.py": second}, "renamed", tokens=40).groups[0]
    whole = search({"a.py": first, "b.py": first.replace("one", "two")}, "renamed").groups[0]
    assert group.tokens == whole.tokens - 2


def test_exact_copies_are_not_reported_as_renamed_too() -> None:
    result = search({"a.py": TOTAL, "b.py": TOTAL})
    assert [it.type for it in result.groups] == ["exact"]


def test_a_table_is_no_renamed_clone() -> None:
    first = "A = [\n" + "".join(f'    ("{at}", {at}),\n' for at in range(30)) + "]\n"
    second = "B = [\n" + "".join(f'    ("{at}", {at}),\n' for at in range(50, 90)) + "]\n"
    assert found({"a.py": first, "b.py": second}, tokens=50) == []


def test_the_same_table_twice_is_an_exact_clone() -> None:
    table = "A = [\n" + "".join(f'    ("{at}", {at}),\n' for at in range(30)) + "]\n"
    assert found({"a.py": table, "b.py": "x = 1\n" + table}, "exact") == [
        [("a.py", 1, 32), ("b.py", 2, 33)]
    ]


def test_what_is_too_short_is_no_clone() -> None:
    files = {"a.py": TOTAL, "b.py": TOTAL}
    assert found(files, "exact", lines=9) == []
    assert found(files, "exact", lines=8) != []
    assert found(files, "exact", tokens=49) == []
    assert found(files, "exact", tokens=48) != []


def test_common_small_idioms_are_no_clones() -> None:
    first = "class A:\n    def __init__(self, x):\n        self.x = x\n\n    def get(self):\n"
    second = first.replace("A", "B")
    files = {"a.py": first + "        return self.x\n", "b.py": second + "        return 2\n"}
    assert found(files, tokens=50) == []


def test_text_in_long_strings_is_compared_word_by_word() -> None:
    text = "\n".join(f"    {word} comes before the rest of line {word}" for word in "abcdefgh")
    files = {
        "a.py": f'def f():\n    """One.\n\n{text}\n    """\n',
        "b.py": f'X = """\nTwo\n\n{text}\n    and more\n"""\n',
    }
    assert found(files, "exact") == [[("a.py", 4, 11), ("b.py", 4, 11)]]


def test_a_longer_clone_of_two_and_a_shorter_one_of_three_are_both_reported() -> None:
    files = {
        "a.py": TOTAL + "\n\n" + OTHER,
        "b.py": TOTAL + "\n\n" + OTHER,
        "c.py": TOTAL,
    }
    assert found(files, "exact") == [
        [("a.py", 1, 19), ("b.py", 1, 19)],
        [("a.py", 1, 8), ("b.py", 1, 8), ("c.py", 1, 8)],
    ]


JS = """\
function total(orders, rate) {
  let result = 0;
  for (const order of orders) {
    if (order.paid && order.amount > 10) {
      result += order.amount * rate;
    }
  }
  return Math.round(result);
}
"""
C = """\
int total(const struct order *orders, int count, int rate) {
  int result = 0;
  for (int i = 0; i < count; i++) {
    if (orders[i].paid && orders[i].amount > 10) {
      result += orders[i].amount * rate;
    }
  }
  return result;
}
"""
GO = """\
func total(orders []Order, rate int) int {
	result := 0
	for _, order := range orders {
		if order.Paid && order.Amount > 10 {
			result += order.Amount * rate
		}
	}
	return result
}
"""
JAVA = "class A {\n" + C.replace("const struct order *orders", "Order[] orders") + "}\n"
RUBY = """\
def total(orders, rate)
  result = 0
  orders.each do |order|
    if order.paid && order.amount > 10
      result += order.amount * rate
    end
  end
  result.round(2) + orders.first.fee - orders.last.fee
end
"""


@pytest.mark.parametrize(
    ("ending", "code", "names"),
    [
        ("py", TOTAL, ("order", "result", "rate")),
        ("js", JS, ("order", "result", "rate")),
        ("c", C, ("orders", "result", "rate")),
        ("go", GO, ("order", "result", "rate")),
        ("java", JAVA, ("orders", "result", "rate")),
        ("rb", RUBY, ("order", "result", "rate")),
    ],
)
def test_every_language_has_exact_and_renamed_clones(
    ending: str, code: str, names: tuple[str, ...]
) -> None:
    renamed = code
    for name in names:
        renamed = renamed.replace(name, f"my_{name}")
    lines = code.count("\n")
    exact = found({f"a.{ending}": code, f"b.{ending}": code}, "exact")
    assert exact == [[(f"a.{ending}", 1, lines), (f"b.{ending}", 1, lines)]]
    files = {f"a.{ending}": code, f"b.{ending}": renamed}
    assert found(files, "renamed") == exact
    assert found(files, "exact") == []


def test_languages_of_one_family_are_compared_and_others_not() -> None:
    assert len(found({"a.js": JS, "b.ts": JS}, "exact")) == 1
    assert len(found({"a.c": C, "b.cpp": C}, "exact")) == 1
    assert found({"a.c": C, "b.java": C}) == []
