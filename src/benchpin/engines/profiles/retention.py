"""How long snapshots, reports and bundles are kept."""

from dataclasses import dataclass

_US_PER_DAY = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Retention:
    """How many are kept, and for how long; the newest is always kept."""

    keep_last_n: int = 50
    ttl_days: int | None = None

    def is_over(self, place: int, made_at_us: int, now_us: int) -> bool:
        """Whether to remove something; its place counts from the newest, which is 0."""
        if place == 0:
            return False
        is_too_old = self.ttl_days is not None and now_us - made_at_us > self.ttl_days * _US_PER_DAY
        return is_too_old or place >= max(1, self.keep_last_n)
