import difflib
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from benchpin.app import Workbench
from benchpin.core.errors import InvalidParams
from benchpin.toolsets.navigation._reports import ImpactReport
from benchpin.toolsets.navigation._tests import RelatedTestsReport
from benchpin.toolsets.navigation.analyze_impact import (
    AnalyzeImpactParams,
    analyze_impact,
)
from benchpin.toolsets.navigation.find_tests import FindTestsParams, find_tests
from repositories import Tree

PATCH = """\
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -13,3 +13,3 @@
-    def add(self, item: str, count: int = 1) -> None:
+    def add(self, item: str, count: int, note: str) -> None:
         \"\"\"Put something in.\"\"\"
         if count > LIMIT:
"""


def impact(shop: Workbench, **params: object) -> ImpactReport:
    return shop.run(analyze_impact, AnalyzeImpactParams.model_validate(params))


def related(shop: Workbench, **params: object) -> RelatedTestsReport:
    return shop.run(find_tests, FindTestsParams.model_validate(params))


def test_the_impact_of_a_symbol_is_its_users_nearest_first(shop: Workbench) -> None:
    report = impact(shop, symbol="Cart.add")
    assert [(it.id, it.distance, it.certainty) for it in report.dependents] == [
        ("main.py::run", 1, "certain"),
        ("shop/cart.py::Cart.fill", 1, "certain"),
    ]
    assert [it.id for it in report.tests] == ["tests/test_cart.py::test_a_cart_is_filled"]
    assert report.command == "pytest tests/test_cart.py::test_a_cart_is_filled"
    assert [it.file for it in report.files] == ["shop/cart.py"]


def test_the_impact_of_a_file_is_that_of_all_that_it_defines(shop: Workbench) -> None:
    assert [it.id for it in impact(shop, symbol="shop/cart.py").dependents] == ["main.py::run"]


def test_the_impact_of_a_script_says_which_workflow_and_image_have_it(
    workspace: Path, shop: Workbench
) -> None:
    workflow = "jobs:\n  a:\n    steps:\n      - run: python scripts/check.py\n"
    for path, text in {
        "scripts/check.py": "print(1)\n",
        ".github/workflows/ci.yml": workflow,
        "Dockerfile": "FROM python:3\nCOPY scripts /srv/\n",
    }.items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(text, encoding="utf-8")
    report = impact(shop, symbol="scripts/check.py")
    assert [(it.kind, it.file, it.line) for it in report.run_by] == [
        ("runs", ".github/workflows/ci.yml", 4),
        ("copies", "Dockerfile", 2),
    ]
    assert "Used by automation" in report.to_text()


def test_a_patch_names_the_calls_that_no_longer_fit(shop: Workbench) -> None:
    report = impact(shop, patch=PATCH)
    assert [(it.status, it.name) for it in report.changes] == [("changed", "Cart.add")]
    assert [(it.file, it.line, it.problem) for it in report.misfits] == [
        ("main.py", 7, "passes 1 argument, fewer than the 3 required"),
        ("shop/cart.py", 19, "passes 1 argument, fewer than the 3 required"),
    ]
    assert "2 calls no longer fit" in report.to_text()


def test_the_answer_is_short(shop: Workbench) -> None:
    assert len(impact(shop, symbol="Cart").to_text()) < 2_000


def test_tests_of_a_symbol_have_a_reason_and_a_command(shop: Workbench) -> None:
    text = related(shop, symbol="Cart.fill", each=True).to_text()
    assert "calls it" in text
    assert "run: pytest tests/test_cart.py::test_a_cart_is_filled" in text


def test_nothing_related_is_said(shop: Workbench, workspace: Path) -> None:
    (workspace / "lone.py").write_text("def lone(): ...\n", encoding="utf-8")
    assert related(shop, symbol="lone").to_text() == (
        "No test is related to lone.py::lone.\n"
        "`lone`: 1 line in 1 file: production 1 definition; nothing else"
    )


def test_tests_of_a_patch_are_those_of_what_it_changes(shop: Workbench) -> None:
    found = related(shop, patch=PATCH, each=True).tests
    assert [it.id for it in found] == ["tests/test_cart.py::test_a_cart_is_filled"]


@pytest.mark.parametrize("name", ["subject", "path"])
def test_the_subject_is_accepted_by_the_names_of_other_tools(shop: Workbench, name: str) -> None:
    value = {"subject": "Cart.add", "path": "shop/cart.py"}[name]
    params = FindTestsParams.parse({name: value})
    expected = related(shop, symbol=value).model_dump()
    assert shop.run(find_tests, params).model_dump() == expected


@pytest.mark.parametrize("other", [{"diff": "HEAD"}, {"change": "HEAD"}, {"patch": PATCH}])
def test_a_symbol_and_a_change_at_once_are_refused(shop: Workbench, other: dict[str, str]) -> None:
    with pytest.raises(InvalidParams, match="a change are given"):
        shop.run(find_tests, FindTestsParams.parse({"subject": "Cart.add", **other}))


def test_who_still_uses_what_a_patch_removes_is_listed(shop: Workbench) -> None:
    before = (shop.bench.workspace.root / "shop/cart.py").read_text(encoding="utf-8")
    after = before.replace('    def fill(self) -> None:\n        self.add("pen")\n', "")
    patch = "\n".join(
        difflib.unified_diff(
            before.splitlines(), after.splitlines(), "a/shop/cart.py", "b/shop/cart.py", lineterm=""
        )
    )
    report = impact(shop, patch=f"{patch}\n")
    used = [(it.id, it.uses, it.line) for it in report.still_used]
    test = "tests/test_cart.py::test_a_cart_is_filled"
    assert used == [(test, "shop/cart.py::Cart.fill", 6)]
    assert "1 use of what is gone" in report.to_text()


def test_who_still_uses_what_is_removed_on_the_disk_is_listed(workspace: Path) -> None:
    tree = Tree(workspace)
    helper = "def helper():\n    return 1\n\n\ndef other():\n    return helper()\n"
    tree.commit(
        {
            "a.py": helper.encode(),
            "b.py": b"from a import helper\n\n\ndef use():\n    return helper()\n",
            "c.py": b"from a import helper\n\n\ndef fixed():\n    return helper()\n",
        }
    )
    tree.write({"a.py": b"def other():\n    return 1\n", "c.py": b"def fixed():\n    return 1\n"})
    bench = Workbench.open(workspace)
    report = impact(bench)
    bench.close()
    assert [(it.id, it.uses) for it in report.still_used] == [("b.py::use", "a.py::helper")]
    assert ("removed", "helper") in [(it.status, it.name) for it in report.changes]


def test_a_history_that_cannot_be_read_is_not_zero_commits(workspace: Path) -> None:
    workspace.joinpath("app.py").write_text("def run():\n    return 1\n", "utf-8")
    report = impact(Workbench.open(workspace), symbol="run")

    assert [it.commits for it in report.files] == [None]
    assert "history" in report.not_measured
    assert any(it.startswith("history (") for it in report.assurance().left_out)


def test_the_names_of_a_file_and_of_a_folder_are_accounted_for(shop: Workbench) -> None:
    [account] = impact(shop, symbol="shop/cart.py").accounts
    assert [*account.sentences()] == snapshot(
        [
            (
                "`Cart`: 8 lines in 4 files: production 1 definition, 1 call, 2 imports, 1 in "
                "strings, 1 in comments; tests 1 call, 1 import; nothing else"
            )
        ]
    )
    assert account.is_whole


def test_the_names_of_a_large_file_share_one_account(workspace: Path, shop: Workbench) -> None:
    names = [f"made_{it}" for it in range(43)]
    text = "\n".join(f"def {it}(): ...\n" for it in names)
    (workspace / "shop/large.py").write_text(text + f"\n\n{names[0]}()\n")
    [account] = impact(shop, symbol="shop/large.py").accounts
    assert [*account.sentences()] == snapshot(
        [
            (
                "`made_0`, `made_1`, `made_2`, `made_3`, `made_4` and 35 more names: 41 lines in 1 "
                "file: production 40 definitions, 1 call; not whole"
            ),
            "missing: 3 further names",
        ]
    )
    assert not account.is_whole
