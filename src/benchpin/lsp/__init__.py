"""A language server: notes, review findings and navigation, in every editor with LSP."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._server import make_server, serve_editor

__all__ = ["make_server", "serve_editor"]

__getattr__ = lazy(__name__)
