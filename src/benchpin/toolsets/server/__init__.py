"""The state of Benchpin itself, and results that were too large to send."""

from benchpin.core.tools import Example, Toolset

TOOLSET = Toolset(
    package=__name__,
    title="Server",
    description="State of Benchpin, long results, tools for a task.",
    tools=("get_status", "read_result", "find_tools", "call_tool", "run_script"),
    resources=("stored_result", "stored_result_page", "skill_file"),
    example=Example("get_status"),
)
