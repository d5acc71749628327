"""Probe a host with GET requests and collect artefacts into a bundle."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._bundle import Bundle, collect
    from ._copying import MANIFEST, CollectRequest, read_manifest
    from ._plan import ProbeRequest, plan_probe

__all__ = [
    "MANIFEST",
    "Bundle",
    "CollectRequest",
    "ProbeRequest",
    "collect",
    "plan_probe",
    "read_manifest",
]

__getattr__ = lazy(
    __name__,
    """
    _bundle: Bundle collect
    _copying: CollectRequest
    _copying: MANIFEST read_manifest
    _plan: ProbeRequest plan_probe
    """,
)
