"""Recognise artefacts and read them: unpacked, redacted, as far as they are intact."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._ingest import IngestedArtifacts, ingest
    from ._partial_json import Broken, decode, items, member, outline, refuse_crowded, skip_blanks
    from ._source import MAX_DOCUMENT_BYTES, ArtifactSource, Budget, ReadRequest
    from ._unpacking import (
        FaultLog,
        Unpacker,
        redact_command,
        redact_headers,
        redact_text,
        redact_url,
    )
    from ._validation import (
        Artifact,
        Opener,
        Validation,
        conflicts_with_hints,
        validate,
        validate_all,
    )

__all__ = [
    "MAX_DOCUMENT_BYTES",
    "Artifact",
    "ArtifactSource",
    "Broken",
    "Budget",
    "FaultLog",
    "IngestedArtifacts",
    "Opener",
    "ReadRequest",
    "Unpacker",
    "Validation",
    "conflicts_with_hints",
    "decode",
    "ingest",
    "items",
    "member",
    "outline",
    "redact_command",
    "redact_headers",
    "redact_text",
    "redact_url",
    "refuse_crowded",
    "skip_blanks",
    "validate",
    "validate_all",
]

__getattr__ = lazy(__name__)
