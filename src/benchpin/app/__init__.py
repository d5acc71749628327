"""Composition: settings, the catalogue of what is enabled, and the workbench that runs it."""

from .catalogue import Catalogue, Listing, Verdict
from .config import Configuration, configure, load
from .settings import Settings
from .workbench import Call, Workbench

__all__ = [
    "Call",
    "Catalogue",
    "Configuration",
    "Listing",
    "Settings",
    "Verdict",
    "Workbench",
    "configure",
    "load",
]
