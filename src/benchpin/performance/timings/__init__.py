"""Read timings: collector-v1, csv-v1, curl's `%{json}`, HAR and hey's CSV."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._reading import read_timings, timings_version

__all__ = ["read_timings", "timings_version"]

__getattr__ = lazy(
    __name__,
    """
    _reading: read_timings timings_version
    """,
)
