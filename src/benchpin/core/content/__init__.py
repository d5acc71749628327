"""What a server offers besides tools: content blocks, prompts and resources."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._content import Audio, Content, EmbeddedResource, Image, ResourceLink, Text
    from ._prompt import Prompt, PromptArgument, PromptMessage, RenderedPrompt, prompt, read_prompt
    from ._resource import Resource, ResourceContents, ResourceEntry, Variables, resource

__all__ = [
    "Audio",
    "Content",
    "EmbeddedResource",
    "Image",
    "Prompt",
    "PromptArgument",
    "PromptMessage",
    "RenderedPrompt",
    "Resource",
    "ResourceContents",
    "ResourceEntry",
    "ResourceLink",
    "Text",
    "Variables",
    "prompt",
    "read_prompt",
    "resource",
]

__getattr__ = lazy(__name__)
