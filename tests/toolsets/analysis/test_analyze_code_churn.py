import csv
import io
import json
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import cast

import pytest

from benchpin.app import Workbench
from benchpin.core.calls import Job, Progress
from benchpin.core.content import Text
from benchpin.core.errors import (
    AccessDenied,
    Cancelled,
    FileMissing,
    InvalidCursor,
    InvalidParams,
    PathOutsideWorkspace,
)
from benchpin.measures.churn import AuthorShare
from benchpin.toolsets.analysis.analyze_code_churn import (
    ChurnParams,
    ChurnReport,
    analyze_code_churn,
)
from benchpin.workspace.git import NotARepository
from repositories import BOB, START, Step, Tree, import_steps

LAST_DAY = "2026-01-30"
LINES = b"".join(b"x = %d\n" % at for at in range(10, 50))


@pytest.fixture
def shop(workspace: Path) -> Workbench:
    return Workbench.open(workspace)


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    made.commit({"hot.py": LINES, "src/moved.py": LINES[:70], "logo.png": b"\0\1"})
    made.commit({"hot.py": LINES[:-14], "docs/a.md": b"A\n", "gone.txt": b"x\n"}, "Two", BOB)
    made.commit({"hot.py": LINES, "docs/a.md": b"A\nB\n", "gone.txt": None})
    made.commit(
        {
            "hot.py": LINES + b"end\n",
            "docs/a.md": b"A\n",
            "src/moved.py": None,
            "lib.py": LINES[:70],
        }
    )
    return made


def report(shop: Workbench, **arguments: object) -> ChurnReport:
    arguments.setdefault("until", LAST_DAY)
    return cast("ChurnReport", shop.call("analyze_code_churn", **arguments))


def names(found: ChurnReport) -> list[str]:
    return [it.path for it in found.files]


@pytest.mark.usefixtures("tree")
def test_files_are_ranked_by_how_often_and_how_much_they_changed(shop: Workbench) -> None:
    found = report(shop)
    published = found.model_dump()
    assert [
        (it["path"], it["commit_count"], it["additions"], it["deletions"], it["churn_score"])
        for it in published["files"]
    ] == [
        ("hot.py", 4, 43, 2, 1.0),
        ("docs/a.md", 3, 2, 1, round(0.6 * 3 / 4 + 0.4 * 3 / 45, 4)),
        ("lib.py", 2, 10, 0, round(0.6 * 2 / 4 + 0.4 * 10 / 45, 4)),
        ("logo.png", 1, None, None, 0.15),
    ]
    hot = found.files[0]
    assert hot.authors == (AuthorShare("Ada", 3, 0.75), AuthorShare("Bob", 1, 0.25))
    assert (hot.first_seen, hot.last_modified) == (START, START + timedelta(days=3))
    assert (hot.unique_authors, hot.days_since_change, hot.coupled_files) == (2, 26, 1)


@pytest.mark.usefixtures("tree")
def test_the_summary_has_the_totals(shop: Workbench) -> None:
    found = report(shop)
    published = found.model_dump(mode="json")
    assert published["summary"] == {
        "total_commits": 4,
        "total_files_changed": 4,
        "additions": 55,
        "deletions": 3,
        "removed_files": 1,
        "unique_authors": 2,
        "author_contributions": [
            {"name": "Ada", "commits": 3, "share": 0.75},
            {"name": "Bob", "commits": 1, "share": 0.25},
        ],
        "hotspot_files": ["hot.py"],
        "stable_files": [],
    }
    assert published["coupling"] == [
        {"first": "docs/a.md", "second": "hot.py", "shared_commits": 3, "degree": 0.8571}
    ]
    assert (found.period_days, found.since, found.until, found.is_shallow) == (
        30,
        date(2026, 1, 1),
        date(2026, 1, 30),
        False,
    )


@pytest.mark.usefixtures("tree")
def test_the_summary_is_said_in_a_few_lines(shop: Workbench) -> None:
    assert report(shop).to_text().splitlines() == [
        "4 commits by 2 authors changed 4 files in the 30 days from 2026-01-01 to 2026-01-30",
        "55 lines added, 3 deleted; hotspots, with a score above 0.5: 1",
        "Changed and removed since, so left out: 1 file",
        "",
        "Most changed files",
        "file       commits  added  deleted  score  authors  last change",
        "hot.py           4     43        2   1.00        2  2026-01-04",
        "docs/a.md        3      2        1   0.48        2  2026-01-04",
        "lib.py           2     10        0   0.39        1  2026-01-04",
        "logo.png         1      -        -   0.15        1  2026-01-01",
        "",
        "Files that change together, 1 of 1 pairs",
        "commits  degree  file       changes with",
        "      3    0.86  docs/a.md  hot.py",
    ]


@pytest.mark.usefixtures("tree")
def test_every_format_has_the_same_numbers(shop: Workbench) -> None:
    found = report(shop)
    as_json = json.loads(report(shop, format="json").to_text())
    assert as_json == json.loads(found.model_dump_json())
    expected = [
        [
            it["path"],
            it["commit_count"],
            it["additions"],
            it["deletions"],
            it["churn_score"],
            it["unique_authors"],
            it["first_seen"],
            it["last_modified"],
            it["days_since_change"],
            it["coupled_files"],
        ]
        for it in as_json["files"]
    ]
    rows = list(csv.reader(io.StringIO(report(shop, format="csv").to_text())))[1:]
    assert rows == [["" if cell is None else str(cell) for cell in row] for row in expected]
    markdown = report(shop, format="markdown").to_text()
    for path, commits, added, *_ in expected:
        assert f"| {path} | {commits} | {'-' if added is None else added} |" in markdown
    assert "- 55 lines added, 3 deleted; hotspots, with a score above 0.5: 1" in markdown


@pytest.mark.usefixtures("tree")
def test_a_file_has_the_same_past_whichever_folder_is_asked_for(shop: Workbench) -> None:
    assert names(report(shop, project_path="docs")) == ["docs/a.md"]
    alone = report(shop, project_path="lib.py").files
    assert [(it.path, it.commit_count, it.additions) for it in alone] == [("lib.py", 2, 10)]


@pytest.mark.usefixtures("tree")
def test_patterns_choose_files(shop: Workbench) -> None:
    assert names(report(shop, include_patterns=["*.py"])) == ["hot.py", "lib.py"]
    assert names(report(shop, exclude_patterns=["*.py", "docs/"])) == ["logo.png"]


@pytest.mark.usefixtures("tree")
def test_the_period_ends_today_unless_a_day_is_named(shop: Workbench) -> None:
    today = START + timedelta(days=3, hours=1)
    bench = replace(shop.bench, now=lambda: today)
    found = analyze_code_churn(ChurnParams(period_days=2), bench)
    assert isinstance(found, ChurnReport)
    assert (found.since, found.until) == (date(2026, 1, 2), date(2026, 1, 4))
    assert found.summary.total_commits == 2
    assert report(shop, until="2026-01-02", period_days=1).summary.total_commits == 1


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize("form", ["summary", "json", "markdown", "csv"])
def test_a_period_without_commits_is_no_failure(shop: Workbench, form: str) -> None:
    found = report(shop, until="2020-01-01", format=form)
    assert (found.files, found.summary.total_commits) == ([], 0)
    if form in {"summary", "markdown"}:
        assert "No changes in the 30 days from 2019-12-03 to 2020-01-01" in found.to_text()


def test_a_repository_without_commits_is_no_failure(shop: Workbench, workspace: Path) -> None:
    Tree(workspace)
    assert report(shop).files == []


@pytest.mark.usefixtures("tree")
def test_pages_put_together_are_the_whole(shop: Workbench) -> None:
    whole = report(shop)
    pages = [report(shop, limit=3)]
    assert f"3 of 4; next_cursor={pages[0].next_cursor}" in (
        report(shop, limit=3, format="markdown").to_text()
    )
    pages.append(report(shop, limit=3, cursor=pages[0].next_cursor))
    assert [it for page in pages for it in page.files] == whole.files
    assert pages[1].next_cursor is None
    with pytest.raises(InvalidCursor):
        report(shop, period_days=5, cursor=pages[0].next_cursor)


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize(
    "arguments",
    [
        {"period_days": 0},
        {"period_days": -3},
        {"period_days": 0.5},
        {"period_days": 36_501},
        {"until": "yesterday"},
        {"until": "2026-02-30"},
        {"until": "1969-12-31"},
        {"until": "9999-12-31"},
        {"format": "sarif"},
        {"limit": 0},
        {"revision": "main"},
    ],
    ids=str,
)
def test_arguments_that_do_not_fit_are_refused(
    shop: Workbench, arguments: dict[str, object]
) -> None:
    with pytest.raises(InvalidParams):
        report(shop, **arguments)


def test_a_folder_that_is_not_under_version_control_is_refused(shop: Workbench) -> None:
    with pytest.raises(NotARepository) as caught:
        report(shop)
    assert "git init" in caught.value.suggestion


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("..", PathOutsideWorkspace),
        ("/etc", PathOutsideWorkspace),
        ("none", FileMissing),
        (".git", AccessDenied),
    ],
)
def test_a_path_that_may_not_be_read_is_refused(
    shop: Workbench, path: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        report(shop, project_path=path)


def test_what_may_not_be_read_is_not_spoken_of(shop: Workbench, tree: Tree) -> None:
    tree.commit({".env": b"TOKEN=1\n", "id_rsa": b"x\n"})
    found = report(shop)
    assert found.summary.total_commits == 4
    assert ".env" not in found.model_dump_json()


def test_a_workspace_in_a_repository_speaks_of_nothing_above(tree: Tree) -> None:
    found = report(Workbench.open(tree.root / "docs"))
    assert names(found) == ["a.md"]
    assert found.summary.total_commits == 3


def test_odd_names_are_sent_and_shown_on_one_line(shop: Workbench, workspace: Path) -> None:
    odd = [b"caf\xe9.txt", b"line\nbreak", b"esc\x1b[31m", "日本|語".encode()]
    import_steps(workspace, [Step(dict.fromkeys(odd, b"x\n"), author=("A\x1bB", "a@x"))])
    found = report(shop)
    sent = ["caf\\xe9.txt", "esc\x1b[31m", "line\nbreak", "日本|語"]
    assert sorted(it["path"] for it in json.loads(found.model_dump_json())["files"]) == sent
    shown = [report(shop, format=it).to_text() for it in ("summary", "markdown")]
    assert all("line\\nbreak" in text and "\x1b" not in text for text in shown)
    assert "日本\\|語" in shown[1]
    rows = csv.DictReader(io.StringIO(report(shop, format="csv").to_text()))
    assert sorted(it["path"] for it in rows) == sent


def test_a_shallow_clone_is_said_to_be_one(tree: Tree, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    tree.git("clone", "--quiet", "--depth=2", f"file://{tree.root}", str(clone))
    found = report(Workbench.open(clone))
    assert found.is_shallow
    assert "[left out: a part of the period: the clone is shallow]" in found.to_text()


def test_a_clone_without_the_contents_of_files_is_scored_by_commits(
    tree: Tree, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    tree.git("config", "uploadpack.allowFilter", "true")
    tree.git("clone", "--quiet", "--filter=blob:none", f"file://{tree.root}", str(clone))
    whole, found = report(Workbench.open(tree.root)), report(Workbench.open(clone))
    commits = {it.path: it.commit_count for it in whole.files}
    assert {it.path: it.commit_count for it in found.files} == commits
    assert {it.path: it.churn_score for it in found.files} == {
        path: count / max(commits.values()) for path, count in commits.items()
    }
    assert (whole.gaps, len(found.gaps)) == ([], 1)
    assert "scores are of commits alone" in found.to_text()


def run(shop: Workbench, job: Job) -> ChurnReport:
    listing = shop.catalogue.find("analyze_code_churn")
    return cast("ChurnReport", shop.prepare(listing, {"until": LAST_DAY}, job=job).run())


@pytest.mark.usefixtures("tree")
def test_progress_is_reported_and_a_cancelled_call_ends(shop: Workbench) -> None:
    seen: list[Progress] = []
    assert run(shop, Job(on_progress=seen.append)).total == 4
    assert seen[0].message == "commits"
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        run(shop, job)


@pytest.mark.usefixtures("tree")
def test_a_call_without_time_says_what_is_missing(shop: Workbench) -> None:
    found = run(shop, Job(time_limit_s=0))
    assert found.partial
    assert found.missing == ["all commits"]
    assert found.to_text().startswith("No changes were read in the 30 days")
    shown = [it.text for it in found.to_content() if isinstance(it, Text)]
    assert shown[0].startswith("INCOMPLETE; left out: all commits.")


@pytest.mark.usefixtures("tree")
def test_a_period_may_end_within_a_day(shop: Workbench) -> None:
    found = report(shop, until="2026-01-02", period_days=1.5)
    assert found.period_days == 1.5
    assert "the 1.5 days from" in found.to_text()


@pytest.mark.usefixtures("tree")
@pytest.mark.parametrize(("until", "days"), [("2026-03-20", 90), ("2026-12-01", 365)])
def test_the_default_period_is_widened_when_nothing_changed_in_it(
    shop: Workbench, until: str, days: int
) -> None:
    found = report(shop, until=until)
    assert (found.period_days, found.summary.total_commits) == (days, 4)
    first = found.to_text().splitlines()[0]
    assert first == f"Nothing changed in the last 30 days, so this is period_days={days}"


@pytest.mark.usefixtures("tree")
def test_a_period_that_was_given_is_kept(shop: Workbench) -> None:
    found = report(shop, until="2026-12-01", period_days=30)
    assert (found.period_days, found.files) == (30, [])
    assert "a greater period_days looks further back" in found.to_text()


@pytest.mark.usefixtures("tree")
def test_where_nothing_ever_changed_there_is_no_longer_period(shop: Workbench) -> None:
    found = report(shop, include_patterns=["*.rb"])
    assert (found.period_days, found.files) == (30, [])
    text = "No changes in the 30 days from 2026-01-01 to 2026-01-30, and none before"
    assert found.to_text() == text
