"""Use the files of a workspace, and run programs in it."""

from benchpin.core import Example, Toolset

TOOLSET = Toolset(
    package=__name__,
    title="Workspace",
    description="Run commands and Python code in a workspace, confined.",
    tools=(
        "execute_command",
        "python_executor",
    ),
    example=Example("execute_command", {"command": "ls"}),
)
