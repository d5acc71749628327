"""The review names what a function asks the other way round, and what it no longer holds."""

import pytest

from repositories import Tree
from review_kit import commit, places, review

PYTHON = (
    "import os\nimport threading\n\n\nclass Store:\n    def __init__(self, most):\n"
    "        self._lock = threading.Lock()\n        self.most = most\n        self.found = {}\n\n"
    "    def add(self, key):\n        with self._lock:\n"
    "            if len(self.found) >= self.most:\n"
    "                raise KeyError(key)\n            self.found[key] = 1\n\n"
    "    def names(self):\n        return sorted(self.found, key=len, reverse=True)\n\n"
    "    def write(self, path, text):\n        handle = os.open(path, 1)\n        try:\n"
    "            os.write(handle, text)\n        finally:\n            os.close(handle)\n"
)
HELD = (
    "        with self._lock:\n            if len(self.found) >= self.most:\n"
    "                raise KeyError(key)\n            self.found[key] = 1\n"
)
GO = (
    'package m\n\nimport (\n\t"fmt"\n\t"sort"\n)\n\ntype Item struct {\n\tName string\n'
    "\tSize int\n\tRank int\n}\n\nfunc parse(text string) (int, error) {\n"
    "\treturn len(text), nil\n}\n\nfunc Read(text string) (int, error) {\n"
    "\tsize, err := parse(text)\n\tif err != nil {\n"
    '\t\treturn 0, fmt.Errorf("no size in %q: %w", text, err)\n\t}\n\treturn size, nil\n}\n\n'
    "func Sort(items []Item) {\n\tsort.Slice(items, func(i, j int) bool {\n"
    "\t\treturn items[i].Rank < items[j].Rank\n\t})\n}\n\n"
    "func (i *Item) isUsed(least int) bool {\n"
    "\treturn !i.isZero() && i.isOpen() && i.Size > least\n}\n\n"
    "func (i *Item) isZero() bool { return i.Size == 0 }\n"
    "func (i *Item) isOpen() bool { return i.Rank > 0 }\n\n"
    "func (i *Item) Copy() Item {\n\treturn Item{Name: i.Name, Size: i.Size, Rank: i.Rank}\n}\n"
)
RUST = (
    "pub struct Item {\n    pub rank: u32,\n}\n\n"
    "pub fn is_old(last: Option<u32>, most: u32) -> bool {\n"
    "    last.is_none_or(|it| it > most)\n}\n\npub fn sorted(items: &mut Vec<Item>) {\n"
    "    items.sort_by_key(|it| std::cmp::Reverse(it.rank));\n}\n"
)
JAVA = (
    "package m;\n\nclass Waiting {\n    /** How long to wait. Default value is 5 seconds. */\n"
    "    private int seconds = 5;\n\n    boolean take(java.util.concurrent.Semaphore permits) {\n"
    "        try {\n            permits.acquire();\n            return true;\n"
    "        } catch (InterruptedException e) {\n            Thread.currentThread().interrupt();\n"
    "            return false;\n        }\n    }\n}\n"
)
SCRIPT = (
    "interface Options {\n  first?: number;\n  second?: number;\n  third?: number;\n}\n\n"
    "export class Pool {\n  #options;\n  #clients: any[] = [];\n\n"
    "  constructor(given?: Options) {\n    this.#options = {\n      first: given?.first ?? 1,\n"
    "      second: given?.second ?? 2,\n      third: given?.third ?? 3\n    };\n  }\n\n"
    "  async close() {\n    const waiting = [];\n    for (const client of this.#clients) {\n"
    "      waiting.push(client.close());\n    }\n    await Promise.all(waiting);\n  }\n}\n"
)


@pytest.mark.parametrize(
    ("file", "text", "old", "new", "rule", "line"),
    [
        ("a.py", PYTHON, "found) >= self", "found) > self", "lost-check", 13),
        ("a.py", PYTHON, ", reverse=True", "", "lost-check", 18),
        (
            "a.py",
            PYTHON,
            "        finally:\n            os.close(handle)\n",
            "            os.close(handle)\n        except OSError:\n            raise\n",
            "not-released",
            24,
        ),
        (
            "a.py",
            PYTHON,
            HELD,
            HELD.partition("\n")[2].replace("\n    ", "\n").removeprefix("    "),
            "not-released",
            12,
        ),
        (
            "m.go",
            GO,
            "size, err := parse(text)\n\tif err",
            "size, _ := parse(text)\n\tif err",
            "lost-error",
            19,
        ),
        ("m.go", GO, "no size in %q: %w", "%q has no size: %v", "lost-error", 21),
        ("m.go", GO, "Rank < items", "Rank > items", "lost-check", 28),
        (
            "m.go",
            GO,
            "\treturn !i.isZero() && i.isOpen() && i.Size > least\n",
            "\tif i.isZero() || i.isOpen() {\n\t\treturn false\n\t}\n\treturn i.Size > least\n",
            "lost-check",
            33,
        ),
        ("m.go", GO, "\tRank int\n", "\tRank int\n\tLink string\n", "missing-case", 40),
        ("src/lib.rs", RUST, "is_none_or", "is_some_and", "lost-check", 6),
        ("src/lib.rs", RUST, "std::cmp::Reverse(it.rank)", "it.rank", "lost-check", 10),
        (
            "m/Waiting.java",
            JAVA,
            "            Thread.currentThread().interrupt();\n",
            "",
            "lost-error",
            12,
        ),
        ("m/Waiting.java", JAVA, "seconds = 5", "seconds = 2", "stale-documentation", 4),
        ("a.ts", SCRIPT, "given?.second ?? 2", "given?.second || 2", "lost-check", 14),
        (
            "a.ts",
            SCRIPT,
            "      waiting.push(client.close());\n    }\n    await Promise.all(waiting);\n",
            "      client.close();\n    }\n",
            "not-awaited",
            22,
        ),
    ],
)
def test_what_a_change_turns_round_or_no_longer_does(
    tree: Tree, file: str, text: str, old: str, new: str, rule: str, line: int
) -> None:
    assert text.count(old) == 1
    commit(tree, {file: text})
    assert places(review(tree, {file: text.replace(old, new)}), rule) == [(file, line)]


@pytest.mark.parametrize(
    ("file", "text", "old", "new"),
    [
        # The lock is held by what is called instead.
        (
            "a.py",
            PYTHON,
            "    def names(self):\n",
            "    def size(self):\n        return len(self.found)\n\n    def names(self):\n",
        ),
        # Both are negated, so it asks the same.
        (
            "m.go",
            GO,
            "\treturn !i.isZero() && i.isOpen() && i.Size > least\n",
            "\tif i.isZero() || !i.isOpen() {\n\t\treturn false\n\t}\n\treturn i.Size > least\n",
        ),
        # The values of a sort are the other way round, and so is what compares them.
        ("m.go", GO, "items[i].Rank < items[j].Rank", "items[j].Rank > items[i].Rank"),
        (
            "src/lib.rs",
            RUST,
            "items.sort_by_key(|it| std::cmp::Reverse(it.rank))",
            "items.sort_by(|a, b| b.rank.cmp(&a.rank))",
        ),
        (
            "m/Waiting.java",
            JAVA,
            "Default value is 5 seconds. */\n    private int seconds = 5",
            "Default value is 2 seconds. */\n    private int seconds = 2",
        ),
    ],
)
def test_what_means_the_same_is_not_named(
    tree: Tree, file: str, text: str, old: str, new: str
) -> None:
    assert text.count(old) == 1
    commit(tree, {file: text})
    found = review(tree, {file: text.replace(old, new)})
    rules = ("lost-check", "lost-error", "not-released", "stale-documentation", "missing-case")
    assert places(found, *rules) == []


def test_a_value_of_a_field_with_a_declared_type_lacks_what_is_required_now(tree: Tree) -> None:
    text = (
        "export interface Identity {\n  id: string;\n  role: string;\n}\n\nexport class Pool {\n"
        "  readonly #identity: Identity;\n\n  constructor(id: string) {\n"
        "    this.#identity = {\n      id,\n      role: 'pool',\n    };\n  }\n}\n"
    )
    commit(tree, {"a.ts": text})
    found = review(
        tree, {"a.ts": text.replace("  role: string;\n", "  role: string;\n  at: number;\n")}
    )
    assert places(found, "broken-contract") == [("a.ts", 11)]
