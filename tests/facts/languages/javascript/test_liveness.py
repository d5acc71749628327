"""JavaScript and TypeScript: each rule with and without what it looks for."""

import pytest

from benchpin.facts.liveness import NamesOutsideCode
from dead_code_kit import confidences, dead_code_in, surely_dead


@pytest.mark.parametrize(
    ("alive", "dead"),
    [
        ("import './x'\nfunction it() {}\nit()\n", "import './x'\nfunction it() {}\n"),
        ("import './x'\nconst it = () => 1\nit()\n", "import './x'\nconst it = () => it()\n"),
        ("import './x'\nlet a = { it() {} }\n", "import './x'\nfunction it() {}\na = { it: 1 }\n"),
        ("import './x'\nrun(function it() {})\n", "import './x'\nrun(1)\nfunction it() {}\n"),
        (
            "import './x'\nclass K { it() {} }\nnew K().it()\n",
            "import './x'\nclass K { it() {} }\nnew K()\nlet it = 1\n",
        ),
        (
            "import './x'\nclass K { #it() {}\n go() { this.#it() } }\nnew K().go()\n",
            "import './x'\nclass K { #it() {}\n go() {} }\nnew K().go()\n",
        ),
        (
            "import './x'\nclass K { onIt() {}\n go(k) { this[`on${k}`]() } }\nnew K().go()\n",
            "import './x'\nclass K { onIt() {}\n go(k) { this[`by${k}`]() } }\nnew K().go()\n",
        ),
        (
            "import './x'\nclass K { it() {}\n go(k) { this[k]() } }\nnew K().go()\n",
            "import './x'\nclass K { it() {}\n go(k) { k[this]() } }\nnew K().go()\n",
        ),
        (
            "import './x'\nclass K { constructor() {} toString() {} }\nnew K()\n",
            "import './x'\nclass K { it() {} }\nnew K()\n",
        ),
        (
            "import { L } from 'web'\nclass K extends L { it() {} }\nnew K()\n",
            "import './x'\nclass L {}\nclass K extends L { it() {} }\nnew K()\n",
        ),
    ],
)  # fmt: skip
def test_code_is_alive_only_with_what_its_rule_looks_for(alive: str, dead: str) -> None:
    assert surely_dead({"src/app.js": alive}) == set()
    assert any(name.lower().endswith("it") for name in surely_dead({"src/app.js": dead}))


@pytest.mark.parametrize(
    ("alive", "dead"),
    [
        (
            "import './x'\ninterface It { a: 1 }\nlet b: It\n",
            "import './x'\ninterface It { a: 1 }\n",
        ),
        (
            "import './x'\ndeclare global { interface It { a: 1 } }\n",
            "import './x'\ninterface It { a: 1 }\n",
        ),
        (
            "import './x'\ninterface S { it(): void }\nclass K implements S { it() {} }\nnew K()\n",
            "import './x'\ninterface S { }\nclass K implements S { it() {} }\nnew K()\n",
        ),
        (
            "import { Component } from 'web'\n@Component({})\nclass It { }\n",
            "import { Component } from 'web'\nclass It { }\n",
        ),
    ],
)
def test_types_have_their_own_rules(alive: str, dead: str) -> None:
    assert surely_dead({"src/app.ts": alive}) == set()
    assert any(name.lower().endswith("it") for name in surely_dead({"src/app.ts": dead}))


def test_an_export_that_nothing_imports_is_dead_unless_its_package_offers_it() -> None:
    files = {
        "src/index.ts": "export { area } from './shapes'\nexport * from './lines'\n",
        "src/shapes.ts": "export function area() {}\nexport function size() {}\n",
        "src/lines.ts": "export const length = () => 1\n",
        "src/other.ts": "export function other() {}\n",
    }
    package = NamesOutsideCode(entry_files=frozenset({"src/index"}))
    assert "other" in surely_dead(files, package)
    assert surely_dead(files, package).isdisjoint({"area", "length"})
    assert {"area", "length", "size", "other"} <= surely_dead(files)


def test_an_imported_export_is_alive_and_a_default_export_by_its_file() -> None:
    files = {
        "src/a.ts": "export function area() {}\nexport function size() {}\n",
        "src/b.ts": "export default function whatever() {}\n",
        "src/c.ts": "import { area as a } from './a'\nimport b from './b'\na(b)\n",
    }
    assert surely_dead(files) == {"size"}


def test_a_destructured_name_is_used() -> None:
    files = {"src/a.js": "import './x'\nexport class Watcher {}\nexport function stop() {}\n"}
    taken = "const { Watcher, stop: halt } = load('a.js')\nnew Watcher(halt)\n"
    assert surely_dead({**files, "src/b.js": taken}) == set()
    built = "const taken = { stop: 1, Watcher: 2 }\n"
    assert surely_dead({**files, "src/b.js": built}) == {"Watcher", "stop"}


def test_minified_code_is_doubted() -> None:
    text = "import 'x'; function old() {}; " + "let a = 1; " * 40
    assert confidences({"src/a.js": text}) == {"old": 0.1}
    assert confidences({"src/a.js": text.replace(";", ";\n")}) == {"old": 0.95}


def test_a_tool_finds_some_files_by_their_names() -> None:
    text = "import 'x'\nexport function setup() {}\n"
    assert surely_dead({"vite.config.ts": text}) == set()
    assert surely_dead({"src/vite.ts": text}) == {"setup"}


def test_what_only_tests_import_is_reported_as_such() -> None:
    files = {
        "src/a.ts": "export function area() {}\n",
        "src/a.test.ts": "import { area } from './a'\ntest('area', () => area())\n",
    }
    assert [(it.name, it.status) for it in dead_code_in(files).items] == [("area", "used_by_tests")]


def test_a_script_without_imports_may_be_used_by_a_page() -> None:
    assert confidences({"static/site.js": "function open() {}\n"}) == {"open": 0.1}


def _names(text: str, path: str = "src/app.ts") -> set[str]:
    return surely_dead({path: text, "src/x.ts": "import './app'\n"})


def test_methods_of_a_class_that_replaces_one_of_the_platform_are_left_alone() -> None:
    body = (
        "class Watcher { observe() { return 1 }\n unwatch() { return 2 } }\n"
        "new Watcher().observe()\n"
    )
    assert "Watcher.unwatch" in _names(body)
    assert _names(f"{body}window.Watcher = Watcher\n") == set()


def test_methods_beside_empty_ones_are_left_alone() -> None:
    """An object with methods that do nothing is made for code that expects them."""
    body = "class Reply { %s\n unsend() { return 2 }\n send() { return 1 } }\nnew Reply().send()\n"
    assert "Reply.unsend" in _names(body % "size() { return 0 }")
    assert _names(body % "flush() {}") == {"Reply.flush"}


def test_a_class_that_is_a_value_is_used_where_it_is_defined() -> None:
    assert "Watch" in _names("import './x'\nclass Watch {}\n")
    assert _names("import './x'\nexport const watch = new (class Watch {})()\nwatch.x\n") == set()
    assert _names("import './x'\nconst K = lib.K || class Empty {}\nnew K()\n") == set()


def test_what_a_plugin_exports_is_loaded_by_another_program() -> None:
    text = "import './x'\nexport const Hooked = async () => help()\nfunction help() { return 1 }\n"
    assert confidences({"lib/a.ts": text, "lib/x.ts": "import './b'\n"})["Hooked"] >= 0.8
    assert confidences({"contrib/a.ts": text, "contrib/x.ts": "import './b'\n"})["Hooked"] < 0.8
