"""A project that is edited at random, the same way for the same seed."""

import os
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

NAMES = ("load", "save", "parse", "render", "check", "Reader", "Writer")
_FILES = (
    *("a.py", "b.py", "pkg/__init__.py", "pkg/core.py", "pkg/more.py", "test_a.py", "web.js"),
    *("app/Model.java", "cmd/main.go", "lib/tool.rb"),
)
_TEXTS = ("notes.md", "setup.cfg", "package.json", "pyproject.toml", "bin/run.txt", ".gitignore")
_COPY = "\n".join(f"    value_{at} = first({at}) + second({at}) * third({at})" for at in range(10))
_JUNK = (b"\x00\x01\x02" * 40, b"\xff\xfe\x00d\x00e\x00f", b"\xed\xa0\x80\n", b"\x80" * 300, b"")
_DEFINED = re.compile(rb"\b(?:def|class|function|func|fn)\s+(\w{3,})")
_MAX_RENAMED = 40
"""Files in which a name is replaced: in a large project not all are read."""
_WHEN_S = 1_700_000_000
_MINUTE_S = 60


class RandomEdits:
    """Applies edits to a folder, one after the other; an empty one gets a small project first."""

    def __init__(self, root: Path, seed: int) -> None:
        self._root = root
        self._random = random.Random(seed)  # noqa: S311 - not for secrets
        self._gone: dict[str, bytes] = {}
        """What files contained before: sometimes an edit is taken back."""
        self._commits = 0
        self._paths: set[str] = set()
        if not any(root.iterdir()):
            for path in (*_FILES[:5], _TEXTS[0]):
                self._write(path)
            self._git("init", "-q", "-b", "main")
            self._commit()
        found = (it for it in root.rglob("*") if it.is_file() and not it.is_symlink())
        self._paths = {it for path in found if (it := str(path.relative_to(root)))[:5] != ".git/"}

    def steps(self, count: int) -> Iterator[str]:
        """Yield what was done, after each edit."""
        choices: tuple[tuple[Callable[[], str], int], ...] = (
            (self._change, 10),
            (self._append, 8),
            (self._rename, 5),
            (self._copy_lines, 4),
            (self._cut_lines, 4),
            (self._swap, 2),
            (self._spoil, 3),
            (self._touch, 1),
            (self._remove, 3),
            (self._take_back, 5),
            (self._move, 3),
            (self._move_folder, 1),
            (self._link, 1),
            (self._commit, 5),
        )
        edits, weights = zip(*choices, strict=True)
        for _ in range(count):
            yield self._random.choices(edits, weights)[0]()

    def _some(self) -> str:
        return self._random.choice(sorted(self._paths))

    def _read(self, path: str) -> bytes:
        return (self._root / path).read_bytes()

    def _put(self, path: str, content: bytes) -> None:
        """Write a file, and keep what it contained."""
        place = self._root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.is_symlink():
            place.unlink()
        elif place.exists():
            self._gone[path] = place.read_bytes()
        place.write_bytes(content)
        self._paths.add(path)

    def _drop(self, path: str) -> None:
        self._gone[path] = self._read(path)
        (self._root / path).unlink()
        self._paths.discard(path)

    def _write(self, path: str) -> None:
        parts = [self._part(path) for _ in range(self._random.randint(1, 5))]
        self._put(path, ("\n".join(parts) + "\n").encode())

    def _part(self, path: str) -> str:
        pick = self._random.choice
        one, two, number = pick(NAMES), pick(NAMES), self._random.randint(0, 99)
        others = {
            ".json": f'{{"main": "web.js", "scripts": {{"{one}": "{two}"}}}}',
            ".js": f"function {one}(x) {{ return {two}(x) + {number}; }}",
            ".java": f"class {one} {{ int {two}(int x) {{ return {one}(x, {number}); }} }}",
            ".go": f"func {one}(x int) int {{ return {two}(x) + {number} }}",
            ".rb": f"def {one}(x)\n  {two}(x) + {number}\nend",
            ".gitignore": pick(("*.tmp", "more.py", "bin/", "b.*", "!b.py")),
        }
        ending = Path(path).suffix or path
        if ending != ".py":
            return others.get(ending, f"See `{one}()` and {two}. {number}")
        return pick(
            (
                f"from pkg.core import {one}",
                f"import a\n\nprint(a.{one}({number}))",
                f"def {one}(x, y={number}):\n    if x > y:\n        return {two}(x)\n    return y",
                f"class {one}:\n    def {two}(self):\n        return self.{one}({number})",
                f"# TODO: {two} is too slow, fix it ({number})\n{one} = {number}",
                f"def copied_{one}():\n{_COPY}",
                f"getattr(a, '{one}')",
                f"def broken({one}:",
            )
        )

    def _change(self) -> str:
        path = self._random.choice((*_FILES, *_FILES, *_TEXTS))
        self._write(path)
        return f"changed {path}"

    def _append(self) -> str:
        path = self._some()
        self._put(path, self._read(path) + self._part(path).encode() + b"\n")
        return f"added to {path}"

    def _rename(self) -> str:
        """Replace the name of a definition, in its file or in others too."""
        path = self._some()
        names = sorted(set(_DEFINED.findall(self._read(path))))
        if not names:
            return self._append()
        old = self._random.choice(names)
        new = b"renamed_%d" % self._random.randint(0, 99)
        paths = [path]
        if self._random.random() < 0.5:
            others = sorted(self._paths - {path})
            paths += self._random.sample(others, min(_MAX_RENAMED, len(others)))
        for it in paths:
            text = self._read(it)
            if old in text:
                self._put(it, re.sub(rb"\b%s\b" % old, new, text))
        return f"renamed {old!r} of {path} to {new!r}, in {len(paths)} files"

    def _copy_lines(self) -> str:
        path, target = self._some(), self._some()
        lines = self._read(path).splitlines(keepends=True)
        start = self._random.randint(0, len(lines))
        copied = b"".join(lines[start : start + self._random.randint(5, 60)])
        self._put(target, self._read(target) + b"\n" + copied)
        return f"copied lines of {path} to {target}"

    def _cut_lines(self) -> str:
        path = self._some()
        lines = self._read(path).splitlines(keepends=True)
        start = self._random.randint(0, len(lines))
        del lines[start : start + self._random.randint(1, 8)]
        self._put(path, b"".join(lines))
        return f"cut lines of {path}"

    def _swap(self) -> str:
        """Change a digit and set the time back: the file has the same size and age as before."""
        path = self._some()
        place = self._root / path
        stat = place.stat()
        text = re.sub(rb"\d", b"%d" % self._random.randint(0, 9), self._read(path), count=1)
        self._put(path, text)
        os.utime(place, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        return f"swapped a digit of {path}"

    def _spoil(self) -> str:
        """Write bytes that are no text, in place of a file or into it."""
        path, junk = self._some(), self._random.choice(_JUNK)
        text = self._read(path)
        at = self._random.randint(0, len(text))
        self._put(path, self._random.choice((junk, text[:at] + junk + text[at:])))
        return f"spoilt {path}"

    def _touch(self) -> str:
        path = self._some()
        (self._root / path).touch()
        return f"touched {path}"

    def _remove(self) -> str:
        if len(self._paths) < 4:
            return self._change()
        path = self._some()
        self._drop(path)
        return f"removed {path}"

    def _take_back(self) -> str:
        if not self._gone:
            return self._change()
        path = self._random.choice(sorted(self._gone))
        self._put(path, self._gone.pop(path))
        return f"took back {path}"

    def _move(self) -> str:
        path = self._some()
        beside = str(Path(path).with_name(f"moved_{Path(path).name}"))
        target = self._random.choice((*_FILES, *_TEXTS, beside))
        if target != path:
            text = self._read(path)
            self._drop(path)
            self._put(target, text)
        return f"moved {path} to {target}"

    def _move_folder(self) -> str:
        folders = sorted({it.split("/")[0] for it in self._paths if "/" in it})
        if not folders:
            return self._move()
        old = self._random.choice(folders)
        new = old.removesuffix("_moved") if old.endswith("_moved") else f"{old}_moved"
        if (self._root / new).exists():
            return self._move()
        shutil.move(self._root / old, self._root / new)
        self._paths = {
            f"{new}/{it.removeprefix(f'{old}/')}" if it.startswith(f"{old}/") else it
            for it in self._paths
        }
        return f"moved {old} to {new}"

    def _link(self) -> str:
        """Put a symbolic link in place of a file."""
        if len(self._paths) < 4:
            return self._change()
        path, target = self._some(), self._some()
        self._drop(path)
        (self._root / path).symlink_to(self._root / target)
        return f"linked {path} to {target}"

    def _commit(self) -> str:
        self._git("add", "-A")
        self._git("commit", "-q", "--allow-empty", "-m", f"Fix {self._random.choice(NAMES)}")
        return "committed everything"

    def _git(self, *arguments: str) -> None:
        self._commits += 1
        when = f"{_WHEN_S + self._commits * _MINUTE_S} +0000"
        who = f"author{self._commits % 3}"
        environment = {
            **os.environ,
            "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_DATE": when,
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        for role in ("AUTHOR", "COMMITTER"):
            environment[f"GIT_{role}_NAME"] = who
            environment[f"GIT_{role}_EMAIL"] = f"{who}@example.org"
        subprocess.run(
            ("git", *arguments),  # noqa: S607
            cwd=self._root,
            env=environment,
            check=True,
            capture_output=True,
        )


CALLS: tuple[tuple[str, dict[str, object]], ...] = (
    ("analyze_comprehensive", {"limit": 50, "min_lines": 0}),
    ("analyze_complexity", {}),
    ("analyze_duplicates", {"limit": 100}),
    ("analyze_duplicates", {"limit": 100, "detection_type": "exact"}),
    ("analyze_dead_code", {"min_confidence": 0.1, "limit": 100}),
    ("analyze_debt_comments", {"limit": 100}),
    ("analyze_defect_probability", {"limit": 100, "min_confidence": 0}),
    ("analyze_graph_metrics", {"limit": 50}),
    ("analyze_graph_metrics", {"limit": 50, "dag_type": "call-graph"}),
    ("analyze_code_churn", {"period_days": 36_500}),
    ("analyze_name_similarity", {"query": "load"}),
    ("quality_gate", {}),
    ("quality_gate", {"diff": "HEAD"}),
    ("find_symbol", {"symbol": "load"}),
    ("find_references", {"symbol": "Reader", "limit": 100}),
    ("find_references", {"symbol": "parse", "limit": 100}),
    ("trace_calls", {"symbol": "load", "depth": 3}),
    ("find_tests", {"symbol": "save"}),
)
"""The tools whose measures are kept from call to call."""
