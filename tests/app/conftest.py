"""What tests of the app share: settings from files, variables and flags that a test writes."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from benchpin.app import Configuration, load

LoadFrom = Callable[..., Configuration]


@pytest.fixture
def user_file(tmp_path: Path) -> Path:
    """Return where the user's file would be."""
    return tmp_path / "xdg" / "benchpin" / "config.toml"


@pytest.fixture
def load_from(workspace: Path, user_file: Path) -> LoadFrom:
    """Return a function that writes the sources it is given and loads them."""

    def load_sources(
        *,
        flags: Mapping[str, object] | None = None,
        env: Mapping[str, str] | None = None,
        own: str | bytes | None = None,
        yaml: str | bytes | None = None,
        pyproject: str | bytes | None = None,
        user: str | bytes | None = None,
    ) -> Configuration:
        sources = {
            workspace / "benchpin.toml": own,
            workspace / "benchpin.yaml": yaml,
            workspace / "pyproject.toml": pyproject,
            user_file: user,
        }
        for place, text in sources.items():
            if text is not None:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(text.encode() if isinstance(text, str) else text)
        variables = {"XDG_CONFIG_HOME": str(user_file.parent.parent), **(env or {})}
        return load({"root": workspace, **(flags or {})}, variables)

    return load_sources
