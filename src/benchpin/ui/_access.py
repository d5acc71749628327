"""Who may see the pages: a browser on this machine that was given the address.

A web page elsewhere can send requests to a local server, under a host name of its own (DNS
rebinding) or across sites. So each request needs the address that is listened on as its Host, no
Origin but ours, and the secret: once in the address that is printed, then in a cookie that browsers
send with our own pages only.
"""

import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

TOKEN = "token"  # noqa: S105 - the name of the parameter
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"same-origin"),  # with no-referrer, forms have the Origin null
    (b"x-content-type-options", b"nosniff"),
)
_HEAD = '<!doctype html><html lang="en"><title>Benchpin</title><link rel="icon" href="data:,">'
_READING = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True)
class Access:
    """The address of the pages, and the secret that opens them."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    def address(self, path: str = "/") -> str:
        """Return the address to open in a browser."""
        return f"http://127.0.0.1:{self.port}{path}?{TOKEN}={self.token}"

    @property
    def cookie(self) -> str:
        """The name of the cookie; browsers share cookies among the ports of a host."""
        return f"benchpin_{self.port}"

    def refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Return the status and the reason why a request is refused; None if it is accepted."""
        headers = scope["headers"]
        hosts = [value.decode("latin-1") for name, value in headers if name == b"host"]
        origins = [value.decode("latin-1") for name, value in headers if name == b"origin"]
        names = {f"127.0.0.1:{self.port}", f"localhost:{self.port}"}
        if len(hosts) != 1 or hosts[0] not in names:
            return 403, "This address is not served here."
        if any(it != f"http://{hosts[0]}" for it in origins):
            return 403, "Other pages may not use this one."
        if scope["method"] not in _READING and not origins:
            return 403, "Only Benchpin's own pages may make changes."
        if not self._is_known(scope):
            return 401, "Open the address that `benchpin ui` printed: it has the key."
        return None

    def _is_known(self, scope: Scope) -> bool:
        return any(
            hmac.compare_digest(it.encode(), self.token.encode())
            for it in (*_tokens(scope), *_cookies(scope, self.cookie))
        )

    async def enter(self, scope: Scope, send: Send) -> None:
        """Answer a request that has the token in its address: keep it, and go on without it.

        A page that loads the next one, and no redirect: a browser that came from another site would
        not send the cookie with the redirected request.
        """
        query = [it for it in parse_qsl(scope["query_string"].decode("latin-1")) if it[0] != TOKEN]
        rest = "&".join(f"{quote(key)}={quote(value)}" for key, value in query)
        target = quote(scope["path"]) + (f"?{rest}" if rest else "")
        cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
        page = f'{_HEAD}<meta http-equiv="refresh" content="0; url={target.replace("&", "&amp;")}">'
        await answer(send, 200, page, ((b"set-cookie", cookie.encode()),))


class AccessMiddleware:
    """ASGI middleware that applies the rules, and adds the headers that confine a page."""

    def __init__(self, app: App, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it."""
        if scope["type"] != "http":
            return
        refusal = self._access.refusal(scope)
        if refusal is not None:
            status, reason = refusal
            await answer(send, status, f"{_HEAD}<p>{reason}</p>")
        elif _tokens(scope):
            await self._access.enter(scope, send)
        else:
            await self._app(scope, receive, _confining(send))


def _confining(send: Send) -> Send:
    async def confined(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *HEADERS]}
        await send(message)

    return confined


async def answer(
    send: Send, status: int, page: str, headers: tuple[tuple[bytes, bytes], ...] = ()
) -> None:
    """Send a whole page."""
    body = page.encode()
    fixed = (
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-length", b"%d" % len(body)),
        (b"cache-control", b"no-store"),
    )
    start = {"type": "http.response.start", "status": status}
    await send({**start, "headers": [*fixed, *HEADERS, *headers]})
    await send({"type": "http.response.body", "body": body})


def _tokens(scope: Scope) -> list[str]:
    query = parse_qsl(scope["query_string"].decode("latin-1"))
    return [value for key, value in query if key == TOKEN]


def _cookies(scope: Scope, name: str) -> list[str]:
    """Return the values of a cookie, whatever others are beside it.

    Browsers send the cookies of all ports of a host. `http.cookies` reads no more after one that it
    refuses, such as JSON.
    """
    pairs = (
        pair.strip().partition("=")
        for header, value in scope["headers"]
        if header == b"cookie"
        for pair in value.decode("latin-1").split(";")
    )
    return [value.strip() for key, _, value in pairs if key.strip() == name]
