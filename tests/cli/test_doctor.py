import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import benchpin
from benchpin.cli import doctor as module
from benchpin.run.sandbox._sandbox import Sandbox
from repositories import Tree

Run = Callable[..., Result]


def _findings(ended: Result) -> dict[str, tuple[bool, str]]:
    assert ended.exit_code == 0
    found = json.loads(ended.stdout)
    return {finding["subject"]: (finding["is_well"], finding["detail"]) for finding in found}


def test_the_doctor_looks_at_the_machine(run: Run) -> None:
    found = _findings(run("doctor", "--json"))
    assert set(found) == {
        "python",
        "benchpin",
        "git",
        "sandbox",
        "grammars",
        "parsing",
        "extras",
        "cache",
        "workspace",
    }
    assert found["python"][0]
    assert found["benchpin"][1].startswith(f"{benchpin.__version__} with mcp 2.")


def test_the_doctor_says_one_finding_a_line(run: Run) -> None:
    lines = run("doctor").stdout.splitlines()
    assert len(lines) == 9
    assert all(line.startswith(("ok   ", "note ")) for line in lines)


def test_a_missing_git_and_a_missing_sandbox_are_noted(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = Sandbox(name="none", detail="bubblewrap (bwrap) is not installed")
    monkeypatch.setattr(module, "detect_sandbox", lambda _root: nothing)
    monkeypatch.setenv("PATH", "/nowhere")
    found = _findings(run("doctor", "--json"))
    assert not found["git"][0]
    is_well, detail = found["sandbox"]
    assert not is_well
    assert detail.startswith("none: bubblewrap (bwrap) is not installed; tools that run programs")
    assert detail.endswith(". Install bubblewrap.")


def test_the_choice_to_run_unconfined_is_noted(run: Run) -> None:
    chosen = _findings(run("doctor", "--json", "--unconfined"))
    assert chosen["configuration"] == (
        False,
        "unconfined is set: programs run without a sandbox",
    )
    assert "configuration" not in _findings(run("doctor", "--json"))


def test_every_grammar_is_tried(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    is_well, detail = _findings(run("doctor", "--json"))["grammars"]
    assert is_well
    assert detail.endswith("; tree-sitter 0.26.0")

    def read(_source: bytes, name: str) -> None:
        if name == "python":
            raise ImportError(name)

    monkeypatch.setattr(module, "extract", read)
    is_well, detail = _findings(run("doctor", "--json"))["grammars"]
    assert not is_well
    assert detail.startswith("python cannot be loaded; ")


def test_the_cache_is_measured_and_not_made(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "not" / "yet"
    monkeypatch.setenv("BENCHPIN_CACHE_DIR", str(cache))
    assert _findings(run("doctor", "--json"))["cache"] == (True, f"{cache}, 0 bytes")
    assert not cache.exists()
    cache.mkdir(parents=True)
    (cache / "x").write_bytes(b"12345")
    assert _findings(run("doctor", "--json"))["cache"] == (True, f"{cache}, 5 bytes")


def test_a_cache_that_is_a_file_is_noted(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file.txt"
    file.write_text("", encoding="utf-8")
    for place in (file, file / "under"):
        monkeypatch.setenv("BENCHPIN_CACHE_DIR", str(place))
        is_well, _ = _findings(run("doctor", "--json"))["cache"]
        assert not is_well


def test_notes_on_the_configuration_are_findings(run: Run, workspace: Path) -> None:
    (workspace / "benchpin.toml").write_text("host = '0.0.0.0'", encoding="utf-8")
    assert _findings(run("doctor", "--json"))["configuration"] == (
        False,
        "benchpin.toml: host can only be set by the operator and is ignored",
    )


def test_settings_that_cannot_be_used_end_the_doctor_too(run: Run) -> None:
    assert run("doctor", "--root", "/no/such/folder").exit_code == 2
    assert run("doctor", "--toolsets", "sever").exit_code == 2


def test_the_doctor_names_the_line_with_which_git_merges_comments(
    run: Run, workspace: Path
) -> None:
    tree = Tree(workspace)
    tree.commit({"a.py": b"x = 1\n"})
    assert "comments" not in _findings(run("doctor", "--json"))
    assert run("comments", "add", "a.py", "1", "Why?").exit_code == 0
    is_well, detail = _findings(run("doctor", "--json"))["comments"]
    assert (is_well, "add '*.comments merge=union'" in detail) == (False, True)
    (workspace / ".gitattributes").write_text("*.comments text merge=union\n", encoding="utf-8")
    assert "comments" not in _findings(run("doctor", "--json"))
