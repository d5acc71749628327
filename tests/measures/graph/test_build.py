from collections.abc import Mapping
from dataclasses import asdict

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled
from benchpin.facts import FileFacts, Import
from benchpin.measures.graph import DagType, Graph, build_graph
from made_sources import made, parsed, reader_of

SHOP = {
    "shop/__init__.py": "from .cart import Cart as Basket\nfrom .money import *\n",
    "shop/base.py": """
class Thing:
    def __init__(self): ...
    def save(self): self.check_all()
    def check_all(self): ...
""",
    "shop/cart.py": """
import json
from . import money as m
from .base import Thing

class Cart(Thing):
    def add(self, item):
        self.save()
        super().save()
        self.count()
        m.round_up(1)
        json.dumps(item)
        item.unheard_of()
    def count(self):
        def inner(): return helper()
        return inner()

def helper(): return Cart()
""",
    "shop/money.py": """
def round_up(x): return x
class Coin: ...
""",
    "main.py": """
import shop.money
from shop import Basket, round_up

def run(cart):
    cart.check_all()
    cart.add()
    shop.money.round_up(2)
    round_up(3)
    shop.money.Coin()
    print()
    return Basket()

run(None)
""",
}


def _edges(graph: Graph) -> set[tuple[str, str]]:
    return {(graph.nodes[it.source].id, graph.nodes[it.target].id) for it in graph.edges}


def _graph(texts: Mapping[str, str], dag_type: DagType) -> Graph:
    return build_graph(parsed(texts), reader_of(texts), dag_type, Job())


def test_files_depend_on_what_they_import() -> None:
    graph = _graph(SHOP, "import-graph")
    assert _edges(graph) == {
        ("main.py", "shop/__init__.py"),
        ("main.py", "shop/money.py"),
        ("shop/__init__.py", "shop/cart.py"),
        ("shop/__init__.py", "shop/money.py"),
        ("shop/cart.py", "shop/base.py"),
        ("shop/cart.py", "shop/money.py"),
    }
    assert graph.outcomes == {"imports": {"external": 1, "resolved": 6}}


def test_types_depend_on_their_bases() -> None:
    graph = _graph(SHOP, "inheritance")
    assert _edges(graph) == {("shop/cart.py::Cart", "shop/base.py::Thing")}
    assert [node.label for node in graph.nodes] == ["Thing", "Cart", "Coin"]


def test_functions_depend_on_what_they_call_as_surely_as_the_code_says() -> None:
    graph = _graph(SHOP, "call-graph")
    sure = {
        (graph.nodes[it.source].id, graph.nodes[it.target].id): it.confidence for it in graph.edges
    }
    assert sure == {
        ("main.py", "main.py::run"): 1.0,
        ("main.py::run", "shop/base.py::Thing.__init__"): 0.9,
        ("main.py::run", "shop/money.py::Coin"): 1.0,
        ("main.py::run", "shop/money.py::round_up"): 1.0,
        ("shop/base.py::Thing.save", "shop/base.py::Thing.check_all"): 1.0,
        ("shop/cart.py::Cart.add", "shop/base.py::Thing.save"): 0.9,
        ("shop/cart.py::Cart.add", "shop/cart.py::Cart.count"): 1.0,
        ("shop/cart.py::Cart.add", "shop/money.py::round_up"): 1.0,
        ("shop/cart.py::Cart.count", "shop/cart.py::Cart.count.inner"): 1.0,
        ("shop/cart.py::Cart.count.inner", "shop/cart.py::helper"): 1.0,
        ("shop/cart.py::helper", "shop/base.py::Thing.__init__"): 0.9,
    }


def test_calls_that_are_not_certain_are_counted_and_not_guessed() -> None:
    graph = _graph(SHOP, "call-graph")
    # external: json.dumps, item.unheard_of, print, and `super`; unresolved: cart.check_all, which
    # is in a file that main.py does not import, and cart.add, which may be anybody's.
    assert graph.outcomes == {"calls": {"external": 4, "resolved": 13, "unresolved": 2}}


def test_the_only_method_of_a_long_name_is_resolved_where_its_file_is_imported() -> None:
    texts = {
        "a.py": "class A:\n    def feed_all(self): ...\n    def clear(self): ...\n",
        "b.py": "import a\ndef f(x):\n    x.feed_all()\n    x.clear()\n",
        "c.py": "def g(x): x.feed_all()\n",
    }
    graph = _graph(texts, "call-graph")
    assert _edges(graph) == {("b.py::f", "a.py::A.feed_all")}
    assert graph.edges[0].confidence == 0.6
    assert graph.outcomes == {"calls": {"resolved": 1, "unresolved": 2}}


def test_modules_of_javascript_are_followed_through_aliases_defaults_and_what_is_passed_on() -> (
    None
):
    texts = {
        "index.js": "export { saw as cut } from './tools'; export * from './more';",
        "tools.js": "export function saw() {}",
        "more.js": "export function drill() {}",
        "only.js": "export default class Only { constructor() {} go() {} }",
        "old.js": "exports.file = function file() {}",
        "main.js": """
import * as all from './index';
import Renamed from './only';
import { cut as slice } from './index';
const old = require('./old');
function start() { all.drill(); slice(); new Renamed(); old.file(); JSON.parse(''); }
[1].forEach(() => start());
""",
    }
    assert _edges(_graph(texts, "call-graph")) == {
        ("main.js", "main.js::start"),
        ("main.js::start", "more.js::drill"),
        ("main.js::start", "old.js::file"),
        ("main.js::start", "only.js::Only.constructor"),
        ("main.js::start", "tools.js::saw"),
    }


def test_interfaces_and_classes_of_typescript_inherit() -> None:
    texts = {
        "a.ts": "export interface Base<T> {}\nexport class Root {}",
        "b.ts": """
import { Base, Root } from './a';
class Leaf extends Root implements Base<string>, Foreign {}
interface More extends Base<number> {}
class Mixed extends mix(Root) {}
""",
    }
    graph = _graph(texts, "inheritance")
    assert _edges(graph) == {
        ("b.ts::Leaf", "a.ts::Base"),
        ("b.ts::Leaf", "a.ts::Root"),
        ("b.ts::More", "a.ts::Base"),
    }
    assert graph.outcomes == {"inherits": {"external": 1, "resolved": 3}}


def test_a_class_may_be_based_on_an_imported_one_of_its_own_name() -> None:
    texts = {
        "base.py": "class Client: ...",
        "app.py": "from base import Client\nclass Client(Client): ...",
        "web.py": "from http import Client\nclass Client(Client): ...",
    }
    graph = _graph(texts, "inheritance")
    assert _edges(graph) == {("app.py::Client", "base.py::Client")}
    assert graph.outcomes == {"inherits": {"external": 1, "resolved": 1}}


def test_functions_of_c_are_found_where_they_are_linked() -> None:
    texts = {
        "a.h": "int twice(int x);\nstatic inline int small(void) { return 1; }\n",
        "a.c": '#include "a.h"\nint twice(int x) { return x + small(); }\n',
        "main.c": '#include "a.h"\nint main(void) { return twice(small()) + printf("x"); }\n',
    }
    graph = _graph(texts, "call-graph")
    assert {
        (graph.nodes[it.source].label, graph.nodes[it.target].label, it.confidence)
        for it in graph.edges
    } == {("twice", "small", 0.9), ("main", "twice", 0.8), ("main", "small", 0.9)}
    assert graph.outcomes == {"calls": {"external": 1, "resolved": 3}}


def test_a_type_may_be_given_methods_in_another_file() -> None:
    files = [
        made("cart/cart.go", "go", types=["Cart"]),
        made(
            "cart/total.go",
            "go",
            functions=["Cart.Total", "start"],
            types=["Cart"],
            calls={"start": ["Cart.Total", "round"]},
        ),
        made("cart/round.go", "go", functions=["round"]),
    ]
    graph = build_graph(files, reader_of({}), "call-graph", Job())
    assert ("cart/total.go::start", "cart/round.go::round") in _edges(graph)


def test_a_test_sees_the_package_that_it_tests() -> None:
    files = [
        made("src/main/java/org/shop/Cart.java", "java", types=["Cart"], functions=["Cart.Cart"]),
        made(
            "src/test/java/org/shop/CartTest.java",
            "java",
            types=["CartTest"],
            functions=["CartTest.adds"],
            calls={"CartTest.adds": ["Cart"]},
        ),
        made("src/main/java/org/other/Cart.java", "java", types=["Cart"]),
    ]
    graph = build_graph(files, reader_of({}), "call-graph", Job())
    assert _edges(graph) == {
        (
            "src/test/java/org/shop/CartTest.java::CartTest.adds",
            "src/main/java/org/shop/Cart.java::Cart.Cart",
        )
    }


def test_namespaces_go_on_in_other_files() -> None:
    files = [
        made("base.rb", "ruby", types=["Shop", "Shop.Cart", "Shop.Cart.Base"]),
        made("other.rb", "ruby", types=["Other", "Other.Base"]),
        made(
            "leaf.rb",
            "ruby",
            types=["Shop", "Shop.Cart", "Shop.Cart.Leaf"],
            functions=["Shop.Cart.Leaf.run"],
            calls={"Shop.Cart.Leaf.run": ["Base.new", "Cart::Base.new"]},
        ),
    ]
    graph = build_graph(files, reader_of({}), "call-graph", Job())
    assert _edges(graph) == {("leaf.rb::Shop.Cart.Leaf.run", "base.rb::Shop.Cart.Base")}


def test_packages_of_go_are_called_by_their_last_names() -> None:
    files = [
        made("cart/total.go", "go", functions=["Total"]),
        made("cart/line.go", "go", functions=["Line", "New"]),
        made(
            "main.go",
            "go",
            Import("example.com/shop/cart", (), 1),
            Import("example.com/else/v2", (), 2),
            functions=["main"],
            calls={"main": ["cart.Total", "cart.Line", "else.New"]},
        ),
    ]
    read = reader_of({"go.mod": "module example.com/shop"})
    graph = build_graph(files, read, "call-graph", Job())
    assert _edges(graph) == {
        ("main.go::main", "cart/total.go::Total"),
        ("main.go::main", "cart/line.go::Line"),
    }
    assert graph.outcomes == {"calls": {"external": 1, "resolved": 2}}


def test_classes_of_php_are_called_by_their_last_names() -> None:
    files = [
        made(
            "src/Cart.php", "php", types=["Cart"], functions=["Cart.make"], exports=["Shop\\Cart"]
        ),
        made("old/Cart.php", "php", types=["Cart"], functions=["Cart.make"], exports=["Old\\Cart"]),
        made(
            "web/index.php",
            "php",
            Import("Shop\\Cart", (), 1),
            functions=["start"],
            calls={"start": ["Cart::make", "new Cart"]},
        ),
    ]
    graph = build_graph(files, reader_of({}), "call-graph", Job())
    assert _edges(graph) == {
        ("web/index.php::start", "src/Cart.php::Cart"),
        ("web/index.php::start", "src/Cart.php::Cart.make"),
    }


def test_everything_together_has_an_edge_from_each_file_to_what_it_defines() -> None:
    whole = _edges(_graph(SHOP, "full-dependency"))
    for dag_type in ("import-graph", "inheritance", "call-graph"):
        assert _edges(_graph(SHOP, dag_type)) <= whole
    assert ("shop/money.py", "shop/money.py::Coin") in whole


def test_a_file_that_imports_itself_has_no_edge() -> None:
    graph = _graph({"a.py": "import a\ndef f(): f()\nf()"}, "full-dependency")
    assert _edges(graph) == {("a.py", "a.py::f")}


@pytest.mark.parametrize("dag_type", ["import-graph", "call-graph", "inheritance"])
def test_the_order_of_files_does_not_matter(dag_type: DagType) -> None:
    files = parsed(SHOP)
    read = reader_of(SHOP)
    one = build_graph(files, read, dag_type, Job())
    other = build_graph(files[::-1], read, dag_type, Job())
    assert asdict(other) == asdict(one)


def test_imports_that_lead_in_circles_end() -> None:
    texts = {"a.py": "from b import *\nx()", "b.py": "from a import *\nfrom c import x", "c.py": ""}
    assert _graph(texts, "call-graph").outcomes == {"calls": {"external": 1}}


def test_a_name_is_followed_however_many_files_pass_it_on() -> None:
    last = 1_200
    texts = {f"m{at}.py": f"from m{at + 1} import run\n" for at in range(last)}
    texts |= {f"m{last}.py": "def run(): ...\n", "main.py": "from m0 import run\nrun()\n"}
    assert ("main.py", f"m{last}.py::run") in _edges(_graph(texts, "call-graph"))


def test_bases_that_hang_on_one_another_in_a_long_chain_do_no_harm() -> None:
    chain = "".join(f"class A{at}(A{at + 1}.Inner): ...\n" for at in range(1_200))
    graph = _graph({"chain.py": f"{chain}class A1200:\n    class Inner: ...\n"}, "inheritance")
    assert _edges(graph) == {("chain.py::A1199", "chain.py::A1200.Inner")}


def test_a_cancelled_job_ends_the_work() -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        build_graph(parsed(SHOP), reader_of(SHOP), "call-graph", job)


def test_an_include_of_a_file_twice_is_one_edge() -> None:
    files: list[FileFacts] = [
        made("a.c", "c", Import("b.h", (), 1, 1), Import("b.h", (), 9, 1)),
        made("b.h", "c"),
    ]
    graph = build_graph(files, reader_of({}), "import-graph", Job())
    assert [(it.source, it.target, it.count) for it in graph.edges] == [(0, 1, 2)]
