"""Java, Kotlin and Scala: annotations register methods, and interfaces call them."""

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
    apply applyOrElse clone close compareTo component1 component2 component3 contains equals
    finalize get hashCode invoke iterator main provideDelegate rangeTo readExternal readObject
    readObjectNoData readResolve set toString unapply unapplySeq update values valueOf
    writeExternal writeObject writeReplace getValue setValue plus minus times div not inc dec
    """.split()  # noqa: SIM905 - easier to read than quoted names
)
_PRIVATE = re.compile(r"\bprivate\b(?!\[)")


def _exposure(definition: Definition, program: ProgramView) -> Reason:
    if _is_private(definition, program):
        return Reason(HIDDEN, "")
    if not definition.is_public:
        return Reason(HINTED, "its package could use it")
    return Reason(POSSIBLE, "it is public: code outside the workspace could use it")


def _is_private(definition: Definition, _program: ProgramView) -> bool:
    is_private = _PRIVATE.search(definition.signature.partition("(")[0]) is not None
    return is_private and definition.kind != "type"


RULES = LivenessRules(
    definition_words=frozenset(
        {b"fun", b"def", b"class", b"interface", b"object", b"trait", b"enum", b"record"}
    ),
    is_local=_is_private,
    is_special=lambda name: name in _SPECIAL,
    reflection_words=frozenset({b"getMethod", b"getDeclaredMethod"}),
    passive_decorators=frozenset(
        """
        CheckForNull CheckReturnValue Contract Deprecated FunctionalInterface Generated JvmName
        JvmOverloads JvmStatic NonNull NotNull Nullable OptIn SafeVarargs SuppressLint
        SuppressWarnings Suppress TargetApi Throws VisibleForTesting inline tailrec throws
        """.split()  # noqa: SIM905 - easier to read than quoted names
    ),
    contract_words=frozenset({"override", "Override", "abstract", "native"}),
    exposure=_exposure,
    rules=(part_of("interface", "trait", "annotation", "enum"),),
)
