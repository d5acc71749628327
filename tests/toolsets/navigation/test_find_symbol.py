from pathlib import Path

import pytest
from inline_snapshot import snapshot

from benchpin.app import Workbench
from benchpin.toolsets.navigation.find_symbol import FindSymbolParams, SymbolReport, find_symbol


def find(shop: Workbench, name: str, **params: object) -> SymbolReport:
    return shop.run(find_symbol, FindSymbolParams.model_validate({"symbol": name, **params}))


def test_a_symbol_is_shown_with_signature_documentation_and_exporters(shop: Workbench) -> None:
    assert find(shop, "Cart", format="full").to_text() == snapshot('''\
2 symbols
`Cart`: 8 lines in 4 files: production 1 definition, 1 call, 2 imports, 1 in strings, 1 in comments; tests 1 call, 1 import; nothing else

kind      name                   location                signature                    container
class     Cart                   shop/cart.py:7-19       class Cart
  What a customer wants.
  exported by shop/__init__.py
function  test_a_cart_is_filled  tests/test_cart.py:5-6  def test_a_cart_is_filled()

shop/cart.py::Cart
 7 class Cart:
 8     """What a customer wants.
 9 \n\
10     More text.
11     """
12 \n\
13     def add(self, item: str, count: int = 1) -> None:
14         """Put something in."""
15         if count > LIMIT:
16             raise ValueError(item)
17 \n\
18     def fill(self) -> None:
19         self.add("pen")\
''')  # noqa: E501 - one line of the answer


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
        """\
No symbol name contains this.
`nothing_like_it`: no line in 4 files has this word\
"""
    )


def test_a_long_signature_is_cut_where_it_is_shown(shop: Workbench, workspace: Path) -> None:
    parameters = ", ".join(f"parameter_number_{at}" for at in range(30))
    wide = workspace / "wide.py"
    wide.write_text(f"def wide({parameters}):\n    pass\n", encoding="utf-8")
    signature = find(shop, "wide").symbols[0].signature
    assert signature.startswith("def wide(parameter_number_0, ")
    assert signature.endswith("…")
    assert len(signature) == 200


@pytest.mark.parametrize(
    ("kind", "names"),
    [("class", ["Cart"]), ("type", ["Cart"]), ("interface", []), ("method", []), ("constant", [])],
)
def test_kinds_are_those_that_people_say(shop: Workbench, kind: str, names: list[str]) -> None:
    assert [it.name for it in find(shop, "Cart", kind=kind).symbols] == names


def test_the_code_of_a_whole_name_is_shown_as_far_as_the_budget_goes(shop: Workbench) -> None:
    whole, part = find(shop, "Cart.fill"), find(shop, "Cart.fi")
    assert [it.body for it in whole.symbols] == [
        '18     def fill(self) -> None:\n19         self.add("pen")'
    ]
    assert [it.body for it in part.symbols] == [None]
    [cut] = find(shop, "Cart.fill", budget=8).symbols
    assert cut.body == "18     def fill(self) -> None:\n… 1 more lines"


def test_an_absent_name_is_said_to_be_nowhere_and_the_nearest_are_named(shop: Workbench) -> None:
    text = find(shop, "Cartt").to_text()
    assert "`Cartt`: no line in 4 files has this word" in text
    assert "The nearest names are Cart (shop/cart.py)." in text


def test_the_scope_chooses_production_code_or_tests(shop: Workbench) -> None:
    assert [it.name for it in find(shop, "cart", scope="tests").symbols] == [
        "test_a_cart_is_filled"
    ]
    assert [it.name for it in find(shop, "cart", scope="production").symbols] == ["Cart"]


def test_documentation_above_a_definition_is_all_lines_of_the_comment(
    shop: Workbench, workspace: Path
) -> None:
    text = "package a\n\n// Older wins if both\n// were changed.\nfunc Older() {}\n"
    (workspace / "a.go").write_text(text, encoding="utf-8")
    assert find(shop, "Older").symbols[0].doc == "Older wins if both were changed."
