"""Check the text of a program before it is run."""

from benchpin.core.errors import InvalidParams

from ._encoding import encoded


def require_runnable(text: str, name: str, max_bytes: int, suggestion: str) -> None:
    """Check a command or script before it is run.

    Raises:
        InvalidParams: when the program could not receive it unchanged.
    """
    size = len(encoded(text, name, "strict"))
    if "\0" in text:
        raise InvalidParams(
            f"{name} has a NUL byte at position {text.index(chr(0))}",
            suggestion="Write it as an escape of the language, such as \\0.",
        )
    if size > max_bytes:
        raise InvalidParams(
            f"{name} has {size:,} bytes, more than {max_bytes:,}",
            suggestion=suggestion,
            data={"size_bytes": size, "most_bytes": max_bytes},
        )
