"""An index that parses only what a question leads to answers as one of everything."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from benchpin.code import CodeIndex, _searched_index, find_symbols, index_of, near_symbols
from benchpin.code._searched_index import searched_index
from benchpin.code.references import find_uses, trace
from benchpin.core.calls import Job
from benchpin.facts import FileSelection
from selections import select_all

TEXTS = {
    "shop/__init__.py": "from .cart import Cart\nfrom .util import *\n",
    "shop/cart.py": "class Base:\n    def add(self, x):\n        return x\n\n\n"
    "class Cart(Base):\n    pass\n",
    "shop/util.py": "__all__ = ['helper']\n\n\ndef helper(cart: 'Cart'):\n    return cart.add(1)\n",
    "shop/big.py": "from shop.cart import Cart as Small\n\n\nclass Big(Small):\n    pass\n",
    "shop/use.py": "from shop.big import Big\n\n\ndef run():\n    Big().add(2)\n    return Big\n",
    "main.py": "from shop import Cart, helper\n\n\ndef run():\n    Cart().add(1)\n    helper(1)\n",
    "other.py": "def unrelated():\n    return 1\n",
    "web/shape.ts": "export interface Shape { area(): number }\nexport default class Round {\n"
    "  area() { return 3 }\n}\n",
    "web/draw.ts": "import Disc from './shape'\nimport { Shape } from './shape'\n"
    "export function draw(it: Shape) { return it.area() + new Disc().area() }\n",
    "go.mod": "module example.com/store\n\ngo 1.22\n",
    "store/store.go": "package store\n\ntype Store struct{}\n\n"
    "func (s *Store) Open() int { return 1 }\n",
    "store/near.go": "package store\n\nfunc near(s *Store) int { return s.Open() }\n",
    "cmd/main.go": 'package main\n\nimport "example.com/store/store"\n\nfunc main() {\n'
    "\ts := store.Store{}\n\ts.Open()\n}\n",
    "a/One.java": "package a;\n\npublic class One { public int size() { return 1; } }\n",
    "b/Two.java": "package b;\n\nimport a.One;\n\n"
    "class Two extends One { int twice() { return size(); } }\n",
    "lib.rb": "class Till\n  attr_accessor :money\n\n  def open?\n    money\n  end\nend\n",
    "use.rb": "require_relative 'lib'\n\nTill.new.open?\nTill.new.money = 3\n",
    "src/lib.rs": "pub mod till;\nuse till::Till;\npub fn run(t: &Till) -> u8 { t.open() }\n",
    "src/till.rs": "pub struct Till;\nimpl Till { pub fn open(&self) -> u8 { 1 } }\n",
    "Cargo.toml": '[package]\nname = "till"\nversion = "0.1.0"\n',
}


@pytest.fixture
def work(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    for path, text in TEXTS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def at_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_searched_index, "_MANY_BYTES", 0)
    monkeypatch.setattr(_searched_index, "_MAX_SHARE", 1e9)
    monkeypatch.setattr(_searched_index._Files, "bytes_of", lambda *_: 0)


@pytest.fixture
def selection(work: Path, tmp_path: Path) -> Iterator[FileSelection]:
    found = select_all(work, tmp_path / "cache")
    with closing(found.session):
        yield found


def said(index: CodeIndex, symbol_id: str) -> dict[str, object]:
    """Return what an index says of one symbol."""
    symbol = index.symbol(symbol_id)
    assert symbol is not None
    return {
        "named": [it.id for it in find_symbols(index, symbol.name, Job())],
        "part": [it.id for it in find_symbols(index, symbol.name[:3], Job())],
        "uses": find_uses(index, symbol, Job()),
        "callers": trace(index, index.run_by(symbol), "callers", 2, Job()),
        "subtypes": [it.id for it in index.types.direct(symbol)] if symbol.is_type else (),
    }


@pytest.mark.usefixtures("at_any_size")
def test_every_symbol_has_the_same_uses_as_in_an_index_of_everything(
    selection: FileSelection,
) -> None:
    whole = index_of(selection)
    symbols = [it for module in whole.symbols.modules.values() for it in module.symbols.values()]
    assert len(symbols) > 20
    for symbol in symbols:
        index = searched_index(replace(selection, job=Job()), [symbol.name])
        assert index is not None
        assert said(index, symbol.id) == said(whole, symbol.id), symbol.id


@pytest.mark.usefixtures("at_any_size")
def test_only_files_that_a_question_leads_to_are_parsed(selection: FileSelection) -> None:
    index = searched_index(selection, ["unrelated"])
    assert index is not None
    [symbol] = find_symbols(index, "unrelated", Job())
    assert symbol.id == "other.py::unrelated"
    assert find_uses(index, symbol, Job()).found == []
    _, left = selection.unparsed()
    code = (text for path, text in TEXTS.items() if not path.endswith((".mod", ".toml")))
    assert left == sum(map(len, code)) - len(TEXTS["other.py"])


@pytest.mark.usefixtures("at_any_size")
def test_an_unknown_name_has_the_nearest_of_all_files(selection: FileSelection) -> None:
    index = searched_index(selection, ["helpr"])
    assert index is not None
    assert find_symbols(index, "helpr", Job()) == []
    assert "helper (shop/util.py)" in near_symbols(index, "helpr")


@pytest.mark.usefixtures("at_any_size")
def test_what_cannot_be_searched_is_parsed_and_what_cannot_be_parsed_is_left_out(
    work: Path, selection: FileSelection
) -> None:
    (work / "wide.py").write_bytes("def wide():\n    return 1\n".encode("utf-16"))
    (work / "binary.py").write_bytes(b"def wide():\n\0\0\0")
    index = searched_index(selection, ["wide"])
    assert index is not None
    assert [it.id for it in find_symbols(index, "wide", Job())] == ["wide.py::wide"]
    assert "binary.py" not in index.symbols.modules


def test_little_code_is_parsed_as_a_whole(selection: FileSelection) -> None:
    assert searched_index(selection, ["helper"]) is None


def test_a_name_that_much_of_the_code_has_is_for_an_index_of_everything(
    selection: FileSelection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_searched_index, "_MANY_BYTES", 0)
    assert searched_index(selection, ["return"]) is None
    assert searched_index(selection, ["unrelated"]) is not None
