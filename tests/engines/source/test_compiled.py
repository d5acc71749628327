"""Machine code for the walk: used only for the text that it was made from, and finds the same."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchpin.engines.source import compiled
from benchpin.engines.source.compiled import MODULES, current_folder, find_folder

ROOT = Path(__file__).parents[3]
DIGESTS = """
import hashlib, json, sys
from pathlib import Path
from benchpin.engines.source import walker
from benchpin.engines.source.detect import detect_language
from benchpin.engines.source.worker import encode
found = {}
for folder in sys.argv[1:]:
    for place in sorted(Path(folder).rglob("*.*")):
        language = detect_language(place.name, place.read_bytes) if place.is_file() else None
        if language:
            facts = b"".join(encode(place.read_bytes(), language).values())
            found[str(place)] = hashlib.sha256(facts).hexdigest()
print(json.dumps([walker.__file__, found]))
"""


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lay out modules that may be edited, without machine code."""
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text(f"# {name}\n")
    monkeypatch.setattr(compiled, "_HERE", tmp_path)
    monkeypatch.setattr(compiled, "_FOLDER", tmp_path / "__compiled__")
    monkeypatch.delenv("INTERPRET_BENCHPIN", raising=False)
    return tmp_path


def test_without_machine_code_there_is_none(modules: Path) -> None:
    assert find_folder() is None
    (modules / "__compiled__").mkdir()
    assert find_folder() is None


@pytest.mark.parametrize("name", MODULES)
def test_machine_code_of_another_text_is_not_used(modules: Path, name: str) -> None:
    current_folder().mkdir(parents=True)
    assert find_folder() == current_folder()
    (modules / f"{name}.py").write_text("# edited\n")
    assert find_folder() is None


@pytest.mark.usefixtures("modules")
def test_a_variable_turns_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    current_folder().mkdir(parents=True)
    assert find_folder() is not None
    monkeypatch.setenv("INTERPRET_BENCHPIN", "1")
    assert find_folder() is None


@pytest.mark.slow
@pytest.mark.skipif(find_folder() is None, reason="the walk was not compiled")
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
        [sys.executable, "-c", DIGESTS, *map(str, folders)],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    walker, facts = json.loads(done.stdout)
    return walker, facts
