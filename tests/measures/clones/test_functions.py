import pytest

from benchpin.measures.clones._grouping import CloneType
from clones import found, places, search

LOAD = """\
def load(path, limit):
    rows = []
    with open(path) as source:
        for line in source:
            name, _, value = line.partition("=")
            if not value.strip():
                continue
            rows.append((name, int(value)))
            if len(rows) >= limit:
                break
    rows.sort(key=by_value, reverse=True)
    return rows
"""
INSERTED = LOAD.replace("load", "fetch").replace(
    "            rows.append", "            count(name, value, every=3)\n            rows.append"
)
REPLACED = LOAD.replace("rows.sort(key=by_value, reverse=True)", "rows.sort()")
SHUFFLED = """\
def read(place, most):
    found = []
    with open(place) as lines:
        for text in lines:
            key, _, number = text.partition("=")
            if number.strip():
                pair = (key, int(number))
                found.append(pair)
            else:
                continue
            if not len(found) < most:
                break
    found.sort(
        reverse=True,
        key=by_value,
    )
    return found
"""
UNLIKE = """\
def paint(canvas, colour):
    for shape in canvas.shapes:
        shape.fill(colour)
        canvas.count += shape.area * 3
    while canvas.is_dirty:
        canvas.flush()
        canvas.wait(0.5)
    assert canvas.is_clean, "paint"
    print(canvas.count, colour.name)
    return canvas.count - 7
"""


@pytest.mark.parametrize("changed", [INSERTED, REPLACED], ids=["inserted", "replaced"])
def test_a_function_with_another_line_is_a_gapped_clone(changed: str) -> None:
    result = search({"a.py": LOAD, "b.py": changed}, "gapped")
    (group,) = result.groups
    assert group.type == "gapped"
    assert places(group) == [("a.py", 1, 12), ("b.py", 1, changed.count("\n"))]
    assert 0.85 <= group.similarity < 1
    assert group.similarity == group.fragments[1].similarity


def test_gaps_are_the_lines_without_a_counterpart() -> None:
    (group,) = search({"a.py": LOAD, "b.py": INSERTED}, "gapped").groups
    first, second = group.fragments
    assert first.gaps == ()
    assert [(gap.line, gap.end_line) for gap in second.gaps] == [(8, 8)]
    assert (first.function, second.function) == ("load", "fetch")


def test_a_gap_is_not_counted_as_similar() -> None:
    result = search({"a.py": LOAD, "b.py": INSERTED}, "gapped")
    assert result.summary.similar_lines == 12 + 12


def test_similarity_is_the_share_of_words_in_lines_that_agree() -> None:
    # LOAD has 82 words, INSERTED one more line of 10.
    (group,) = search({"a.py": LOAD, "b.py": INSERTED}, "gapped").groups
    assert group.tokens == 82
    assert group.similarity == int(1000 * 2 * 82 / (82 + 92)) / 1000


def test_names_that_correspond_to_several_names_count_as_different() -> None:
    mixed = INSERTED.replace("rows.sort", "path.sort").replace("if len(rows)", "if len(limit)")
    (plain,) = search({"a.py": LOAD, "b.py": INSERTED}, "gapped").groups
    (worse,) = search({"a.py": LOAD, "b.py": mixed}, "gapped", threshold=0.7).groups
    assert worse.similarity < plain.similarity


def test_the_threshold_decides() -> None:
    files = {"a.py": LOAD, "b.py": INSERTED}
    assert found(files, "gapped", threshold=0.95) == []
    assert len(found(files, "gapped", threshold=0.9)) == 1


def test_a_whole_copy_is_no_gapped_clone() -> None:
    assert found({"a.py": LOAD, "b.py": LOAD.replace("rows", "lines")}, "gapped") == []


def test_gapped_clones_of_one_another_are_one_group() -> None:
    twice = INSERTED.replace("    rows.sort", "    audit(rows)\n    rows.sort")
    (group,) = search({"a.py": LOAD, "b.py": INSERTED, "c.py": twice}, "gapped").groups
    assert [it.file for it in group.fragments] == ["a.py", "b.py", "c.py"]


def test_the_same_ingredients_in_another_arrangement_are_a_semantic_clone() -> None:
    files = {"a.py": LOAD, "b.py": SHUFFLED, "c.py": UNLIKE}
    (group,) = search(files, "semantic", threshold=0.8).groups
    assert group.type == "semantic"
    assert [it.function for it in group.fragments] == ["load", "read"]
    assert found(files, "exact", "renamed", "gapped", threshold=0.8, tokens=50) == []


def test_semantic_clones_are_no_duplicated_lines() -> None:
    result = search({"a.py": LOAD, "b.py": SHUFFLED}, "semantic", threshold=0.8)
    assert len(result.groups) == 1
    assert (result.summary.duplicated_lines, result.files) == (None, [])
    assert result.summary.duplicated_percent is None


@pytest.mark.parametrize("kind", ["exact", "renamed", "gapped", "semantic"])
def test_unlike_functions_are_no_clones(kind: CloneType) -> None:
    assert found({"a.py": LOAD, "b.py": UNLIKE}, kind, threshold=0.5) == []


def test_a_gapped_clone_is_not_called_semantic_too() -> None:
    result = search({"a.py": LOAD, "b.py": INSERTED})
    assert [it.type for it in result.groups if it.type != "exact"][:1] == ["gapped"]
    assert "semantic" not in {it.type for it in result.groups}


JAVA = """\
class A {
  int total(Order[] orders, int rate) {
    int result = 0;
    for (Order order : orders) {
      if (order.paid() && order.amount() > 10) {
        result += order.amount() * rate;
      }
    }
    return result;
  }
}
"""
RUST = """\
fn total(orders: &[Order], rate: i64) -> i64 {
    let mut result = 0;
    for order in orders {
        if order.paid && order.amount > 10 {
            result += order.amount * rate;
        }
    }
    result.max(0) + orders.len() as i64
}
"""


@pytest.mark.parametrize(
    ("ending", "code", "extra"),
    [
        ("java", JAVA, "    log.info(rate);\n"),
        ("rs", RUST, "    log(rate);\n"),
    ],
)
def test_other_languages_have_gapped_clones(ending: str, code: str, extra: str) -> None:
    start = code.index("    for")
    changed = (code[:start] + extra + code[start:]).replace("total", "sum")
    (group,) = search({f"a.{ending}": code, f"b.{ending}": changed}, "gapped").groups
    assert [len(it.gaps) for it in group.fragments] == [0, 1]


def test_an_inner_function_is_no_clone_of_the_one_around_it() -> None:
    inner = "".join(f"    {line}\n" for line in LOAD.splitlines())
    wrapped = f"def outer(flag):\n{inner}    return load\n"
    assert found({"a.py": wrapped}, "gapped", "semantic", threshold=0.5) == []
