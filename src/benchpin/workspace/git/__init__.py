"""Run git on a repository that may be hostile: find it, ask it, name its commits."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._command import (
        GET_OBJECTS,
        ErrorOutput,
        GitFailed,
        check,
        find_head,
        killed_on_deadline,
        merge_texts,
        start,
        stream,
    )
    from ._config import TRUE, read_settings
    from ._confinement import command_line, find_git
    from ._history_view import ATTRIBUTES, history_view, shown_by
    from ._repository import NotARepository, Repository, find_repository, work_tree_of
    from ._revisions import find_commit, merge_base
    from ._safe_files import GitFiles, resolved
    from ._user import git_user

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

__getattr__ = lazy(
    __name__,
    """
    _command: ErrorOutput GET_OBJECTS GitFailed check find_head killed_on_deadline
        merge_texts start stream
    _config: TRUE read_settings
    _confinement: command_line find_git
    _history_view: ATTRIBUTES history_view shown_by
    _repository: NotARepository Repository find_repository work_tree_of
    _revisions: find_commit merge_base
    _safe_files: GitFiles resolved
    _user: git_user
    """,
)
