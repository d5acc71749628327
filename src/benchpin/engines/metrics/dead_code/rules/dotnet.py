"""C#: attributes register, interfaces are contracts."""

import re

from benchpin.engines.metrics.dead_code.definitions import Definition
from benchpin.engines.metrics.dead_code.evidence import HIDDEN, HINTED, POSSIBLE, Evidence
from benchpin.engines.metrics.dead_code.project import Project

from .table import Rules, part_of

_SPECIAL = frozenset(
    """
    Add CompareTo Configure ConfigureServices Deconstruct Dispose DisposeAsync Equals Finalize
    GetAsyncEnumerator GetAwaiter GetEnumerator GetHashCode Invoke InvokeAsync Main MoveNext
    ToString
    """.split()  # noqa: SIM905 - a table of names reads better so
)
_MODIFIER = re.compile(r"\b(?:public|protected|internal|partial|extern)\b|\w+\.\w+\s*\(")


def _exposure(definition: Definition, _project: Project) -> Evidence:
    if _is_private(definition):
        return Evidence(HIDDEN, "")
    if not definition.is_public:
        return Evidence(HINTED, "its assembly could use it")
    return Evidence(POSSIBLE, "it is public: code outside the workspace could use it")


def _is_private(definition: Definition) -> bool:
    """Whether a method says nothing else; accessors of a property have no list of parameters."""
    head, parenthesis, _ = definition.signature.partition("(")
    is_method = definition.kind == "method" and bool(parenthesis)
    return is_method and _MODIFIER.search(f"{head}(") is None


RULES = Rules(
    languages=frozenset({"csharp"}),
    definition_words=frozenset({b"class", b"struct", b"interface", b"enum", b"record"}),
    is_special=lambda name: name in _SPECIAL,
    reflective=frozenset({b"GetMethod", b"GetProperty", b"InvokeMember"}),
    passive_decorators=frozenset(
        """
        AggressiveInlining CLSCompliant Conditional DebuggerDisplay DebuggerStepThrough
        EditorBrowsable ExcludeFromCodeCoverage Flags GeneratedCode MethodImpl Obsolete Pure
        SuppressMessage UnconditionalSuppressMessage
        """.split()  # noqa: SIM905 - a table of names reads better so
    ),
    contract_words=frozenset({"override", "abstract", "virtual", "partial", "extern"}),
    exposure=_exposure,
    rules=(part_of("interface", "enum"),),
)
