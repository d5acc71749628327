from collections.abc import Mapping

from benchpin.core import Argument, Bench, Message, Rendered, Text, prompt

RAW = "Plan this: {{task}}"


@prompt(
    title="Plan work",
    category="agent",
    arguments=(Argument("task", "What to plan", required=True), Argument("context", "More")),
)
def plan_work(values: Mapping[str, str], _bench: Bench) -> Rendered:
    """Plan some work."""
    return Rendered((Message(Text(RAW.replace("{{task}}", values["task"]))),), RAW)


@prompt(
    title="Review a note",
    category="review",
    arguments=(
        Argument("focus", "What to look at", default="all", choices=("all", "style", "spelling")),
    ),
)
def review_note(values: Mapping[str, str], _bench: Bench) -> Rendered:
    """Review a note."""
    return Rendered((Message(Text(f"Look at {values['focus']}")),), "Look at {{focus}}")
