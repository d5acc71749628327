from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.repository import read_manifests
from benchpin.repository._commands import find_entry_points, newcomer_commands
from benchpin.repository._structure import count_languages, find_ci, find_packages, find_tests
from benchpin.repository._survey import _pnpm_members
from benchpin.repository.documents import read_readme, sort_documents
from benchpin.repository.packing import read_text_facts
from repository_kit import NODE_MONOREPO, PYTHON_LIBRARY, RUST_WORKSPACE, tree_of


def test_shares_are_of_what_is_run_or_shown(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path,
        {"a.py": "x" * 60, "b.vue": "y" * 40, "c.md": "z" * 500, "d.json": "{}", "e.png": b"\0"},
    )
    found = [(it.language, it.kind, it.share) for it in count_languages(tree, None)]
    assert found == [
        ("Python", "programming", 0.6),
        ("Vue", "markup", 0.4),
        ("Markdown", "prose", None),
        ("JSON", "data", None),
    ]


def test_a_manual_has_no_share(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, {"docs/api.html": "x" * 900, "src/docs/a.html": "y", "a.swift": "z"})
    found = {it.language: (it.size_bytes, it.share) for it in count_languages(tree, None)}
    assert found == {"HTML": (901, 0.5), "Swift": (1, 0.5)}


def test_reading_finds_what_names_do_not_show(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path / "w",
        {"tool": "#!/usr/bin/env python3\nprint()\n", "a.h": "class A {\npublic:\n};\n"},
    )
    texts = read_text_facts(tree, Job())
    found = [(it.language, it.files, it.lines) for it in count_languages(tree, texts)]
    assert found == [("Python", 1, 2), ("C++", 1, 3)]
    assert [it.language for it in count_languages(tree, None)] == ["C"]


def test_members_of_workspaces_are_the_packages(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, NODE_MONOREPO)
    manifests, damaged = read_manifests(tree, Job())
    found = find_packages(tree, manifests, _pnpm_members(tree)[0])
    assert [(it.name, it.path, it.is_member) for it in found] == [
        ("@kiln/monorepo", ".", False),
        ("kiln", "packages/kiln", True),
    ]
    assert damaged == []


def test_without_a_workspace_every_named_manifest_is_one_but_for_examples(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path,
        {
            "package.json": '{"name": "root"}',
            "web/package.json": '{"name": "web"}',
            "examples/x/package.json": '{"name": "example"}',
            "plain/package.json": "{}",
        },
    )
    manifests, _ = read_manifests(tree, Job())
    assert [it.name for it in find_packages(tree, manifests, {})] == ["root", "web"]


def test_tests_and_services_are_known_by_their_places(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, PYTHON_LIBRARY)
    assert find_tests(tree) == ["tests/test_cli.py"]
    assert [(it.system, it.path) for it in find_ci(tree)] == [
        ("GitHub Actions", ".github/workflows/tests.yaml")
    ]


@pytest.mark.parametrize(
    ("files", "commands"),
    [
        (
            PYTHON_LIBRARY,
            [("install", "uv sync", "uv.lock"), ("test", "pytest", "pyproject.toml:18")],
        ),
        (
            NODE_MONOREPO,
            [
                ("install", "pnpm install", "pnpm-lock.yaml"),
                ("build", "pnpm run build", "package.json:6"),
                ("test", "pnpm run test", "package.json:7"),
                ("lint", "pnpm run lint", "package.json:8"),
                ("run", "pnpm run dev", "package.json:9"),
            ],
        ),
        (
            RUST_WORKSPACE,
            [("build", "cargo build", "Cargo.toml"), ("test", "cargo test", "Cargo.toml")],
        ),
        (
            {"Makefile": "all: x\n\ntest lint:\n\ttrue\n", "pom.xml": "<project/>", "mvnw": ""},
            [
                ("build", "make all", "Makefile:1"),
                ("build", "./mvnw package", "pom.xml"),
                ("test", "make test", "Makefile:3"),
                ("test", "./mvnw test", "pom.xml"),
                ("lint", "make lint", "Makefile:3"),
            ],
        ),
    ],
    ids=["python", "node", "rust", "make and maven"],
)
def test_commands_for_newcomers_are_found(
    tmp_path: Path, files: dict[str, str | bytes], commands: list[tuple[str, str, str]]
) -> None:
    tree = tree_of(tmp_path, files)
    manifests, _ = read_manifests(tree, Job())
    found = newcomer_commands(tree, manifests)
    assert [(it.purpose, it.command, it.evidence) for it in found] == commands


def test_entry_points_are_declared_or_conventional(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, PYTHON_LIBRARY)
    manifests, _ = read_manifests(tree, Job())
    found = [(it.name, it.kind, it.path, it.line) for it in find_entry_points(tree, manifests)]
    assert found == [
        ("parcel", "executable", "pyproject.toml", 15),
        ("parcel", "main file", "src/parcel/__main__.py", 1),
    ]


def test_documents_are_sorted_by_name_then_title_then_folder(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path,
        {
            "README.md": "# X\n\n## Usage\n",
            "docs/guide/why.md": "# Why\n",
            "docs/guide/page.md": "# API reference\n",
            "docs/guide/other.md": "# Other\n",
            "docs/nothing.md": "# Nothing\n",
            "CHANGELOG.md": "# How to upgrade\n",
        },
    )
    documents = [it for it in tree.files if it.path.endswith(".md")]
    found = sort_documents(tree, documents, read_readme(tree, Job()), Job())
    assert {it.kind: it.examples for it in found} == {
        "tutorial": [],
        "how-to": ["README.md:3", "docs/guide/other.md"],
        "reference": ["docs/guide/page.md"],
        "explanation": ["docs/guide/why.md"],
    }


def test_a_readme_of_another_format_has_sections_too(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, {"README.rst": "Title\n=====\n\nPart\n----\n\ntext\n"})
    readme = read_readme(tree, Job())
    assert readme is not None
    assert [(it.level, it.text) for it in readme.headings] == [(1, "Title"), (2, "Part")]
