"""An index after a change is the index of the changed files."""

import pytest

from benchpin.code import CodeIndex
from benchpin.code.references import Use, find_uses
from benchpin.core.calls import Job
from made_sources import reader_of
from navigation_kit import facts_of, indexed

BEFORE = {
    "shop/__init__.py": "from .cart import Cart\n",
    "shop/cart.py": "class Cart:\n    def add(self, x):\n        return x\n",
    "shop/extra.py": "def add(x):\n    return x\n",
    "main.py": "from shop import Cart\n\n\ndef run():\n    Cart().add(1)\n",
    "late.py": "import shop.late\n\n\ndef go():\n    return shop.late.start()\n",
    "go.mod": "module example.org/a\n",
    "b/one.go": "package b\n\nfunc One() int { return two() }\n",
    "b/two.go": "package b\n\nfunc two() int { return 2 }\n",
}
CHANGES: dict[str, dict[str, str | None]] = {
    "a method is renamed": {
        "shop/cart.py": "class Cart:\n    def put(self, x):\n        return x\n",
        "main.py": "from shop import Cart\n\n\ndef run():\n    Cart().put(1)\n",
    },
    "a file is new": {"shop/late.py": "def start():\n    return 1\n"},
    "a file is gone": {"shop/cart.py": None},
    "a file of a package is gone": {"b/two.go": None},
    "a function moves to another file": {
        "shop/extra.py": "",
        "shop/cart.py": "class Cart:\n    pass\n\n\ndef add(x):\n    return x\n",
        "main.py": "from shop.cart import add\n\n\ndef run():\n    add(1)\n",
    },
    "nothing changes": {"main.py": BEFORE["main.py"]},
}


def everything(index: CodeIndex) -> dict[str, list[Use]]:
    symbols = (it for module in index.symbols.modules.values() for it in module.symbols.values())
    return {it.id: find_uses(index, it, Job()).found for it in symbols}


@pytest.mark.parametrize("name", CHANGES)
def test_an_index_after_a_change_is_that_of_the_new_files(name: str) -> None:
    texts = {**BEFORE, **CHANGES[name]}
    after = {path: text for path, text in texts.items() if text is not None}
    changed = {it.path: it for it in facts_of(after) if it.path in CHANGES[name]}
    gone = dict.fromkeys(path for path, text in CHANGES[name].items() if text is None)
    first = indexed(BEFORE)
    before = everything(first)
    made = first.with_files({**changed, **gone}, reader_of(after), Job())
    assert everything(made) == everything(indexed(after))
    assert everything(first) == before


def test_a_change_can_follow_another() -> None:
    texts = dict(BEFORE)
    index = indexed(texts)
    for change in CHANGES.values():
        for path, text in change.items():
            if text is None:
                texts.pop(path, None)
            else:
                texts[path] = text
        known = {it.path: it for it in facts_of(texts)}
        new = {path: known.get(path) for path in change}
        index = index.with_files(new, reader_of(texts), Job())
        assert everything(index) == everything(indexed(texts))
