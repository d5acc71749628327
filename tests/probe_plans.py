"""Plans of probes for tests."""

from collections.abc import Sequence
from typing import Any

from benchpin.performance.collector import ProbeRequest, plan_probe
from benchpin.performance.collector._probe import ProbePlan


def planned(base_url: str, url_paths: Sequence[str], **more: Any) -> ProbePlan:
    return plan_probe(ProbeRequest(base_url=base_url, url_paths=tuple(url_paths), **more))
