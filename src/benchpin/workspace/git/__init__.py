"""Run git on a repository that may be hostile: find it, ask it, name its commits."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._command import (
        GET_OBJECTS,
        ErrorOutput,
        GitFailed,
        check,
        find_commit,
        find_head,
        git_user,
        killed_on_deadline,
        merge_base,
        merge_texts,
        start,
        stream,
    )
    from ._confinement import command_line, find_git
    from ._repository import (
        ATTRIBUTES,
        NotARepository,
        Repository,
        find_repository,
        history_view,
        shown_by,
        work_tree_of,
    )
    from ._safe_files import TRUE, GitFiles, read_settings, resolved

__all__ = [
    "ATTRIBUTES",
    "GET_OBJECTS",
    "TRUE",
    "ErrorOutput",
    "GitFailed",
    "GitFiles",
    "NotARepository",
    "Repository",
    "check",
    "command_line",
    "find_commit",
    "find_git",
    "find_head",
    "find_repository",
    "git_user",
    "history_view",
    "killed_on_deadline",
    "merge_base",
    "merge_texts",
    "read_settings",
    "resolved",
    "shown_by",
    "start",
    "stream",
    "work_tree_of",
]

__getattr__ = lazy(__name__)
