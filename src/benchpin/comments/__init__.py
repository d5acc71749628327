"""Comments anchored to lines of code: their store, and how they are exported."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._comment import PlacedComment, State, StoredComment, describe_anchor
    from ._errors import SourceNotParsed, protocol_errors
    from ._export_records import records_of
    from ._new_comment import NewComment
    from ._places import (
        SUFFIX,
        CommentsSettings,
        ReadingCall,
        SidecarFolder,
        is_denied,
        sidecar_folder,
    )
    from ._sidecar import MAX_BYTES, NEWER, Marker, Sidecar, parse, read_time
    from ._sidecar_edit import SidecarEditor
    from ._store import CommentStore
    from ._workspace_comments import PlacedSidecar, WorkspaceComments
    from .exports import fenced

__all__ = [
    "MAX_BYTES",
    "NEWER",
    "SUFFIX",
    "CommentStore",
    "CommentsSettings",
    "Marker",
    "NewComment",
    "PlacedComment",
    "PlacedSidecar",
    "ReadingCall",
    "Sidecar",
    "SidecarEditor",
    "SidecarFolder",
    "SourceNotParsed",
    "State",
    "StoredComment",
    "WorkspaceComments",
    "describe_anchor",
    "fenced",
    "is_denied",
    "parse",
    "protocol_errors",
    "read_time",
    "records_of",
    "sidecar_folder",
]

__getattr__ = lazy(__name__)
