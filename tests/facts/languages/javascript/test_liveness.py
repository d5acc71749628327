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
