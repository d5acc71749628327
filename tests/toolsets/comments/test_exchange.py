"""Notes from GitHub and git, and back: what is imported, where it is, and what round trips keep."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench
from benchpin.core.content import EmbeddedResource
from benchpin.core.errors import InvalidParams
from comment_calls import call
from repositories import Tree

CODE = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    made.commit({"a.py": CODE.encode()})
    return made


def review(number: int, line: int | None, body: str, commit: str, **more: object) -> dict[str, Any]:
    """Return a review comment with the fields that GitHub sends."""
    text = "" if line is None else CODE.splitlines()[line - 1]
    return {
        "id": number,
        "path": "a.py",
        "line": None,
        "original_line": line,
        "side": "RIGHT",
        "commit_id": commit,
        "original_commit_id": commit,
        "diff_hunk": f"@@ -0,0 +1,6 @@\n+{text}",
        "body": body,
        "user": {"login": "ada"},
        "created_at": f"2026-01-02T00:00:{number % 60:02d}Z",
        "updated_at": "2026-01-03T00:00:00Z",
        **more,
    }


def load(shop: Workbench, tree: Tree, content: object, **arguments: object) -> dict[str, Any]:
    text = content if isinstance(content, str) else json.dumps(content)
    (tree.root / "reviews.json").write_text(text, encoding="utf-8")
    given = {"source": "github", "input": "reviews.json", **arguments}
    return call(shop, "import_code_comments", **given)


def notes(shop: Workbench) -> list[tuple[str, int, str, str, str, str]]:
    found = call(shop, "search_comments", query=".*")["comments"]
    return sorted(
        (it["filePath"], it["line"], it["text"], it["tag"], it["author"], it["state"])
        for it in found
    )


def exported(shop: Workbench, form: str) -> str:
    [content] = shop.call("export_comments", format=form).to_content()
    assert isinstance(content, EmbeddedResource)
    assert isinstance(content.body, str)
    return content.body


def test_a_review_comment_is_where_its_line_is_now(shop: Workbench, tree: Tree) -> None:
    old = tree.head()
    tree.commit({"a.py": b"import os\n\n" + CODE.replace("return 2", "return 22").encode()})
    found = load(shop, tree, [review(7, 2, "Why one?", old), review(8, 6, "TODO: name it", old)])
    assert (found["imported"], found["unusable"]) == (2, [])
    assert notes(shop) == [
        ("a.py", 4, "Why one?", "NOTE", "ada", "moved"),
        ("a.py", 8, "name it", "TODO", "ada", "changed"),
    ]


def test_replies_are_in_the_thread_of_what_they_answer(shop: Workbench, tree: Tree) -> None:
    head = tree.head()
    answer = review(9, 2, "Because.", head, in_reply_to_id=7)
    load(shop, tree, [answer, review(7, 2, "Why?", head)])
    found = call(shop, "get_file_comments", filePath="a.py")["comments"]
    parent = next(it["id"] for it in found if it["text"] == "Why?")
    assert [it.get("replyTo") for it in found if it["text"] == "Because."] == [parent]


def test_what_was_imported_before_is_not_imported_again(shop: Workbench, tree: Tree) -> None:
    comments = [review(7, 2, "Why?", tree.head())]
    load(shop, tree, comments)
    again = load(shop, tree, comments)
    assert (again["imported"], again["alreadyImported"]) == (0, 1)


def test_pages_that_are_joined_or_nested_are_read(shop: Workbench, tree: Tree) -> None:
    one, two = review(1, 2, "A", tree.head()), review(2, 6, "B", tree.head())
    assert load(shop, tree, f"{json.dumps([one])}\n{json.dumps([two])}")["imported"] == 2
    assert load(shop, tree, [[one], [two]])["alreadyImported"] == 2


def test_without_its_commit_a_comment_is_found_by_the_text_of_its_line(
    shop: Workbench, tree: Tree
) -> None:
    tree.commit({"a.py": b"import os\n" + CODE.encode()})
    load(shop, tree, [review(7, 2, "Why?", "0" * 40), review(8, 2, "x", "0" * 40, diff_hunk="")])
    assert [(it[1], it[2]) for it in notes(shop)] == [(2, "x"), (3, "Why?")]


def test_comments_that_cannot_be_used_are_named_and_the_others_imported(
    shop: Workbench, tree: Tree
) -> None:
    head = tree.head()
    found = load(
        shop,
        tree,
        [
            review(1, 2, "good", head),
            review(2, 2, "out", head, path="../other.py"),
            review(3, 2, "gone", "0" * 40, path="never.py"),
            review(4, 2, " ", head),
            {"id": 5},
            17,
        ],
    )
    assert found["imported"] == 1
    assert [it.partition(":")[0] for it in found["unusable"][:3]] == [
        "comment 4",
        "comment 5",
        "comment 6",
    ]
    assert found["unusable"][4] == "github:3: neither never.py nor its commit is here"
    assert found["unusable"][3].startswith("github:2: ")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "it is empty"),
        ("[{", "Expecting"),
        ('{"message": "Not Found"}', "GitHub said 'Not Found'"),
        ("[" * 100_000, "too deeply"),
        ("7", "it is not a list"),
    ],
)
def test_a_file_that_is_no_list_of_comments_is_refused_by_name(
    shop: Workbench, tree: Tree, content: str, said: str
) -> None:
    with pytest.raises(InvalidParams, match=said):
        load(shop, tree, content)


def test_an_import_without_a_file_says_how_to_make_one(shop: Workbench, tree: Tree) -> None:
    assert tree.head()
    with pytest.raises(InvalidParams, match="no file to import"):
        call(shop, "import_code_comments", source="github")


def test_a_dry_run_writes_nothing(shop: Workbench, tree: Tree) -> None:
    assert load(shop, tree, [review(7, 2, "Why?", tree.head())], dryRun=True)["imported"] == 1
    assert notes(shop) == []


def _second(tmp_path: Path, tree: Tree) -> Tree:
    other = tmp_path / "other"
    tree.git("clone", "--quiet", str(tree.root), str(other))
    return Tree(other, is_new=False)


def _write_some(shop: Workbench) -> None:
    first = call(shop, "add_comment", filePath="a.py", line=2, text="TODO: é", tag="TODO")
    call(shop, "add_comment", filePath="a.py", line=5, text="two", tag="QUESTION", author="bob")
    answer = {"text": "yes\nno", "tag": "NOTE", "replyTo": first["commentId"]}
    call(shop, "add_comment", filePath="a.py", line=2, **answer)
    call(shop, "remember", text="Keep `a.py` small", at=["a.py"])


def test_what_is_exported_for_github_can_be_imported_elsewhere(
    shop: Workbench, tree: Tree, tmp_path: Path
) -> None:
    _write_some(shop)
    other = _second(tmp_path, tree)
    with closing(Workbench.open(other.root)) as second:
        assert load(second, other, exported(shop, "github"))["imported"] == 4
        assert notes(second) == notes(shop)
    assert load(shop, tree, exported(shop, "github"))["alreadyImported"] == 4


def test_what_is_exported_as_git_notes_can_be_imported_elsewhere(
    shop: Workbench, tree: Tree, tmp_path: Path
) -> None:
    _write_some(shop)
    call(shop, "remember", text="About everything")
    other = _second(tmp_path, tree)
    stream = exported(shop, "git-notes").encode()
    other.git("fast-import", "--quiet", "--force", stdin=stream)
    assert b"two" in other.git("notes", "--ref=benchpin", "show", tree.head())
    with closing(Workbench.open(other.root)) as second:
        found = call(second, "import_code_comments", source="git-notes")
        assert (found["imported"], found["unusable"]) == (5, [])
        assert notes(second) == notes(shop)
        assert call(second, "import_code_comments", source="git-notes")["alreadyImported"] == 5


def test_plain_git_notes_become_notes_on_the_repository(shop: Workbench, tree: Tree) -> None:
    head = tree.head()
    tree.git("notes", "add", "--message=Reviewed-by: Bob", head)
    call(shop, "import_code_comments", source="git-notes")
    [(path, _, text, *_)] = notes(shop)
    assert (path, text) == (".", f"Reviewed-by: Bob\n\n(on commit {head[:10]})")


def test_a_damaged_git_note_is_named_and_the_others_are_imported(
    shop: Workbench, tree: Tree
) -> None:
    lines = '{"description": \n{"description": "fine", "location": {"path": "a.py", "range": '
    tree.git("notes", "add", f'--message={lines}{{"startLine": 2}}}}}}', tree.head())
    found = call(shop, "import_code_comments", source="git-notes")
    assert [it.partition(":")[0] for it in found["unusable"]] == [f"note on {tree.head()[:10]}"]
    assert [(it[1], it[2]) for it in notes(shop)] == [(2, "fine")]


def test_a_repository_without_git_notes_says_how_to_get_them(shop: Workbench, tree: Tree) -> None:
    assert tree.head()
    with pytest.raises(InvalidParams, match="no git notes") as caught:
        call(shop, "import_code_comments", source="git-notes")
    assert "git fetch" in str(caught.value.suggestion)
