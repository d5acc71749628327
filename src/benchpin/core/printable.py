"""Names of files as they can be sent and shown."""


def utf8(path: str) -> str:
    r"""Return a path that can be sent: bytes that are no UTF-8 are shown as `\xe9`."""
    if path.isascii():
        return path
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def plain(text: str) -> str:
    r"""Return a name on one line: what cannot be printed is shown as `\n`, `\x1b` and so on."""
    if text.isprintable():
        return text
    return "".join(
        it if it.isprintable() else it.encode("unicode_escape").decode() for it in utf8(text)
    )
