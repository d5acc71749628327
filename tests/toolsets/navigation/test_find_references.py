from contextlib import closing
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from benchpin.app import Workbench
from benchpin.core.errors import InvalidParams
from benchpin.toolsets.navigation._references import ReferenceReport
from benchpin.toolsets.navigation.find_references import FindReferencesParams, find_references


def find(shop: Workbench, symbol: str, **params: object) -> ReferenceReport:
    arguments = {"symbol": symbol, **params}
    return shop.run(find_references, FindReferencesParams.model_validate(arguments))


def test_uses_have_certainty_kind_place_function_and_text(shop: Workbench) -> None:
    assert find(shop, "Cart.add").to_text() == snapshot("""\
shop/cart.py::Cart.add:13: 2 certain, 1 possible, 1 mention
`add`: 4 lines in 2 files: production 1 definition, 2 calls, 1 possible use; nothing else

production, 3
main.py
  call in run
  7: cart.add("book")
shop/cart.py
  call in Cart.fill
  19: self.add("pen")
main.py
  possible call in run
  8: unknown.add("?")  # may be a Cart: add
not listed: 1 mention in strings and comments (certainty=mention)\
""")


def test_mentions_are_listed_only_if_they_are_asked_for(shop: Workbench) -> None:
    plain = find(shop, "Cart.add", limit=2)
    assert (plain.total, plain.mentions, plain.unlisted) == (3, 1, 1)
    rest = find(shop, "Cart.add", limit=2, cursor=plain.next_cursor)
    assert (len(rest.uses), rest.next_cursor) == (1, None)
    asked = find(shop, "Cart.add", certainty="mention")
    assert (asked.total, asked.uses[-1].kind, asked.unlisted) == (4, "comment", 0)
    [only] = find(shop, "Cart.add", kind="comment").uses
    assert only.certainty == "mention"


def test_mentions_in_other_code_than_was_asked_for_are_not_counted_as_unlisted(
    shop: Workbench,
) -> None:
    assert find(shop, "Cart.add", scope="tests").unlisted == 0


def test_a_class_is_followed_through_the_package_that_exports_it(shop: Workbench) -> None:
    report = find(shop, "Cart")
    assert [(it.file, it.line, it.kind) for it in report.uses if it.certainty == "certain"] == (
        snapshot(
            [
                ("main.py", 2, "import"),
                ("main.py", 6, "call"),
                ("shop/__init__.py", 1, "import"),
                ("tests/test_cart.py", 2, "import"),
                ("tests/test_cart.py", 6, "call"),
            ]
        )
    )


def test_only_certain_uses_of_a_kind_can_be_listed(shop: Workbench) -> None:
    report = find(shop, "Cart.add", certainty="certain", kind="call")
    assert (len(report.uses), report.possible, report.unlisted) == (2, 1, 0)


def test_an_unknown_symbol_is_refused_with_the_nearest_names(shop: Workbench) -> None:
    with pytest.raises(InvalidParams) as refused:
        find(shop, "Crat")
    assert "Cart" in refused.value.suggestion


def test_a_part_of_a_name_is_refused_with_the_names_that_have_it(shop: Workbench) -> None:
    with pytest.raises(InvalidParams) as refused:
        find(shop, "Car")
    assert "shop/cart.py::Cart" in refused.value.suggestion


def test_one_saved_file_updates_the_index_and_is_seen(shop: Workbench, workspace: Path) -> None:
    before = find(shop, "Cart.add")
    place = workspace / "main.py"
    place.write_text(
        place.read_text(encoding="utf-8") + "\n\ndef again(cart: Cart):\n    cart.add('x')\n",
        encoding="utf-8",
    )
    after = find(shop, "Cart.add")
    assert before.assurance().measures == {"code index": "computed"}
    assert after.assurance().measures == {"code index": "updated"}
    assert after.certain == before.certain + 1
    assert find(shop, "again").assurance().measures == {"code index": "recalled"}
    new = workspace / "new.py"
    new.write_text("from main import again\n\nagain(None)\n", encoding="utf-8")
    found = find(shop, "again")
    assert found.assurance().measures == {"code index": "computed"}
    assert [it.file for it in found.uses] == ["new.py", "new.py"]


def test_the_column_is_that_of_the_use_not_of_the_first_name_on_the_line(workspace: Path) -> None:
    (workspace / "a.py").write_text('def help(): ...\n\nprint("help", x.help, help())\n')
    found = Workbench.open(workspace).call("find_references", symbol="help").model_dump()
    columns = {(it["certainty"], it["column"]) for it in found["uses"]}
    assert ("certain", 23) in columns


AMBIGUOUS = {
    "shop/a.py": "class A:\n    def load(self): ...\n\n\ndef make(): ...\n",
    "shop/b.py": "class B:\n    def load(self): ...\n    def make(self): ...\n",
    "shop/base.py": "class Base:\n    def save(self): ...\n",
    "shop/disk.py": "from .base import Base\n\n\nclass Disk(Base):\n    def save(self): ...\n",
    "shop/net.py": "from .disk import Disk\n\n\nclass Net(Disk):\n    def save(self): ...\n",
    "tests/test_make.py": "def make(): ...\n",
}


@pytest.fixture
def ambiguous(workspace: Path, shop: Workbench) -> Workbench:
    for path, text in AMBIGUOUS.items():
        (workspace / path).write_text(text)
    return shop


def test_each_of_a_few_symbols_of_an_ambiguous_name_is_answered(ambiguous: Workbench) -> None:
    report = find(ambiguous, "load")
    assert report.namesakes == "load"
    assert [report.symbol, *(it.model_dump()["symbol"] for it in report.further)] == [
        "shop/a.py::A.load",
        "shop/b.py::B.load",
    ]
    assert report.to_text().startswith("2 symbols called load; each is answered:\n\nshop/a.py::")
    assert find(ambiguous, "A.load").symbol == "shop/a.py::A.load"


def test_a_name_that_many_share_is_answered_with_the_choice(
    ambiguous: Workbench, workspace: Path
) -> None:
    for at in range(3):
        (workspace / f"shop/more{at}.py").write_text(f"class M{at}:\n    def load(self): ...\n")
    with pytest.raises(InvalidParams, match="5 symbols are called 'load'") as caught:
        find(ambiguous, "load")
    assert caught.value.suggestion.startswith(
        "Name one of them: shop/a.py::A.load:2, shop/b.py::B.load:2,"
    )


@pytest.mark.parametrize("asked", ["A.load, B.load", ["A.load", "B.load"]])
def test_several_symbols_are_answered_in_one_call(
    ambiguous: Workbench, asked: str | list[str]
) -> None:
    report = ambiguous.call("find_references", symbol=asked).model_dump(mode="json")
    assert [report["symbol"], report["further"][0]["symbol"]] == [
        "shop/a.py::A.load",
        "shop/b.py::B.load",
    ]


def test_of_several_symbols_an_unknown_one_is_named_with_the_nearest(ambiguous: Workbench) -> None:
    text = ambiguous.call("find_references", symbols=["A.load", "B.lode"]).to_text()
    assert "shop/a.py::A.load:2" in text
    assert "No symbol is called 'B.lode'" in text


def test_when_no_symbol_of_several_is_known_it_is_an_error(ambiguous: Workbench) -> None:
    with pytest.raises(InvalidParams, match="No symbol is called 'nothing'"):
        find(ambiguous, "nothing, nowhere")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"format": "csv"}, "format=csv goes with one symbol, and 2 are asked for"),
        ({"cursor": "x"}, "a cursor goes with one symbol, and 2 are asked for"),
        ({"symbol": ",".join(f"a{at}" for at in range(11))}, "11 symbols are asked for"),
    ],
)
def test_what_goes_with_one_symbol_is_refused_for_several(
    ambiguous: Workbench, given: dict[str, str], message: str
) -> None:
    with pytest.raises(InvalidParams, match=message):
        ambiguous.call("find_references", **{"symbol": "A.load,B.load", **given})


def test_what_is_plainly_meant_is_answered_and_the_others_are_named(ambiguous: Workbench) -> None:
    report = find(ambiguous, "make")
    assert report.symbol == "shop/a.py::make"
    assert report.same_name == ["tests/test_make.py::make", "shop/b.py::B.make"]


def test_a_method_stands_for_those_that_override_it(ambiguous: Workbench) -> None:
    assert find(ambiguous, "save").symbol == "shop/base.py::Base.save"


def test_many_possible_uses_are_counted_and_listed_when_they_are_asked_for(
    shop: Workbench, workspace: Path
) -> None:
    """A method with a common name has a handful of uses, and hundreds of namesakes of lists."""
    for name in "ab":
        calls = "".join(f"    {it}.add({it})\n" for it in ("seen", "seen", "rows[0]", "made()"))
        text = f"def {name}(seen, rows, made):\n{calls * 2}"
        (workspace / f"{name}.py").write_text(text, encoding="utf-8")
    report = find(shop, "Cart.add")
    assert (report.certain, report.possible) == (2, 17)
    assert {it.certainty for it in report.uses} == {"certain"}
    assert (
        "not listed: 17 possible uses in 3 files, on receivers of uncertain type: `seen` 8, "
        "items 4, results of calls 4, `unknown` 1 (certainty=possible)"
    ) in report.to_text()
    asked = find(shop, "Cart.add", certainty="possible")
    assert (asked.total, asked.unlisted_possible) == (19, None)
    certain = find(shop, "Cart.add", certainty="certain")
    assert (certain.total, certain.unlisted_possible) == (2, None)


def test_the_likeliest_of_few_possible_uses_come_first(shop: Workbench, workspace: Path) -> None:
    (workspace / "a.py").write_text("def a(it):\n    it.add(1)\n", encoding="utf-8")
    found = [it.file for it in find(shop, "Cart.add").uses if it.certainty == "possible"]
    assert found == ["main.py", "a.py"]


def test_calls_of_an_override_that_calls_the_method_are_listed(
    shop: Workbench, workspace: Path
) -> None:
    (workspace / "jobs.py").write_text(
        "class Runner:\n    @classmethod\n    def put(cls): ...\n\n\n"
        "class Sync(Runner):\n    @classmethod\n    def put(cls):\n        super().put()\n\n\n"
        "class Other(Runner):\n    @classmethod\n    def put(cls): ...\n\n\n"
        "class Plain(Runner): ...\n\n\n"
        "def go():\n    Sync.put()\n    Other.put()\n    Plain.put()\n",
        encoding="utf-8",
    )
    report = find(shop, "Runner.put")
    assert [it.line for it in report.uses if it.certainty == "certain"] == [9, 23]
    assert [(it.override, it.line) for it in report.through_overrides] == [
        ("jobs.py::Sync.put", 21)
    ]
    assert (
        "through overrides, jobs.py::Sync.put calls it, and is called 1 time:\n"
        "  jobs.py:21 in go: Sync.put()"
    ) in report.to_text()


def test_a_statement_over_several_lines_is_shown_on_one_at_the_line_of_the_use(
    workspace: Path,
) -> None:
    code = """\
def weigh(crate, unit):
    return crate, unit


def load(crates):
    total = add(
        weigh(
            crates[0],
            unit="kilogram",
        ),
        rest=[],
    )
    return total
"""
    (workspace / "load.py").write_text(code, encoding="utf-8")
    report = find(Workbench.open(workspace), "weigh")
    assert '  7: total = add(weigh(crates[0], unit="kilogram"), rest=[])' in report.to_text()
    assert report.uses[0].text.count("\n") == 6


def test_of_a_long_statement_what_is_near_the_use_is_shown(workspace: Path) -> None:
    far = "\n".join(
        f"    entry_number_{at}=make_an_entry_of_the_table({at}, rest=True)," for at in "12"
    )
    more = far.replace("entry_number", "further_entry")
    code = f"def weigh(): ...\n\n\ntable = dict(\n{far}\n    used=weigh(),\n{more}\n)\n"
    (workspace / "table.py").write_text(code, encoding="utf-8")
    [shown] = [
        it
        for it in find(Workbench.open(workspace), "weigh").to_text().splitlines()
        if "used=" in it
    ]
    assert shown.startswith("  7: … used=weigh(), further_entry_1=")
    assert len(shown) < 180


def test_a_use_in_a_function_handed_on_shows_its_own_line(workspace: Path) -> None:
    code = """\
export function isOpen() { return true; }
batch(() => {
  crates.forEach(crate => {
    if (isOpen()) {
      return;
    }
  });
});
"""
    (workspace / "crates.ts").write_text(code, encoding="utf-8")
    text = find(Workbench.open(workspace), "isOpen").to_text()
    assert "  4: if (isOpen()) {" in text
    assert "batch" not in text


def test_a_symbol_of_rust_is_found_by_its_own_id(workspace: Path) -> None:
    (workspace / "a.rs").write_text(
        "struct S;\nimpl From<S> for outer::inner::T { fn from(_: S) -> Self { todo!() } }\n"
    )
    with closing(Workbench.open(workspace)) as bench:
        report = bench.call("find_references", symbol="a.rs::outer::inner::T.from").model_dump()
    assert report["symbol"] == "a.rs::outer::inner::T.from"
