"""Make files and projects from templates."""

from benchpin.core.tools import Example, Toolset

TOOLSET = Toolset(
    package=__name__,
    title="Templates",
    description="Make files and projects from templates.",
    tools=(
        "generate_template",
        "list_templates",
        "validate_template",
        "scaffold_project",
        "search_templates",
        "update_project",
    ),
    command="template",
    commands=("update",),
    resources=("template",),
    codes={
        "template_not_found": -32000,
        "invalid_template_uri": -32001,
        "invalid_template_parameters": -32002,
    },
    example=Example(
        "generate_template",
        {
            "resource_uri": "template://makefile/rust/cli",
            "parameters": {"project_name": "my-project", "has_tests": True},
        },
    ),
)
