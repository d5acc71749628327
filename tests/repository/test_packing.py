import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.repository.documents import find_documents, written_by_people
from benchpin.repository.documents._documents import markdown_files
from benchpin.repository.packing import count_tokens, pack, packing_options
from benchpin.repository.packing._packing import Pack, PackFormat, decode
from repository_kit import open_tree, write_files

GITHUB = "ghp_" + "aB3dE6gH1jK4mN7pQ0rS2tU5vW8xY9zCaB3d"


def packed(
    root: Path,
    files: dict[str, str | bytes],
    style: PackFormat = "markdown",
    budget: int | None = None,
    include: tuple[str, ...] = (),
) -> Pack:
    write_files(root / "w", files)
    return pack(open_tree(root / "w", packing_options(include, ())), style, budget, Job())


def names(made: Pack) -> list[str]:
    return [it.path for it in made.files]


def test_text_is_packed_in_order_of_path(tmp_path: Path) -> None:
    made = packed(tmp_path, {"b.py": "x = 1\n", "a/c.md": "# C\n", "empty.txt": ""})
    assert names(made) == ["a/c.md", "b.py", "empty.txt"]
    assert made.text == (
        "# w\n\n3 files\n\n- a/c.md (2 tokens)\n- b.py (4 tokens)\n- empty.txt (0 tokens)\n"
        "\n## a/c.md\n\n```md\n# C\n```\n"
        "\n## b.py\n\n```py\nx = 1\n```\n"
        "\n## empty.txt\n\n```txt\n\n```\n"
    )


def test_lock_files_builds_binaries_and_what_git_ignores_stay_out(tmp_path: Path) -> None:
    (tmp_path / "w/.git").mkdir(parents=True)
    made = packed(
        tmp_path,
        {
            ".gitignore": "secret/\n",
            "secret/a.txt": "a",
            "package-lock.json": "{}",
            "dist/a.js": "x",
            "src/dist/b.js": "x",
            "vendor/v.go": "x",
            "src/vendor/v.go": "x",
            "node_modules/m/index.js": "x",
            "logo.png": "not really",
            "data.bin2": b"\x00\x01",
            "run.log": "x",
        },
    )
    assert names(made) == [".gitignore", "src/dist/b.js", "src/vendor/v.go"]
    assert made.skipped == {"binary": 2, "excluded": 5, "ignored": 1}


@pytest.mark.parametrize("style", ["markdown", "xml"])
def test_a_pack_in_the_project_is_neither_packed_nor_a_document(
    tmp_path: Path, style: PackFormat
) -> None:
    code: dict[str, str | bytes] = {"b.py": "x = 1\n", "guide.md": "# Guide\n"}
    first = packed(tmp_path, code, style)
    again = packed(tmp_path, {"pack.md": first.text, "docs/pack.html": first.text}, style)
    assert (names(again), again.text) == (["b.py", "guide.md"], first.text)
    assert again.skipped["written by Benchpin"] == 2
    tree = open_tree(tmp_path / "w")
    assert [it.path for it in written_by_people(tree, find_documents(tree))] == ["guide.md"]
    assert [it.path for it in markdown_files(tree)] == ["guide.md"]


def test_include_patterns_choose(tmp_path: Path) -> None:
    made = packed(tmp_path, {"a.py": "1", "b.js": "2", "d/c.py": "3"}, include=("*.py",))
    assert names(made) == ["a.py", "d/c.py"]


def test_a_file_with_a_secret_is_refused_and_named(tmp_path: Path) -> None:
    made = packed(tmp_path, {"a.py": "x\n" + GITHUB + "\n", "b.py": "y"})
    assert [(it.path, it.line, it.secret) for it in made.refused] == [("a.py", 2, "GitHub token")]
    assert names(made) == ["b.py"]
    assert GITHUB not in made.text


def test_a_fence_is_longer_than_those_inside(tmp_path: Path) -> None:
    made = packed(tmp_path, {"a.md": "````\nx\n````\n"})
    assert "\n`````md\n````\nx\n````\n`````\n" in made.text


def test_xml_is_well_formed_whatever_is_in_it(tmp_path: Path) -> None:
    text = "a ]]> b <c> & \x0b \ufffe"
    made = packed(tmp_path, {'q"<&.txt': text}, "xml")
    [file] = ET.fromstring(made.text)  # noqa: S314 - our own document
    assert file.get("path") == 'q"<&.txt'
    assert file.text == "\na ]]> b <c> & \ufffd \ufffd\n"


def test_a_budget_takes_readme_and_code_before_tests_and_data(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "README.md": "word " * 50,
        "data.json": "[" + "1, " * 50 + "1]",
        "src/a.py": "x = 1\n" * 20,
        "tests/test_a.py": "assert 1\n" * 20,
    }
    made = packed(tmp_path, files, budget=220)
    assert names(made) == ["README.md", "src/a.py"]
    assert [it.path for it in made.over_budget] == ["tests/test_a.py", "data.json"]
    assert made.tokens <= 220


def test_the_tokens_are_those_of_the_whole_text_but_for_the_seams(tmp_path: Path) -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    made = packed(tmp_path, {f"f{at}.py": source for at in range(5)})
    assert made.tokens == pytest.approx(count_tokens(made.text), rel=0.01)


def test_what_looks_like_a_special_token_is_text() -> None:
    assert count_tokens("<|endoftext|>") > 1
    assert count_tokens("hello world") == 2
    assert count_tokens("\ud800") >= 1


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfhi", "hi"),
        ("hé".encode("utf-16"), "hé"),
        ("caf\u00e9".encode("cp1252"), "café"),
        (b"a\0b", None),
        (b"\xff\x01\x02\xfe", None),
        (b"", ""),
    ],
)
def test_text_is_distinguished_from_binary_data(data: bytes, text: str | None) -> None:
    assert decode(data) == text


def test_the_next_pack_counts_only_what_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: dict[str, str | bytes] = {"a.py": "x = 1\n", "b.py": "y = 2\n"}
    # Outside tests, a file that just changed is not cached: it may change again.
    monkeypatch.setattr("benchpin.repository.packing._text_facts.RACY_NS", -(10**12))
    first = packed(tmp_path, files)
    write_files(tmp_path / "w", {"b.py": "y = 222\n"})
    counted: list[str] = []

    def counting(text: str) -> int:
        counted.append(text)
        return count_tokens(text)

    monkeypatch.setattr("benchpin.repository.packing._packing.count_tokens", counting)
    tree = open_tree(tmp_path / "w", packing_options((), ()))
    second = pack(tree, "markdown", None, Job())
    assert [it for it in counted if "##" not in it] == ["y = 222"]
    assert [it.path for it in second.files] == names(first)
