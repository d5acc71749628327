"""What documents name that is gone, moved or renamed, by the history of small repositories."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.repository import read_manifests
from benchpin.repository.documents import drift
from repositories import Tree
from repository_kit import open_tree, tree_of

CODE = {
    "src/parcel/feed.py": (
        "LIMIT = 3\n\n\nclass Parser:\n    def feed_line(self, text):\n        return text\n\n"
        "    def close(self):\n        pass\n\n\n"
        "def open_stream(path):\n"
        "    with open(path) as file:\n"
        "        return [line.strip() for line in file if line and not line.startswith('#')]\n"
    ),
    "src/parcel/cli.py": "OPTIONS = ['--dry-run', '--verbose-log']\n",
    "scripts/ci/build.sh": "echo one\necho two\necho three\n",
    "Makefile": "test:\n\tpytest\ndeploy: test\n\ttrue\n",
    "package.json": '{"scripts": {"dev": "vite", "bundle-all": "vite build"}}',
}


def drifted(
    root: Path, document: str, after: Mapping[str, str | None], name: str = "AGENTS.md"
) -> tuple[list[tuple[str, int, str]], str]:
    """Return what is reported after a second commit, and the short id of that commit."""
    tree = Tree(root)
    tree.commit({path: text.encode() for path, text in {**CODE, name: document}.items()})
    changes = {path: None if text is None else text.encode() for path, text in after.items()}
    commit = tree.commit(changes)[:10]
    tree.git("clean", "-fdq")  # empty folders, which a clone does not have either
    return found_in(root), commit


def found_in(root: Path) -> list[tuple[str, int, str]]:
    opened = open_tree(root)
    manifests, _ = read_manifests(opened, Job())
    found = drift.find_drift(opened, manifests, Job())
    opened.session.close()
    return [(it.rule, it.line, it.message.partition(" (")[0]) for it in found]


@pytest.mark.parametrize(
    ("sentence", "after", "rule", "message"),
    [
        (
            "Build with `scripts/ci/build.sh`.",
            {"scripts/ci/build.sh": None, "tools/build.sh": CODE["scripts/ci/build.sh"]},
            "document-names-moved",
            "scripts/ci/build.sh is now tools/build.sh, since {}",
        ),
        (
            "All jobs are in `scripts/ci/`.",
            {"scripts/ci/build.sh": None, "tools/build.sh": CODE["scripts/ci/build.sh"]},
            "document-names-moved",
            "scripts/ci/ is now tools, since {}",
        ),
        (
            "See `scripts/ci/build.sh:2`.",
            {"scripts/ci/build.sh": None},
            "document-names-gone",
            "scripts/ci/build.sh:2 is gone, since {}",
        ),
        (
            "Read it with `open_stream()`.",
            {"src/parcel/feed.py": CODE["src/parcel/feed.py"].replace("open_stream", "read_lines")},
            "document-names-moved",
            "open_stream() is now read_lines, since {}",
        ),
        (
            "Call `Parser.feed_line` first.",
            {"src/parcel/feed.py": "class Parser:\n    def close(self):\n        pass\n"},
            "document-names-gone",
            "Parser.feed_line is gone, since {}",
        ),
        (
            "Call `Parser.feed_line` first.",
            {
                "src/parcel/feed.py": "class Parser:\n    def close(self):\n        pass\n",
                "src/parcel/other.py": "def feed_line():\n    pass\n",
            },
            "document-names-gone",
            "Parser.feed_line is gone, since {}",
        ),
        (
            "Try it with `--dry-run`.",
            {"src/parcel/cli.py": "OPTIONS = ['--verbose-log']\n"},
            "document-names-gone",
            "--dry-run is gone, since {}",
        ),
        (
            "Release with `make deploy`.",
            {"Makefile": "test:\n\tpytest\n"},
            "document-names-gone",
            "make deploy is gone, since {}",
        ),
        (
            "Then `npm run bundle-all`.",
            {"package.json": '{"scripts": {"dev": "vite"}}'},
            "document-names-gone",
            "npm run bundle-all is gone, since {}",
        ),
    ],
)
def test_a_sentence_that_names_what_is_gone_says_since_when(
    tmp_path: Path, sentence: str, after: Mapping[str, str | None], rule: str, message: str
) -> None:
    found, commit = drifted(tmp_path / "x", f"# Parcel\n\n{sentence}\n", after)
    assert found == [(rule, 3, message.format(commit))]


@pytest.mark.parametrize(
    "sentence",
    [
        "`scripts/ci/build.sh` was removed.",
        "For example, `scripts/ci/build.sh`.",
        "`scripts/never/was.sh` was never here, and `other/never.sh` neither.",
        "The word `Parser` is still there.",
        "| Old | New |\n| --- | --- |\n| `open_stream` | `read_lines` |",
        "Use the new one: `open_stream` → `read_lines`.",
        "## Migrating from 1.0\n\n`open_stream()` opened it.",
        "It has one parameter, `open_stream`: `feed(open_stream)`.",
    ],
)
def test_sentences_about_the_past_or_something_else_are_not_reported(
    tmp_path: Path, sentence: str
) -> None:
    feed = CODE["src/parcel/feed.py"].replace("open_stream", "read_lines")
    after = {"scripts/ci/build.sh": None, "src/parcel/feed.py": feed}
    assert drifted(tmp_path / "x", f"# Parcel\n\n{sentence}\n", after)[0] == []


@pytest.mark.parametrize("name", ["CHANGELOG.md", "docs/migration.md", "docs/adr/0001.md"])
def test_documents_about_the_past_are_not_checked(tmp_path: Path, name: str) -> None:
    text = "# X\n\nBuild with `scripts/ci/build.sh`.\n"
    assert drifted(tmp_path / "x", text, {"scripts/ci/build.sh": None}, name)[0] == []


def test_what_was_gone_before_a_document_named_it_is_not_reported(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "x")
    tree.commit({"tools/run.sh": b"true\n", "a.py": b"def open_stream():\n    pass\n"})
    tree.commit({"tools/run.sh": None, "a.py": b""})
    tree.commit({"AGENTS.md": b"Run `tools/run.sh` and `open_stream()`.\n"})
    assert found_in(tree.root) == []


def test_a_file_of_the_readers_own_project_is_not_reported(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "x")
    text = b"Options are in `parcel.toml`, and in `setup.py`.\n"
    code = b"NAMES = ['parcel.toml']\n"
    tree.commit({"README.md": text, "a.py": code, "parcel.toml": b"", "setup.py": b""})
    tree.commit({"parcel.toml": None, "setup.py": None})
    assert found_in(tree.root) == []


def test_a_file_that_a_build_makes_now_is_not_reported(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "x")
    text, build = b"The schema is in `parcel-schema.json`.\n", b"WRITE = 'out/parcel-schema.json'\n"
    tree.commit({"CONTRIBUTING.md": text, "build.py": build, "parcel-schema.json": b"{}"})
    tree.commit({"parcel-schema.json": None})
    assert found_in(tree.root) == []


def test_a_series_of_numbered_proposals_is_not_checked(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "x")
    series = {f"sep/sep-00{it}.md": b"Use `open_stream()`.\n" for it in range(4)}
    alone = {"report-2026.md": b"Use `open_stream()`.\n"}
    tree.commit({"a.py": b"def open_stream(): ...\n", **series, **alone})
    tree.commit({"a.py": b""})
    assert [it[1] for it in found_in(tree.root)] == [1]


def test_a_word_that_only_an_example_has_is_still_there(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "x")
    code = b"def open_stream(): ...\n"
    tree.commit({"docs/a.md": b"It calls `open_stream`.\n", "src/a.py": code})
    tree.commit({"src/a.py": None, "examples/a.py": code})
    assert found_in(tree.root) == []


def test_a_variable_of_the_environment_that_code_only_read_is_not_reported(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "x")
    code = b'import os\nos.environ["CLOUD_KEY_FILE"]\nos.environ[KEY_NAME]\n'
    tree.commit({"README.md": b"Set `CLOUD_KEY_FILE`.\n", "a.py": code})
    tree.commit({"a.py": b""})
    assert found_in(tree.root) == []


def test_the_commit_is_the_one_that_removed_the_definition(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "x")
    uses = {"tests/test_a.py": b"from a import open_stream\n"}
    tree.commit(
        {"AGENTS.md": b"Use `open_stream()`.\n", "a.py": b"def open_stream(): ...\n", **uses}
    )
    tree.commit({"a.py": None, "b.py": b"def open_stream(): ...\n"})
    removed = tree.commit({"b.py": b""})
    tree.commit({"tests/test_a.py": b""})
    assert found_in(tree.root) == [
        ("document-names-gone", 1, f"open_stream() is gone, since {removed[:10]}")
    ]


def test_restructured_text_is_read_as_well(tmp_path: Path) -> None:
    text = "Parcel\n======\n\n* one\n* Use ``open_stream()``\n  here.\n"
    found, commit = drifted(
        tmp_path / "x", text, {"src/parcel/feed.py": "LIMIT = 3\n"}, "docs/usage.rst"
    )
    assert found == [("document-names-gone", 5, f"open_stream() is gone, since {commit}")]


def test_a_folder_without_history_has_nothing_to_report(tmp_path: Path) -> None:
    tree = tree_of(tmp_path / "x", {"AGENTS.md": "Run `tools/run.sh`.\n"})
    assert drift.find_drift(tree, [], Job()) == []


def test_the_time_limit_leaves_documents_out_and_says_so(tmp_path: Path) -> None:
    drifted(tmp_path / "x", "Run `scripts/ci/build.sh`.\n", {"scripts/ci/build.sh": None})
    job = Job(time_limit_s=0)
    opened = open_tree(tmp_path / "x")
    assert drift.find_drift(opened, [], job) == []
    assert job.missing
