"""Sidecars are no files of the project: nothing counts them."""

from pathlib import Path
from typing import Any, cast

from benchpin.app import Workbench
from repositories import Tree


def test_sidecars_are_not_in_churn_counts_or_reviews(shop: Workbench, workspace: Path) -> None:
    tree = Tree(workspace)
    tree.commit({"a.py": b"x = 1\n"})
    shop.call("remember", text="watch it", at=["a.py:1", "."])
    tree.commit()
    shop.call("remember", text="again", at=["a.py:1"])
    churn = shop.call("analyze_code_churn", period_days=36_500)
    assert ".comments" not in churn.model_dump_json()
    assert ".comments" not in shop.call("analyze_repository").to_text()
    facts = cast("Any", shop.call("analyze_repository")).model_dump_json()
    assert ".comments" not in facts
    assert cast("Any", shop.call("show_changes", diff="HEAD~1")).files == []
    assert cast("Any", shop.call("review_change", diff="HEAD~1")).files == []
