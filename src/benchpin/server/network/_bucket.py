"""The rate limit of a connection or an address."""

import math
import time
from collections.abc import Callable


class TokenBucket:
    """Holds up to `burst` tokens and gains `per_second` of them each second."""

    def __init__(
        self,
        burst: int,
        per_second: float,
        within: "TokenBucket | None" = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take every token from `within` too, which several buckets may share."""
        self._burst = float(burst)
        self._per_second = per_second
        self._within = within
        self._monotonic = monotonic
        self._tokens = float(burst)
        self._filled_at = monotonic()

    def take(self) -> int:
        """Take a token and return 0, or return the milliseconds until there is one."""
        now = self._monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._filled_at) * self._per_second)
        self._filled_at = now
        if self._tokens >= 1:
            self._tokens -= 1
            return 0 if self._within is None else self._within.take()
        return math.ceil((1 - self._tokens) / self._per_second * 1000)
