"""Machine code for the walk: used only for the text that it was made from, and finds the same."""

import json
import os
import subprocess
import sys
import tomllib
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from benchpin.facts import parsing
from benchpin.facts.parsing._compiled import MODULES, prefers_text

ROOT = Path(__file__).parents[2]
MADE_AT = 1_000_000_000
HERE = Path(parsing.__file__).parent


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lay out modules and what was compiled from them."""
    for name in MODULES:
        for suffix in (".py", EXTENSION_SUFFIXES[0]):
            place = tmp_path / f"{name}{suffix}"
            place.touch()
            os.utime(place, (MADE_AT, MADE_AT))
    monkeypatch.delenv("INTERPRET_BENCHPIN", raising=False)
    return tmp_path


def test_the_build_compiles_these_modules() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    hook = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["mypyc"]
    assert hook["include"] == [f"/src/benchpin/facts/parsing/{name}.py" for name in MODULES]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"%.py,{' '.join(MODULES)})" in makefile


def test_without_machine_code_nothing_is_preferred(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERPRET_BENCHPIN", "1")
    assert not prefers_text(tmp_path)


@pytest.mark.parametrize("name", MODULES)
def test_machine_code_of_an_edited_text_is_not_used(modules: Path, name: str) -> None:
    assert not prefers_text(modules)
    os.utime(modules / f"{name}.py", (MADE_AT + 5, MADE_AT + 5))
    assert prefers_text(modules)


def test_the_order_of_unpacking_is_no_edit(modules: Path) -> None:
    os.utime(modules / "_walker.py", (MADE_AT + 1, MADE_AT + 1))
    assert not prefers_text(modules)


def test_a_variable_turns_it_off(modules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERPRET_BENCHPIN", "1")
    assert prefers_text(modules)


@pytest.mark.slow
@pytest.mark.skipif(
    prefers_text(HERE) or not (HERE / f"_walker{EXTENSION_SUFFIXES[0]}").is_file(),
    reason="the walk was not compiled",
)
def test_machine_code_finds_the_same_facts() -> None:
    walker, facts = digests(INTERPRET_BENCHPIN="")
    assert Path(walker).suffix == ".so"
    other_walker, other_facts = digests(INTERPRET_BENCHPIN="1")
    assert Path(other_walker).suffix == ".py"
    assert facts == other_facts
    assert len(facts) > len(list((ROOT / "tests/fixtures/languages").iterdir()))


def digests(**variables: str) -> tuple[str, dict[str, str]]:
    """Return where the walk was loaded from, and what came of every file."""
    folders = (ROOT / "tests/fixtures/languages", ROOT / "src")
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts/fact_digests.py"), *map(str, folders)],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    walker, facts = json.loads(done.stdout)
    return walker, facts
