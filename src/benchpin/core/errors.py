"""Everything that can go wrong on purpose.

BenchpinError
├── InvalidParams            the arguments do not fit the tool
│   └── InvalidCursor        a page marker that was not made for this listing
├── UnknownTool              no tool has that name
├── ToolDisabled             the tool exists, and is switched off
├── EffectNotAllowed         this call would do more than the operator allowed
├── ResourceNotFound         no resource answers to that URI
├── PromptNotFound           no prompt has that name
├── PathError                something about a path
│   ├── InvalidPath          not a path at all (NUL bytes, a foreign URI)
│   ├── PathOutsideWorkspace resolves to a place outside the root
│   ├── FileMissing          nothing there
│   ├── FileTooLarge         more than is read at once
│   └── AccessDenied         the permissions, or the system, say no
├── TimeLimitExceeded        a tool did not come to an end in time
├── Cancelled                the caller lost interest
├── ClientRefused            the client was asked something back and said no
├── ConfigError              a setting that cannot be used
├── DependencyMissing        something outside Python is not installed
└── InternalError            a defect of ours

Each class has a stable `kind`, which clients may rely on. Numbers are given per toolset
(`Toolset.codes`): the protocols that Benchpin unites use the same numbers for different things.
"""

from collections.abc import Mapping
from typing import ClassVar


class BenchpinError(Exception):
    """A failure that the caller can understand and, usually, avoid next time."""

    kind: ClassVar[str] = "error"

    def __init__(
        self, message: str, *, suggestion: str, data: Mapping[str, object] | None = None
    ) -> None:
        """Say what happened, what to do next, and the facts behind it."""
        super().__init__(message)
        self.message = message
        self.suggestion = suggestion
        self.data: dict[str, object] = dict(data or {})

    def as_dict(self) -> dict[str, object]:
        """Return the error as plain data, for JSON."""
        return {
            "kind": self.kind,
            "message": self.message,
            "suggestion": self.suggestion,
            "data": self.data,
        }


class InvalidParams(BenchpinError):
    """The arguments do not fit the tool."""

    kind = "invalid_params"


class InvalidCursor(InvalidParams):
    """A page marker that was not made for this listing."""

    kind = "invalid_cursor"


class UnknownTool(BenchpinError):
    """No tool has that name."""

    kind = "unknown_tool"


class ToolDisabled(BenchpinError):
    """The tool exists, and is switched off."""

    kind = "tool_disabled"


class EffectNotAllowed(BenchpinError):
    """This call would do more than the operator allowed."""

    kind = "effect_not_allowed"


class ResourceNotFound(BenchpinError):
    """No resource answers to that URI."""

    kind = "resource_not_found"


class PromptNotFound(BenchpinError):
    """No prompt has that name."""

    kind = "prompt_not_found"


class PathError(BenchpinError):
    """Something about a path."""

    kind = "path_error"


class InvalidPath(PathError):
    """Not a path at all."""

    kind = "invalid_path"


class PathOutsideWorkspace(PathError):
    """The path resolves to a place outside the root."""

    kind = "path_outside_workspace"


class FileMissing(PathError):
    """Nothing is there."""

    kind = "file_missing"


class FileTooLarge(PathError):
    """The file is larger than what is read at once."""

    kind = "file_too_large"


class AccessDenied(PathError):
    """The permissions, or the system, say no."""

    kind = "access_denied"


class TimeLimitExceeded(BenchpinError):
    """A tool did not come to an end in time."""

    kind = "time_limit_exceeded"


class Cancelled(BenchpinError):
    """The caller lost interest."""

    kind = "cancelled"


class ClientRefused(BenchpinError):
    """The client was asked something back and said no."""

    kind = "client_refused"


class ConfigError(BenchpinError):
    """A setting that cannot be used."""

    kind = "config_error"


class DependencyMissing(BenchpinError):
    """Something outside Python is not installed."""

    kind = "dependency_missing"


class InternalError(BenchpinError):
    """A defect of ours; the log has its traceback."""

    kind = "internal_error"

    def __init__(self, reference: str) -> None:
        """Say how to report it; the reference finds it in the log."""
        super().__init__(
            "Internal error: Benchpin failed, not your request",
            suggestion=f"Report it with {reference}.",
            data={"reference": reference},
        )
