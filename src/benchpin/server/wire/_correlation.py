"""The id that connects a request, its answer and its log lines."""

import hashlib
from collections.abc import Mapping

from ._encoding import to_json

_LENGTH = 32


def correlate(method: str, params: Mapping[str, object] | None) -> str:
    """Return the id that the client chose, or a hash of the request."""
    chosen = (params or {}).get("correlation_id")
    if isinstance(chosen, str) and chosen:
        return chosen
    return hashlib.sha256(to_json([method, params], fallback=str)).hexdigest()[:_LENGTH]
