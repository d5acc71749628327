"""MCP Apps: pages inside a host, for tools whose results are better seen than read.

Extension `io.modelcontextprotocol/ui`, 2026-01-26. Only a client that negotiates it sees `_meta.ui`
in the list of tools, and gets the page of a result in its `_meta`. The page is what `format=html`
has, so that an app is drawn by the same scripts; the text stays as it is, for hosts without apps.
"""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._apps import APPS, MIME_TYPE, UI, negotiated, resource_meta, tool_at, with_apps
    from ._page import add_app, app_page

__all__ = [
    "APPS",
    "MIME_TYPE",
    "UI",
    "add_app",
    "app_page",
    "negotiated",
    "resource_meta",
    "tool_at",
    "with_apps",
]

__getattr__ = lazy(__name__)
