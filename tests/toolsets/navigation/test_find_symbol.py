from pathlib import Path

from inline_snapshot import snapshot

from benchpin.app import Workbench
from benchpin.toolsets.navigation.find_symbol import FindSymbolParams, SymbolReport, find_symbol


def find(shop: Workbench, name: str, **params: object) -> SymbolReport:
    return shop.run(find_symbol, FindSymbolParams.model_validate({"symbol": name, **params}))


def test_a_symbol_is_shown_with_signature_documentation_and_exporters(shop: Workbench) -> None:
    assert find(shop, "Cart", format="full").to_text() == snapshot("""\
2 symbols

kind      name                   location                signature                    container
class     Cart                   shop/cart.py:7-19       class Cart
  What a customer wants.
  exported by shop/__init__.py
function  test_a_cart_is_filled  tests/test_cart.py:5-6  def test_a_cart_is_filled()\
""")


def test_the_whole_name_comes_before_parts_and_the_program_before_tests(shop: Workbench) -> None:
    assert [it.id for it in find(shop, "cart").symbols] == snapshot(
        ["shop/cart.py::Cart", "tests/test_cart.py::test_a_cart_is_filled"]
    )


def test_a_method_is_found_by_its_qualified_name_its_path_and_its_line(shop: Workbench) -> None:
    for name in ("Cart.add", "shop/cart.py::Cart.add", "shop.cart.Cart.add", "shop/cart.py:15"):
        assert find(shop, name).symbols[0].name == "Cart.add"


def test_a_kind_and_a_folder_narrow_the_search(shop: Workbench) -> None:
    assert [it.name for it in find(shop, "cart", kind="function").symbols] == [
        "test_a_cart_is_filled"
    ]
    assert find(shop, "cart", project_path="main.py").total == 0


def test_a_variable_is_a_symbol_and_shows_its_line(shop: Workbench) -> None:
    [found] = find(shop, "LIMIT").symbols
    assert (found.kind, found.line, found.signature) == ("variable", 4, "LIMIT = 10")


def test_the_body_has_line_numbers(shop: Workbench) -> None:
    text = find(shop, "Cart.fill", include_body=True).to_text()
    assert '18     def fill(self) -> None:\n19         self.add("pen")' in text


def test_no_match_is_said(shop: Workbench) -> None:
    assert find(shop, "nothing_like_it").to_text() == snapshot(
        "No symbol has this name or part of a name."
    )


def test_a_long_signature_is_cut_where_it_is_shown(shop: Workbench, workspace: Path) -> None:
    parameters = ", ".join(f"parameter_number_{at}" for at in range(30))
    wide = workspace / "wide.py"
    wide.write_text(f"def wide({parameters}):\n    pass\n", encoding="utf-8")
    signature = find(shop, "wide").symbols[0].signature
    assert signature.startswith("def wide(parameter_number_0, ")
    assert signature.endswith("…")
    assert len(signature) == 200
