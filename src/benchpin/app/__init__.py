"""Settings, the catalogue of enabled tools, and the workbench that runs them."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._catalogue import Listing
    from ._config import Configuration, configure, load, sources
    from ._config_files import OWN_FILES
    from ._settings import Settings
    from ._signals import on_signals
    from ._watching import watch
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

__getattr__ = lazy(
    __name__,
    """
    _catalogue: Listing
    _config: Configuration configure load sources
    _config_files: OWN_FILES
    _settings: Settings
    _signals: on_signals
    _watching: watch
    _workbench: Call Workbench
    """,
)
