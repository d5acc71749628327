"""Java, Kotlin and Scala: annotations register, interfaces are contracts."""

import re

from benchpin.engines.metrics.dead_code.definitions import Definition
from benchpin.engines.metrics.dead_code.evidence import HIDDEN, HINTED, POSSIBLE, Evidence
from benchpin.engines.metrics.dead_code.project import Project

from .table import Rules, part_of

_SPECIAL = frozenset(
    """
    apply applyOrElse clone close compareTo component1 component2 component3 contains equals
    finalize get hashCode invoke iterator main provideDelegate rangeTo readExternal readObject
    readObjectNoData readResolve set toString unapply unapplySeq update values valueOf
    writeExternal writeObject writeReplace getValue setValue plus minus times div not inc dec
    """.split()  # noqa: SIM905 - a table of names reads better so
)
_PRIVATE = re.compile(r"\bprivate\b(?!\[)")


def _exposure(definition: Definition, project: Project) -> Evidence:
    if _is_private(definition, project):
        return Evidence(HIDDEN, "")
    if not definition.is_public:
        return Evidence(HINTED, "its package could use it")
    return Evidence(POSSIBLE, "it is public: code outside the workspace could use it")


def _is_private(definition: Definition, _project: Project) -> bool:
    is_private = _PRIVATE.search(definition.signature.partition("(")[0]) is not None
    return is_private and definition.kind != "type"


RULES = Rules(
    languages=frozenset({"java", "kotlin", "scala"}),
    definition_words=frozenset(
        {b"fun", b"def", b"class", b"interface", b"object", b"trait", b"enum", b"record"}
    ),
    is_local=_is_private,
    is_special=lambda name: name in _SPECIAL,
    reflective=frozenset({b"getMethod", b"getDeclaredMethod"}),
    passive_decorators=frozenset(
        """
        CheckForNull CheckReturnValue Contract Deprecated FunctionalInterface Generated JvmName
        JvmOverloads JvmStatic NonNull NotNull Nullable OptIn SafeVarargs SuppressLint
        SuppressWarnings Suppress TargetApi Throws VisibleForTesting inline tailrec throws
        """.split()  # noqa: SIM905 - a table of names reads better so
    ),
    contract_words=frozenset({"override", "Override", "abstract", "native"}),
    exposure=_exposure,
    rules=(part_of("interface", "trait", "annotation", "enum"),),
)
