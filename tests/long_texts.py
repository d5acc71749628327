"""Long texts for parametrised tests, made when a test runs.

What is made at collection, every worker of pytest holds until its end: it was 75 MB.
"""

from dataclasses import dataclass
from typing import AnyStr, Generic


@dataclass(frozen=True)
class Long(Generic[AnyStr]):
    """A text that is repeated many times."""

    unit: AnyStr
    times: int
    head: AnyStr | None = None
    tail: AnyStr | None = None

    def made(self) -> AnyStr:
        """Return the whole text."""
        text = self.unit * self.times
        if self.head is not None:
            text = self.head + text
        return text if self.tail is None else text + self.tail


def whole(value: AnyStr | Long[AnyStr]) -> AnyStr:
    """Return a text, made now if it is a long one."""
    return value.made() if isinstance(value, Long) else value
