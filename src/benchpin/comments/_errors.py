"""The errors of the comment protocol."""

from benchpin.core.errors import BenchpinError


class CommentNotFound(BenchpinError):
    """No comment of the file has that id."""

    kind = "comment_not_found"


class LineOutOfRange(BenchpinError):
    """The file has no such line."""

    kind = "line_out_of_range"


class SourceNotParsed(BenchpinError):
    """The caller wants an anchor in a symbol, and the line is in none that can be parsed."""

    kind = "source_not_parsed"


class SidecarCorrupt(BenchpinError):
    """The sidecar is damaged or too new, and is not changed."""

    kind = "sidecar_corrupt"
    is_server_fault = True
