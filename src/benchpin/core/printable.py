"""Names of files and numbers of things as they can be sent and shown."""

from .file_uri import file_uri


def sendable(path: str) -> str:
    """Return a path that can be sent, and be sent back: its URI when it is no UTF-8."""
    return path if _is_utf8(path) else file_uri(path)


def _is_utf8(path: str) -> bool:
    return path.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in path)


def utf8(text: str) -> str:
    r"""Return a text that can be sent: bytes that are no UTF-8 are shown as `\xe9`."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def plain(text: str) -> str:
    r"""Return a name on one line: what cannot be printed is shown as `\n`, `\x1b` and so on."""
    if text.isprintable():
        return text
    return "".join(
        it if it.isprintable() else it.encode("unicode_escape").decode() for it in utf8(text)
    )


def counted(count: int, one: str, many: str | None = None) -> str:
    """Say how many there are of something, which has an `s` in the plural if nothing is given."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
