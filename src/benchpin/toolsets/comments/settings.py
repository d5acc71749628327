"""Settings under `[comments]`."""

from benchpin.comments import CommentsSettings

__all__ = ["CommentsSettings"]
