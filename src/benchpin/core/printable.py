"""Names of files as they can be sent and shown."""

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
