"""Lines traced commit by commit, with made-up commits."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from benchpin.comments.anchoring import Layer, Placement, TrackedText, make_anchor
from benchpin.comments.anchoring._anchor import LastPlace, Orphan, Outcome
from benchpin.comments.anchoring._commit_range import BlobChange, CommitChanges, CommitRange
from benchpin.comments.anchoring._moves import MoveTarget
from benchpin.comments.anchoring._reanchor import reanchor
from benchpin.comments.anchoring._tracked_text import open_text

Tree = Mapping[str, str]

PRICES = """\
def price_of(order):
    total = 0
    for item in order.items:
        total += item.price * item.count
    return total


def discount_for(customer):
    if customer.years > 10:
        return 0.2
    return 0.0
"""


class History:
    """One tree for each commit, and the changes between them."""

    def __init__(self, *trees: Tree, moves: Mapping[str, str] | None = None) -> None:
        self.trees = trees
        self.texts = {
            TrackedText(it.encode()).blob_id: it for tree in trees for it in tree.values()
        }
        self.moves = moves or {}
        self.commits = CommitRange(
            [
                CommitChanges(f"{number}".ljust(40, "0"), self.changes(old, new))
                for number, (old, new) in enumerate(pairwise(trees), 1)
            ],
            self.read,
        )

    def read(self, path: str, blob_id: str) -> TrackedText | None:
        return open_text(path, self.texts[blob_id].encode()) if blob_id in self.texts else None

    def changes(self, old: Tree, new: Tree) -> tuple[BlobChange, ...]:
        moved = {a: b for a, b in self.moves.items() if a in old and b in new and a not in new}
        pairs = [(path, moved.get(path, path)) for path in old]
        pairs += [("", path) for path in new if path not in old and path not in moved.values()]
        found = (
            BlobChange(
                a if a in old else "",
                b if b in new else "",
                TrackedText(old[a].encode()).blob_id if a in old else "",
                TrackedText(new[b].encode()).blob_id if b in new else "",
            )
            for a, b in pairs
        )
        return tuple(it for it in found if (it.old_path, it.old_id) != (it.new_path, it.new_id))

    def place(self, path: str, line: int, now: Tree | None = None) -> Outcome:
        files = self.trees[-1] if now is None else now
        base = open_text(path, self.trees[0][path].encode())

        def read_now(name: str) -> TrackedText | None:
            return open_text(name, files[name].encode()) if name in files else None

        others = [
            MoveTarget(name, partial(read_now, name), lambda: None)
            for name in files
            if name not in self.trees[-1]
        ]
        [found] = reanchor(
            path,
            [make_anchor(base, line)],
            base,
            read_now,
            commits=self.commits,
            elsewhere=others,
        )
        return found


def spot(found: Outcome) -> tuple[str, int, Layer]:
    assert isinstance(found, Placement), found
    return found.path, found.line, found.layer


def in_turn(*steps: tuple[str, str]) -> Sequence[Tree]:
    """Return the trees after each of several replacements in one file."""
    text = PRICES
    trees = [{"shop.py": text}]
    for old, new in steps:
        assert old in text
        text = text.replace(old, new)
        trees.append({"shop.py": text})
    return trees


def test_a_line_that_was_edited_twice_is_followed() -> None:
    history = History(
        *in_turn(
            ("total += item.price * item.count", "total += item.price * item.count * rate"),
            ("item.price * item.count * rate", "convert(item.price * rate, times=item.count)"),
            ("total += convert(item.price * rate,", "total.add(convert(item.amount * rate,"),
        )
    )
    assert spot(history.place("shop.py", 4)) == ("shop.py", 4, Layer.EDITED)
    direct = History(history.trees[0], history.trees[-1]).place("shop.py", 4)
    assert isinstance(direct, Orphan)


def test_the_reason_names_the_commit() -> None:
    history = History(*in_turn(("price_of", "cost_of"), ("0.2", "0.25")))
    found = history.place("shop.py", 1)
    assert isinstance(found, Placement)
    assert found.reason == "82% alike, in the same place, in commit 1000000000"


def test_a_renamed_file_is_followed() -> None:
    history = History(
        {"shop.py": PRICES},
        {"sales/prices.py": "# Prices.\n" + PRICES},
        moves={"shop.py": "sales/prices.py"},
    )
    assert spot(history.place("shop.py", 4)) == ("sales/prices.py", 5, Layer.DIFF)


def test_a_block_that_moved_and_was_edited_later_is_followed() -> None:
    start = PRICES.index("def discount_for")
    rest, block = PRICES[:start], PRICES[start:]
    history = History(
        {"shop.py": PRICES},
        {"shop.py": rest, "discounts.py": block},
        {"shop.py": rest, "discounts.py": block.replace("years > 10", "years > LOYAL_YEARS")},
    )
    assert spot(history.place("shop.py", 9)) == ("discounts.py", 2, Layer.MOVED)
    assert spot(history.place("shop.py", 4)) == ("shop.py", 4, Layer.DIFF)


def test_a_line_that_was_removed_is_an_orphan_that_names_the_commit() -> None:
    history = History(*in_turn(("        total += item.price * item.count\n", "        pass\n")))
    found = history.place("shop.py", 4)
    assert isinstance(found, Orphan)
    assert found.reason == "no line is similar enough, in commit 1000000000"


def test_a_removed_and_restored_block_is_found() -> None:
    start = PRICES.index("def discount_for")
    history = History(
        {"shop.py": PRICES},
        {"shop.py": PRICES[:start]},
        {"shop.py": "# Prices.\n" + PRICES},
    )
    found = history.place("shop.py", 9)
    assert found == Placement("shop.py", 10, Layer.DIFF, "removed and restored since")


def test_a_line_that_was_removed_and_written_again_alone_is_only_suggested() -> None:
    history = History(
        {"shop.py": PRICES},
        {"shop.py": "nothing = None\n"},
        {"shop.py": "def other():\n    if customer.years > 10:\n        cheer()\n"},
    )
    found = history.place("shop.py", 9)
    assert isinstance(found, Orphan)
    assert [(it.file_path, it.line) for it in found.suggestions] == [("shop.py", 2)]


def test_uncommitted_changes_are_applied_last() -> None:
    history = History(*in_turn(("years > 10", "years > 12")))
    now = {"shop.py": "# Not committed.\n" + history.trees[-1]["shop.py"]}
    assert spot(history.place("shop.py", 9, now)) == ("shop.py", 10, Layer.EDITED)


def test_a_rename_that_is_not_committed_is_followed() -> None:
    history = History(*in_turn(("years > 10", "years > 12")))
    now = {"sales.py": history.trees[-1]["shop.py"]}
    assert spot(history.place("shop.py", 9, now)) == ("sales.py", 9, Layer.EDITED)
    assert spot(history.place("shop.py", 3, now)) == ("sales.py", 3, Layer.DIFF)


def test_a_file_that_is_gone_leaves_orphans() -> None:
    history = History({"shop.py": PRICES}, {})
    assert isinstance(history.place("shop.py", 9), Orphan)
    assert isinstance(history.place("shop.py", 9, {}), Orphan)


def test_unchanged_content_is_not_traced() -> None:
    history = History({"shop.py": PRICES}, {}, {"shop.py": PRICES})
    assert history.place("shop.py", 9) == Placement("shop.py", 9, Layer.SAME)


def test_a_commit_without_its_text_is_skipped() -> None:
    history = History(*in_turn(("years > 10", "years > 11"), ("years > 11", "years > 12")))
    history.texts.clear()
    assert spot(history.place("shop.py", 4)) == ("shop.py", 4, Layer.DIFF)
    assert spot(history.place("shop.py", 9)) == ("shop.py", 9, Layer.EDITED)


def test_the_net_change_of_a_file_is_its_first_and_last_text() -> None:
    history = History(
        {"a.py": "a = 1\n", "b.py": "b = 1\n"},
        {"c.py": "a = 2\n", "b.py": "b = 1\n"},
        {"c.py": "a = 3\nz = 9\n", "new.py": "n = 1\n"},
        moves={"a.py": "c.py"},
    )
    changed = {it.path: sorted(it.added) for it in history.commits.changed_files}
    assert changed == {"c.py": [0, 1], "new.py": [0]}
    assert history.commits.current_path("a.py") == "c.py"
    assert history.commits.current_path("b.py") == "b.py"


trees = st.lists(
    st.dictionaries(
        st.sampled_from(["a.py", "b.py"]),
        st.lists(st.sampled_from("ab {}=;"), max_size=9).map("\n".join),
        max_size=2,
    ),
    max_size=4,
)


@given(st.lists(st.sampled_from("ab {}=;"), min_size=1, max_size=9), trees, trees, st.data())
def test_every_line_is_in_range_and_the_result_is_repeatable(
    first: list[str], then: list[Tree], now: list[Tree], data: st.DataObject
) -> None:
    history = History({"a.py": "\n".join(first) + "\n"}, *then)
    files = now[0] if now else history.trees[-1]
    line = data.draw(st.integers(1, len(first)))
    found = history.place("a.py", line, files)
    assert found == history.place("a.py", line, files)
    counts = {path: len(TrackedText(text.encode()).lines) for path, text in files.items()}
    if isinstance(found, Placement):
        assert 1 <= found.line <= counts[found.path]
    else:
        assert all(1 <= it.line <= counts[it.file_path] for it in found.suggestions)


def test_a_line_that_no_longer_exists_is_not_suggested() -> None:
    start = PRICES.index("def discount_for")
    rest, block = PRICES[:start], PRICES[start:]
    history = History({"shop.py": PRICES}, {"shop.py": rest}, {"shop.py": rest, "later.py": block})
    found = history.place("shop.py", 9)
    assert isinstance(found, Orphan)
    assert [(it.file_path, it.line) for it in found.suggestions] == [("later.py", 2)]
    assert found.last == LastPlace("shop.py", 9, found.last.removed_in if found.last else "")
    assert history.place("shop.py", 9, {"shop.py": rest}) == Orphan(
        found.reason, path="shop.py", last=found.last
    )
