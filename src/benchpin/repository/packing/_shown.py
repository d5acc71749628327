"""Names and texts of a repository in a form that can be sent, whatever bytes are in them."""

from typing import Annotated

from pydantic import AfterValidator

from benchpin.core.text import sendable, utf8

# Longer texts, such as a link with an embedded picture, are cut.
MAX_TEXT_CHARS = 200


def brief(text: str) -> str:
    """Cut a text to a length that can be read at a glance."""
    return text if len(text) <= MAX_TEXT_CHARS else text[: MAX_TEXT_CHARS - 1] + "…"


ShownPath = Annotated[str, AfterValidator(sendable)]
ShownText = Annotated[str, AfterValidator(utf8)]
BriefText = Annotated[str, AfterValidator(utf8), AfterValidator(brief)]
