"""Read timings: collector-v1, csv-v1, curl's `%{json}`, HAR and hey's CSV, told by content."""

from ._formats import TimingsVersion, timings_version
from ._reading import read_timings

__all__ = ["TimingsVersion", "read_timings", "timings_version"]
