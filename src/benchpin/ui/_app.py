"""The pages of `benchpin ui`, as an ASGI application; tools are called as every client does."""

import asyncio
import logging
import mimetypes
import re
from collections.abc import Awaitable, Callable

from starlette.applications import Starlette  # noqa: TID253 - imported only to serve pages
from starlette.requests import Request  # noqa: TID253 - likewise
from starlette.responses import Response, StreamingResponse  # noqa: TID253 - likewise
from starlette.routing import Route  # noqa: TID253 - likewise

from benchpin.app import Workbench, watch
from benchpin.code.changes import UNCOMMITTED
from benchpin.comments import SUFFIX
from benchpin.core.errors import BenchpinError, FileMissing, InternalError
from benchpin.performance.exports import flame_script, flame_style
from benchpin.present import page
from benchpin.present.pictures import script_bundle

from ._access import Access, AccessMiddleware, App
from ._change_page import change_page, prove
from ._finding_pages import findings_page, landscape_data, map_page, overview_page, performance_page
from ._pages import FOLDER
from ._search_pages import hits_fragment, search_page
from ._site import Site
from ._source_pages import (
    add_comment,
    card_fragment,
    resolve_comment,
    source_page,
    symbol_page,
    users_fragment,
)

logger = logging.getLogger(__name__)
_MAX_PATHS = 100
_MAX_SHOWN = 200
_STATIC = re.compile(r"[a-z_]+\.(css|js)")

Handler = Callable[[Site, Request], Awaitable[Response]]


async def _events(site: Site, _request: Request) -> Response:
    headers = {"cache-control": "no-store"}
    return StreamingResponse(site.events.stream(), 200, headers, "text/event-stream")


async def _static(_site: Site, request: Request) -> Response:
    name = request.path_params["name"]
    make = _SHARED.get(name)
    if make is not None:
        content = await asyncio.to_thread(make)
    elif _STATIC.fullmatch(name) and (FOLDER / "static" / name).is_file():
        content = (FOLDER / "static" / name).read_text(encoding="utf-8")
    else:
        return Response("There is no such file.", 404)
    headers = {"cache-control": "no-cache"}
    return Response(content, 200, headers, mimetypes.guess_type(name)[0])


# What pages share with documents that are one file.
_SHARED: dict[str, Callable[[], str]] = {
    "page.css": page.style,
    "page.js": page.script,
    "vega.js": script_bundle,
    "flame.css": flame_style,
    "flame.js": flame_script,
}

PAGES: dict[str, Handler] = {
    "/": overview_page,
    "/map": map_page,
    "/landscape.json": landscape_data,
    "/findings": findings_page,
    "/findings/{tool}": findings_page,
    "/performance": performance_page,
    "/source": source_page,
    "/users": users_fragment,
    "/card": card_fragment,
    "/symbol": symbol_page,
    "/change": change_page,
    "/search": search_page,
    "/hits": hits_fragment,
    "/events": _events,
    "/static/{name}": _static,
}
CHANGES: dict[str, Handler] = {
    "/comments/add": add_comment,
    "/comments/resolve": resolve_comment,
    "/change/prove": prove,
}


class PageApp:
    """The application: the pages of a workspace behind their guard."""

    def __init__(self, workbench: Workbench, access: Access, compared: str = UNCOMMITTED) -> None:
        self.site = Site(workbench, compared)
        routes = [
            *(Route(path, self._bound(it)) for path, it in PAGES.items()),
            *(Route(path, self._bound(it), methods=["POST"]) for path, it in CHANGES.items()),
        ]
        self.app: App = AccessMiddleware(
            Starlette(routes=routes, exception_handlers={404: self._missing, 500: self._broken}),
            access,
        )

    def _missing(self, request: Request, _error: Exception) -> Response:
        path = request.url.path[:_MAX_SHOWN]
        suggestion = "Choose one of these pages, or search for it."
        return self.site.failed(
            FileMissing(f"There is no page {path!r}", suggestion=suggestion), path, 404
        )

    def _broken(self, _request: Request, error: Exception) -> Response:
        logger.error("A page failed", exc_info=error)
        return self.site.failed(InternalError("the log of `benchpin ui`"), status=500)

    def _bound(self, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        async def handled(request: Request) -> Response:
            try:
                return await handler(self.site, request)
            except BenchpinError as error:
                given = request.query_params
                return self.site.failed(error, given.get("path") or given.get("name") or "")

        return handled

    async def watch(self, stop: asyncio.Event) -> None:
        """Tell open pages about changed files until `stop` is set."""
        async for changes in watch(self.site.workbench.bench, stop):
            paths = [str(it.path) for it in changes]
            if not all(it.endswith(SUFFIX) for it in paths):
                self.site.analyses.files_changed()
            self.site.events.send("changed", {"paths": paths[:_MAX_PATHS]})

    def close(self) -> None:
        """Cancel what runs, and end the streams of events."""
        self.site.analyses.close()
        self.site.events.close()
