"""Facts on disk by the content of files, and sections that are loaded when they are asked for."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._basis import (
        Basis,
        ManifestReads,
        are_current,
        content_digest,
        manifest_digest,
        stamps_digest,
    )
    from ._cache import SECTIONS, FactCache, FileStamp
    from ._cache_database import CacheDatabase, checksum
    from ._on_demand import DECODERS, AnySection, Encoded, FactsGone, OnDemandSections, Section
    from ._versions import derived_key, engine_version, engines_version, key_of, place_of

__all__ = [
    "DECODERS",
    "SECTIONS",
    "AnySection",
    "Basis",
    "CacheDatabase",
    "Encoded",
    "FactCache",
    "FactsGone",
    "FileStamp",
    "ManifestReads",
    "OnDemandSections",
    "Section",
    "are_current",
    "checksum",
    "content_digest",
    "derived_key",
    "engine_version",
    "engines_version",
    "key_of",
    "manifest_digest",
    "place_of",
    "stamps_digest",
]

__getattr__ = lazy(__name__)
