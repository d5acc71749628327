"""Doors: the names that packages offer are those that are imported for the type checker."""

from importlib import import_module
from pathlib import Path

import pytest

import benchpin
from benchpin import core
from benchpin._doors import _homes

_ROOT = Path(benchpin.__file__).parent
_DOORS = sorted(
    ".".join(("benchpin", *it.parent.relative_to(_ROOT).parts))
    for it in _ROOT.rglob("__init__.py")
    if "= lazy(__name__)" in it.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("package", _DOORS)
def test_a_door_knows_the_module_of_each_of_its_names(package: str) -> None:
    door = import_module(package)
    homes = _homes(package)
    # What is not loaded when it is used is there: `facts.parsing` chooses between two modules.
    assert set(homes) <= set(door.__all__) <= {*homes, *vars(door)}
    folder = Path(str(door.__file__)).parent
    for home in set(homes.values()):
        assert (folder / f"{home}.py").is_file() or (folder / home).is_dir()


def test_a_name_that_a_door_does_not_have_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Nonsense'"):
        _ = core.Nonsense
