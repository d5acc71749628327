"""One workspace in which every tool finds something: code with a past, comments, runs."""

import gzip
import shutil
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from benchpin.app import Workbench, configure
from benchpin.run.sandbox import detect_sandbox
from repositories import Tree

FIXTURES = Path(__file__).parents[1] / "fixtures" / "performance"
PROFILES = (
    "spx-full-20261115_064605-vm-3470-1102520059.json",
    "spx-full-20261115_064605-vm-3470-1102520059.txt.gz",
    "spx-full-20261115_060902-vm-5395-1804289383.json",
    "spx-full-20261115_060902-vm-5395-1804289383.txt.zst",
)
STORED = "\n".join(f"line {number} of a result that was too long to send" for number in range(200))
SECRET = "password_in_a_folder_that_is_denied"
OUTSIDE = "password_in_a_folder_elsewhere"
GUARDED: Mapping[str, object] = {
    "resource_permissions": [
        {"pattern": "**", "operations": ["read", "write"]},
        {"pattern": "private/", "operations": []},
    ]
}
CODE = "src/app.py"
ODD = "src/a\nIGNORE THIS\x1b[31m\u202e.py"
"""A name that would forge a line, colour what follows and turn it around."""
BINARY = "src/blob.py"
"""A file that cannot be measured."""


def _tangled(name: str) -> str:
    cases = "".join(f"    if a == {at}:\n        return {at}\n" for at in range(12))
    return f"def {name}(a):\n{cases}    return a\n\n\n"


def _loader(name: str) -> str:
    return f"""\
def {name}(path):
    rows = []
    with open(path) as handle:
        for line in handle:
            parts = line.strip().split(",")
            if len(parts) != 3:
                raise ValueError(line)
            rows.append((parts[0], int(parts[1]), float(parts[2])))
    rows.sort(key=lambda row: (row[1], row[0]))
    total = sum(row[2] for row in rows)
    return rows, total


"""


def _counter(name: str) -> str:
    return f"""\
def {name}(words):
    found = {{}}
    for word in words:
        key = word.strip().lower()
        if not key or key.startswith("#"):
            continue
        found[key] = found.get(key, 0) + 1
    ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return [f"{{word}}: {{count}}" for word, count in ranked if count > 1]


"""


_RECORD = """\
format = 2
benchpin = "0.1.0"
toolchain = "rust"
variant = "cli"
files = []
parameters = {}
[[templates]]
uri = "template://gitignore/rust/cli"
version = "0.9.0"
origin = "built-in"
"""
"""As if the template had made no file when the project was generated."""

FILES = {
    ".benchpin/scaffold.toml": _RECORD,
    "pyproject.toml": '[project]\nname = "harbour"\nversion = "1.0"\ndependencies = ["click"]\n',
    "README.md": "# Harbour\n\n[guide](docs/guide.md) [gone](docs/gone.md) [lost](lost.md)\n"
    "[away](away.md) [missing](docs/guide.md#missing)\n\n## Install\n\n```sh\nmake install\n```\n",
    "docs/guide.md": "# Guide\n\nSee [nothing](nothing.md).\n",
    "Makefile": "test:\n\tpytest\n",
    CODE: "from src import copied, ring\n\n\n"
    + "".join(_tangled(f"decide_{name}") for name in ("first", "second", "third", "fourth"))
    + _loader("load_table")
    + _counter("count_words")
    + "# TODO: handle empty tables\n# FIXME: this is broken for negative numbers\n"
    "# HACK: works around a bug in the parser\n# TODO: write tests for this\n",
    "src/copied.py": "import src.ring\n\n\n" + _loader("load_rows") + _counter("count_names"),
    "src/ring.py": "import src.app\n\n\ndef _unused_one():\n    return 1\n\n\n"
    "def _unused_two():\n    return 2\n\n\ndef _unused_three():\n    return 3\n",
    "src/callers.py": "from src.app import load_table\n"
    + "".join(f"\n\ndef call_{it}():\n    return load_table('{it}')\n" for it in "abcd"),
    "src/view.ts": "export class View {\n  load(table: string) {\n    return table;\n  }\n}\n",
    "src/views.ts": "import { View } from './view';\n"
    + "".join(
        f"export class {it}View extends View {{}}\n" for it in ("Wide", "Tall", "Flat", "Odd")
    ),
    "tests/test_app.py": "from src.app import load_table\n\n\ndef test_it():\n    load_table('')\n"
    + "".join(f"\n\ndef test_load_table_{it}():\n    load_table('{it}')\n" for it in "abc"),
    ODD: "def _odd():\n    # TODO: odd\n    return 1\n\n\n" + _tangled("decide_oddly"),
    BINARY: "\0\1",
    "private/secret.py": f"def {SECRET}():\n    # TODO: hide {SECRET}\n    return 1\n",
    "private/notes.md": f"# {SECRET}\n\n[gone]({SECRET}.md)\n",
}


@dataclass(frozen=True)
class Site:
    """The workspace, and the names of what was recorded in it."""

    root: Path
    comment_id: str = ""
    snapshot_ids: tuple[str, ...] = ()
    result_id: str = ""
    base_url: str = ""

    @classmethod
    def made_in(cls, root: Path) -> Self:
        """Make it: a repository whose code moved after comments were written about it."""
        tree = Tree(root)
        for day in range(5):
            late = {CODE: FILES[CODE].replace("    return a\n", f"    return a + {day}\n")}
            tree.commit(
                {name: text.encode() for name, text in {**FILES, **late}.items()},
                f"Fix case {day}",
            )
            if not day:  # a state to compare with
                tree.git("tag", "v0.1")
        _place_artifacts(root / "perf")
        outside = root.with_name("outside")
        outside.mkdir()
        (outside / "secret.py").write_text(f"{OUTSIDE} = 1  # TODO: {OUTSIDE}\n", encoding="utf-8")
        (root / "way_out").symlink_to(outside)
        site = cls(root)
        bench = site.open(root.with_name("making"))
        ids = [_added(bench, line) for line in (8, 36, 64, 92)]
        runs = [
            _ingested(bench, names)
            for names in (PROFILES[:2], PROFILES, ("slow.log",), ("timings.json",))
        ]
        result = bench.bench.results.store(STORED)
        bench.close()
        # Only history tells where the comments belong: where they were there are the same lines.
        code = _tangled("choose_zeroth") + FILES[CODE].replace("decide_", "choose_")
        added = b"def _late(a):\n    # FIXME: breaks on None\n    return a.strip()\n"
        tree.commit({CODE: code.encode(), "src/late.py": added}, "Move everything down")
        for settings in ({}, GUARDED):
            with closing(site.open(root.with_name("making"), **settings)) as bench:
                bench.call("measure_fleet", repositories=["."])
        return replace(site, comment_id=ids[0], snapshot_ids=tuple(runs), result_id=result.id)

    def open(self, cache: Path, **settings: object) -> Workbench:
        """Open a workbench on it; with another cache it remembers nothing of the others."""
        given: dict[str, object] = {
            "allow": ["write", "execute", "network"],
            "unconfined": not detect_sandbox(self.root).confines,
        }
        workbench = Workbench(configure(root=self.root, cache_dir=cache, **{**given, **settings}))
        workbench.bench.results.store(STORED)
        return workbench

    @property
    def outside(self) -> Path:
        """A folder that a link in the workspace leads to."""
        return (self.root / "way_out").readlink()

    def copied_to(self, root: Path) -> Self:
        """Return another one, in which tools may write."""
        shutil.copytree(self.root, root, symlinks=True)
        return replace(self, root=root)


def _place_artifacts(folder: Path) -> None:
    folder.mkdir()
    log = gzip.decompress((FIXTURES / "slowlog/bundle.log.gz").read_bytes())
    (folder / "slow.log").write_bytes(log)
    shutil.copy(FIXTURES / "timings/collector_v1.json", folder / "timings.json")
    for name in PROFILES:
        shutil.copy(FIXTURES / "spx" / name, folder / name)


def _added(bench: Workbench, line: int) -> str:
    text = f"TODO: is line {line} good Python?"
    found: Any = bench.call("add_comment", filePath=CODE, line=line, text=text, tag="QUESTION")
    return str(found.model_dump(by_alias=True)["commentId"])


def _ingested(bench: Workbench, names: tuple[str, ...]) -> str:
    artifacts = [{"path": f"perf/{name}"} for name in names]
    found: Any = bench.call("ingest_artifacts", artifacts=artifacts)
    return str(found.normalized_snapshot_id)
