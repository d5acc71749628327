"""What the overview says of what got better and worse."""

from pathlib import Path

from page_kit import Browser
from repositories import Tree

TANGLE = b"""\
def tangle(rows):
    for row in rows:
        for other in row:
            if other:
                for one in other:
                    if one and row:
                        while one:
                            print(one)
"""


async def test_the_overview_compares_the_code_with_last_month(workspace: Path) -> None:
    tree = Tree(workspace)
    tree.commit({"plain.py": b"def plain():\n    return 1\n"})
    tree.commits = 60
    tree.commit({"tangle.py": TANGLE})
    page = (await Browser(workspace).wait_for("/")).text
    assert ">since last month</th>" in page
    assert '<th scope="row">functions over a limit</th><td class="num">1</td>' in page
    assert '<td class="num worse">+1<span class="unseen"> worse</span></td>' in page
    assert '<polyline points="' in page
    assert "/source?path=tangle.py#L" in page


async def test_without_an_earlier_commit_the_overview_says_so(workspace: Path) -> None:
    Tree(workspace).commit({"plain.py": b"def plain():\n    return 1\n"})
    page = (await Browser(workspace).wait_for("/")).text
    assert "There is no earlier commit to compare with." in page


async def test_without_a_history_the_overview_has_no_trends(workspace: Path) -> None:
    (workspace / "plain.py").write_text("def plain():\n    return 1\n", encoding="utf-8")
    page = (await Browser(workspace).wait_for("/")).text
    assert "What to do first" in page
    assert "since last month" not in page
