"""Probe a host with GET requests and gather artefacts into a bundle."""

from .bundle import Bundle, CollectRequest, collect
from .manifest import MANIFEST, Item, Manifest, read_manifest
from .plan import ProbePlan, RedactionRules, plan_probe
from .probe import TimedRequest, probe

__all__ = [
    "MANIFEST",
    "Bundle",
    "CollectRequest",
    "Item",
    "Manifest",
    "ProbePlan",
    "RedactionRules",
    "TimedRequest",
    "collect",
    "plan_probe",
    "probe",
    "read_manifest",
]
