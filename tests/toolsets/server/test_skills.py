"""Skills teach only what exists: every call in them runs on a small project."""

import json
import re
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import ResourceNotFound
from benchpin.toolsets.server.skills import NAMES, Skill, read_skills
from repositories import Tree

SKILLS = read_skills()
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
"""How the specification of Agent Skills wants names; at most 64 characters."""
CODE = re.compile(r"^\s*(\{\"tool\".*\})$", re.MULTILINE)
IN_TEXT = re.compile(r"`([a-z]+(?:_[a-z]+)+)`")
APP = b"def total(prices):\n    return sum(prices)\n\n\ndef main():\n    print(total([1, 2]))\n"
NOT_TOOLS = {"not_measured"}


@pytest.mark.parametrize("skill", SKILLS, ids=lambda it: it.name)
def test_a_skill_has_the_form_of_the_specification(skill: Skill) -> None:
    text = skill.content.decode()
    assert skill.front_matter.keys() == {"name", "description"}
    assert skill.front_matter["name"] == skill.name
    assert NAME.fullmatch(skill.name)
    assert len(skill.name) <= 64
    assert "Use " in skill.front_matter["description"]
    assert len(skill.front_matter["description"]) <= 1024
    assert text.startswith("---\nname: ")
    assert len(text.splitlines()) <= 60


def test_every_folder_is_a_skill() -> None:
    folder = Path(__file__).parents[3] / "src/benchpin/toolsets/server/skills"
    assert sorted(it.parent.name for it in folder.glob("*/SKILL.md")) == sorted(NAMES)
    assert list(NAMES) == sorted(NAMES)


@pytest.mark.parametrize("skill", SKILLS, ids=lambda it: it.name)
def test_a_skill_names_only_tools_that_exist(shop: Workbench, skill: Skill) -> None:
    assert set(IN_TEXT.findall(skill.content.decode())) - NOT_TOOLS <= set(shop.catalogue.names())


@pytest.mark.slow
@pytest.mark.parametrize("skill", SKILLS, ids=lambda it: it.name)
def test_every_call_of_a_skill_runs(tmp_path: Path, skill: Skill) -> None:
    tree = Tree(tmp_path / "shop")
    tree.commit({"src/app.py": APP, "README.md": b"# Shop\n"})
    bench = Workbench.open(tree.root)
    calls = [json.loads(it) for it in CODE.findall(skill.content.decode())]
    assert len(calls) >= 5
    enabled = {listing.name for listing in bench.catalogue.enabled}
    for call in calls:
        if call["tool"] not in enabled:
            continue  # no sandbox on this machine, or a right that the operator gives
        found = bench.call(call["tool"], **call["arguments"])
        assert getattr(found, "error", None) is None, (call, found)


def test_a_skill_is_read_as_it_was_written(shop: Workbench) -> None:
    for skill in SKILLS:
        resource, variables = shop.catalogue.find_resource(skill.uri)
        contents = resource.read(variables, shop.bench)
        assert contents.mime_type == "text/markdown"
        assert str(contents.body).encode() == skill.content


@pytest.mark.parametrize("name", ["x", "..", "benchpin-fix-first%2f..", "BENCHPIN-FIX-FIRST"])
def test_another_skill_is_not_found(shop: Workbench, name: str) -> None:
    resource, variables = shop.catalogue.find_resource(f"skill://{name}/SKILL.md")
    with pytest.raises(ResourceNotFound, match="no skill"):
        resource.read(variables, shop.bench)
