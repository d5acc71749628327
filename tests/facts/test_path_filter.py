from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.core.calls import Job
from benchpin.workspace.walking import PathFilter, WalkOptions, walk

PATHS = (
    "a.py",
    "b.txt",
    "src/a.py",
    "src/deep/a.py",
    "src/deep/b.txt",
    "src/vendor/c.py",
    "srcs/a.py",
    "tests/src/a.py",
)


def chosen(
    start: str = "", include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()
) -> list[str]:
    return list(filter(PathFilter(start, include, exclude).accepts, PATHS))


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("", list(PATHS)),
        ("src", ["src/a.py", "src/deep/a.py", "src/deep/b.txt", "src/vendor/c.py"]),
        ("src/deep", ["src/deep/a.py", "src/deep/b.txt"]),
        ("src/a.py", ["src/a.py"]),
        ("a.py", ["a.py"]),
        ("none", []),
    ],
)
def test_only_paths_below_the_start_are_selected(start: str, expected: list[str]) -> None:
    assert chosen(start) == expected


def test_a_file_that_is_named_is_chosen_whatever_the_patterns_say() -> None:
    assert chosen("src/a.py", ("*.txt",), ("*.py",)) == ["src/a.py"]


def test_a_path_deeper_than_the_stack_is_chosen() -> None:
    assert PathFilter("", (), ("x",)).accepts("a/" * 3000 + "b")
    assert not PathFilter("", (), ("x",)).accepts("a/" * 3000 + "x/b")


PATTERNS = st.lists(
    st.sampled_from(
        ["*.py", "src/**", "**/deep/**", "src/*.py", "deep", "/a.py", "b.*", "src/deep/"]
    ),
    max_size=2,
).map(tuple)


@given(start=st.sampled_from(["", "src", "src/deep"]), include=PATTERNS, exclude=PATTERNS)
def test_the_choice_is_that_of_a_walk(
    start: str,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    root = tree_of(tmp_path_factory)
    options = WalkOptions(include, exclude, include_vendored=True)
    walked = walk(root, start or ".", options, Job())
    assert chosen(start, include, exclude) == [file.path for file in walked.files]


def tree_of(places: pytest.TempPathFactory) -> Path:
    root = places.getbasetemp() / "walked"
    for path in PATHS:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()
    return root
