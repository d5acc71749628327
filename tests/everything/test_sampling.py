import json

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Params, tool

from ._asking import ask
from ._samples import Told


class SamplingParams(Params):
    prompt: str
    """What to ask the model."""


@tool(title="Ask the client's model", effect=Effect.READ)
async def test_sampling(params: SamplingParams, bench: Bench) -> Told:
    """Have the client's model answer a prompt."""
    question = {"role": "user", "content": {"type": "text", "text": params.prompt}}
    request = {"messages": [question], "maxTokens": 100}
    answer = await ask(bench, "sampling/createMessage", request)
    content = answer.get("content")
    text = content.get("text") if isinstance(content, dict) else json.dumps(content)
    return Told(text=f"LLM response: {text}")
