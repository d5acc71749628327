"""Read timings: collector-v1, csv-v1, curl's `%{json}`, HAR and hey's CSV."""

from ._reading import TimingsVersion, read_timings, timings_version

__all__ = ["TimingsVersion", "read_timings", "timings_version"]
