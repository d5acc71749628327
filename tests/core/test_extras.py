"""Which extras are installed, and what that decides."""

import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from benchpin.facts.store import engines_version
from benchpin.system.processes import has_extra, installed_extras
from benchpin.system.processes._surroundings import MODULES

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_extra_names_the_modules_that_it_installs() -> None:
    declared = PROJECT["project"]["optional-dependencies"]
    distributions = packages_distributions()
    for extra, modules in MODULES.items():
        named = {distributions[it][0].lower() for it in modules}
        assert {re.split("[<>=~]", it)[0] for it in declared[extra]} == named


def test_an_extra_without_one_of_its_modules_is_not_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert has_extra("measures")
    monkeypatch.setitem(sys.modules, "rustworkx", None)
    assert not has_extra("measures")
    assert "measures" not in installed_extras()


def test_what_was_made_without_an_extra_is_not_used_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = engines_version.__wrapped__()
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert engines_version.__wrapped__() != before
