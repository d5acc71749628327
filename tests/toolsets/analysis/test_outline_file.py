import csv
import io
import json

import pytest
from inline_snapshot import snapshot

from benchpin.app import Workbench
from benchpin.toolsets.analysis.outline_file import OutlineParams, OutlineReport, outline_file

from .conftest import Write

SHOP = '''
    """A shop."""


    class Shop(Base):
        """Sells."""

        @property
        def open(self) -> bool:
            return True

        def _sell(self, item, price=1):
            # Never for nothing.
            if item and price:
                return price
            return None


    def helper(): return 1
'''


@pytest.fixture(autouse=True)
def sources(write: Write) -> None:
    write("shop.py", SHOP)
    write("lib/empty.py", "")


def outline(shop: Workbench, **params: object) -> OutlineReport:
    return shop.run(outline_file, OutlineParams.model_validate(params))


def test_a_file_is_shown_with_its_symbols(shop: Workbench) -> None:
    assert outline(shop, project_path="shop.py").to_text() == snapshot("""\
1 file

shop.py: python, 11 lines of code, maintainability 73
  lines  cyclomatic  cognitive  declaration
  5-16            -          -  class Shop(Base)
  9-10            1          0    def open(self) -> bool:
  12-16           3          2    def _sell(self, item, price=1):
  19-19           1          0  def helper():\
""")


def test_symbols_have_ranges_and_measures(shop: Workbench) -> None:
    [file] = outline(shop, project_path="shop.py").outlines
    assert [(it.name, it.kind, it.line, it.end_line) for it in file.symbols] == [
        ("Shop", "class", 5, 16),
        ("Shop.open", "method", 9, 10),
        ("Shop._sell", "method", 12, 16),
        ("helper", "function", 19, 19),
    ]
    whole, opened, sell, _ = file.symbols
    assert (whole.bases, whole.is_documented, whole.cyclomatic) == (("Base",), True, None)
    assert opened.decorators == ("property",)
    assert (sell.cyclomatic, sell.cognitive, sell.parameters, sell.is_public) == (3, 2, 3, False)
    assert (file.lines, file.comment_lines, file.error_line) == (19, 1, None)


def test_a_page_says_that_there_is_more_and_csv_has_it_all(shop: Workbench) -> None:
    first = outline(shop, limit=1, format="markdown")
    assert f"1 of 2; next_cursor={first.next_cursor}" in first.to_text()
    assert "shop.py" in outline(shop, format="csv").to_text()


@pytest.mark.parametrize(("style", "shown"), [("markdown", "# Outline\n"), ("csv", "file,line,")])
def test_nothing_to_show_is_shown_as_it_was_asked_for(
    shop: Workbench, style: str, shown: str
) -> None:
    report = outline(shop, format=style, include_patterns=["nothing.py"])
    assert report.total == 0
    assert report.to_text().startswith(shown)


def test_private_symbols_can_be_left_out(shop: Workbench) -> None:
    [file] = outline(shop, project_path="shop.py", public_only=True).outlines
    assert [it.name for it in file.symbols] == ["Shop", "Shop.open", "helper"]


def test_every_format_has_the_same_symbols(shop: Workbench) -> None:
    rows = csv.DictReader(io.StringIO(outline(shop, format="csv").to_text()))
    names = [row["name"] for row in rows]
    shown = json.loads(outline(shop, format="json").to_text())
    assert names == [it["name"] for file in shown["outlines"] for it in file["symbols"]]
    markdown = outline(shop, format="markdown").to_text()
    assert all(f"| {name} |" in markdown for name in names)


def test_a_broken_file_says_where(shop: Workbench, write: Write) -> None:
    write("broken.py", "def fine(): pass\n\n\ndef broken(:\n")
    report = outline(shop, project_path="broken.py")
    assert report.outlines[0].error_line == 4
    assert "does not parse at line 4" in report.to_text()


def test_an_empty_file_has_the_best_index(shop: Workbench) -> None:
    [file] = outline(shop, project_path="lib/empty.py").outlines
    assert (file.maintainability_index, file.halstead.volume) == (100.0, 0.0)


def test_a_long_signature_is_cut_where_it_is_shown(shop: Workbench, write: Write) -> None:
    parameters = ", ".join(f"parameter_number_{at}" for at in range(30))
    write("wide.py", f"def wide({parameters}):\n    pass\n")
    [file] = outline(shop, project_path="wide.py").outlines
    symbol = file.symbols[0]
    assert symbol.parameters == 30
    assert symbol.signature is not None
    assert symbol.signature.startswith("def wide(parameter_number_0, ")
    assert symbol.signature.endswith("…")
    assert len(symbol.signature) == 200


def test_files_beyond_the_budget_have_one_line(shop: Workbench, write: Write) -> None:
    for name in ("a", "b"):
        write(f"lib/{name}.py", "".join(f"def f{it}(): ...\n" for it in range(20)))
    write("lib/test_a.py", "def test_it(): ...\n")
    report = shop.run(
        outline_file, OutlineParams(project_path="lib", budget=100, scope="production")
    )
    assert [(it.file, len(it.symbols)) for it in report.outlines] == [
        ("lib/a.py", 20),
        ("lib/b.py", 0),
        ("lib/empty.py", 0),
    ]
    assert "1 file without symbols: a larger budget shows them" in report.to_text()
