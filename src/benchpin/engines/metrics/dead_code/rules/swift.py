"""Swift: protocols are contracts, attributes register."""

import re

from benchpin.engines.metrics.dead_code.definitions import Definition
from benchpin.engines.metrics.dead_code.evidence import (
    HIDDEN,
    HINTED,
    POSSIBLE,
    VISIBLE,
    Evidence,
)
from benchpin.engines.metrics.dead_code.project import Project

from .table import Rules

_SPECIAL = frozenset(
    """
    application body callAsFunction deinit dynamicallyCall encode hash init main makeBody
    makeCoordinator makeUIView makeUIViewController next setUp setUpWithError subscript tearDown
    tearDownWithError updateUIView updateUIViewController wrappedValue
    """.split()  # noqa: SIM905 - a table of names reads better so
)


def _contract(definition: Definition, project: Project) -> Evidence | None:
    owner = project.owner(definition)
    if definition.kind != "method":
        return None
    if owner is None or owner.label in {"protocol", "extension"}:
        return Evidence(POSSIBLE, "it may fulfil a protocol")
    return None


def _exposure(definition: Definition, _project: Project) -> Evidence:
    head = definition.signature.partition("(")[0]
    if re.search(r"\b(?:file)?private\b", head):
        return Evidence(HIDDEN, "")
    if re.search(r"\b(?:public|open)\b", head):
        return Evidence(POSSIBLE, "it is public: other modules could use it")
    score = VISIBLE if definition.kind == "function" else HINTED
    return Evidence(score, "its module could use it")


RULES = Rules(
    languages=frozenset({"swift"}),
    definition_words=frozenset(
        {b"func", b"class", b"struct", b"enum", b"protocol", b"extension", b"actor"}
    ),
    is_special=lambda name: name in _SPECIAL,
    passive_decorators=frozenset(
        """
        MainActor available discardableResult escaping frozen inlinable inline unknown
        usableFromInline
        """.split()  # noqa: SIM905 - a table of names reads better so
    ),
    contract_words=frozenset({"override"}),
    exposure=_exposure,
    rules=(_contract,),
)
