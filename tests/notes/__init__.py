"""A toolset of resources and prompts: the text files of the workspace, as `note://…`."""

from benchpin.core.tools import Example, Toolset

TOOLSET = Toolset(
    package=__name__,
    title="Notes",
    description="Notes for testing resources and prompts.",
    tools=("count_notes",),
    resources=("all_notes", "note"),
    prompts=("plan_work", "review_note"),
    example=Example("count_notes"),
)
