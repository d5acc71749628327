"""Every error that Benchpin raises on purpose.

BenchpinError
├── InvalidParams            the arguments do not fit the tool
│   └── InvalidCursor        a cursor that belongs to another list
├── UnknownTool              no tool has that name
├── ToolDisabled             the tool exists, but is disabled
├── EffectNotAllowed         this call needs an effect that the operator did not allow
├── ResourceNotFound         no resource has that URI
├── PromptNotFound           no prompt has that name
├── PathError                a path cannot be used
│   ├── InvalidPath          not a valid path (NUL bytes, another URI scheme)
│   ├── PathOutsideWorkspace resolves to a path outside the root
│   ├── FileMissing          no such file or folder
│   ├── FileTooLarge         above the size limit
│   ├── FileChanged          another program has changed it since it was read
│   └── AccessDenied         the permissions, or the operating system, deny it
│       └── DiskFull         no room left to write it
├── TimeLimitExceeded        the tool did not finish in time
├── QueueLimitExceeded       the call waited too long for its turn, and never started
├── ResponseTooLarge         the answer is above the size limit, even when shortened
├── Cancelled                the caller cancelled the call
├── ClientRefused            the client declined a request of ours
├── ConfigError              an invalid setting
├── DependencyMissing        a program, or an extra of the package, is not installed
├── ToolsetBroken            a toolset of another distribution cannot be loaded
└── InternalError            a bug in Benchpin

Each class has a stable `kind`, which clients may rely on. Numbers are assigned per toolset
(`Toolset.codes`): the protocols that Benchpin unites use the same numbers for different errors.
"""

import errno
from collections.abc import Mapping
from typing import ClassVar, Self

from benchpin.core.text import visible


class BenchpinError(Exception):
    """An error that the caller can understand and usually avoid."""

    kind: ClassVar[str] = "error"
    is_server_fault: bool = False
    """Whether the disk, the time or the installation failed, and not the request."""

    def __init__(
        self,
        message: str,
        *,
        suggestion: str,
        data: Mapping[str, object] | None = None,
        is_server_fault: bool = False,
    ) -> None:
        """Set what happened, what to do next, and the values behind it."""
        if is_server_fault:
            self.is_server_fault = True
        self.message = visible(message)  # it may quote a file name, or the text of a repository
        self.suggestion = visible(suggestion)
        super().__init__(self.message)
        self.data: dict[str, object] = dict(data or {})

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle without `__init__`, which needs more than the message: workers raise errors."""
        return type(self).__new__, (type(self), *self.args), self.__dict__

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
    """A cursor that belongs to another list."""

    kind = "invalid_cursor"


class UnknownTool(BenchpinError):
    """No tool has that name."""

    kind = "unknown_tool"


class ToolDisabled(BenchpinError):
    """The tool exists, but is disabled."""

    kind = "tool_disabled"


class EffectNotAllowed(BenchpinError):
    """This call needs an effect that the operator did not allow."""

    kind = "effect_not_allowed"


class ResourceNotFound(BenchpinError):
    """No resource has that URI."""

    kind = "resource_not_found"


class PromptNotFound(BenchpinError):
    """No prompt has that name."""

    kind = "prompt_not_found"


class PathError(BenchpinError):
    """A path cannot be used."""

    kind = "path_error"


class InvalidPath(PathError):
    """Not a valid path."""

    kind = "invalid_path"


class PathOutsideWorkspace(PathError):
    """The path resolves to a path outside the root."""

    kind = "path_outside_workspace"


class FileMissing(PathError):
    """No such file or folder."""

    kind = "file_missing"


class FileTooLarge(PathError):
    """The file is above the size limit."""

    kind = "file_too_large"


class FileChanged(PathError):
    """Another program has changed the file since it was read."""

    kind = "file_changed"


class AccessDenied(PathError):
    """The permissions, or the operating system, deny it."""

    kind = "access_denied"


class DiskFull(AccessDenied):
    """There is no room left to write the file."""

    kind = "disk_full"
    is_server_fault = True


def is_disk_full(error: OSError) -> bool:
    """Whether an operation failed because the disk or the quota of the user is full."""
    return error.errno in {errno.ENOSPC, errno.EDQUOT}


class TimeLimitExceeded(BenchpinError):
    """The tool did not finish in time."""

    kind = "time_limit_exceeded"
    is_server_fault = True


class ResponseTooLarge(BenchpinError):
    """The answer is above the size limit, even when shortened."""

    kind = "response_too_large"

    def __init__(self, limit_bytes: int) -> None:
        """Name the limit and its setting."""
        super().__init__(
            f"The answer is longer than {limit_bytes:,} bytes, even when shortened",
            suggestion="Ask for less, or raise limits.response_bytes.",
            data={"limit_bytes": limit_bytes, "setting": "limits.response_bytes"},
        )


class QueueLimitExceeded(BenchpinError):
    """The call waited too long for its turn, and never started."""

    kind = "queue_limit_exceeded"
    is_server_fault = True


class Cancelled(BenchpinError):
    """The caller cancelled the call."""

    kind = "cancelled"
    is_server_fault = True


class ClientRefused(BenchpinError):
    """The client declined a request of ours."""

    kind = "client_refused"


class ConfigError(BenchpinError):
    """An invalid setting."""

    kind = "config_error"
    is_server_fault = True


class DependencyMissing(BenchpinError):
    """A program, or an extra of the package, is not installed."""

    kind = "dependency_missing"
    is_server_fault = True


class ToolsetBroken(BenchpinError):
    """A toolset of another distribution cannot be loaded."""

    kind = "toolset_broken"
    is_server_fault = True

    @classmethod
    def of(cls, toolset: str, distribution: str, error: BaseException) -> Self:
        """Name the distribution, and what its code raised."""
        package = distribution.partition(" ")[0]
        return cls(
            f"The toolset {toolset!r} of the distribution {distribution} cannot be loaded: "
            f"{type(error).__name__}: {error}",
            suggestion=f"Update or remove it: pip install -U {package}, pip uninstall {package}.",
            data={"toolset": toolset, "distribution": distribution},
        )


class InternalError(BenchpinError):
    """A bug in Benchpin; the log has its traceback."""

    kind = "internal_error"
    is_server_fault = True

    def __init__(self, reference: str) -> None:
        """Tell the caller how to report it; the log has the same reference."""
        super().__init__(
            "Internal error: Benchpin failed, not your request",
            suggestion=f"Report it with {reference}.",
            data={"reference": reference},
        )
