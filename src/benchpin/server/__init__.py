"""The MCP server: the kernel on the SDK's low-level server, our connections and transports.

Read `_session.py` first: it serves one connection. `_kernel.py` lists the methods, `_tools.py` runs
tools, `pipes` and `network` are the transports; `pipes/_welcome.py` answers before the SDK loads.
"""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._announcement import (
        LIST_TTL_MS,
        TELEMETRY,
        capabilities,
        instructions,
        server_info,
        tool_definitions,
    )
    from ._heap import collect_less
    from ._kernel import Kernel
    from ._logs import configure_logging, log_fields
    from ._peer import Context, Peer, State, TokenBucket
    from ._request_log import log_refusal
    from ._sdk_adapter import CallContext
    from ._session import Session
    from ._unsent import Outbox, Unsent

__all__ = [
    "LIST_TTL_MS",
    "TELEMETRY",
    "CallContext",
    "Context",
    "Kernel",
    "Outbox",
    "Peer",
    "Session",
    "State",
    "TokenBucket",
    "Unsent",
    "capabilities",
    "collect_less",
    "configure_logging",
    "instructions",
    "log_fields",
    "log_refusal",
    "server_info",
    "tool_definitions",
]

__getattr__ = lazy(__name__)
