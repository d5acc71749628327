"""Skills over MCP, as the extension io.modelcontextprotocol/skills defines them (SEP-2640)."""

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import yaml

from benchpin.app import Workbench
from benchpin.server import Kernel
from benchpin.server._announcement import SKILLS
from benchpin.server.jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND
from benchpin.toolsets.server.skills import NAMES
from wire import STATELESS, Wire, request

VERSIONS = ("2024-11-05", "2025-11-25", STATELESS)


@pytest.fixture(params=VERSIONS)
async def wire(request: pytest.FixtureRequest, workspace: Path) -> AsyncIterator[Wire]:
    connection = Wire(Kernel(Workbench.open(workspace)))
    await connection.speak(request.param)
    yield connection
    await connection.close()


async def test_the_extension_is_announced_with_the_resources_it_needs(workspace: Path) -> None:
    wire = Wire(Kernel(Workbench.open(workspace)))
    said = (await wire.handshake())["result"]["capabilities"]
    assert said["extensions"] == {SKILLS: {}}
    assert "resources" in said
    await wire.close()
    await (wire := Wire(Kernel(Workbench.open(workspace)))).speak(STATELESS)
    found = await wire.ask(request("server/discover"))
    assert found["result"]["capabilities"]["extensions"] == {SKILLS: {}}
    await wire.close()


async def test_what_a_host_verifies_is_true(wire: Wire) -> None:
    """An entry has every file, and its digest, size and front matter are those of the file."""
    listed = (await wire.ask(request("skills/list")))["result"]
    assert listed["resultType"] == "complete"
    assert listed["ttlMs"] > 0
    assert listed["cacheScope"] == "public"
    assert "nextCursor" not in listed
    assert [skill["frontmatter"]["name"] for skill in listed["skills"]] == list(NAMES)
    for skill in listed["skills"]:
        [file] = skill["resources"]
        assert file["uri"] == skill["uri"]
        read = (await wire.ask(request("resources/read", uri=file["uri"])))["result"]
        [contents] = read["contents"]
        assert contents["mimeType"] == "text/markdown"
        content = contents["text"].encode()
        assert file["size"] == len(content)
        assert file["digest"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
        _, front_matter, _ = contents["text"].split("---\n", 2)
        assert skill["frontmatter"] == yaml.safe_load(front_matter)
        assert skill["uri"] == f"skill://{skill['frontmatter']['name']}/SKILL.md"


async def test_one_skill_is_got_as_it_is_listed(wire: Wire) -> None:
    listed = (await wire.ask(request("skills/list")))["result"]
    for skill in listed.pop("skills"):
        got = (await wire.ask(request("skills/get", uri=skill["uri"])))["result"]
        assert got == {"skill": skill, **listed}


@pytest.mark.parametrize(
    "params",
    [
        {"uri": "skill://none/SKILL.md"},
        {"uri": "skill://benchpin-fix-first"},
        {"uri": "file:///etc/passwd"},
        {"uri": 1},
        {},
    ],
)
async def test_what_is_no_skill_is_refused(wire: Wire, params: dict[str, object]) -> None:
    refused = (await wire.ask(request("skills/get", **params)))["error"]
    assert refused["code"] == INVALID_PARAMS
    assert refused["data"]["suggestion"]


async def test_a_foreign_cursor_is_refused(wire: Wire) -> None:
    refused = await wire.ask(request("skills/list", cursor="x"))
    assert refused["error"]["code"] == INVALID_PARAMS


async def test_skills_are_listed_as_resources(wire: Wire) -> None:
    listed = (await wire.ask(request("resources/list")))["result"]["resources"]
    skills = {it["uri"]: it for it in listed if it["uri"].startswith("skill://")}
    for entry in (await wire.ask(request("skills/list")))["result"]["skills"]:
        shown = skills.pop(entry["uri"])
        assert shown["name"] == entry["frontmatter"]["name"]
        assert shown["description"] == entry["frontmatter"]["description"]
        assert shown["mimeType"] == "text/markdown"
    assert skills == {}


async def test_without_the_toolset_nothing_is_announced_or_served(workspace: Path) -> None:
    wire = Wire(Kernel(Workbench.open(workspace, toolsets=["templates"])))
    said = (await wire.handshake())["result"]["capabilities"]
    assert "extensions" not in said
    refused = await wire.ask(request("skills/list"))
    assert refused["error"]["code"] == METHOD_NOT_FOUND
    await wire.close()
