"""What a tool says, so that two answers can be compared."""

import json
import re
from typing import Any

from benchpin.core.results import Result
from catalogue.site import Site

_TIMES = frozenset({"analysis_duration", "cache_bytes", "generated_at", "performance", "uptime_s"})
"""Fields that say when it was, how long it took and how much the cache held by then."""
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:[\d:.+]+Z?|\b[\d.]+ m?s\b|cache: [\d,]+ bytes")


def said(result: Result, site: Site) -> str:
    """Return the text and the structure, without moments, durations and the name of the folder."""
    structure = without_times(json.loads(result.model_dump_json(by_alias=True)))
    text = f"{_TIME.sub('·', result.to_text())}\n{json.dumps(structure, indent=1)}"
    return text.replace(str(site.root), "·")


def without_times(value: Any) -> Any:
    """Return a structured result without moments and durations."""
    if isinstance(value, dict):
        return {key: without_times(it) for key, it in value.items() if key not in _TIMES}
    return [without_times(it) for it in value] if isinstance(value, list) else value
