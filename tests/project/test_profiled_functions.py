"""Frames of profiles, and the functions of a workspace that they mean."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench
from benchpin.performance.findings import HotSpan
from benchpin.project import ProfiledFunctions
from benchpin.project._profiled_functions import is_same_file, name_parts
from repositories import Tree

CART = '''"""A cart."""


class Cart:
    def total(self):
        return sum(self.prices)


class Basket:
    def total(self):
        def each():
            return 1

        return each()


def main():
    if True:
        return Cart().total()
'''
PHP = "<?php\nclass Order {\n  public function send() {\n    return 1;\n  }\n}\n"
JS = "const f = [1].map(function () {\n  return 2;\n});\nfunction run() {\n  return f;\n}\n"


@pytest.fixture
def shop(workspace: Path) -> Workbench:
    for path, text in {
        "src/shop/cart.py": CART,
        "vendor/lib/cart.py": CART,
        "backend/app/Order.php": PHP,
        "web/run.js": JS,
        "tests/test_cart.py": "from shop.cart import main\n\n\ndef test_main():\n    main()\n",
    }.items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(text, encoding="utf-8")
    return Workbench.open(workspace)


def place(shop: Workbench, function: str, file: str | None, line: int | None = None) -> object:
    span = HotSpan(function, file, line, 100)
    found = ProfiledFunctions(shop.bench).place(span)
    return None if found is None else (found.file, found.function.name, found.certainty)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("App\\Cart::total", ["App", "Cart", "total"]),
        ("main.(*T).Run", ["main", "T", "Run"]),
        ("Cart.total", ["Cart", "total"]),
        ("total(int)", ["total"]),
        ("shop.Cart$Item.total", ["shop", "Cart", "Item", "total"]),
        ("shop.Cart.lambda$total$0", ["shop", "Cart", "total"]),
        ("$scope.$apply", ["$scope", "$apply"]),
        ("(anonymous)", ["anonymous"]),
    ],
)
def test_names_of_profiles_are_split(name: str, parts: list[str]) -> None:
    assert name_parts(name) == parts


@pytest.mark.parametrize(
    ("function", "file", "line", "expected"),
    [
        ("main", "/srv/www/src/shop/cart.py", 18, ("src/shop/cart.py", "main", "certain")),
        ("total", "/srv/www/src/shop/cart.py", 10, ("src/shop/cart.py", "Basket.total", "certain")),
        ("Cart.total", "src/shop/cart.py", None, ("src/shop/cart.py", "Cart.total", "certain")),
        ("total", "src/shop/cart.py", None, None),
        ("total", "src/shop/cart.py", 18, None),
        ("main", "cart.py", None, ("src/shop/cart.py", "main", "likely")),
        ("main", "/usr/lib/python3/site-packages/shop/cart.py", 18, None),
        ("main", "/srv/www/vendor/lib/cart.py", 18, None),
        ("main", "<frozen importlib>", 1, None),
        ("main", "../../../../etc/passwd", 1, None),
        (
            "App\\Order::send",
            "/var/www/app/Order.php",
            3,
            ("backend/app/Order.php", "Order.send", "likely"),
        ),
        ("Order::send", None, None, ("backend/app/Order.php", "Order.send", "likely")),
        ("send", None, None, None),
        ("run", "file:///app/web/run.js", 4, ("web/run.js", "run", "certain")),
    ],
)
def test_frames_are_resolved_or_left_alone(
    shop: Workbench, function: str, file: str | None, line: int | None, expected: object
) -> None:
    assert place(shop, function, file, line) == expected


def test_an_absolute_path_in_the_workspace_is_that_file(shop: Workbench, workspace: Path) -> None:
    inside = str(workspace / "src/shop/cart.py")
    assert place(shop, "main", inside, 17) == ("src/shop/cart.py", "main", "certain")


def test_a_link_out_of_the_workspace_is_not_followed(
    shop: Workbench, workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "other.py").write_text(CART, encoding="utf-8")
    (workspace / "other.py").symlink_to(tmp_path / "other.py")
    assert place(shop, "main", "other.py", 17) is None


@pytest.mark.parametrize(
    ("theirs", "ours", "same"),
    [
        ("/srv/src/a.py", "src/a.py", True),
        ("a.py", "src/a.py", True),
        ("/srv/lib/a.py", "src/a.py", False),
        ("C:\\work\\src\\a.py", "src/a.py", True),
        ("", "a.py", False),
    ],
)
def test_files_are_the_same_where_one_path_ends_like_the_other(
    theirs: str, ours: str, *, same: bool
) -> None:
    assert is_same_file(theirs, ours) == same


def profile(workspace: Path) -> None:
    frames = [
        {"name": "total", "file": "/srv/src/shop/cart.py", "line": 6},
        {"name": "main", "file": "/srv/src/shop/cart.py", "line": 18},
    ]
    written = {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": frames},
        "profiles": [
            {
                "type": "sampled",
                "name": "p",
                "unit": "milliseconds",
                "startValue": 0,
                "endValue": 100,
                "samples": [[1, 0], [1]],
                "weights": [75, 25],
            }
        ],
    }
    (workspace / "p.speedscope.json").write_text(json.dumps(written), encoding="utf-8")


def test_hot_functions_show_what_the_workspace_knows(shop: Workbench, workspace: Path) -> None:
    Tree(workspace).commit(subject="Add the shop", author=("Ann", "ann@example.org"))
    profile(workspace)
    shop.call("add_comment", file_path="src/shop/cart.py", line=6, text="slow", tag="TODO")
    ingested: Any = shop.call("ingest_artifacts", artifacts=[{"path": "p.speedscope.json"}])
    run = ingested.normalized_snapshot_id
    plain: Any = shop.call("run_analysis", snapshot_id=run)
    assert plain.hot_functions == []
    assert "hot_functions" not in plain.model_dump()
    found: Any = shop.call("run_analysis", snapshot_id=run, source=True)
    total, main = found.hot_functions
    assert (total.symbol, total.share, total.certainty) == ("Cart.total", 0.75, "certain")
    assert (total.owner, total.last_change) == ("Ann", "2026-01-01 Ann: Add the shop")
    assert total.comments == ["line 6: slow"]
    assert (main.symbol, main.cyclomatic) == ("main", 2)
    assert main.tests_total == 1
    report: Any = shop.call("export_report", snapshot_id=run, source=True)
    assert "`src/shop/cart.py:5 Cart.total`" in report.markdown


def test_the_impact_of_a_function_names_its_share_of_the_newest_profile(
    shop: Workbench, workspace: Path
) -> None:
    before: Any = shop.call("analyze_impact", symbol="Cart.total")
    assert "profiled" not in before.model_dump()
    profile(workspace)
    shop.call("ingest_artifacts", artifacts=[{"path": "p.speedscope.json"}])
    found: Any = shop.call("analyze_impact", symbol="Cart.total")
    assert [(it.symbol, it.share) for it in found.profiled] == [
        ("src/shop/cart.py::Cart.total", 0.75)
    ]
    other: Any = shop.call("analyze_impact", symbol="Basket.total")
    assert other.profiled == []
