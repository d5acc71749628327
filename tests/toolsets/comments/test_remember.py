"""Notes that an agent keeps, and gets back with what became of their code."""

from pathlib import Path
from typing import Any, cast

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import BenchpinError
from repositories import Tree

FILES = {
    "src/pay.py": b"""\
RETRIES = 3


def charge(card, amount):
    return send(card, amount, retries=RETRIES)


class Ledger:
    def total(self):
        return sum(self.rows)
""",
    "src/mail.py": b"""\
def remind(person):
    return post(person, "pay")
""",
    "docs/a.md": b"# Docs\n",
}


@pytest.fixture(autouse=True)
def tree(workspace: Path) -> Tree:
    """Return a repository with three files."""
    found = Tree(workspace)
    found.commit(FILES)
    return found


def keep(shop: Workbench, text: str, *at: str) -> list[str]:
    ids: list[str] = cast("Any", shop.call("remember", text=text, at=at)).ids
    return ids


def recalled(shop: Workbench, **arguments: object) -> list[Any]:
    notes: list[Any] = cast("Any", shop.call("recall", **arguments)).found
    return notes


def only(shop: Workbench, **arguments: object) -> Any:
    [note] = recalled(shop, **arguments)
    return note


@pytest.mark.parametrize(
    ("at", "place"),
    [
        ("src/pay.py:5", "src/pay.py:5"),
        ("charge", "src/pay.py:4"),
        ("Ledger.total", "src/pay.py:9"),
        ("src/pay.py", "src/pay.py"),
        ("src", "src"),
        (".", "."),
    ],
)
def test_a_note_is_kept_where_it_belongs(shop: Workbench, tree: Tree, at: str, place: str) -> None:
    keep(shop, "Mind the cents.", at)
    note = only(shop)
    assert (note.place, note.state, note.text, note.author) == (
        place,
        "fresh",
        "Mind the cents.",
        "ai",
    )
    assert note.commit == (tree.head()[:10] if at not in {"src", "."} else None)


def test_a_note_on_a_symbol_changes_with_all_of_its_lines(shop: Workbench, tree: Tree) -> None:
    keep(shop, "Adds up `rows`.", "Ledger")
    tree.write({"src/pay.py": FILES["src/pay.py"].replace(b"self.rows", b"self.lines")})
    note = only(shop)
    assert (note.state, note.caveat) == (
        "changed",
        "the code changed since; no longer there: rows",
    )


def test_a_note_on_a_file_follows_it_to_another_name(shop: Workbench, tree: Tree) -> None:
    keep(shop, "Money.", "src/pay.py")
    tree.git("mv", "src/pay.py", "src/billing.py")
    tree.commit()
    assert (only(shop).place, only(shop).state) == ("src/billing.py", "moved")
    tree.write({"src/billing.py": FILES["src/pay.py"] + b"# more\n"})
    assert only(shop).state == "changed"


def test_a_note_on_a_folder_changes_with_the_names_in_it(shop: Workbench, tree: Tree) -> None:
    keep(shop, "pay.py and mail.py only.", "src")
    tree.write({"src/pay.py": b"x = 1\n"})
    assert only(shop).state == "fresh"
    tree.write({"src/pay.py": None, "src/new.py": b""})
    note = only(shop)
    assert (note.state, note.caveat) == (
        "changed",
        "the code changed since; no longer there: pay.py",
    )


def test_a_note_with_several_places_comes_once_and_names_the_others(
    shop: Workbench, tree: Tree
) -> None:
    keep(shop, "Change both together.", "charge", "src/mail.py:1")
    note = only(shop, at=["src/mail.py"])
    assert (note.place, note.also_at) == ("src/mail.py:1", ["src/pay.py"])
    tree.write({"src/pay.py": FILES["src/pay.py"].replace(b"amount,", b"2 * amount,")})
    note = only(shop, diff="uncommitted")
    assert (note.place, note.state, note.why) == ("src/pay.py:4", "changed", "its lines changed")


def test_editing_and_resolving_a_note_with_several_places_does_so_at_all(shop: Workbench) -> None:
    first, second = keep(shop, "Change both.", "charge", "remind")
    shop.call("edit_comment", file_path="src/pay.py", comment_id=first, text="Keep both.")
    assert only(shop, at=["src/mail.py"]).text == "Keep both."
    shop.call("resolve_comment", file_path="src/mail.py", comment_id=second)
    assert recalled(shop) == []
    assert len(recalled(shop, with_resolved=True)) == 1
    shop.call("delete_comment", file_path="src/mail.py", comment_id=second)
    assert recalled(shop, with_resolved=True) == []


def test_what_is_nearest_comes_first(shop: Workbench) -> None:
    keep(shop, "about everything", ".")
    keep(shop, "about mail", "src/mail.py")
    keep(shop, "about the folder", "src")
    keep(shop, "about the ledger", "Ledger.total")
    keep(shop, "about charging", "charge")
    texts = [it.text for it in recalled(shop, at=["charge"])]
    assert texts == [
        "about charging",
        "about the ledger",
        "about the folder",
        "about everything",
    ]
    assert [it.text for it in recalled(shop, query="mail reminders")] == ["about mail"]
    assert [it.text for it in recalled(shop, at=["src"])][:1] != ["about everything"]


def test_a_budget_leaves_notes_out_and_says_so(shop: Workbench) -> None:
    for number in range(5):
        keep(shop, f"number {number} " * 20, "src/pay.py")
    answer = cast("Any", shop.call("recall", budget=200))
    assert (answer.total, answer.left_out + len(answer.found)) == (5, 5)
    assert answer.left_out
    assert "more notes did not fit" in answer.to_text()


def test_nothing_is_kept_when_one_of_the_places_is_wrong(shop: Workbench) -> None:
    with pytest.raises(BenchpinError, match="no_such_name"):
        keep(shop, "both", "charge", "no_such_name")
    with pytest.raises(BenchpinError, match="Invalid line"):
        keep(shop, "both", "charge", "src/pay.py:99")
    assert recalled(shop) == []


def test_notes_on_a_file_are_beside_what_is_read_of_it(shop: Workbench) -> None:
    keep(shop, "Money.", "src/pay.py")
    shown = cast("Any", shop.call("read_file", path="src/pay.py", start_line=8)).comments
    assert [it.text for it in shown.items] == ["Money."]


def test_a_line_of_a_file_that_is_not_there_is_refused_as_that(shop: Workbench) -> None:
    with pytest.raises(BenchpinError) as caught:
        keep(shop, "x", "src/gone.py:3")
    assert (caught.value.kind, "'src/gone.py'" in caught.value.message) == ("file_missing", True)


def test_no_match_is_told_apart_from_no_notes(shop: Workbench) -> None:
    assert shop.call("recall", at=["src/mail.py"]).to_text() == (
        "No notes are kept in this workspace"
    )
    keep(shop, "three are enough", "src/pay.py:1")
    said = shop.call("recall", query="zebra").to_text()
    assert said == "No note matches, of 1 note in the workspace"
