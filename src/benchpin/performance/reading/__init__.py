"""Recognise artefacts and read them: unpacked, redacted, as far as they are intact."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._detect import Validation, validate
    from ._ingest import (
        Artifact,
        IngestedArtifacts,
        Opener,
        conflicts_with_hints,
        ingest,
        validate_all,
    )
    from ._partial_json import Broken, decode, items, member, outline, refuse_crowded, skip_blanks
    from ._unpacking import (
        FaultLog,
        Unpacker,
        redact_command,
        redact_headers,
        redact_text,
        redact_url,
    )

__all__ = [
    "Artifact",
    "Broken",
    "FaultLog",
    "IngestedArtifacts",
    "Opener",
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

__getattr__ = lazy(
    __name__,
    """
    _detect: Validation validate
    _unpacking: FaultLog
    _ingest: Artifact IngestedArtifacts Opener conflicts_with_hints ingest validate_all
    _partial_json: Broken decode items member outline refuse_crowded skip_blanks
    _unpacking: redact_command redact_headers redact_text redact_url
    _unpacking: Unpacker
    """,
)
