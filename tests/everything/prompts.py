# ruff: noqa: PT019 - the suite names these prompts; they are no tests
"""The prompts that the conformance suite gets."""

from collections.abc import Mapping

from benchpin.core.calls import Bench
from benchpin.core.content import (
    EmbeddedResource,
    Image,
    PromptArgument,
    PromptMessage,
    RenderedPrompt,
    Text,
    prompt,
)

from ._asking import client_of, form
from ._samples import PNG

_CATEGORY = "test"


@prompt(title="Simple prompt", category=_CATEGORY)
def test_simple_prompt(_values: Mapping[str, str], _bench: Bench) -> RenderedPrompt:
    """A prompt without blanks."""
    text = "This is a simple prompt for testing."
    return RenderedPrompt((PromptMessage(Text(text)),), text)


@prompt(
    title="Prompt with arguments",
    category=_CATEGORY,
    arguments=(
        PromptArgument("arg1", "First test argument", required=True),
        PromptArgument("arg2", "Second test argument", required=True),
    ),
)
def test_prompt_with_arguments(values: Mapping[str, str], _bench: Bench) -> RenderedPrompt:
    """A prompt with two blanks."""
    raw = "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"
    return RenderedPrompt((PromptMessage(Text(raw.format_map(values))),), raw)


@prompt(
    title="Prompt with a resource",
    category=_CATEGORY,
    arguments=(PromptArgument("resourceUri", "URI of the resource to embed", required=True),),
)
def test_prompt_with_embedded_resource(values: Mapping[str, str], _bench: Bench) -> RenderedPrompt:
    """A prompt that carries a resource."""
    body = "Embedded resource content for testing."
    raw = "Please process the embedded resource above."
    embedded = EmbeddedResource(values["resourceUri"], "text/plain", body)
    return RenderedPrompt((PromptMessage(embedded), PromptMessage(Text(raw))), raw)


@prompt(title="Prompt with a picture", category=_CATEGORY)
def test_prompt_with_image(_values: Mapping[str, str], _bench: Bench) -> RenderedPrompt:
    """A prompt that carries a picture."""
    raw = "Please analyze the image above."
    return RenderedPrompt((PromptMessage(Image(PNG, "image/png")), PromptMessage(Text(raw))), raw)


@prompt(title="Prompt that asks", category=_CATEGORY)
async def test_input_required_result_prompt(
    _values: Mapping[str, str], bench: Bench
) -> RenderedPrompt:
    """A prompt that asks a person for its context."""
    asked = form("What context should the prompt use?", "context")
    answer = await client_of(bench).request(*asked, name="user_context")
    text = f"Use this context: {answer.get('content')}"
    return RenderedPrompt((PromptMessage(Text(text)),), text)
