"""Probe a host with GET requests and gather artefacts into a bundle."""

from .bundle import Bundle, CollectRequest, collect
from .manifest import MANIFEST, Item, Manifest, read_manifest
from .plan import ProbePlan, RedactionRules, plan_probe
from .probe import TimedRequest, probe
from .retention import Retention

__all__ = [
    "MANIFEST",
    "Bundle",
    "CollectRequest",
    "Item",
    "Manifest",
    "ProbePlan",
    "RedactionRules",
    "Retention",
    "TimedRequest",
    "collect",
    "plan_probe",
    "probe",
    "read_manifest",
]
