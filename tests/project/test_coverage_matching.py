from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchpin.measures.coverage import _report as matching
from benchpin.measures.coverage._report import PathMatcher
from coverage_kit import cobertura, lcov, reports_in, sources, write

ROOT = Path("/srv/project")
TWO = ("src/app.py", "packages/x/src/app.py")


def find(
    written: str,
    paths: Sequence[str],
    *,
    report: str = "coverage.xml",
    named: Sequence[str] = (),
    others: Sequence[str] = (),
) -> str | None:
    matcher = PathMatcher(ROOT, paths, others.__contains__)
    return matcher.find(written, matcher.starts(report, named))


@pytest.mark.parametrize(
    ("report", "named", "expected"),
    [
        ("coverage.xml", (), "src/app.py"),
        ("coverage.xml", ("/srv/project/packages/x",), "packages/x/src/app.py"),
        ("coverage.xml", ("packages/x",), "packages/x/src/app.py"),
        ("coverage.xml", ("/ci/build/packages/x",), "packages/x/src/app.py"),
        ("packages/x/coverage.xml", (), "packages/x/src/app.py"),
        ("packages/x/coverage/lcov.info", (), "packages/x/src/app.py"),
        ("packages/x/coverage.xml", (".",), "packages/x/src/app.py"),
        ("packages/x/coverage.xml", ("/app",), "packages/x/src/app.py"),
        ("packages/x/coverage.xml", ("/srv/project",), "src/app.py"),
        ("packages/x/coverage.xml", ("../..",), "src/app.py"),
        ("packages/y/coverage.xml", (), "src/app.py"),
    ],
)
def test_sources_come_before_the_folders_of_the_report_and_these_before_the_root(
    report: str, named: tuple[str, ...], expected: str
) -> None:
    assert find("src/app.py", TWO, report=report, named=named) == expected


def test_the_first_source_that_leads_to_a_file_counts() -> None:
    named = ("/srv/project/none", "/srv/project/packages/x", "/srv/project")
    assert find("src/app.py", TWO, named=named) == "packages/x/src/app.py"


@pytest.mark.parametrize("written", ["src/app.py", "/srv/project/src/app.py"])
def test_a_file_that_was_not_asked_for_is_not_mistaken_for_another(written: str) -> None:
    asked = ("packages/x/src/app.py",)
    assert find(written, asked, others=("src/app.py",)) is None


def test_a_file_of_this_workspace_that_is_gone_is_not_looked_for_elsewhere() -> None:
    assert find("/srv/project/old/src/app.py", ("packages/x/src/app.py",)) is None
    assert find("/ci/build/old/src/app.py", ("packages/x/src/app.py",)) == "packages/x/src/app.py"


@pytest.mark.parametrize("written", ["", ".", "..", "/", "src", "src/..", "a/" * 3000 + "app.py"])
def test_what_is_no_path_of_a_file_means_none(written: str) -> None:
    assert find(written, TWO) is None


def test_a_source_that_is_no_path_is_passed_over() -> None:
    assert find("src/app.py", TWO, named=("a/" * 3000, "packages/x")) == "packages/x/src/app.py"


NAMES = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join)


@given(paths=st.sets(NAMES, max_size=12), written=NAMES)
@example(paths={"a/a/b", "b/a/b"}, written="a/b")
@example(paths={"x/a/b", "y/a/b"}, written="a/b")
def test_the_likest_file_is_the_only_one_with_the_longest_common_end(
    paths: set[str], written: str
) -> None:
    ends = {path: _common_end(path, f"ci/{written}") for path in paths}
    longest = max(ends.values(), default=0)
    best = [path for path, end in ends.items() if end == longest]
    expected = best[0] if longest >= 2 and len(best) == 1 else None
    assert find(f"/ci/{written}", sorted(paths)) == expected


def _common_end(one: str, other: str) -> int:
    names, others = one.split("/"), other.split("/")
    return max(
        (n for n in range(1, min(len(names), len(others)) + 1) if names[-n:] == others[-n:]),
        default=0,
    )


def test_a_path_is_looked_for_in_few_places_whatever_a_report_names() -> None:
    asked: list[str] = []

    def is_there(path: str) -> bool:
        asked.append(path)
        return False

    matcher = PathMatcher(ROOT, ["deep/a.py"], is_there)
    starts = matcher.starts("x/y/coverage.xml", [f"s{number}" for number in range(1000)])
    assert matcher.find("other/a.py", starts) is None
    assert len(asked) == len(starts) == 63


def test_files_of_one_name_are_not_compared_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[object] = []
    count = matching._in_common

    def counted(one: tuple[str, ...], other: tuple[str, ...]) -> int:
        compared.append(other)
        return count(one, other)

    monkeypatch.setattr(matching, "_in_common", counted)
    paths = [f"d{number}/__init__.py" for number in range(2000)]
    assert find("pkg/__init__.py", paths) is None
    assert find("/ci/d77/__init__.py", paths) == "d77/__init__.py"
    assert len(compared) <= 8


def test_reports_of_a_package_speak_of_its_own_files(tmp_path: Path) -> None:
    folder = tmp_path / "packages/x"
    write(tmp_path, {"packages/x/coverage.xml": cobertura("src/app.py", str(folder))})
    assert list(reports_in(tmp_path, sources(*TWO)).by_file) == ["packages/x/src/app.py"]
    (folder / "coverage.xml").unlink()
    write(tmp_path, {"packages/x/coverage/lcov.info": lcov("src/app.py")})
    assert list(reports_in(tmp_path, sources(*TWO)).by_file) == ["packages/x/src/app.py"]


def test_a_report_of_the_whole_is_not_booked_on_the_part_that_is_asked_for(tmp_path: Path) -> None:
    write(tmp_path, {"coverage.xml": cobertura("src/app.py"), "src/app.py": "x = 1\n"})
    assert reports_in(tmp_path, sources("packages/x/src/app.py")).by_file == {}
