"""What may be left behind when Benchpin is uninstalled."""

from pathlib import Path

import pytest

from clean_room import Failed, check_left

CACHE = Path("home/.cache/benchpin")


def test_what_doctor_named_and_dependencies_may_stay() -> None:
    check_left({CACHE / "facts/1", Path("venv/lib/site-packages/click/core.py")}, [CACHE])


@pytest.mark.parametrize(
    "left",
    [
        "home/.benchpinrc",
        "tmp/benchpin-1",
        "tree/.benchpin/notes.json",
        "venv/lib/site-packages/benchpin/cli/__pycache__/main.pyc",
        "venv/lib/site-packages/benchpin_walk__mypyc.so",
    ],
)
def test_anything_else_is_refused(left: str) -> None:
    with pytest.raises(Failed, match="left behind"):
        check_left({Path(left)}, [CACHE])
