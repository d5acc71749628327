"""Projects made from templates: scaffolding, provenance, drift, updates."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._drift import ProjectDrift, find_drift
    from ._provenance import (
        BASE_PATH,
        FORMATS,
        MAX_RECORD_BYTES,
        PROVENANCE_PATH,
        GeneratedProject,
        base_file,
        provenance,
        read_record,
        record_of,
    )
    from ._scaffolding import ScaffoldRequest, scaffold, write_files
    from ._updating import UpdatedFile, UpdatedTemplate, plan_update

__all__ = [
    "BASE_PATH",
    "FORMATS",
    "MAX_RECORD_BYTES",
    "PROVENANCE_PATH",
    "GeneratedProject",
    "ProjectDrift",
    "ScaffoldRequest",
    "UpdatedFile",
    "UpdatedTemplate",
    "base_file",
    "find_drift",
    "plan_update",
    "provenance",
    "read_record",
    "record_of",
    "scaffold",
    "write_files",
]

__getattr__ = lazy(__name__)
