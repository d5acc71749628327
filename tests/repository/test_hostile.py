"""Files that are made to take forever: each test ends, or the time limit of tests ends it."""

from pathlib import Path

import pytest

from benchpin.repository import make_targets
from benchpin.repository.documents._documents import parse
from benchpin.repository.manifests import DamagedManifest, read_manifest
from benchpin.repository.packing import find_secrets
from repository_kit import tree_of

pytestmark = pytest.mark.slow

MANIFESTS = (
    "CMakeLists.txt",
    "Cargo.toml",
    "Gemfile",
    "a.gemspec",
    "composer.json",
    "go.mod",
    "package.json",
    "pom.xml",
    "pyproject.toml",
    "requirements.txt",
)
SIZE = 200_000
PIECES = (
    "[",
    "{",
    '{"a":',
    "<a>",
    "(",
    "#[[",
    "find_package(",
    "find_package(a)\n",
    " ",
    "\n",
    "a ",
    "group",
    "gem 'a', ",
    "a.",
    "\\\n",
)


@pytest.mark.parametrize("name", MANIFESTS)
def test_no_manifest_takes_forever(name: str) -> None:
    for piece in PIECES:
        text = piece * (SIZE // len(piece))
        read_manifest(name, text.encode())
        read_manifest(name, f"group {text} x".encode())


@pytest.mark.parametrize("name", ["Cargo.toml", "pyproject.toml"])
@pytest.mark.parametrize("value", ["9" * 5_000, "[" * 3_000])
def test_a_manifest_of_hostile_toml_is_reported(name: str, value: str) -> None:
    manifest = read_manifest(name, f"x = {value}".encode())
    assert isinstance(manifest, DamagedManifest)
    assert manifest.reason.startswith("not TOML: ")


@pytest.mark.parametrize("piece", ["a", "a ", " ", "a:", "a\n", ".PHONY: a \\\n", "\t"])
def test_no_makefile_takes_forever(tmp_path: Path, piece: str) -> None:
    tree = tree_of(tmp_path, {"Makefile": "a" + piece * (SIZE // len(piece))})
    assert make_targets(tree, "") is not None


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "a://",
        "eyJ",
        "key='",
        "xoxb-1-",
        "-----BEGIN PRIVATE KEY-----\n",
        "a: b\n",
        "secret = ",
    ],
)
def test_no_text_takes_forever_to_be_scanned(piece: str) -> None:
    find_secrets(piece * (SIZE // len(piece)), "a.py")


@pytest.mark.parametrize("piece", ["# a\n", "<a href=", "<h1>", "[a](b)\n", "`", "<!--", "> "])
def test_no_document_takes_forever(piece: str) -> None:
    parse(piece * (100_000 // len(piece)))
