"""The review names what a file no longer has, in the cases that a name alone does not decide."""

import pytest

from repositories import Tree
from review_kit import Edit, Files, commit, places, review, review_edits

# What a reader does not understand, before a change and after it.
UNREAD_JAVA = {
    "m/Tools.java": "package m;\n\npublic class Tools {\n"
    "    static String joined(Class<?> own, @Null Class<?> @Null... all) {\n"
    "        return own.made();\n    }\n\n    static int made(int a) {\n"
    "        return 1;\n    }\n}\n",
    "n/Use.java": "package n;\n\nimport static m.Tools.made;\nimport m.Tools;\n\nclass Use {\n"
    "    int all() {\n        return made(1) + Tools.made(2);\n    }\n}\n",
}
UNREAD_PYTHON = {
    "p.py": "def made(a):\n    return a\n\n\nprint made(1)\n",
    "use.py": "from p import made\n\n\ndef all():\n    return made(1)\n",
}
STARS = {
    "m/__init__.py": "from .jobs import *\nfrom .plain import *\n",
    "m/jobs.py": "import logging\n\n__all__ = ('Job',)\n\nlogger = logging.getLogger('a')\n\n\n"
    "class Job:\n    def log(self, record):\n        logger.info(record)\n",
    "m/plain.py": "LIMIT = 1\n",
    "views.py": "from m import *\n\n\ndef run():\n    return Job\n",
    "reports.py": "def log(text):\n    return text\n",
    "use.py": "from m import Job\nfrom reports import log\n\n\ndef run(job, other):\n"
    "    other.log(1)\n    job.log(2)\n    log(3)\n",
}
SCRIPT = {
    "box.js": "const parts = { exec: 1 }\nexport class Box {}\nexport const LIMIT = 2\n"
    "const half = (it) => it / 2\nexport const quarter = (it) => half(half(it)) + parts.exec\n",
    "use.js": "import { Box } from './box.js'\n\nexport const make = () => new Box()\n",
    "log.ts": "export class Base {}\nexport class Loud extends Base implements Quiet {\n"
    "  level = 1\n  say() {\n    return this.level\n  }\n}\n",
    "other.ts": "export const logger = 1\n",
}
RUST = {
    "Cargo.toml": '[package]\nname = "m"\n',
    "src/lib.rs": "mod fill;\nmod fuzz;\npub use fill::fill;\n",
    "src/fill.rs": "use std::borrow::Cow;\n\npub fn fill(text: &str) -> Cow<'_, str> {\n"
    "    slowly(text)\n}\n\npub fn slowly(text: &str) -> Cow<'_, str> {\n"
    "    Cow::from(text)\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n}\n",
    "src/fuzz.rs": "pub fn slowly(text: &str) {\n    crate::fill::slowly(text);\n}\n",
}
JAVA = {
    "m/Row.java": "package m;\n\nimport java.util.HashMap;\n\nclass Row {\n"
    "    static class Cells extends HashMap<String, String> {\n"
    "        int wide() {\n            return size();\n        }\n    }\n\n"
    "    static int twice(int count) {\n        return count * 2;\n    }\n\n"
    "    int all() {\n        return twice(3);\n    }\n}\n",
}
PYTHON = {
    "p.py": "SALT = b'a'\n\n\ndef sign(token):\n    signed = token + SALT\n    signed += b'b'\n"
    "    return signed\n",
}


@pytest.mark.parametrize(
    ("files", "edit", "place"),
    [
        (SCRIPT, ("box.js", "export class Box", "class Box"), ("use.js", 1)),
        (SCRIPT, ("box.js", "const half = (it) => it / 2\n", ""), ("box.js", 4)),
        (SCRIPT, ("log.ts", "this.level", "this.logger"), ("log.ts", 5)),
        (RUST, ("src/fill.rs", "pub fn slowly", "pub fn slow"), ("src/fuzz.rs", 2)),
        (RUST, ("src/fill.rs", "use std::borrow::Cow;\n", ""), ("src/fill.rs", 2)),
        (RUST, ("src/fill.rs", "    slowly(text)", "    slowly(texts)"), ("src/fill.rs", 4)),
        (JAVA, ("m/Row.java", "return count", "return counts"), ("m/Row.java", 13)),
        (PYTHON, ("p.py", "token + SALT", "token + PEPPER"), ("p.py", 5)),
        (STARS, ("views.py", "return Job", "return logger"), ("views.py", 5)),
    ],
)
def test_a_name_that_is_gone(tree: Tree, files: Files, edit: Edit, place: tuple[str, int]) -> None:
    commit(tree, files)
    assert place in places(review_edits(tree, files, edit), "broken-reference")


@pytest.mark.parametrize(
    ("files", "edit", "found"),
    [
        (
            UNREAD_JAVA,
            ("m/Tools.java", "made(int", "made2(int"),
            [("n/Use.java", 3), ("n/Use.java", 8)],
        ),
        (UNREAD_PYTHON, ("p.py", "def made", "def made2"), [("use.py", 1), ("use.py", 5)]),
        # New: it may hide the definition.
        (UNREAD_PYTHON, ("p.py", "def made(a):", "def (\ndef made(a):"), []),
    ],
)
def test_a_file_that_was_never_understood_whole(
    tree: Tree, files: Files, edit: Edit, found: list[tuple[str, int]]
) -> None:
    commit(tree, files)
    assert [
        it for it in places(review_edits(tree, files, edit), "broken-reference") if it[0] != edit[0]
    ] == found


@pytest.mark.parametrize(
    ("files", "edit"),
    [
        (SCRIPT, ("box.js", "export const LIMIT", "const LIMIT")),
        (SCRIPT, ("log.ts", "Base implements Quiet {\n  level = 1", "Other {")),
        (JAVA, ("m/Row.java", "return size()", "return hidden()")),
        (STARS, ("views.py", "return Job", "return LIMIT")),
        (STARS, ("views.py", "return Job", "return plain")),
    ],
)
def test_a_name_that_may_be_there(tree: Tree, files: Files, edit: Edit) -> None:
    commit(tree, files)
    found = review_edits(tree, files, edit)
    assert [it for it in found if it.level == "error"] == []


def test_a_call_by_a_bare_name_in_java(tree: Tree) -> None:
    commit(tree, JAVA)
    found = review_edits(tree, JAVA, ("m/Row.java", "twice(int count)", "twice(int count, int by)"))
    assert places(found, "broken-call") == [("m/Row.java", 17)]


def test_an_import_of_a_script_that_nothing_uses(tree: Tree) -> None:
    commit(tree, SCRIPT)
    edit = ("box.js", "const parts", "import { logger } from './other.ts'\nconst parts")
    assert places(review_edits(tree, SCRIPT, edit), "unused-code") == [("box.js", 1)]


@pytest.mark.parametrize(
    "listing",
    ["__all__ = ('Job',) + others.__all__\n", "__all__ = make()\n", "from web import *\n"],
)
def test_what_a_star_brings_may_be_computed(tree: Tree, listing: str) -> None:
    files = {**STARS, "m/jobs.py": STARS["m/jobs.py"].replace("__all__ = ('Job',)\n", listing)}
    commit(tree, files)
    assert review_edits(tree, files, ("views.py", "return Job", "return logger")) == []


def test_a_member_of_an_object_that_is_called_as_the_type(tree: Tree) -> None:
    commit(tree, STARS)
    found = review_edits(tree, STARS, ("m/jobs.py", "def log(", "def add("))
    assert [(it.level, it.file, it.line) for it in found if it.rule == "broken-reference"] == [
        ("warning", "use.py", 7)
    ]
    assert "by the name of its object" in found[0].message


ALIASES = {
    "Cargo.toml": '[package]\nname = "m"\n',
    "src/lib.rs": "pub mod using;\npub struct Alias<T> {\n    pub target: T,\n}\n"
    "pub type Own = Alias<u8>;\npub type Fine<T = ()> = Result<T, String>;\n"
    "impl Own {\n    pub fn show(&self) -> u8 {\n        self.target\n    }\n}\n"
    "pub fn run() -> Fine<u8> {\n    Ok(1)\n}\n",
    "src/using.rs": "use crate::run;\n\npub fn go() -> u8 {\n    run().unwrap()\n}\n",
}
TAGS = {
    "a.tsx": "import * as React from 'react'\n\nexport const A = () => <p>1</p>\n",
    "b.tsx": "export const B = 1\n",
}
OVERLOADS = {
    "m/Path.java": "package m;\n\nabstract class Path {\n"
    "    abstract String show(String a, int b);\n\n    String show() {\n        return 'a';\n"
    "    }\n\n    String all() {\n"
    "        return show();\n    }\n}\n",
}
DESCRIBED = {
    "index.js": "export let one = 1\n",
    "index.d.ts": "export type Kind = 'a'\nexport const one: number\n",
    "use.ts": "import { one } from './index.js'\n\nexport const two = one as Kind\n",
}
CLASSES = {
    "p.py": "class Meta(type):\n    @classmethod\n    def fields(mcs, own, keys):\n"
    "        return own, keys\n\n\ndef run(klass: Meta):\n    return Meta.fields(own=1, keys=2)\n",
}


@pytest.mark.parametrize(
    ("files", "edit"),
    [
        (ALIASES, ("src/using.rs", "run().unwrap()", "run().expect('a')")),
        (ALIASES, ("src/lib.rs", "self.target\n", "self.target + 0\n")),
        (ALIASES, ("src/using.rs", "run().unwrap()", "insta::show(run().unwrap())")),
        (DESCRIBED, ("use.ts", "{ one }", "{ one, type Kind }")),
        (OVERLOADS, ("m/Path.java", "return show();", 'return show("a", 1);')),
        (OVERLOADS, ("m/Path.java", "    String all() {", "    @org.a.B String all() {")),
        (TAGS, ("b.tsx", "export const B = 1\n", TAGS["a.tsx"])),
        (CLASSES, ("p.py", "def fields(mcs, own, keys)", "def fields(mcs, own, keys, more=1)")),
    ],
)
def test_good_changes_that_were_errors_once(tree: Tree, files: Files, edit: Edit) -> None:
    commit(tree, files)
    assert [it for it in review_edits(tree, files, edit) if it.level != "note"] == []


@pytest.mark.slow
def test_ruff_is_asked_where_it_is_installed(tree: Tree) -> None:
    pytest.importorskip("ruff")
    commit(tree, PYTHON)
    edit = ("p.py", "    signed += b'b'\n", "    signed += b'b'\n    left = f''\n")
    assert places(review_edits(tree, PYTHON, edit), "checker") == []
    found = [it for it in review(tree, {}, checkers=True) if it.rule == "checker"]
    assert {(it.line, it.message[:9]) for it in found} == {(7, "ruff F541"), (7, "ruff F841")}


def test_a_template_does_not_end_a_function_that_is_an_argument(tree: Tree) -> None:
    files = {
        "wrap.ts": "export const wrap = (fn: Function) => (a: unknown) => fn(a)\n",
        "use.ts": "import { wrap } from './wrap'\nexport const kept = wrap(async (req, res) => {\n"
        "  res.set(`${req.key}.${req.kind}`, 1)\n  res.send(1, 2)\n})\n",
    }
    commit(tree, files)
    found = review_edits(tree, files, ("use.ts", "send(1, 2)", "send(1, 3)"))
    assert not places(found, "broken-call")


def test_a_module_imported_as_a_whole_hides_no_names(tree: Tree) -> None:
    files = {
        "made.ts": "import * as http from 'http'\n\n"
        "export function made() {\n  return http.get\n}\n",
        "use.ts": "import { made } from './made'\n\nexport const kept = made()\n",
    }
    commit(tree, files)
    found = review_edits(tree, files, ("made.ts", "function made(", "function built("))
    assert places(found, "broken-reference") == [("use.ts", 1), ("use.ts", 3)]
