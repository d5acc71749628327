"""The vocabulary: tools, params, results, effects, errors, paging, permissions.

Nothing here knows of MCP, of the command line or of any particular tool.
"""

from .bench import Bench, Caller, Client, Installation
from .content import Audio, Content, EmbeddedResource, Image, ResourceLink, Text
from .effects import DEFAULT_EFFECTS, Effect, Hints
from .errors import (
    AccessDenied,
    BenchpinError,
    Cancelled,
    ClientRefused,
    ConfigError,
    DependencyMissing,
    EffectNotAllowed,
    FileMissing,
    FileTooLarge,
    InternalError,
    InvalidCursor,
    InvalidParams,
    InvalidPath,
    PathError,
    PathOutsideWorkspace,
    PromptNotFound,
    ResourceNotFound,
    TimeLimitExceeded,
    ToolDisabled,
    UnknownTool,
)
from .file_uri import file_uri, path_of
from .job import Job, Lengthy, LogLevel, Progress
from .limits import Limits
from .paging import Page, Window, decode_cursor, encode_cursor, look_into, paginate
from .params import Params
from .permissions import Operation, Permissions, Refusal, Rule, only_denies
from .printable import counted, plain, sendable, utf8
from .prompt import Argument, Message, Prompt, Rendered, prompt
from .report import Report
from .resource import Contents, Entry, Resource, Variables, resource
from .result import GO_ON, Abridged, Item, Result
from .result_store import ResultStore, Stored
from .schema import Schema
from .tool import AnyTool, Tool, tool
from .toolset import Example, Toolset
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
    "GO_ON",
    "Abridged",
    "AccessDenied",
    "AnyTool",
    "Argument",
    "Audio",
    "Bench",
    "BenchpinError",
    "Caller",
    "Cancelled",
    "Check",
    "Client",
    "ClientRefused",
    "Column",
    "ConfigError",
    "Content",
    "Contents",
    "DependencyMissing",
    "Effect",
    "EffectNotAllowed",
    "EmbeddedResource",
    "Entry",
    "Example",
    "FileMissing",
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
    "Lengthy",
    "Level",
    "Limits",
    "ListParams",
    "LogLevel",
    "Message",
    "Operation",
    "Page",
    "Params",
    "PathError",
    "PathOutsideWorkspace",
    "Permissions",
    "Progress",
    "Prompt",
    "PromptNotFound",
    "Refusal",
    "Rendered",
    "Report",
    "Resource",
    "ResourceLink",
    "ResourceNotFound",
    "Result",
    "ResultStore",
    "Rule",
    "Schema",
    "Stored",
    "Table",
    "Text",
    "TimeLimitExceeded",
    "Tool",
    "ToolDisabled",
    "Toolset",
    "UnknownTool",
    "Variables",
    "View",
    "Window",
    "Workspace",
    "WorkspaceSession",
    "counted",
    "decode_cursor",
    "encode_cursor",
    "file_uri",
    "location",
    "look_into",
    "only_denies",
    "paginate",
    "path_of",
    "plain",
    "prompt",
    "resource",
    "sendable",
    "tool",
    "utf8",
]
