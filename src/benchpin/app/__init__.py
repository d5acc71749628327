"""Settings, the catalogue of enabled tools, and the workbench that runs them."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._catalogue import Listing
    from ._config import OWN_FILES, Configuration, configure, load, sources
    from ._settings import Settings
    from ._watching import on_signals, watch
    from ._workbench import Call, Workbench

__all__ = [
    "OWN_FILES",
    "Call",
    "Configuration",
    "Listing",
    "Settings",
    "Workbench",
    "configure",
    "load",
    "on_signals",
    "sources",
    "watch",
]

__getattr__ = lazy(__name__)
