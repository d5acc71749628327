"""Which words can be arguments of a program."""

import os
from collections.abc import Sequence

from benchpin.core.errors import InvalidParams

# MAX_ARG_STRLEN of Linux: the longest single argument, less the NUL at its end.
MAX_ARGUMENT_BYTES = (128 << 10) - 1


def require_passable(argv: Sequence[str], name: str) -> None:
    """Check that a program can receive the words of its command, a parameter of this name.

    Raises:
        InvalidParams: naming the first that it cannot.
    """
    for place, word in enumerate(argv):
        problem = _problem(word)
        if problem:
            raise InvalidParams(
                f"{name}[{place}] cannot be passed to a program: {problem}",
                suggestion="Put it into a file in the workspace that the program reads.",
                data={"path": f"{name}[{place}]"},
            )


def _problem(word: str) -> str:
    if "\0" in word:
        return f"it has a NUL byte at position {word.index(chr(0))}"
    try:
        size = len(os.fsencode(word))
    except UnicodeEncodeError as error:
        return f"the character at position {error.start} is half of a surrogate pair"
    if size > MAX_ARGUMENT_BYTES:
        return f"it has {size:,} bytes, more than {MAX_ARGUMENT_BYTES:,}"
    return ""
