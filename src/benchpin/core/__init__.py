"""The vocabulary: tools, params, results, effects, errors, paging, permissions.

Nothing here depends on MCP, the command line or a particular tool.
"""

from .bench import Bench, Caller, Client, Installation
from .command import Command, CommandField
from .content import Audio, Content, EmbeddedResource, Image, ResourceLink, Text
from .control_characters import visible
from .effects import DEFAULT_EFFECTS, Effect, Hints
from .errors import (
    AccessDenied,
    BenchpinError,
    Cancelled,
    ClientRefused,
    ConfigError,
    DependencyMissing,
    DiskFull,
    EffectNotAllowed,
    FileChanged,
    FileMissing,
    FileTooLarge,
    InternalError,
    InvalidCursor,
    InvalidParams,
    InvalidPath,
    PathError,
    PathOutsideWorkspace,
    PromptNotFound,
    QueueLimitExceeded,
    ResourceNotFound,
    ResponseTooLarge,
    TimeLimitExceeded,
    ToolDisabled,
    UnknownTool,
    is_disk_full,
)
from .file_uri import absolute_uri, file_uri, path_of
from .job import Job, LogLevel, Progress
from .limits import Limits
from .paging import Page, StreamPage, decode_cursor, encode_cursor, paginate, paginate_stream
from .params import AlsoNamed, FileText, Number, Params, PathArgument, Rare
from .permissions import Denial, Operation, Permissions, Rule, only_denies
from .picture import Picture
from .printable import by_reason, counted, plain, sendable, utf8
from .prompt import Prompt, PromptArgument, PromptMessage, RenderedPrompt, prompt
from .report import Report
from .resource import Resource, ResourceContents, ResourceEntry, Variables, resource
from .result import Abridged, Coverage, Item, Result
from .result_store import ResultStore, StoredResult
from .schema import Schema
from .text_style import TextStyle
from .tool import AnyTool, Tool, ToolDefinition, tool
from .toolset import Example, Toolset, ToolsetSettings
from .view import (
    Check,
    Column,
    Finding,
    FindingParams,
    FindingRule,
    InnerTable,
    Level,
    ListParams,
    Table,
    View,
    location,
)
from .workspace import Workspace
from .workspace_session import WorkspaceSession

__all__ = [
    "DEFAULT_EFFECTS",
    "Abridged",
    "AccessDenied",
    "AlsoNamed",
    "AnyTool",
    "Audio",
    "Bench",
    "BenchpinError",
    "Caller",
    "Cancelled",
    "Check",
    "Client",
    "ClientRefused",
    "Column",
    "Command",
    "CommandField",
    "ConfigError",
    "Content",
    "Coverage",
    "Denial",
    "DependencyMissing",
    "DiskFull",
    "Effect",
    "EffectNotAllowed",
    "EmbeddedResource",
    "Example",
    "FileChanged",
    "FileMissing",
    "FileText",
    "FileTooLarge",
    "Finding",
    "FindingParams",
    "FindingRule",
    "Hints",
    "Image",
    "InnerTable",
    "Installation",
    "InternalError",
    "InvalidCursor",
    "InvalidParams",
    "InvalidPath",
    "Item",
    "Job",
    "Level",
    "Limits",
    "ListParams",
    "LogLevel",
    "Number",
    "Operation",
    "Page",
    "Params",
    "PathArgument",
    "PathError",
    "PathOutsideWorkspace",
    "Permissions",
    "Picture",
    "Progress",
    "Prompt",
    "PromptArgument",
    "PromptMessage",
    "PromptNotFound",
    "QueueLimitExceeded",
    "Rare",
    "RenderedPrompt",
    "Report",
    "Resource",
    "ResourceContents",
    "ResourceEntry",
    "ResourceLink",
    "ResourceNotFound",
    "ResponseTooLarge",
    "Result",
    "ResultStore",
    "Rule",
    "Schema",
    "StoredResult",
    "StreamPage",
    "Table",
    "Text",
    "TextStyle",
    "TimeLimitExceeded",
    "Tool",
    "ToolDefinition",
    "ToolDisabled",
    "Toolset",
    "ToolsetSettings",
    "UnknownTool",
    "Variables",
    "View",
    "Workspace",
    "WorkspaceSession",
    "absolute_uri",
    "by_reason",
    "counted",
    "decode_cursor",
    "encode_cursor",
    "file_uri",
    "is_disk_full",
    "location",
    "only_denies",
    "paginate",
    "paginate_stream",
    "path_of",
    "plain",
    "prompt",
    "resource",
    "sendable",
    "tool",
    "utf8",
    "visible",
]
