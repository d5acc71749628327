"""C#: attributes register methods, and interfaces call them."""

import re

from benchpin.facts.liveness import (
    HIDDEN,
    HINTED,
    POSSIBLE,
    Definition,
    LivenessRules,
    ProgramView,
    Reason,
    part_of,
)

_SPECIAL = frozenset(
    """
    Add CompareTo Configure ConfigureServices Deconstruct Dispose DisposeAsync Equals Finalize
    GetAsyncEnumerator GetAwaiter GetEnumerator GetHashCode Invoke InvokeAsync Main MoveNext
    ToString
    """.split()  # noqa: SIM905 - easier to read than quoted names
)
_MODIFIER = re.compile(r"\b(?:public|protected|internal|partial|extern)\b|\b\w++\.\w++\s*+\(")


def _exposure(definition: Definition, _program: ProgramView) -> Reason:
    if _is_private(definition):
        return Reason(HIDDEN, "")
    if not definition.is_public:
        return Reason(HINTED, "its assembly could use it")
    return Reason(POSSIBLE, "it is public: code outside the workspace could use it")


def _is_private(definition: Definition) -> bool:
    """Whether a method has no modifier that makes it visible; property accessors never count."""
    head, parenthesis, _ = definition.signature.partition("(")
    is_method = definition.kind == "method" and bool(parenthesis)
    return is_method and _MODIFIER.search(f"{head}(") is None


RULES = LivenessRules(
    definition_words=frozenset({b"class", b"struct", b"interface", b"enum", b"record"}),
    is_special=lambda name: name in _SPECIAL,
    reflection_words=frozenset({b"GetMethod", b"GetProperty", b"InvokeMember"}),
    passive_decorators=frozenset(
        """
        AggressiveInlining CLSCompliant Conditional DebuggerDisplay DebuggerStepThrough
        EditorBrowsable ExcludeFromCodeCoverage Flags GeneratedCode MethodImpl Obsolete Pure
        SuppressMessage UnconditionalSuppressMessage
        """.split()  # noqa: SIM905 - easier to read than quoted names
    ),
    contract_words=frozenset({"override", "abstract", "virtual", "partial", "extern"}),
    exposure=_exposure,
    rules=(part_of("interface", "enum"),),
)
