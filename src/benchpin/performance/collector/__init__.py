"""Probe a host with GET requests and collect artefacts into a bundle."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._bundle import Bundle, collect
    from ._copying import MANIFEST, CollectRequest, read_manifest
    from ._probe import ProbeRequest, plan_probe

__all__ = [
    "MANIFEST",
    "Bundle",
    "CollectRequest",
    "ProbeRequest",
    "collect",
    "plan_probe",
    "read_manifest",
]

__getattr__ = lazy(__name__)
