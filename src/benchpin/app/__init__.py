"""Settings, the catalogue of enabled tools, and the workbench that runs them."""

from .catalogue import Catalogue, Listing, Verdict
from .config import Configuration, Narrowing, configure, load
from .settings import Settings
from .workbench import Call, Workbench

__all__ = [
    "Call",
    "Catalogue",
    "Configuration",
    "Listing",
    "Narrowing",
    "Settings",
    "Verdict",
    "Workbench",
    "configure",
    "load",
]
