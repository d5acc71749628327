from collections.abc import Mapping

from benchpin.core.calls import Bench
from benchpin.core.content import PromptArgument, PromptMessage, RenderedPrompt, Text, prompt

RAW = "Plan this: {{task}}"


@prompt(
    title="Plan work",
    category="agent",
    arguments=(
        PromptArgument("task", "What to plan", required=True),
        PromptArgument("context", "More"),
    ),
)
def plan_work(values: Mapping[str, str], _bench: Bench) -> RenderedPrompt:
    """Plan some work."""
    return RenderedPrompt((PromptMessage(Text(RAW.replace("{{task}}", values["task"]))),), RAW)


@prompt(
    title="Review a note",
    category="review",
    arguments=(
        PromptArgument(
            "focus", "What to look at", default="all", choices=("all", "style", "spelling")
        ),
    ),
)
def review_note(values: Mapping[str, str], _bench: Bench) -> RenderedPrompt:
    """Review a note."""
    return RenderedPrompt((PromptMessage(Text(f"Look at {values['focus']}")),), "Look at {{focus}}")
