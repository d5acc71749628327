from pathlib import Path

from inline_snapshot import snapshot

from benchpin.app import Workbench
from benchpin.toolsets.navigation._reports import CallReport
from benchpin.toolsets.navigation.trace_calls import TraceCallsParams, trace_calls


def run(shop: Workbench, symbol: str, **params: object) -> CallReport:
    arguments = {"symbol": symbol, **params}
    return shop.run(trace_calls, TraceCallsParams.model_validate(arguments))


def test_callers_are_listed_with_their_lines(shop: Workbench) -> None:
    assert run(shop, "Cart.add", depth=2).to_text() == snapshot("""\
callers of shop/cart.py::Cart.add: 3 certain, 0 possible
`add`: 4 lines in 2 files: production 1 definition, 2 calls, 1 possible use; nothing else

production, 2
main.py
  run, again at 8
  7: cart.add("book")
shop/cart.py
  Cart.fill
  19: self.add("pen")

tests, 1
tests/test_cart.py
  6: test_a_cart_is_filled → Cart.fill, 2 calls away\
""")


def test_callees_are_listed(shop: Workbench) -> None:
    assert [(it.callee, it.certainty) for it in run(shop, "run", direction="callees").calls] == (
        snapshot([("shop/cart.py::Cart", "certain"), ("shop/cart.py::Cart.add", "certain")])
    )


def test_a_path_is_shown_or_said_to_be_missing(shop: Workbench) -> None:
    found = run(shop, "test_a_cart_is_filled", to="Cart.add")
    assert [it.callee for it in found.calls] == snapshot(
        ["shop/cart.py::Cart.fill", "shop/cart.py::Cart.add"]
    )
    assert run(shop, "Cart.add", to="run").to_text() == snapshot(
        "No path of calls leads from shop/cart.py::Cart.add to main.py::run."
    )


def test_possible_calls_can_be_left_out(shop: Workbench) -> None:
    report = run(shop, "Cart.add", certainty="certain")
    assert {it.certainty for it in report.calls} == {"certain"}


def test_each_call_in_a_body_is_accounted_for(shop: Workbench) -> None:
    report = run(shop, "run", direction="callees", budget=0)
    assert report.to_text().split("\n")[1] == snapshot(
        "3 calls in its body: 3 of the workspace; nothing else"
    )
    whole = run(shop, "Cart.add", direction="callees").to_text()
    assert whole.split("\n")[1] == snapshot(
        "1 call in its body: 1 of libraries (ValueError); nothing else"
    )


def test_a_call_of_an_unknown_value_is_not_called_one_of_a_library(
    workspace: Path, shop: Workbench
) -> None:
    (workspace / "shop/run.py").write_text(
        "def run(work, tables):\n    work()\n    tables['a']()\n    run(work, tables)\n"
        "    len([])\n    tables.fill()\n    tables.of_nobody()\n"
    )
    (workspace / "shop/more.py").write_text(
        "\n".join(f"class A{it}:\n    def fill(self): ...\n" for it in range(12))
    )
    report = run(shop, "shop/run.py::run", direction="callees")
    assert report.body is not None
    assert not report.body.is_whole
    assert report.body.sentence() == snapshot(
        "6 calls in its body: 1 of itself; 2 of libraries (len, of_nobody); of what a variable "
        "holds: `work` line 2; not resolved: `fill` line 6; of computed values, line 3; not whole"
    )


def test_recursion_is_said_at_every_level(shop: Workbench, workspace: Path) -> None:
    (workspace / "deep.py").write_text(
        "def low(n):\n    return low(n - 1)\n\n\n"
        "def high(n):\n    high(n - 1)\n    return low(n)\n\n\n"
        "def top(n):\n    return high(n)\n",
        encoding="utf-8",
    )
    report = run(shop, "low", depth=2)
    assert report.recursive == ["low at deep.py:2", "high at deep.py:6"]
    assert "calls itself: low at deep.py:2, high at deep.py:6" in report.to_text()
    assert run(shop, "low", depth=1).recursive == ["low at deep.py:2"]


def test_whole_accounts_of_the_names_that_are_followed_share_a_line(workspace: Path) -> None:
    code = """\
def lift(): ...


def load():
    lift()


def ship():
    load()
"""
    (workspace / "crates.py").write_text(code, encoding="utf-8")
    bench = Workbench.open(workspace)
    report = bench.run(trace_calls, TraceCallsParams(symbol="lift", depth=2))
    assert report.to_text().splitlines()[1:3] == [
        "`lift`: 2 lines in 1 file: production 1 definition, 1 call; nothing else",
        "the same, and nothing else: `load` 2 lines",
    ]


def test_an_account_with_lines_of_other_symbols_has_a_line_of_its_own(workspace: Path) -> None:
    code = """\
def lift(): ...


def load():
    lift()


def ship():
    load()
"""
    (workspace / "crates.py").write_text(code, encoding="utf-8")
    (workspace / "other.py").write_text("def load(): ...\n", encoding="utf-8")
    bench = Workbench.open(workspace)
    report = bench.run(trace_calls, TraceCallsParams(symbol="crates.py::lift", depth=2))
    shown = [it for it in report.to_text().splitlines() if it.startswith("`load`")]
    assert len(shown) == 1
    assert "of other symbols" in shown[0]
