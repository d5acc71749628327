"""Every tool of the catalogue can be called, and refuses what its schema does not allow."""

from typing import Annotated, Any, cast

import pytest
from pydantic import Field

from benchpin.app import Workbench
from benchpin.core.calls import Bench
from benchpin.core.errors import BenchpinError, InvalidParams
from benchpin.core.results import Result
from benchpin.core.tools import AnyTool, Effect, Params, other_names, tool
from catalogue.arguments import (
    EVERY_TOOL,
    TOOLS,
    NotDerived,
    arguments_of,
    properties_of,
    refused_values,
)
from catalogue.conftest import PlaceFor
from catalogue.site import Site


@EVERY_TOOL
def test_a_valid_call_follows_from_the_catalogue(place_for: PlaceFor, name: str) -> None:
    site, bench = place_for(name)
    arguments = arguments_of(name, site)
    try:
        result = bench.call(name, **arguments)
    except BenchpinError as error:
        pytest.fail(
            f"{name} refuses {arguments}, which was derived for it: {error}. Add a value for the "
            "parameter in question to VALUES or TELLING in tests/catalogue/arguments.py"
        )
    assert not result.partial
    assert result.to_text().strip()


@EVERY_TOOL
def test_what_the_schema_refuses_is_refused(place_for: PlaceFor, name: str) -> None:
    site, bench = place_for(name)
    valid = arguments_of(name, site)
    taken = [
        (parameter, value)
        for parameter, schema in properties_of(name).items()
        for value in refused_values(schema)
        if not _is_refused(bench, name, {**valid, parameter: value}, parameter)
    ]
    assert not taken


def _is_refused(bench: Workbench, name: str, arguments: dict[str, object], parameter: str) -> bool:
    """Whether it says which argument is wrong; some have an error of their own."""
    try:
        bench.call(name, **arguments)
    except InvalidParams as error:
        return parameter in error.message
    except BenchpinError as error:
        return str(arguments[parameter]) in f"{error.message} {error.data}"
    return False


@EVERY_TOOL
def test_an_unknown_argument_is_refused_by_name(
    made_site: Site, warm: Workbench, name: str
) -> None:
    arguments = {**arguments_of(name, made_site), "no_such_argument": 1}
    with pytest.raises(InvalidParams) as refused:
        warm.prepare(warm.catalogue.find(name), arguments)
    problems: Any = refused.value.data["problems"]
    assert [it["path"] for it in problems] == ["no_such_argument"]


class OddParams(Params):
    zorb: Annotated[str, Field(pattern="^z{9}$")]


@tool(title="Odd", effect=Effect.READ)
def be_odd(params: OddParams, _bench: Bench) -> Result:
    """Take what nobody can guess."""
    raise NotImplementedError(params)


def test_a_tool_that_cannot_be_called_says_what_to_add(
    made_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(TOOLS, "be_odd", (TOOLS["get_status"][0], cast("AnyTool", be_odd)))
    with pytest.raises(NotDerived, match=r"be_odd needs zorb.*add one for 'zorb' to VALUES"):
        arguments_of("be_odd", made_site)


def test_shared_arguments_are_accepted_by_their_other_names() -> None:
    others = {"limit": "max_results", "depth": "max_depth", "diff": "change"}
    models = {name: it.params_type for name, (_, it) in TOOLS.items()}
    lacking = [
        (name, own)
        for name, model in models.items()
        for own, other in others.items()
        if own in model.model_fields and other not in model.model_fields
        if other not in other_names(model, own)
    ]
    assert not lacking
