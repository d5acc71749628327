"""The review names what a function no longer does, members without a case, and mistakes of form."""

from pathlib import Path

import pytest

from repositories import Tree
from review_kit import commit, places, review

PYTHON = (
    "import asyncio\n\n\nclass Store:\n    async def save(self, key):\n        return key\n\n"
    "    async def load(self, key):\n        return key\n\n"
    "    async def update(self, key):\n        value = await self.load(key)\n"
    "        if value is None:\n            return {}\n        await self.save(key)\n"
    "        return value.copy()\n"
)
GO = (
    'package m\n\nimport (\n\t"errors"\n\t"os"\n\t"sync"\n)\n\ntype Kind int\n\nconst (\n'
    "\tFirst Kind = iota\n\tSecond\n\tThird\n)\n\nfunc (k Kind) String() string {\n\tswitch k {\n"
    '\tcase First:\n\t\treturn "first"\n\tcase Second:\n\t\treturn "second"\n\tcase Third:\n'
    '\t\treturn "third"\n\t}\n\treturn ""\n}\n\nvar mutex sync.Mutex\n\n'
    "func write(name string) error {\n\treturn os.Remove(name)\n}\n\n"
    "func Use(name string) (int, error) {\n\tmutex.Lock()\n\tdefer mutex.Unlock()\n"
    "\tif err := write(name); err != nil {\n\t\treturn 0, err\n\t}\n"
    '\tif name == "" {\n\t\treturn 0, errors.New("no name")\n\t}\n\treturn 1, nil\n}\n'
)
RUST = (
    "pub enum Kind {\n    First,\n    Second,\n}\n\nfn parse(text: &str) -> Result<u8, String> {\n"
    "    text.parse().map_err(|_| text.to_string())\n}\n\n"
    "pub fn number(text: &str) -> Result<u8, String> {\n    let found = parse(text)?;\n"
    "    Ok(found)\n}\n\npub fn name(kind: &Kind) -> &'static str {\n    match kind {\n"
    '        Kind::First => "first",\n        Kind::Second => "second",\n    }\n}\n'
)
JAVA = (
    "package m;\n\nclass Copy {\n    private final Object lock = new Object();\n\n"
    "    void unlock(Object key) {\n    }\n\n    void put(Object key) {\n        try {\n"
    "            key.hashCode();\n        } finally {\n            unlock(key);\n        }\n"
    "    }\n\n    int read(java.net.URL url) throws Exception {\n"
    "        try (java.io.InputStream in = url.openStream()) {\n            return in.read();\n"
    "        } catch (java.io.IOException e) {\n"
    '            throw new IllegalStateException("unread", e);\n        }\n    }\n}\n'
)
SCRIPT = (
    "export enum Kind {\n  First,\n  Second,\n  Third,\n}\n\nexport class Copy {\n"
    "  private timer?: any;\n  private closed = false;\n\n"
    "  async stop(it: string): Promise<void> {}\n\n"
    "  async all(items: string[]): Promise<void> {\n"
    "    await Promise.all(items.map(it => this.stop(it)));\n  }\n\n"
    "  close(): void {\n    clearTimeout(this.timer);\n    this.timer = undefined;\n  }\n\n"
    "  size(given?: number): number {\n    return given ?? 10;\n  }\n\n"
    "  add(name: string, found: Set<string>): void {\n    if (!this.closed && name) {\n"
    "      found.add(name);\n    }\n  }\n\n  name(kind: Kind): string {\n    switch (kind) {\n"
    "      case Kind.First:\n        return 'first';\n      case Kind.Second:\n"
    "        return 'second';\n      case Kind.Third:\n        return 'third';\n    }\n"
    "    return '';\n  }\n}\n"
)


@pytest.fixture
def tree(workspace: Path) -> Tree:
    return Tree(workspace)


@pytest.mark.parametrize(
    ("file", "before", "old", "new", "rule", "line"),
    [
        ("a.py", PYTHON, "        await self.save(", "        self.save(", "not-awaited", 15),
        (
            "a.py",
            PYTHON,
            "        if value is None:\n            return {}\n",
            "",
            "lost-check",
            13,
        ),
        (
            "a.py",
            PYTHON,
            "        await self.save(key)\n",
            (
                "        try:\n            await self.save(key)\n        except Exception:\n"
                "            pass\n"
            ),
            "lost-error",
            17,
        ),
        (
            "a.py",
            PYTHON,
            "    async def load(self, key):\n",
            (
                "    def note(self, key, seen={}):\n        seen.update(key)\n\n"
                "    async def load(self, key):\n"
            ),
            "likely-mistake",
            8,
        ),
        (
            "a.py",
            PYTHON,
            "        value = await self.load(key)\n",
            "        value = await self.load(key)\n        if key is 'x':\n            return {}\n",
            "likely-mistake",
            13,
        ),
        ("a.go", GO, "\tThird\n)", "\tThird\n\tFourth\n)", "missing-case", 19),
        (
            "a.go",
            GO,
            "\tif err := write(name); err != nil {\n\t\treturn 0, err\n\t}\n",
            "\twrite(name)\n",
            "lost-error",
            38,
        ),
        (
            "a.go",
            GO,
            (
                "\tdefer mutex.Unlock()\n\tif err := write(name); err != nil {\n"
                "\t\treturn 0, err\n\t}\n"
            ),
            "\tif err := write(name); err != nil {\n\t\treturn 0, err\n\t}\n\tmutex.Unlock()\n",
            "not-released",
            38,
        ),
        (
            "a.go",
            GO,
            "\tif err := write(name); err != nil {\n\t\treturn 0, err\n\t}\n",
            (
                '\tvar err error\n\tif name != "x" {\n\t\tinfo, err := os.Stat(name)\n'
                "\t\tif err == nil && info.Size() > 0 {\n\t\t\terr = write(name)\n\t\t}\n\t}\n"
                "\tif true {\n\t\treturn 0, err\n\t}\n"
            ),
            "lost-error",
            40,
        ),
        ("a.rs", RUST, "parse(text)?", "parse(text).unwrap()", "lost-error", 11),
        ("a.rs", RUST, "    Second,\n}", "    Second,\n    Third,\n}", "missing-case", 17),
        (
            "m/Copy.java",
            JAVA,
            (
                "        try {\n            key.hashCode();\n        } finally {\n"
                "            unlock(key);\n        }\n"
            ),
            "        key.hashCode();\n        unlock(key);\n",
            "not-released",
            11,
        ),
        (
            "m/Copy.java",
            JAVA,
            "try (java.io.InputStream in = url.openStream()) {",
            "try {\n            java.io.InputStream in = url.openStream();",
            "not-released",
            19,
        ),
        ("m/Copy.java", JAVA, '"unread", e)', '"unread")', "lost-error", 21),
        (
            "m/Copy.java",
            JAVA,
            "    int read(",
            (
                "    public boolean equals(Object other) {\n        return true;\n    }\n\n"
                "    int read("
            ),
            "likely-mistake",
            17,
        ),
        (
            "m/Copy.java",
            JAVA,
            "            key.hashCode();\n",
            '            if (key == "x") {\n                return;\n            }\n',
            "likely-mistake",
            11,
        ),
        (
            "m/Copy.java",
            JAVA,
            "    void unlock(Object key) {\n",
            (
                "    private Long wait;\n\n    Long waits() {\n        return wait;\n    }\n\n"
                "    void unlock(Object key) {\n"
            ),
            "likely-mistake",
            6,
        ),
        (
            "a.ts",
            SCRIPT,
            "await Promise.all(items.map(it => this.stop(it)))",
            "items.forEach(async it => {\n      await this.stop(it);\n    })",
            "not-awaited",
            14,
        ),
        ("a.ts", SCRIPT, "    clearTimeout(this.timer);\n", "", "not-released", 18),
        ("a.ts", SCRIPT, "given ?? 10", "given || 10", "lost-check", 23),
        (
            "a.ts",
            SCRIPT,
            "    if (!this.closed && name) {\n      found.add(name);\n    }\n",
            "    if (this.closed || name) {\n      return;\n    }\n    found.add(name);\n",
            "lost-check",
            27,
        ),
        ("a.ts", SCRIPT, "  Third,\n}", "  Third,\n  Fourth,\n}", "missing-case", 34),
    ],
)
def test_what_a_change_loses(
    tree: Tree, file: str, before: str, old: str, new: str, rule: str, line: int
) -> None:
    assert old in before
    commit(tree, {file: before})
    found = review(tree, {file: before.replace(old, new, 1)})
    assert (file, line) in places(found, rule)


@pytest.mark.parametrize(
    ("file", "before", "old", "new"),
    [
        (
            "a.py",
            PYTHON,
            "        await self.save(key)\n",
            "        it = self.save(key)\n        await it\n",
        ),
        ("a.py", PYTHON, "value is None", "not value"),
        (
            "a.py",
            PYTHON,
            "        await self.save(key)\n",
            (
                "        try:\n            await self.save(key)\n        except Exception:\n"
                "            pass  # it is saved again at the end\n"
            ),
        ),
        (
            "a.go",
            GO,
            "\tdefer mutex.Unlock()\n\tif err",
            "\tmutex.Unlock()\n\tif err",
        ),
        ("a.rs", RUST, "parse(text)?", "parse(text).map_err(|it| it)?"),
        ("a.rs", RUST, 'Kind::Second => "second",', '_ => "second",'),
        (
            "m/Copy.java",
            JAVA,
            "    int read(",
            (
                "    public boolean equals(Object other) {\n        return true;\n    }\n\n"
                "    public int hashCode() {\n        return 1;\n    }\n\n    int read("
            ),
        ),
        (
            "a.ts",
            SCRIPT,
            "    if (!this.closed && name) {\n      found.add(name);\n    }\n",
            "    if (this.closed || !name) {\n      return;\n    }\n    found.add(name);\n",
        ),
        (
            "a.ts",
            SCRIPT,
            "    clearTimeout(this.timer);\n    this.timer = undefined;\n  }\n",
            (
                "    this.end();\n  }\n\n  private end(): void {\n    clearTimeout(this.timer);\n"
                "    this.timer = undefined;\n  }\n"
            ),
        ),
    ],
)
def test_what_a_change_keeps(tree: Tree, file: str, before: str, old: str, new: str) -> None:
    assert old in before
    commit(tree, {file: before})
    found = review(tree, {file: before.replace(old, new, 1)})
    rules = ("not-awaited", "lost-error", "missing-case", "not-released", "lost-check")
    assert places(found, *rules, "likely-mistake") == []


def test_a_body_that_is_word_for_word_another(tree: Tree) -> None:
    before = (
        "class Store:\n    def load_first(self, key):\n        value = self.get(key, 'first')\n"
        "        return self.parse(value)\n"
    )
    commit(tree, {"a.py": before})
    copied = before.partition("\n")[2].replace("load_first", "load_second")
    found = review(tree, {"a.py": f"{before}\n{copied}"})
    assert places(found, "copied-code") == [("a.py", 6)]


def test_an_attribute_that_nothing_reads(tree: Tree) -> None:
    before = (
        "class Store:\n    def __init__(self, first, second):\n        self.first = first\n"
        "        self.second = second\n\n    def both(self):\n        "
        "return self.first, self.second\n"
    )
    commit(tree, {"a.py": before})
    after = before.replace("second):", "second, third):").replace(
        "        self.second = second\n",
        "        self.second = second\n        self.third = third\n",
    )
    assert places(review(tree, {"a.py": after}), "unused-code") == [("a.py", 5)]


def test_a_key_that_is_renamed_in_one_place(tree: Tree) -> None:
    files = {
        "write.py": "def write(out):\n    out['page_size'] = 20\n",
        "read.py": "def read(given):\n    return given['page_size']\n",
    }
    commit(tree, files)
    found = review(tree, {"write.py": files["write.py"].replace("page_size", "page_length")})
    assert places(found, "broken-reference") == [("write.py", 2)]
    both = {name: text.replace("page_size", "page_length") for name, text in files.items()}
    assert places(review(tree, both), "broken-reference") == []


def test_a_default_that_its_documentation_still_says(tree: Tree) -> None:
    before = (
        "/**\n * @param count - How many (default 1000).\n */\n"
        "export function some(count = 1000): number {\n  return count;\n}\n"
    )
    commit(tree, {"a.ts": before})
    found = review(tree, {"a.ts": before.replace("= 1000", "= 250")})
    assert places(found, "stale-documentation") == [("a.ts", 2)]


def test_a_default_of_a_long_annotation_that_is_changed(tree: Tree) -> None:
    before = "def note(key, seen: dict[str, int] | None = None):\n    return key, seen\n"
    commit(tree, {"a.py": before})
    after = "def note(key, seen: dict[str, int] = {}):\n    seen[key] = 1\n    return key, seen\n"
    assert places(review(tree, {"a.py": after}), "likely-mistake") == [("a.py", 1)]


def test_how_sure_a_finding_is_and_what_puts_it_right(tree: Tree) -> None:
    commit(tree, {"a.py": PYTHON, "m/Copy.java": JAVA})
    found = review(
        tree,
        {
            "a.py": PYTHON.replace("        await self.save(", "        self.save("),
            "m/Copy.java": JAVA.replace(
                "            key.hashCode();\n", '            boolean same = key == "x";\n'
            ),
        },
    )
    fixes = {it.rule: it.fix.text for it in found if it.fix is not None}
    assert fixes["not-awaited"] == "        await self.save(key)\n"
    assert fixes["likely-mistake"] == '            boolean same = "x".equals(key);\n'
    assert {it.rule: it.certainty for it in found}["not-awaited"] == "certain"
