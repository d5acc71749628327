"""What can go wrong with comments, in the words of their protocol."""

from benchpin.core import BenchpinError


class CommentNotFound(BenchpinError):
    """No comment of the file has that id."""

    kind = "comment_not_found"


class LineOutOfRange(BenchpinError):
    """The file has no such line."""

    kind = "line_out_of_range"


class SourceNotParsed(BenchpinError):
    """The caller wants a symbol to hold on to, and there is none to be had."""

    kind = "source_not_parsed"


class SidecarCorrupt(BenchpinError):
    """The file with the comments is damaged, and is left as it is."""

    kind = "sidecar_corrupt"
