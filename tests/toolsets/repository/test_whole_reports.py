"""The report on small repositories that have the traits of real ones.

The traits were checked by hand on Flask, Vite, Gson and ripgrep: extras and groups, members of a
pnpm workspace with templates inside, two licences, a README without sections, damaged manifests
among the fixtures of tests.
"""

from pathlib import Path

from inline_snapshot import snapshot

from benchpin.app import Workbench
from benchpin.toolsets.repository.analyze_repository import (
    RepositoryParams,
    RepositoryReport,
    analyze_repository,
)
from repository_kit import NODE_MONOREPO, PYTHON_LIBRARY, RUST_WORKSPACE, write_files


def analyze(shop: Workbench, **params: object) -> RepositoryReport:
    return shop.run(analyze_repository, RepositoryParams.model_validate({"path": ".", **params}))


def test_a_python_library_in_full(shop: Workbench, workspace: Path) -> None:
    write_files(workspace, PYTHON_LIBRARY)
    report = analyze(shop, depth="deep")
    assert report.model_dump(mode="json", exclude_none=True) == snapshot(
        {
            "path": ".",
            "depth": "deep",
            "structure": {
                "files": 14,
                "folders": 7,
                "size_bytes": 970,
                "lines": 64,
                "languages": [
                    {
                        "language": "Python",
                        "kind": "programming",
                        "files": 4,
                        "size_bytes": 269,
                        "lines": 20,
                        "share": 1.0,
                    },
                    {
                        "language": "TOML",
                        "kind": "data",
                        "files": 1,
                        "size_bytes": 373,
                        "lines": 22,
                    },
                    {
                        "language": "Markdown",
                        "kind": "prose",
                        "files": 5,
                        "size_bytes": 259,
                        "lines": 19,
                    },
                    {"language": "Text", "kind": "prose", "files": 1, "size_bytes": 38, "lines": 1},
                    {"language": "YAML", "kind": "data", "files": 1, "size_bytes": 9, "lines": 1},
                ],
                "top_folders": [
                    {"path": "docs", "files": 4, "size_bytes": 93},
                    {"path": "src", "files": 3, "size_bytes": 199},
                    {"path": ".github", "files": 1, "size_bytes": 9},
                    {"path": "tests", "files": 1, "size_bytes": 70},
                ],
                "test_files": 1,
                "test_examples": ["tests/test_cli.py"],
                "ci": [{"system": "GitHub Actions", "path": ".github/workflows/tests.yaml"}],
                "licences": [
                    {
                        "path": "LICENSE.txt",
                        "spdx": "BSD-3-Clause",
                        "confidence": 1.0,
                        "source": "tag",
                    },
                    {"path": "pyproject.toml", "spdx": "BSD-3-Clause", "source": "manifest"},
                ],
                "packages": [
                    {
                        "name": "Parcel",
                        "version": "2.1.0",
                        "ecosystem": "python",
                        "path": ".",
                        "is_member": False,
                    }
                ],
                "packages_total": 1,
                "left_out": {},
            },
            "dependencies": {
                "total": 6,
                "ecosystems": [
                    {
                        "ecosystem": "python",
                        "manifests": 1,
                        "counts": {"build": 1, "dev": 2, "direct": 2, "optional": 1},
                    }
                ],
                "items": [
                    {
                        "name": "click",
                        "version": ">=8.1",
                        "kind": "direct",
                        "ecosystem": "python",
                        "path": "pyproject.toml",
                        "line": 6,
                    },
                    {
                        "name": "werkzeug",
                        "version": ">=3.1.0",
                        "kind": "direct",
                        "ecosystem": "python",
                        "path": "pyproject.toml",
                        "line": 7,
                    },
                    {
                        "name": "asgiref",
                        "version": ">=3.2",
                        "kind": "optional",
                        "ecosystem": "python",
                        "path": "pyproject.toml",
                        "line": 11,
                    },
                    {
                        "name": "sphinx",
                        "version": "<9",
                        "kind": "dev",
                        "ecosystem": "python",
                        "path": "pyproject.toml",
                        "line": 12,
                    },
                    {
                        "name": "pytest",
                        "kind": "dev",
                        "ecosystem": "python",
                        "path": "pyproject.toml",
                        "line": 18,
                    },
                    {
                        "name": "flit_core",
                        "version": "<4",
                        "kind": "build",
                        "ecosystem": "python",
                        "path": "pyproject.toml",
                        "line": 21,
                    },
                ],
                "damaged": [],
                "manifests_in_tests": 0,
            },
            "documentation": {
                "readme": {
                    "path": "README.md",
                    "sections": ["Parcel", "A Simple Example", "Contributing"],
                    "sections_total": 3,
                    "missing_sections": ["installation"],
                },
                "folders": ["docs"],
                "documents": 5,
                "kinds": [
                    {"kind": "tutorial", "total": 1, "examples": ["docs/quickstart.md"]},
                    {
                        "kind": "how-to",
                        "total": 3,
                        "examples": ["README.md:3", "README.md:11", "docs/patterns/deploying.md"],
                    },
                    {"kind": "reference", "total": 1, "examples": ["docs/api.md"]},
                    {"kind": "explanation", "total": 1, "examples": ["docs/design.md"]},
                ],
                "missing_kinds": [],
                "api": {
                    "public_symbols": 3,
                    "documented": 1,
                    "share": 0.3333,
                    "least_documented": ["src/parcel/cli.py: 2"],
                },
                "broken_links": [
                    {
                        "rule": "broken-anchor",
                        "message": "docs/api.md#missing matches no heading in docs/api.md",
                        "file": "README.md",
                        "line": 9,
                        "target": "docs/api.md#missing",
                    },
                    {
                        "rule": "broken-link",
                        "message": "../src/parcel/gone.py does not exist (src/parcel/gone.py)",
                        "file": "docs/design.md",
                        "line": 3,
                        "target": "../src/parcel/gone.py",
                    },
                ],
                "broken_links_total": 2,
            },
            "entry_points": [
                {
                    "name": "parcel",
                    "kind": "executable",
                    "runs": "parcel.cli:main",
                    "path": "pyproject.toml",
                    "line": 15,
                },
                {
                    "name": "parcel",
                    "kind": "main file",
                    "runs": "src/parcel/__main__.py",
                    "path": "src/parcel/__main__.py",
                    "line": 1,
                },
            ],
            "commands": [
                {"purpose": "install", "command": "uv sync", "evidence": "uv.lock"},
                {"purpose": "test", "command": "pytest", "evidence": "pyproject.toml:18"},
            ],
            "recommendations": [
                {
                    "importance": "medium",
                    "action": "Extend README.md: installation.",
                    "evidence": ["3 headings, none about installation"],
                },
                {
                    "importance": "medium",
                    "action": "Fix 2 broken links.",
                    "evidence": [
                        "README.md:9: docs/api.md#missing matches no heading in docs/api.md",
                        (
                            "docs/design.md:3: ../src/parcel/gone.py does not exist "
                            "(src/parcel/gone.py)"
                        ),
                    ],
                },
                {
                    "importance": "low",
                    "action": "Document the public API.",
                    "evidence": [
                        "1 of 3 public symbols have a doc comment",
                        "src/parcel/cli.py: 2",
                    ],
                },
            ],
            "not_measured": {"history": "No git repository contains 'workspace'"},
        }
    )


def test_the_dependencies_and_packages_of_a_node_monorepo(shop: Workbench, workspace: Path) -> None:
    write_files(workspace, NODE_MONOREPO)
    report = analyze(shop)
    found = report.model_dump(mode="json", exclude_none=True)
    assert {
        "structure": {name: found["structure"][name] for name in ("ci", "licences", "packages")},
        "dependencies": found["dependencies"],
    } == snapshot(
        {
            "structure": {
                "ci": [{"system": "GitLab CI", "path": ".gitlab-ci.yml"}],
                "licences": [{"path": "package.json", "spdx": "MIT", "source": "manifest"}],
                "packages": [
                    {
                        "name": "@kiln/monorepo",
                        "ecosystem": "node",
                        "path": ".",
                        "is_member": False,
                    },
                    {
                        "name": "kiln",
                        "version": "4.0.1",
                        "ecosystem": "node",
                        "path": "packages/kiln",
                        "is_member": True,
                    },
                ],
            },
            "dependencies": {
                "total": 5,
                "ecosystems": [
                    {
                        "ecosystem": "node",
                        "manifests": 2,
                        "counts": {"dev": 2, "direct": 1, "optional": 1, "peer": 1},
                    }
                ],
                "items": [
                    {
                        "name": "postcss",
                        "version": "^8.5.0",
                        "kind": "direct",
                        "ecosystem": "node",
                        "path": "packages/kiln/package.json",
                        "line": 5,
                    },
                    {
                        "name": "typescript",
                        "version": "^6.0.0",
                        "kind": "dev",
                        "ecosystem": "node",
                        "path": "package.json",
                        "line": 12,
                    },
                    {
                        "name": "vitest",
                        "version": "^4.0.0",
                        "kind": "dev",
                        "ecosystem": "node",
                        "path": "package.json",
                        "line": 13,
                    },
                    {
                        "name": "sass",
                        "version": "*",
                        "kind": "peer",
                        "ecosystem": "node",
                        "path": "packages/kiln/package.json",
                        "line": 6,
                    },
                    {
                        "name": "fsevents",
                        "version": "~2.3.3",
                        "kind": "optional",
                        "ecosystem": "node",
                        "path": "packages/kiln/package.json",
                        "line": 7,
                    },
                ],
                "damaged": [],
                "manifests_in_tests": 1,
            },
        }
    )


def test_a_rust_workspace_in_words(shop: Workbench, workspace: Path) -> None:
    write_files(workspace, RUST_WORKSPACE)
    assert [line[:84] for line in analyze(shop).to_text().splitlines()] == snapshot(
        [
            ".: 8 files in 5 folders, 42 lines",
            "languages: Rust 100.0%",
            "licence: unknown (COPYING), Unlicense OR MIT (Cargo.toml)",
            "tests: 1 file; CI: none",
            "2 packages: sift, glob-set",
            "dependencies (rust, 2 manifests): 1 dev, 4 direct, 1 optional",
            "  direct: anyhow 1.0.75, glob-set 0.4, winapi-util 0.1.6, log workspace",
            "documents: 1",
            "README: README.md: Sift, Installation, Building",
            "missing kinds of documents: tutorial, reference, explanation",
            "entry points: sf (Cargo.toml)",
            "",
            "Commands",
            "purpose  command      evidence",
            "build    cargo build  Cargo.toml",
            "test     cargo test   Cargo.toml",
            "",
            "Recommendations",
            "importance  action                                                                  ",
            "medium      Run the tests on every change.                                          ",
            "medium      Extend README.md: usage, contributing.                                  ",
            "low         Write documentation of the missing kinds: tutorial, reference, explanati",
            "not measured: api, broken_links, history: depth=deep measures it",
        ]
    )
