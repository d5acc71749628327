"""Prompts: the standard shape, and beside it the fields of the seed."""

import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp_types import PromptReference

import notes
from benchpin.app import Workbench, configure
from benchpin.app import _catalogue as catalogue
from benchpin.core.content import Prompt
from benchpin.server import Kernel
from waiting import WAIT_S
from wire import Wire, request


@pytest.fixture
def kernel(workspace: Path) -> Kernel:
    return Kernel(Workbench(configure(root=workspace), [notes.TOOLSET]))


@pytest.fixture
async def prompt_wire(kernel: Kernel) -> AsyncIterator[Wire]:
    connection = Wire(kernel)
    await connection.handshake()
    yield connection
    await connection.close()


async def test_prompts_are_listed_with_their_category(prompt_wire: Wire) -> None:
    prompts = (await prompt_wire.ask(request("prompts/list")))["result"]["prompts"]
    assert {prompt["name"]: prompt["category"] for prompt in prompts} == {
        "plan_work": "agent",
        "review_note": "review",
    }


async def test_a_category_narrows_the_list(prompt_wire: Wire) -> None:
    listed = await prompt_wire.ask(request("prompts/list", category="agent"))
    assert [prompt["name"] for prompt in listed["result"]["prompts"]] == ["plan_work"]


@pytest.mark.parametrize(
    ("category", "shown"),
    [(5, "not 5"), (True, "not True"), ([], "category"), (10**99, "not 1000")],
)
async def test_a_category_that_is_no_text_is_named(
    prompt_wire: Wire, category: object, shown: str
) -> None:
    error = (await prompt_wire.ask(request("prompts/list", category=category)))["error"]
    assert (error["code"], error["data"]["kind"]) == (-32602, "invalid_params")
    assert "category" in error["message"]
    assert shown in error["message"]


@pytest.mark.parametrize(
    ("method", "params", "shown"),
    [
        ("prompts/list", {"cursor": 5}, "cursor: Input should be a valid string, not 5"),
        ("prompts/get", {"name": 5}, "name: Input should be a valid string, not 5"),
        ("resources/list", {"cursor": 5}, "cursor: Input should be a valid string, not 5"),
        ("logging/setLevel", {"level": "loud"}, "not 'loud'"),
    ],
)
async def test_a_value_that_does_not_fit_is_named(
    prompt_wire: Wire, method: str, params: dict[str, object], shown: str
) -> None:
    error = (await prompt_wire.ask(request(method, **params)))["error"]
    assert (error["code"], error["data"]["kind"]) == (-32602, "invalid_params")
    assert shown in error["message"]


async def test_a_prompt_is_filled_in_one_pass(prompt_wire: Wire) -> None:
    message = request("prompts/get", name="plan_work", arguments={"task": "use {{context}}"})
    result = (await prompt_wire.ask(message))["result"]
    assert result["messages"] == [
        {"role": "user", "content": {"type": "text", "text": "Plan this: use {{context}}"}}
    ]
    assert result["content"] == "Plan this: use {{context}}"
    assert result["raw_content"] == "Plan this: {{task}}"
    assert (result["name"], result["category"]) == ("plan_work", "agent")
    assert result["arguments"][0] == {
        "name": "task",
        "description": "What to plan",
        "required": True,
    }
    assert "_meta" not in result


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("plan_work", {}, "task is required"),
        ("plan_work", {"task": "x", "nope": "y"}, "nope is not an argument"),
        ("review_note", {"focus": "money"}, "all, style, spelling"),
        ("no_such_prompt", {}, "no_such_prompt"),
    ],
)
async def test_wrong_arguments_are_named(
    prompt_wire: Wire, name: str, arguments: dict[str, str], said: str
) -> None:
    message = request("prompts/get", name=name, arguments=arguments)
    error = (await prompt_wire.ask(message))["error"]
    assert error["code"] == -32602
    assert said in error["message"]


@pytest.mark.parametrize(
    "message",
    [
        request("prompts/list", "slow"),
        request("prompts/get", "slow", name="review_note"),
    ],
)
async def test_the_server_answers_while_prompts_are_read(
    prompt_wire: Wire, monkeypatch: pytest.MonkeyPatch, message: object
) -> None:
    released = threading.Event()

    def slow(_places: object) -> tuple[list[Prompt], list[str]]:
        assert released.wait(WAIT_S)
        return [], []

    monkeypatch.setattr(catalogue, "read_files", slow)
    await prompt_wire.send(message)
    assert (await prompt_wire.ask(request("ping", "quick")))["id"] == "quick"
    released.set()
    assert (await prompt_wire.receive())["id"] == "slow"


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_an_official_client_takes_the_extra_fields(kernel: Kernel, mode: str) -> None:
    async with Client(kernel, mode=mode) as client:
        prompts = (await client.list_prompts()).prompts
        rendered = await client.get_prompt("review_note", {})
    assert [prompt.name for prompt in prompts] == ["plan_work", "review_note"]
    assert rendered.messages[0].content.model_dump()["text"] == "Look at all"


async def test_choices_are_completed(kernel: Kernel) -> None:
    async with Client(kernel) as client:
        reference = PromptReference(name="review_note")
        completed = await client.complete(reference, {"name": "focus", "value": "s"})
    assert completed.completion.values == ["style", "spelling"]


@pytest.mark.parametrize(
    ("ref", "argument", "kind"),
    [
        ({"type": "ref/prompt", "name": "review_note"}, "nope", "invalid_params"),
        ({"type": "ref/prompt", "name": "nope"}, "focus", "prompt_not_found"),
        ({"type": "ref/resource", "uri": "note://{+path}"}, "nope", "invalid_params"),
        ({"type": "ref/resource", "uri": "nope://{x}"}, "x", "resource_not_found"),
    ],
)
async def test_what_cannot_be_completed_is_said(
    prompt_wire: Wire, ref: dict[str, str], argument: str, kind: str
) -> None:
    message = request("completion/complete", ref=ref, argument={"name": argument, "value": ""})
    error = (await prompt_wire.ask(message))["error"]
    assert error["data"]["kind"] == kind
    assert "nope" in error["message"]
