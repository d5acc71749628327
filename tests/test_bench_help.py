"""Every program in `bench` says what it does and how it is started."""

import re
from pathlib import Path

import pytest

BENCH = Path(__file__).parent.parent / "bench"
START = re.compile(r'\nif __name__ == "__main__":\n(?:    .*\n)+\Z')
PROGRAMS = [
    it.name for it in sorted(BENCH.glob("*.py")) if START.search(it.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_its_help_before_it_measures(name: str) -> None:
    text = (BENCH / name).read_text(encoding="utf-8")
    start = START.search(text)
    assert text.startswith('"""')
    assert "ArgumentParser(" in text or (start and "    help_if_asked(__doc__)\n" in start[0])
