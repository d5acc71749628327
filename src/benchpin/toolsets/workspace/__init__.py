"""Read, write and search the files of the workspace, and run programs on them."""

from benchpin.core.tools import Example, Toolset

TOOLSET = Toolset(
    package=__name__,
    title="Workspace",
    description="Read, write and search files; run programs in a sandbox.",
    tools=(
        "read_file",
        "write_file",
        "edit_file",
        "list_directory",
        "search_files",
        "execute_command",
        "python_executor",
    ),
    resources=("workspace_file",),
    prompts=(
        "alice_assistant",
        "workspace_assistant",
        "code_reviewer",
        "change_planner",
        "bug_hunter",
    ),
    commands=("search_files",),
    example=Example("search_files", {"pattern": "TODO", "max_results": 5}),
)
