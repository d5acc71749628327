"""Swift: protocols call their methods, and attributes register them."""

import re

from benchpin.facts.liveness import (
    HIDDEN,
    HINTED,
    POSSIBLE,
    VISIBLE,
    Definition,
    LivenessRules,
    ProgramView,
    Reason,
)

_SPECIAL = frozenset(
    """
    application body callAsFunction deinit dynamicallyCall encode hash init main makeBody
    makeCoordinator makeUIView makeUIViewController next setUp setUpWithError subscript tearDown
    tearDownWithError updateUIView updateUIViewController wrappedValue
    """.split()  # noqa: SIM905 - easier to read than quoted names
)


def _contract(definition: Definition, program: ProgramView) -> Reason | None:
    owner = program.owner(definition)
    if definition.kind != "method":
        return None
    if owner is None or owner.label in {"protocol", "extension"}:
        return Reason(POSSIBLE, "it may implement a protocol")
    return None


def _exposure(definition: Definition, _program: ProgramView) -> Reason:
    head = definition.signature.partition("(")[0]
    if re.search(r"\b(?:file)?private\b", head):
        return Reason(HIDDEN, "")
    if re.search(r"\b(?:public|open)\b", head):
        return Reason(POSSIBLE, "it is public: other modules could use it")
    score = VISIBLE if definition.kind == "function" else HINTED
    return Reason(score, "its module could use it")


RULES = LivenessRules(
    definition_words=frozenset(
        {b"func", b"class", b"struct", b"enum", b"protocol", b"extension", b"actor"}
    ),
    is_special=lambda name: name in _SPECIAL,
    passive_decorators=frozenset(
        """
        MainActor available discardableResult escaping frozen inlinable inline unknown
        usableFromInline
        """.split()  # noqa: SIM905 - easier to read than quoted names
    ),
    contract_words=frozenset({"override"}),
    exposure=_exposure,
    rules=(_contract,),
)
