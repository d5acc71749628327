"""The review names edits of few words after which a function does something else."""

import pytest

from repositories import Tree
from review_kit import commit, places, review

PYTHON = (
    "class Queue:\n    def __init__(self, most):\n        self.most = most\n"
    "        self.items = {}\n        self.total = 0\n\n"
    "    def put(self, key, size):\n        if size is not None:\n            self.total += size\n"
    "        self.items[key] = size\n        if len(self.items) > self.most:\n"
    "            self.items.popitem(last=False)\n\n"
    "    def last(self, lines, count):\n        return lines[-count:]\n\n"
    "    def clear(self):\n        if not self.items:\n            return\n"
    "        self.items = {}\n        self.total = 0\n\n"
    "    def shift(self, first, second):\n        self.most = first + self.total\n"
    "        self.total = second + self.size()\n        return self.total\n\n"
    "    def size(self):\n        return len(self.items) + self.total\n\n"
    "    def load(self, path):\n        try:\n            return open(path).read()\n"
    "        except OSError as error:\n            print(error)\n            raise\n"
)
GO = (
    'package m\n\nimport "errors"\n\nvar ErrKey = errors.New("key")\n'
    'var ErrValue = errors.New("value")\n\ntype Tree struct {\n\tkeys []string\n\tcount int\n}\n\n'
    "func (t *Tree) Put(key string, value string) error {\n\tif len(key) > 9 {\n"
    "\t\treturn ErrKey\n\t}\n\tif len(value) > 9 {\n\t\treturn ErrValue\n\t}\n"
    "\tt.keys = append(t.keys, key)\n\tt.count = len(t.keys)\n\treturn nil\n}\n\n"
    "func (t *Tree) Walk(begin func() (*Tree, error), most int) int {\n\ttree, err := begin()\n"
    "\tif tree.count > most {\n\t\ttree, err = begin()\n\t\tif err != nil {\n"
    '\t\t\treturn 0\n\t\t}\n\t\ttree.Put("a", "b")\n\t}\n\treturn tree.count\n}\n'
)
SCRIPT = (
    "export class Cache {\n  private size = 0;\n  private names: string[] = [];\n\n"
    "  set(values: Record<string, unknown>) {\n"
    "    return Object.entries(values).filter(([, value]) => value !== undefined);\n  }\n\n"
    "  same(left: string[], right: string[]) {\n    if (left.length !== right.length) {\n"
    "      return false;\n    }\n    return left.every((it, at) => it === right[at]);\n  }\n\n"
    "  reset() {\n    this.names = [];\n    this.size = this.names.length;\n  }\n\n"
    "  read(load: () => string) {\n    try {\n      return load();\n    } catch {\n"
    '      throw new Error("no file");\n    }\n    return "";\n  }\n}\n'
)
RUST = (
    "pub struct Sample {\n    pub bytes: usize,\n    pub most: usize,\n}\n\n"
    "impl Sample {\n    pub fn take(&mut self, more: usize) -> usize {\n"
    "        let bytes = self.bytes + more;\n        self.bytes = 0;\n        bytes * self.most\n"
    "    }\n\n    pub fn head<'a>(&self, all: &'a [u8]) -> &'a [u8] {\n"
    "        &all[self.most..]\n    }\n}\n"
)
JAVA = (
    "package m;\n\nclass Limits {\n    private int names;\n    private int tokens;\n\n"
    "    Limits(Limits other) {\n        names = other.names;\n        tokens = other.tokens;\n"
    "    }\n\n    int both() {\n        return names + tokens;\n    }\n}\n"
)


@pytest.mark.parametrize(
    ("file", "text", "old", "new", "line"),
    [
        ("m/a.py", PYTHON, "if size is not None:", "if size:", 8),
        ("m/a.py", PYTHON, "popitem(last=False)", "popitem()", 12),
        ("m/a.py", PYTHON, "lines[-count:]", "lines[:count]", 15),
        ("m/a.py", PYTHON, "        if not self.items:\n            return\n", "", 18),
        (
            "m/a.py",
            PYTHON,
            "        self.most = first + self.total\n        self.total = second + self.size()\n",
            "        self.total = second + self.size()\n        self.most = first + self.total\n",
            24,
        ),
        ("m/a.go", GO, "9 {\n\t\treturn ErrKey", "9 {\n\t\treturn ErrValue", 15),
        ("m/a.go", GO, "\t\ttree, err = begin()", "\t\ttree, err := begin()", 28),
        ("m/a.go", GO, "\tt.count = len(t.keys)\n", "", 20),
        ("m/a.ts", SCRIPT, "value !== undefined", "value", 6),
        (
            "m/a.ts",
            SCRIPT,
            "    if (left.length !== right.length) {\n      return false;\n    }\n",
            "",
            10,
        ),
        ("m/a.ts", SCRIPT, "    this.size = this.names.length;\n", "", 17),
        ("m/a.rs", RUST, "        self.bytes = 0;\n", "", 9),
        ("m/a.rs", RUST, "all[self.most..]", "all[..self.most]", 14),
        ("m/A.java", JAVA, "        tokens = other.tokens;\n", "", 8),
    ],
)
def test_an_edit_of_few_words_that_turns_what_a_function_does_is_named(
    tree: Tree, file: str, text: str, old: str, new: str, line: int
) -> None:
    commit(tree, {file: text})
    assert old in text
    found = places(review(tree, {file: text.replace(old, new)}), "lost-check")
    assert [(path, at) for path, at in found if abs(at - line) <= 1] != []


@pytest.mark.parametrize(
    ("file", "text", "old", "new", "line"),
    [
        (
            "m/a.py",
            PYTHON,
            "            print(error)\n            raise\n",
            "            print(error)\n",
            34,
        ),
        ("m/a.ts", SCRIPT, '      throw new Error("no file");\n', "      this.size = 0;\n", 25),
    ],
)
def test_a_handler_that_no_longer_raises_is_named(
    tree: Tree, file: str, text: str, old: str, new: str, line: int
) -> None:
    commit(tree, {file: text})
    assert old in text
    found = places(review(tree, {file: text.replace(old, new)}), "lost-error")
    assert [(path, at) for path, at in found if abs(at - line) <= 2] != []


@pytest.mark.parametrize(
    ("file", "text", "old", "new"),
    [
        # Another test for nothing, and a value of another name.
        ("m/a.py", PYTHON, "if size is not None:", "if size is not None and size > 0:"),
        ("m/a.py", PYTHON, "popitem(last=False)", "popitem(last=self.most > 1)"),
        ("m/a.py", PYTHON, "lines[-count:]", "lines[-count - 1 :]"),
        # What is set in another place, or by another statement.
        ("m/a.rs", RUST, "        self.bytes = 0;\n", "        self.bytes -= more;\n"),
        ("m/a.go", GO, "\tt.count = len(t.keys)\n", "\tt.count++\n"),
        (
            "m/a.py",
            PYTHON,
            "        self.total = 0\n\n    def put",
            "        self.total: int = 0\n\n    def put",
        ),
        # A handler that gives its own answer.
        ("m/a.py", PYTHON, "            raise\n", "            return None\n"),
        ("m/a.ts", SCRIPT, '      throw new Error("no file");\n', '      return "";\n'),
        # Lines that do not depend on one another.
        (
            "m/a.py",
            PYTHON,
            "        self.items = {}\n        self.total = 0\n\n    def put",
            "        self.total = 0\n        self.items = {}\n\n    def put",
        ),
    ],
)
def test_an_edit_that_keeps_what_a_function_does_is_not_named(
    tree: Tree, file: str, text: str, old: str, new: str
) -> None:
    commit(tree, {file: text})
    assert old in text
    found = review(tree, {file: text.replace(old, new)})
    assert [it for it in found if it.rule in {"lost-check", "lost-error"}] == []


def test_calls_and_overrides_with_the_parameters_in_the_order_of_before_are_named(
    tree: Tree,
) -> None:
    files = {
        "m/base.py": "class Base:\n    def put(self, key, tables, tag):\n        raise OSError\n",
        "m/own.py": (
            "from m.base import Base\n\n\nclass Own(Base):\n"
            "    def put(self, key, tables, tag):\n        return key, tables, tag\n"
        ),
        "m/use.py": (
            "from m.base import Base\n\n\ndef run(base: Base):\n    base.put('a', [], True)\n"
            "    base.put('a', tables=[], tag=True)\n"
        ),
    }
    commit(tree, files)
    new = files["m/base.py"].replace("tables, tag", "tag, tables")
    found = [it for it in review(tree, {"m/base.py": new}) if "order" in it.message]
    assert [(it.file, it.line) for it in found] == [("m/own.py", 5), ("m/use.py", 5)]
