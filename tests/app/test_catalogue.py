from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import everything
from app.kit import KITS, MAIN, SIDE, TOOLS
from benchpin.app import Configuration, configure
from benchpin.app._catalogue import Catalogue, Verdict
from benchpin.core.errors import (
    ConfigError,
    PromptNotFound,
    ResourceNotFound,
    ToolDisabled,
    UnknownTool,
)
from benchpin.core.tools import DEFAULT_EFFECTS, Effect
from benchpin.toolsets import load_toolsets

LoadFrom = Callable[..., Configuration]


def _catalogue(**settings: object) -> Catalogue:
    return Catalogue(KITS, configure(**settings))


def _verdict(catalogue: Catalogue, name: str) -> Verdict:
    return next(entry.verdict for entry in catalogue.listings() if entry.tool.name == name)


COMBINATIONS: list[dict[str, Any]] = [
    {"toolsets": toolsets, "allow": allow, "read_only": read_only, "expose_tools": exposed}
    for toolsets, allow, read_only, exposed in product(
        (None, ("main",), ("side",), ("main", "side")),
        ((), ("write",), ("write", "execute", "network")),
        (False, True),
        ((), ("do_write",), ("do.write",), ("look_twice", "do_execute")),
    )
]


@pytest.mark.parametrize("settings", COMBINATIONS, ids=str)
def test_what_is_on_follows_from_the_flags(settings: dict[str, Any]) -> None:
    exposed = {name.replace(".", "_") for name in settings["expose_tools"]}
    expected = []
    for toolset in KITS:
        for name in toolset.tools:
            effect = TOOLS[name].effect
            is_chosen = settings["toolsets"] is None or toolset.name in settings["toolsets"]
            is_allowed = effect in DEFAULT_EFFECTS or effect.value in settings["allow"]
            is_on = name in exposed if exposed else is_chosen and is_allowed
            if is_on and (effect is Effect.READ or not settings["read_only"]):
                expected.append(name)
    assert [entry.tool.name for entry in _catalogue(**settings).enabled] == expected


def _advised(settings: dict[str, Any], name: str, way_in: str) -> dict[str, Any]:
    """Return the settings with the first thing done that the advice says."""
    effect, toolset = TOOLS[name].effect.value, "side" if name == "look_twice" else "main"
    if "without --read-only" in way_in:
        return {**settings, "read_only": False}
    if "--toolsets" in way_in:
        assert f"Add {toolset} to --toolsets" in way_in
        return {**settings, "toolsets": (*(settings["toolsets"] or ()), toolset)}
    if "--allow" in way_in:
        assert f"--allow {effect}" in way_in
        return {**settings, "allow": (*settings["allow"], effect)}
    assert f"--expose-tool {name}" in way_in
    return {**settings, "expose_tools": (*settings["expose_tools"], name)}


@pytest.mark.parametrize("name", TOOLS)
def test_who_follows_the_advice_gets_the_tool(name: str) -> None:
    for given in COMBINATIONS:
        settings, steps = given, 0
        while not (verdict := _verdict(_catalogue(**settings), name)).is_enabled:
            settings, steps = _advised(settings, name, verdict.way_in), steps + 1
            assert steps < 4, given
        assert _catalogue(**settings).find(name).tool.name == name


@pytest.mark.parametrize(
    ("settings", "name", "verdict"),
    [
        ({}, "do_read", Verdict(True, "read is allowed")),
        ({"expose_tools": ["do_write"]}, "do_write", Verdict(True, "exposed by name")),
        (
            {},
            "do_network",
            Verdict(
                False,
                "its effect is network",
                "Start Benchpin with --allow network or --expose-tool do_network.",
            ),
        ),
        (
            {"read_only": True},
            "do_record",
            Verdict(
                False,
                "its effect is record, and Benchpin is read-only",
                "Start without --read-only.",
                is_barred=True,
            ),
        ),
    ],
)
def test_a_verdict_says_why(settings: dict[str, Any], name: str, verdict: Verdict) -> None:
    assert _verdict(_catalogue(**settings), name) == verdict


@pytest.mark.parametrize(
    ("own", "useless"),
    [
        ("read_only = true", "--read-only"),
        ("allow = []", "--allow"),
        ("toolsets = ['side']", "--toolsets"),
    ],
)
def test_what_the_workspace_took_away_no_flag_is_said_to_bring_back(
    load_from: LoadFrom, own: str, useless: str
) -> None:
    verdict = _verdict(Catalogue(KITS, load_from(flags={"allow": ["write"]}, own=own)), "do_write")
    assert not verdict.is_enabled
    assert useless not in verdict.way_in
    assert "workspace" in f"{verdict.reason} {verdict.way_in}"


def test_tools_that_the_workspace_leaves_out_are_off_even_by_name(load_from: LoadFrom) -> None:
    loaded = load_from(
        flags={"expose_tools": ["do_write", "do_read"]}, own='expose_tools=["do_read"]'
    )
    catalogue = Catalogue(KITS, loaded)
    assert [entry.tool.name for entry in catalogue.enabled] == ["do_read"]
    with pytest.raises(ToolDisabled) as caught:
        catalogue.find("do_write", for_operator=True)
    assert "expose_tools" in caught.value.suggestion


def test_a_workspace_may_name_tools_by_their_aliases(load_from: LoadFrom) -> None:
    catalogue = Catalogue(KITS, load_from(own='expose_tools = ["do.read"]'))
    assert [entry.tool.name for entry in catalogue.enabled] == ["do_read"]


def test_a_workspace_that_names_no_such_tool_is_refused(load_from: LoadFrom) -> None:
    loaded = load_from(own='expose_tools = ["do_raed"]')
    with pytest.raises(ConfigError) as caught:
        Catalogue(KITS, loaded)
    assert caught.value.suggestion == "Did you mean 'do_read'?"


@pytest.mark.parametrize(
    ("settings", "nearest"),
    [
        ({"toolsets": ["mian"]}, "main"),
        ({"expose_tools": ["do_wirte"]}, "do_write"),
        ({"expose_tools": ["do.wirte"]}, "do.write"),
        ({"tool_timeouts": {"do_raed": 5}}, "do_read"),
    ],
)
def test_names_that_do_not_exist_are_refused_with_the_nearest(
    settings: dict[str, Any], nearest: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        _catalogue(**settings)
    assert caught.value.suggestion == f"Did you mean {nearest!r}?"


def test_a_tool_is_found_by_name_and_by_alias() -> None:
    catalogue = _catalogue(allow=["write"])
    assert catalogue.find("do_write") is catalogue.find("do.write")
    assert catalogue.find("do_write").toolset is MAIN
    assert catalogue.owns("do.write")
    assert not catalogue.owns("do.wirte")
    assert catalogue.canonical("do.write") == "do_write"
    assert catalogue.canonical("anything") == "anything"


@pytest.mark.parametrize("name", ["do_wirte", "zzzzzz", "", "é" * 500])
def test_an_unknown_tool_is_refused_with_the_nearest(name: str) -> None:
    with pytest.raises(UnknownTool) as caught:
        _catalogue().find(name)
    nearest = caught.value.data["nearest"]
    assert isinstance(nearest, list)
    assert (nearest[:1] == ["do_write"]) is (name == "do_wirte")
    assert caught.value.suggestion


def test_calling_a_tool_that_is_off_says_which_flag_turns_it_on() -> None:
    with pytest.raises(ToolDisabled) as caught:
        _catalogue().find("do.write")
    assert caught.value.data == {"tool": "do_write"}
    assert "--allow write" in caught.value.suggestion
    assert "--expose-tool do_write" in caught.value.suggestion


@pytest.mark.parametrize(
    "settings", [{}, {"toolsets": ["side"]}, {"expose_tools": ["look_twice"]}], ids=str
)
def test_an_operator_who_types_a_name_has_exposed_it(settings: dict[str, Any]) -> None:
    assert _catalogue(**settings).find("do_execute", for_operator=True).tool.name == "do_execute"


def test_not_even_an_operator_gets_past_read_only() -> None:
    with pytest.raises(ToolDisabled):
        _catalogue(read_only=True).find("do_write", for_operator=True)


def test_every_toolset_is_named_switched_on_or_not() -> None:
    assert _catalogue(toolsets=["side"]).toolsets == (MAIN, SIDE)


REAL = (*load_toolsets(), everything.TOOLSET)


def test_resources_and_prompts_are_those_of_the_toolsets_that_are_on() -> None:
    everywhere = Catalogue(REAL, configure())
    server = Catalogue(REAL, configure(toolsets=["server"]))
    assert {resource.name for resource in server.resources} == {
        "stored_result",
        "stored_result_page",
        "skill_file",
    }
    assert set(server.resources) < set(everywhere.resources)
    assert server.prompts == ()
    assert {prompt.name for prompt in everywhere.prompts} == {
        name for toolset in REAL for name in toolset.prompts
    }


def test_a_resource_is_found_by_uri_with_its_variables() -> None:
    catalogue = Catalogue(REAL, configure())
    resource, variables = catalogue.find_resource("result://0123456789abcdef/2")
    assert (resource.name, variables) == (
        "stored_result_page",
        {"id": "0123456789abcdef", "page": "2"},
    )


def test_an_unknown_uri_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ResourceNotFound) as caught:
        Catalogue(REAL, configure(toolsets=["server"])).find_resource("nothing://here")
    known = "result://{id}, result://{id}/{page}, skill://{name}/SKILL.md"
    assert caught.value.suggestion == f"Known URIs: {known}."
    with pytest.raises(ResourceNotFound) as caught:
        Catalogue(REAL, configure(toolsets=[])).find_resource("nothing://here")
    assert caught.value.suggestion == "Known URIs: none."


def test_a_prompt_is_found_by_name_or_refused_with_the_known_ones() -> None:
    catalogue = Catalogue(REAL, configure())
    first = catalogue.prompts[0]
    assert catalogue.find_prompt(first.name) is first
    with pytest.raises(PromptNotFound) as caught:
        catalogue.find_prompt("no_such_prompt")
    assert first.name in caught.value.suggestion


@pytest.mark.parametrize("own", ["allow = ['execute']", "read_only = true", "toolsets = ['side']"])
def test_what_a_workspace_takes_away_exposing_by_name_does_not_bring_back(
    load_from: LoadFrom, own: str
) -> None:
    configuration = load_from(flags={"expose_tools": ["do_write"]}, own=own)
    verdict = _verdict(Catalogue(KITS, configuration), "do_write")
    assert (verdict.is_enabled, verdict.is_barred) == (False, True)


def test_two_toolsets_cannot_have_a_tool_of_the_same_name() -> None:
    with pytest.raises(TypeError, match="main and main both have a tool 'do_read'"):
        Catalogue([MAIN, MAIN], configure())
