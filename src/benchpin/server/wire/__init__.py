"""Results and errors as clients see them."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._encoding import Channel, correlate, to_json
    from ._wire_errors import (
        ERROR_META,
        NUMBERED_ERRORS_VERSION,
        dotted_error,
        error_envelope,
        fault_envelope,
        internal_error,
        invalid_params,
        invalid_request,
        protocol_error,
        resource_error,
        resource_errors,
        shutting_down,
        too_large,
        tool_failure,
    )
    from ._wire_results import (
        ASSURANCE,
        ENVELOPE_BYTES,
        EXTRAS,
        Present,
        Presenter,
        content_block,
        resource_contents,
    )

__all__ = [
    "ASSURANCE",
    "ENVELOPE_BYTES",
    "ERROR_META",
    "EXTRAS",
    "NUMBERED_ERRORS_VERSION",
    "Channel",
    "Present",
    "Presenter",
    "content_block",
    "correlate",
    "dotted_error",
    "error_envelope",
    "fault_envelope",
    "internal_error",
    "invalid_params",
    "invalid_request",
    "protocol_error",
    "resource_contents",
    "resource_error",
    "resource_errors",
    "shutting_down",
    "to_json",
    "too_large",
    "tool_failure",
]

__getattr__ = lazy(__name__)
