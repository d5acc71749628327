"""Names and texts of a repository as they can be sent, whatever bytes are in them."""

from typing import Annotated

from pydantic import AfterValidator

from benchpin.core import sendable, utf8

ShownPath = Annotated[str, AfterValidator(sendable)]
ShownText = Annotated[str, AfterValidator(utf8)]
