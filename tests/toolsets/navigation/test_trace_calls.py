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
  test_a_cart_is_filled → Cart.fill, 2 calls away
  6: Cart().fill()\
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
