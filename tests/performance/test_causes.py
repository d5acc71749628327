"""Why a function is slow, from its source and the costs of its profile."""

from textwrap import dedent

import pytest

from benchpin.performance.causes import FunctionKey, HotCode, ProfileGraph, find_causes
from benchpin.performance.causes._regexes import nests_quantifiers
from benchpin.performance.values import CallEdge, Cost, Profile


def kind_of(source: str, *, callee: str = "", name: str = "work", calls: int = 1) -> str | None:
    """Return the kind of cause that is found in the one function of a source."""
    text = dedent(source)
    own = (10, 90) if callee else (100, 0)
    profile = Profile(
        version="test",
        metrics=("wt",),
        request=None,
        events=1,
        functions=(
            Cost(name, calls, (own[0],), (100,), file="app"),
            Cost(callee or "other", calls, (own[1],), (own[1],)),
        ),
        edges=(CallEdge(0, 1, calls, (own[1],)),),
        tree=(),
        is_complete=True,
    )
    code = HotCode(name, "app", 1, len(text.splitlines()), text)
    found = find_causes(ProfileGraph([profile]), {FunctionKey(name, "app", None): code})
    return found[0].kind if found else None


DANGEROUS = ("(a+)+$", r"^(\w+\s?)*$", r"([a-z]+)*x", r"(?:x|y+)+", "((a+)b?)*")
HARMLESS = (
    r"(\d+,)*",
    r"^[a-z]+\d*$",
    r"(?:ab)+",
    r"([^,]+,)+",
    r"(a|b)*",
    r"\((\w+)\)+x",
    "(?:-[a-z]+)*",
)
SEARCHES = (
    """\
    def work(rows, known):
        for row in rows:
            if row not in known:
                use(row)
    """,
    """\
    function work(rows, known) {
      for (const row of rows) {
        if (!known.includes(row)) {
          use(row);
        }
      }
    }
    """,
    """\
    function work($rows, $known) {
        foreach ($rows as $row) {
            if (in_array($row, $known)) {
                use_it($row);
            }
        }
    }
    """,
    """\
    func work(rows []string) {
        for _, row := range rows {
            if slices.Contains(kept, row) {
                use(row)
            }
        }
    }
    """,
)
RIGHT = {
    "a set is made for it": """\
    def work(rows, names):
        known = set(names)
        for row in rows:
            if row in known:
                use(row)
    """,
    "it is in no loop": """\
    def work(row, known):
        if row in known:
            return 1
        return 0
    """,
    "comments and strings are no code": """\
    def work(rows):
        for row in rows:
            # if row in known
            use("x in known")
    """,
    "results are remembered": """\
    def work(n):
        seen[n] = 1
        return work(n - 1) + work(n - 2)
    """,
    "each call has another part of a tree": """\
    def work(node):
        return work(node.left) + work(node.right)
    """,
    "the inner loop goes over what belongs to the item": """\
    def work(orders):
        for order in orders:
            for line in order.lines:
                if line.kind == "x":
                    use(line)
    """,
    "text is joined at the end": """\
    def work(rows):
        parts = []
        for row in rows:
            parts.append(row)
        return "".join(parts)
    """,
}


@pytest.mark.parametrize("source", SEARCHES)
def test_a_search_of_a_list_in_a_loop_is_named_in_each_language(source: str) -> None:
    assert kind_of(source) == "linear_search"


@pytest.mark.parametrize("reason", RIGHT)
def test_code_that_does_it_right_has_no_cause(reason: str) -> None:
    assert kind_of(RIGHT[reason]) is None


def test_the_evidence_decides_between_two_causes() -> None:
    source = """\
    def work(rows, known):
        for row in rows:
            text = json.dumps(row)
            if row in known:
                use(text)
    """
    assert kind_of(source, callee="dumps") == "serialisation"
    assert kind_of(source) in {"linear_search", "serialisation"}


def test_work_that_does_not_depend_on_the_loop_is_named() -> None:
    source = """\
    def work(rows, path):
        for row in rows:
            limits = load_limits(path)
            use(row, limits)
    """
    assert kind_of(source, callee="load_limits") == "invariant_work"
    varying = source.replace("load_limits(path)", "load_limits(row)")
    assert kind_of(varying, callee="load_limits") is None


def test_a_query_outside_of_the_loop_is_not_n_plus_one() -> None:
    source = """\
    def work(db):
        rows = db.execute("select id from item")
        for row in rows:
            use(row)
    """
    assert kind_of(source, callee="execute") is None
    inside = source.replace("use(row)", 'db.execute("select x from y where id = ?", row)')
    assert kind_of(inside, callee="execute") == "n_plus_one"


@pytest.mark.parametrize("pattern", DANGEROUS)
def test_a_repeated_repetition_is_dangerous(pattern: str) -> None:
    assert nests_quantifiers(pattern)


@pytest.mark.parametrize("pattern", HARMLESS)
def test_a_repetition_with_an_end_is_not(pattern: str) -> None:
    assert not nests_quantifiers(pattern)


def test_a_callee_that_only_calls_the_workspace_back_is_no_cause() -> None:
    text = dedent(
        """\
        def start(items):
            return sorted(items, key=slow)

        def slow(item):
            return item.x
        """
    )
    profile = Profile(
        version="test",
        metrics=("wt",),
        request=None,
        events=1,
        functions=(
            Cost("start", 1, (1,), (100,), file="app", line=1),
            Cost("sorted", 1, (4,), (99,)),
            Cost("slow", 50, (95,), (95,), file="app", line=4),
        ),
        edges=(CallEdge(0, 1, 1, (99,)), CallEdge(1, 2, 50, (95,))),
        tree=(),
        is_complete=True,
    )
    code = {
        FunctionKey("start", "app", 1): HotCode("start", "app", 1, 2, text),
        FunctionKey("slow", "app", 4): HotCode("slow", "app", 4, 5, text),
    }
    found = find_causes(ProfileGraph([profile]), code)
    assert [(it.function, it.says) for it in found] == [("slow", "spends 95% of the time itself")]
