"""PHP, with the methods that the language and Laravel call by name."""

import re

from benchpin.facts.liveness import (
    HIDDEN,
    HINTED,
    POSSIBLE,
    REGISTERED,
    VISIBLE,
    Definition,
    LivenessRules,
    ProgramView,
    Reason,
    part_of,
)

_SPECIAL = frozenset(
    """
    boot count current execute getIterator handle jsonSerialize key next offsetExists offsetGet
    offsetSet offsetUnset register rewind serialize setUp setUpBeforeClass tearDown
    tearDownAfterClass unserialize valid
    """.split()  # noqa: SIM905 - easier to read than quoted names
)
_ATTRIBUTE = re.compile(r"(?:get|set)\w+Attribute$|scope[A-Z]|boot[A-Z]|initialize[A-Z]")


def _conventions(definition: Definition, _program: ProgramView) -> Reason | None:
    """Laravel composes the names of accessors, scopes and boot methods."""
    if definition.kind == "method" and _ATTRIBUTE.match(definition.name):
        return Reason(REGISTERED, "Laravel calls methods with such names")
    return None


def _exposure(definition: Definition, _program: ProgramView) -> Reason:
    head = definition.signature.partition("(")[0]
    if re.search(r"\bprivate\b", head):
        return Reason(HIDDEN, "")
    if re.search(r"\bprotected\b", head):
        return Reason(HINTED, "a subclass could use it")
    if definition.kind == "function":
        return Reason(VISIBLE, "code outside the workspace could use it")
    return Reason(POSSIBLE, "it is public: code outside the workspace could use it")


RULES = LivenessRules(
    definition_words=frozenset({b"function", b"class", b"interface", b"trait", b"enum"}),
    has_bare_members=False,
    is_special=lambda name: name.startswith("__") or name in _SPECIAL,
    reflection_words=frozenset({b"->", b"call_user_func", b"method_exists", b"is_callable", b"::"}),
    self_lookups=((b"$this", b"->", b"{"), (b"[", b"$this", b",")),
    contract_words=frozenset({"abstract"}),
    passive_decorators=frozenset({"Override", "Deprecated", "Pure", "ReturnTypeWillChange"}),
    exposure=_exposure,
    rules=(_conventions, part_of("interface", "trait")),
)
