import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled
from benchpin.measures.clones import DuplicateOptions, Minimum, find_duplicates
from benchpin.measures.clones._copies import ExactCopies
from benchpin.measures.clones._corpus import build_corpus
from clones import found, places, read, search

OPERATORS = ("+", "-", "*", "/", "%", "<", ">", "==", "and", "or", "in")


def function(seed: int, lines: int, name: str = "f") -> str:
    """Make up a function: no two seeds give the same."""
    chance = random.Random(seed)  # noqa: S311 - test data
    names = [f"v{seed}_{at}" for at in range(6)]

    def term() -> str:
        kind = chance.randrange(4)
        if kind == 0:
            return f"{chance.choice(names)}[{chance.randrange(99)}]"
        if kind == 1:
            return f"{chance.choice(names)}.{chance.choice(names)}"
        if kind == 2:
            return f"{chance.choice(names)}({chance.choice(names)}, {chance.randrange(99)})"
        return f"{chance.randrange(99)}"

    body = [
        f"    {chance.choice(names)} = {term()} {chance.choice(OPERATORS)} {term()}"
        f" {chance.choice(OPERATORS)} {term()}"
        for _ in range(lines)
    ]
    return "\n".join([f"def {name}({', '.join(names)}):", *body, ""])


SEEDS = st.integers(0, 10_000)


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(8, 25), st.lists(SEEDS, max_size=3))
def test_a_copied_function_is_always_found(seed: int, lines: int, others: list[int]) -> None:
    noise = [function(10_001 + other, 9, f"g{at}") for at, other in enumerate(others)]
    copy = function(seed, lines)
    files = {"a.py": copy, "b.py": "\n\n".join([*noise, copy])}
    start = files["b.py"].count("\n") - copy.count("\n") + 1
    last = files["b.py"].count("\n")
    groups = found(files, "exact", tokens=50)
    assert [("a.py", 1, lines + 1), ("b.py", start, last)] in groups


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(8, 25))
def test_a_renamed_function_is_always_found(seed: int, lines: int) -> None:
    original = function(seed, lines)
    renamed = original.replace(f"v{seed}_", "w").replace("def f", "def g")
    files = {"a.py": original, "b.py": renamed}
    assert [("a.py", 1, lines + 1), ("b.py", 1, lines + 1)] in found(files, "renamed", tokens=50)


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(16, 30), st.integers(1, 2), st.data())
def test_a_function_with_few_more_lines_is_always_found(
    seed: int, lines: int, more: int, data: st.DataObject
) -> None:
    changed = function(seed, lines).splitlines()
    for at in range(more):
        place = data.draw(st.integers(2, len(changed) - 1))
        changed.insert(place, f"    extra({at}, every=None)")
    files = {"a.py": function(seed, lines), "b.py": "\n".join([*changed, ""])}
    groups = found(files, "gapped", tokens=50)
    assert [("a.py", 1, lines + 1), ("b.py", 1, lines + 1 + more)] in groups


@settings(max_examples=20, deadline=None)
@given(st.lists(SEEDS, min_size=2, max_size=6, unique=True))
def test_functions_made_up_at_random_are_no_clones(seeds: Sequence[int]) -> None:
    files = {f"{seed}.py": function(seed, 15) for seed in seeds}
    assert found(files, tokens=50) == []


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from([3, 4, 5]), min_size=2, max_size=30))
def test_whatever_is_reported_is_the_same_word_for_word(picks: list[int]) -> None:
    text = "".join(function(pick, 3, f"f{pick}") + "\n" for pick in picks)
    corpus = build_corpus(read({"a.py": text}), Job(), splits_literals=True)
    copies = ExactCopies(corpus, Minimum(tokens=20, lines=3))
    for repeat in copies.find(copies.windows(), Job()):
        stretches = [corpus.tokens[it : it + repeat.size].tolist() for it in repeat.places]
        assert all(it == stretches[0] for it in stretches)
        assert all(one + repeat.size <= other for one, other in pairwise(repeat.places))


def test_lines_are_counted_once_however_many_clones_they_are_in() -> None:
    copy = function(1, 11)
    files = {"a.py": copy, "b.py": copy + "\n" + function(2, 11, "g"), "c.py": "x = 1\n" * 8}
    result = search(files, "exact", "renamed", "gapped")
    assert result.summary.duplicated_lines == 24
    assert result.summary.total_lines == 12 + 25 + 8
    assert result.summary.duplicated_percent == round(100 * 24 / 45, 2)
    assert [(it.file, it.duplicated_lines, it.duplicated_percent) for it in result.files] == [
        ("a.py", 12, 100.0),
        ("b.py", 12, 48.0),
    ]
    assert result.summary.files_with_duplicates == 2


def test_nothing_has_no_share() -> None:
    result = search({})
    assert result.groups == []
    assert result.summary.duplicated_percent is None
    assert search({"a.py": ""}).summary.duplicated_percent is None
    assert search({"a.py": "x = 1\n"}).summary.duplicated_percent == 0


def test_the_same_search_gives_the_same_groups() -> None:
    files = {f"{at}.py": function(at % 3, 12) + function(at % 2, 9, "g") for at in range(9)}
    first, second = search(files), search(files)
    assert first.groups == second.groups
    assert first.summary == second.summary


def test_running_out_of_time_is_reported() -> None:
    job = Job(time_limit_s=0)
    result = search({"a.py": function(1, 9), "b.py": function(1, 9)}, job=job)
    assert result.groups == []
    assert job.missing == [f"{kind} clones" for kind in ("exact", "renamed", "gapped", "semantic")]


def test_a_cancelled_search_stops() -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        search({"a.py": function(1, 9), "b.py": function(1, 9)}, job=job)


def test_files_over_the_limit_are_named_as_left_out() -> None:
    files = read({f"{at}.py": function(1, 9) for at in range(4)})
    size = len(build_corpus(files[:1], Job(), splits_literals=True).tokens)
    job = Job()
    corpus = build_corpus(files, job, splits_literals=True, most_tokens=2 * size)
    assert corpus.paths == ["0.py", "1.py"]
    assert job.missing == [f"2 of 4 files: over {2 * size:,} tokens"]


@given(picks=st.lists(st.integers(0, 3), min_size=4, max_size=9), wanted=st.integers(0, 2))
@settings(max_examples=20, deadline=None)
def test_groups_of_some_files_are_those_of_all_that_reach_into_them(
    picks: list[int], wanted: int
) -> None:
    texts = ["", "", ""]
    for at, pick in enumerate(picks):
        texts[at % 3] += function(pick, 8 + pick, f"f{at}") + SMALL
    files = read({f"{name}.py": text for name, text in zip("abc", texts, strict=True)})
    path = f"{'abc'[wanted]}.py"
    whole = find_duplicates(files, DuplicateOptions(), Job()).groups
    part = find_duplicates(files, DuplicateOptions(files=(path,)), Job()).groups
    assert part == [it for it in whole if any(one.file == path for one in it.fragments)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "x = [" + "0, " * 100_000 + "]\n",
        "x = [\n" + "    0,\n" * 50_000 + "]\n",
        "f(1)\n" * 50_000,
        "\n\n" + "def f(a):\n    return a + 1\n\n" * 10_000,
    ],
    ids=["one line", "many lines", "one statement", "one function"],
)
def test_endless_repetition_is_bounded(text: str) -> None:
    result = find_duplicates(read({"a.py": text, "b.py": text}), DuplicateOptions(), Job())
    assert len(result.groups) < 100
    assert all(len(it.fragments) <= 1_000 for it in result.groups)


def test_endless_functions_are_not_aligned() -> None:
    body = "".join(f"    if a[{at % 7}]:\n        b({at})\n" for at in range(2_000))
    files = {"a.py": f"def f(a):\n    start()\n{body}", "b.py": f"def g(a):\n    {body.lstrip()}"}
    assert found(files, "gapped", "semantic") == []
    assert len(found(files, "exact")) == 1


SMALL = """
def area(width, height):
    if width < 0:
        raise ValueError(width)
    if height < 0:
        raise ValueError(height)
    return width * height
"""


def _default(files: dict[str, str], lines: int = 5) -> list[list[tuple[str, int, int]]]:
    options = DuplicateOptions(("exact",), minimum=Minimum(lines))
    return [places(it) for it in find_duplicates(read(files), options, Job()).groups]


def test_lines_decide_whether_a_small_copied_function_is_a_clone() -> None:
    files = {"a.py": SMALL, "b.py": f"import os\n{SMALL}", "c.py": "def area():\n    pass\n"}
    assert _default(files) == [[("a.py", 2, 7), ("b.py", 3, 8)]]
    assert _default(files, lines=6) == _default(files)
    assert _default(files, lines=7) == []
    assert found(files, "exact", tokens=50) == []


def test_a_small_function_inside_a_bigger_clone_is_not_reported_again() -> None:
    rest = "".join(f"    total = total + weigh(item, {at}) * {at}\n" for at in range(20))
    text = f"{SMALL}\n\ndef outer(total, item):\n{rest}    return total\n"
    assert _default({"a.py": text, "b.py": text}) == [[("a.py", 2, 31), ("b.py", 2, 31)]]


def test_fewer_lines_need_fewer_tokens() -> None:
    block = "first = load(1, 2, 3)\nsecond = load(4, 5, 6)\nthird = load(7, 8, 9)\n"
    files = {"a.py": f"a = 1\n{block}", "b.py": f"b = {{}}\n{block}"}
    assert _default(files) == []
    assert _default(files, lines=3) == [[("a.py", 2, 4), ("b.py", 2, 4)]]
