"""Benchpin about itself: how it stands, and results that were too big to send."""

from benchpin.core import Example, Toolset

TOOLSET = Toolset(
    package=__name__,
    title="Server",
    description="How Benchpin itself stands, and results that were too big to send at once.",
    tools=("get_status", "read_result"),
    resources=("stored_result", "stored_result_page"),
    example=Example("get_status"),
)
