"""A toolset with settings needs nothing but its own declaration."""

from collections.abc import Callable, Iterator

import pytest

from app.kit import KITS, MAIN, Kit
from benchpin.app import Configuration, Workbench
from benchpin.app import _settings as settings
from benchpin.core.errors import ConfigError
from benchpin.core.tools import ToolsetSettings

LoadFrom = Callable[..., Configuration]


class Depth(ToolsetSettings):
    """How deep to look."""

    remedy = "Count from the surface."

    most: int = 10

    def narrowed_by(self, workspace: "Depth") -> "Depth":
        return Depth(most=min(self.most, workspace.most))


class KitWithSettings(Kit):
    def load_settings(self) -> type[ToolsetSettings]:
        return Depth


@pytest.fixture(autouse=True)
def toolsets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    made = KitWithSettings(
        package="kits.divers",
        title="Divers",
        description="A toolset with settings.",
        tools=("look_twice",),
        example=MAIN.example,
    )
    caches = (settings.toolset_tables, settings.settings_type)
    monkeypatch.setattr(settings, "load_toolsets", lambda: (*KITS, made))
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


def most(configuration: Configuration) -> int:
    return Workbench(configuration, KITS).bench.settings(Depth).most


def test_a_table_is_read_from_the_operators_file(load_from: LoadFrom) -> None:
    assert most(load_from()) == 10
    assert most(load_from(user="[divers]\nmost = 20")) == 20


@pytest.mark.parametrize(("wanted", "expected"), [(5, 5), (30, 20)])
def test_the_workspaces_file_narrows_as_the_toolset_says(
    load_from: LoadFrom, wanted: int, expected: int
) -> None:
    loaded = load_from(user="[divers]\nmost = 20", own=f"[divers]\nmost = {wanted}")
    assert most(loaded) == expected


def test_a_wrong_value_is_refused_with_the_toolsets_own_remedy(load_from: LoadFrom) -> None:
    with pytest.raises(ConfigError, match=r"divers\.most") as raised:
        load_from(own="[divers]\nmost = 'deep'")
    assert raised.value.suggestion == "Count from the surface."


def test_a_key_that_does_not_exist_is_refused(load_from: LoadFrom) -> None:
    with pytest.raises(ConfigError, match=r"divers\.mots"):
        load_from(own="[divers]\nmots = 1")


def test_the_environment_cannot_set_a_table(load_from: LoadFrom) -> None:
    with pytest.raises(ConfigError, match="BENCHPIN_DIVERS"):
        load_from(env={"BENCHPIN_DIVERS": "{}"})
