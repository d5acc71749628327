"""What looked unused in real projects and was in use."""

import pytest

from benchpin.facts.liveness import ForeignUse, NamesOutsideCode
from benchpin.measures.unused._outside_code import find_names_outside_code
from benchpin.measures.unused._search import find_dead_code
from dead_code_kit import confidences, facts_of, surely_dead

NPM = NamesOutsideCode(entry_files=frozenset({"src/index"}))


@pytest.mark.parametrize(
    "lookup",
    [
        'getattr(make, f"build_{kind}")',
        'getattr(make, "build_" + kind)',
        'PREFIX = "build_"\nhasattr(make, PREFIX + kind)',
        '[it for it in dir(make) if it.startswith("build_") and getattr(make, it)]',
    ],
)
def test_a_prefix_that_is_looked_up_keeps_the_methods_of_its_names(lookup: str) -> None:
    make = "class Make:\n    def build_html(self):\n        pass\n\nmake = Make()\n"
    assert surely_dead({"app.py": f"{make}kind = input()\n{lookup}\n"}) == set()
    assert surely_dead({"app.py": f"{make}kind = input()\n"}) == {"Make.build_html"}


def test_a_prefix_in_the_lookup_itself_may_end_within_a_word() -> None:
    config = "class Config:\n    def getint(self):\n        pass\n\n\ndef read(it, kind):\n"
    config += "    return {}\n\nread(Config(), 'int')\n"
    assert surely_dead({"app.py": config.replace("{}", 'getattr(it, f"get{kind}")')}) == set()
    assert surely_dead({"app.py": config.replace("{}", "it")}) == {"Config.getint"}


@pytest.mark.parametrize(
    "body",
    [
        'warnings.warn("old() is deprecated", DeprecationWarning)',
        '"""Kept for backward compatibility."""',
    ],
)
def test_what_is_deprecated_stays_for_users_unless_it_is_private(body: str) -> None:
    text = f"import warnings\n\ndef old():\n    {body}\n"
    assert surely_dead({"pkg/app.py": text}) == set()
    assert surely_dead({"pkg/app.py": text.replace("def old", "def _old")}) == {"_old"}


def test_a_decorator_of_a_class_may_call_its_methods() -> None:
    text = "class Body:\n    def start_it(self):\n        pass\n\nprint(Body())\n"
    assert surely_dead({"app.py": text}) == {"Body.start_it"}
    assert surely_dead({"app.py": f"@implementer(IBody)\n{text}"}) == set()


def test_an_object_whose_methods_nothing_calls_is_made_for_other_code() -> None:
    text = "class Body:\n    def start_it(self):\n        pass\n\n    def stop_it(self):\n"
    text += "        pass\n\nserve(Body())\n"
    assert surely_dead({"app.py": text}) == set()
    assert surely_dead({"app.py": f"{text}Body().stop_it()\n"}) == {"Body.start_it"}


@pytest.mark.parametrize(
    "folder", ["docs", "examples/basic", "src/__fixtures__", "pkg/patched", "packages/a/test"]
)
def test_samples_and_copies_are_not_surely_dead(folder: str) -> None:
    files = {f"{folder}/app.py": "def _old():\n    pass\n"}
    assert surely_dead(files) == set()
    assert surely_dead({"pkg/app.py": "def _old():\n    pass\n"}) == {"_old"}


def test_a_use_in_another_language_is_a_use() -> None:
    files = facts_of({"lib/area.c": "int area(void) { return 1; }\nint size(void) { return 2; }\n"})
    found = find_dead_code(
        files, NamesOutsideCode(), foreign_uses=[ForeignUse("lib/area.c", 1, "area")]
    )
    assert [it.name for it in found.items] == ["size"]


def test_the_interface_of_a_library_is_dead_only_on_request() -> None:
    files = facts_of({"area.go": "package area\n\nfunc Size() int { return 1 }\n"})
    [open_item] = find_dead_code(files, NamesOutsideCode()).items
    [closed_item] = find_dead_code(files, NamesOutsideCode(), include_public=True).items
    assert (open_item.confidence, closed_item.confidence) == (0.1, 0.8)


def test_an_export_under_another_name_is_a_use() -> None:
    text = "function build() {}\nfunction hide() {}\nexport { build as INTERNAL_build }\n"
    assert surely_dead({"src/a.ts": text}, NPM) == {"hide"}


def test_a_type_that_another_module_exports_as_its_own_may_be_part_of_a_package() -> None:
    files = {
        "src/runner/types.ts": "export type Fetch = () => void\nexport type Other = () => void\n",
        "src/runner/index.ts": "export type { Fetch } from './types'\n",
    }
    assert surely_dead(files, NPM) == {"Other"}


def test_a_package_may_let_its_users_import_every_module() -> None:
    manifest = b'{"exports": {"./*": "./dist/*.js"}}'
    outside = find_names_outside_code(["pkg/package.json"], frozenset(), lambda _path: manifest)
    assert "pkg/*" in outside.entry_files
    files = {"pkg/src/a.ts": "export declare type Area = number\n"}
    assert surely_dead(files, outside) == set()
    assert confidences(files) == {"Area": 0.8}


def test_a_function_assigned_to_a_variable_from_elsewhere_is_in_use() -> None:
    text = "let last = null\nexport function run() {\n  wrap(last = () => {})\n}\n"
    assert surely_dead({"src/index.ts": text}, NPM) == set()


def test_documentation_that_lists_a_module_lists_all_in_it() -> None:
    page = b".. automodule:: pkg.area\n    :members:\n"
    outside = find_names_outside_code(["docs/a.rst"], frozenset(), lambda _path: page)
    files = {"pkg/area.py": "def size():\n    pass\n", "pkg/other.py": "def other():\n    pass\n"}
    assert surely_dead(files, outside) == {"other"}


def test_a_class_that_a_text_names_is_documented() -> None:
    page = b".. class:: StackDump\n"
    names = frozenset({"StackDump"})
    outside = find_names_outside_code(["docs/a.rst"], names, lambda _path: page)
    assert outside.documented == names


def test_an_entry_may_export_a_module_by_its_alias() -> None:
    files = {
        "src/index.ts": "export * from '@/charts/Bubble'\n",
        "src/charts/Bubble.tsx": "export function Bubble() {}\n",
        "src/charts/Line.tsx": "export function Line() {}\n",
    }
    assert surely_dead(files, NPM) == {"Line"}


def test_what_templates_call_other_methods_of_is_left_alone() -> None:
    """Templates of other people call methods of an object that ours get, too."""
    text = (
        "class Pager:\n    def has_previous(self):\n        return 1\n\n"
        "    def previous_number(self):\n        return 2\n\n"
        "    def next_number(self):\n        return 3\n\n\nPager().has_previous()\n"
    )
    assert "Pager.next_number" in surely_dead({"a.py": text})
    named = NamesOutsideCode(configured=frozenset({"has_previous", "previous_number"}))
    assert surely_dead({"a.py": text}, named) == set()


def test_what_looks_like_a_test_is_left_alone_wherever_it_is() -> None:
    files = {"src/a.ts": "import './x'\ntype %s = 1\n", "src/x.ts": "import './a'\n"}

    def dead(name: str) -> set[str]:
        return surely_dead({path: text.replace("%s", name) for path, text in files.items()})

    assert dead("Sizes") == {"Sizes"}
    assert dead("_tests") == set()
    assert surely_dead({"a.php": "<?php\nfunction testThrows() { return 1; }\n"}) == set()


_LOCAL = """\
def make():
    class Local:
        def shown(self):
            return 1

        def hidden(self):
            return 2

    return Local

make()().shown()
"""
_MOCK = """\
class MockReply:
    def shown(self):
        return 1

    def hidden(self):
        return 2

MockReply().shown()
"""


@pytest.mark.parametrize("text", [_LOCAL, _MOCK])
def test_methods_of_classes_that_are_made_for_other_code_are_left_alone(text: str) -> None:
    assert surely_dead({"a.py": text}) == set()
    usual = text.replace("MockReply", "Reply").replace("def make():", "if True:")
    usual = usual.replace("    return Local\n\nmake()()", "Local()")
    assert {it.rpartition(".")[2] for it in surely_dead({"a.py": usual})} == {"hidden"}


def test_one_of_a_family_of_classes_may_be_there_for_users_to_choose() -> None:
    filters = "class Filter: ...\n" + "".join(
        f"class {it}Filter(Filter): ...\n" for it in ("Equal", "Greater", "Smaller", "Like")
    )
    files = {
        "lib/filters.py": filters,
        "lib/use.py": "from .filters import EqualFilter\nEqualFilter()\n",
    }
    found = confidences(files)
    assert {found[f"{it}Filter"] for it in ("Greater", "Smaller", "Like")} == {0.7}
    # Two are no family.
    pair = {**files, "lib/filters.py": "".join(filters.splitlines(keepends=True)[:3])}
    assert confidences(pair)["GreaterFilter"] == 0.8


def test_a_method_is_public_with_the_types_that_inherit_it() -> None:
    package = {
        "shop/__init__.py": "from .orders import Order\n\n__all__ = ['Order']\n",
        "shop/orders.py": "from .hooks import Hooks\n\n\nclass Order(Hooks):\n    pass\n",
    }
    hooks = "class Hooks:\n    def register(self): pass\n    def deregister(self): pass\n"
    used = "def start(order):\n    order.register()\n\n\nstart(None)\n"
    files = {**package, "shop/hooks.py": hooks, "shop/start.py": used}
    assert "Hooks.deregister" not in surely_dead(files)
    files["shop/__init__.py"] = ""
    assert "Hooks.deregister" in surely_dead(files)


def test_a_page_may_call_the_methods_in_a_script_that_is_no_module() -> None:
    text = (
        "if (!window.ads) {\n  class Ads {\n    show() { return this; }\n    hide() { return 1; }\n"
        "  }\n  window.ads = new Ads().show();\n}\n"
    )
    assert "Ads.hide" not in surely_dead({"shim.js": text})
    assert "Ads.hide" in surely_dead({"shim.js": text + "export const x = 1;\nconsole.log(x);\n"})
