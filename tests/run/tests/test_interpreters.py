"""Which Python runs the tests of a project."""

import base64
import hashlib
from pathlib import Path, PurePosixPath

import pytest

from benchpin.core.calls import Permissions
from benchpin.run.tests import ProjectView
from benchpin.run.tests._command import COVERAGE_FILES
from benchpin.run.tests._project_view import choose_interpreter, find_interpreters
from benchpin.run.tests._python import PYTEST


def environment(place: Path, *packages: str) -> Path:
    (place / "bin").mkdir(parents=True)
    (place / "bin" / "python").write_text("", encoding="utf-8")
    for it in packages:
        (place / "lib" / "python3.12" / "site-packages" / it).mkdir(parents=True)
    return place


def chosen(workspace: Path, folder: str = ".") -> str | None:
    project = ProjectView(workspace, PurePosixPath(folder), Permissions())
    found = choose_interpreter(find_interpreters(project), "pytest")
    return None if found is None else found.program


@pytest.fixture(autouse=True)
def _nothing_active(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT", "CONDA_PREFIX", "POETRY_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)


def test_without_an_environment_it_is_that_of_path(workspace: Path) -> None:
    assert chosen(workspace) is None


@pytest.mark.parametrize("name", [".venv", "venv", "env", ".tox/py312", ".nox/tests"])
def test_an_environment_of_the_project_is_taken(workspace: Path, name: str) -> None:
    environment(workspace / name, "pytest")
    assert chosen(workspace) == f"{name}/bin/python"


def test_the_environment_of_the_folder_around_is_taken(workspace: Path) -> None:
    environment(workspace / ".venv", "pytest")
    (workspace / "packages" / "api").mkdir(parents=True)
    assert chosen(workspace, "packages/api") == "../../.venv/bin/python"


def test_the_first_that_has_pytest_is_taken(workspace: Path) -> None:
    environment(workspace / ".venv", "requests")
    assert chosen(workspace) == ".venv/bin/python"
    environment(workspace / ".tox" / "py311", "pytest")
    assert chosen(workspace) == ".tox/py311/bin/python"


def test_an_active_environment_is_taken_after_those_of_the_project(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", str(environment(tmp_path / "active", "pytest")))
    assert chosen(workspace) == str(tmp_path / "active" / "bin" / "python")
    environment(workspace / ".venv", "pytest")
    assert chosen(workspace) == ".venv/bin/python"


def test_uv_is_told_where_the_environment_is(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_PROJECT_ENVIRONMENT", ".uv")
    environment(workspace / ".uv", "pytest")
    assert chosen(workspace) == ".uv/bin/python"


def test_the_environments_of_poetry_and_pipenv_are_found_by_the_path(
    workspace: Path, home: Path
) -> None:
    (workspace / "poetry.lock").write_text("", encoding="utf-8")
    digest = base64.urlsafe_b64encode(hashlib.sha256(str(workspace).encode()).digest())[:8]
    kept = home / ".cache/pypoetry/virtualenvs" / f"shop-{digest.decode()}-py3.12"
    environment(kept, "pytest")
    assert chosen(workspace) == f"{kept}/bin/python"
    (workspace / "poetry.lock").unlink()
    (workspace / "Pipfile").write_text("", encoding="utf-8")
    short = hashlib.sha256(f"{workspace}/Pipfile".encode()).digest()[:6]
    digest = base64.urlsafe_b64encode(short)[:8]
    kept = home / ".local/share/virtualenvs" / f"shop-{digest.decode()}"
    environment(kept, "pytest")
    assert chosen(workspace) == f"{kept}/bin/python"


def test_the_lines_that_ran_are_asked_for_where_pytest_cov_is_there(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    project = ProjectView(workspace, PurePosixPath(), Permissions())
    assert PYTEST.cover is not None
    assert PYTEST.cover(project, ["a.py"]) is None
    environment(workspace / ".venv", "pytest", "pytest_cov")
    found = PYTEST.cover(ProjectView(workspace, PurePosixPath(), Permissions()), ["a.py"])
    assert found is not None
    # What follows it would be taken for a folder.
    assert found.argv[-1] == "--cov"
    assert found.reports[0].endswith(COVERAGE_FILES)
