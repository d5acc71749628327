"""Settings under `[comments]`."""

from benchpin.engines.anchors.places import CommentsSettings

__all__ = ["CommentsSettings"]
