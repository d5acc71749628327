"""Prompts for agents that work with these tools; the texts are in `_prompts`."""

from importlib.resources import files

from benchpin.core.content import Prompt, read_prompt


def _shipped(name: str) -> Prompt:
    return read_prompt(name, (files(__package__) / "_prompts" / f"{name}.md").read_text("utf-8"))


alice_assistant = _shipped("alice_assistant")
workspace_assistant = _shipped("workspace_assistant")
code_reviewer = _shipped("code_reviewer")
change_planner = _shipped("change_planner")
bug_hunter = _shipped("bug_hunter")
