"""PHP, and the frameworks that call what nobody else does."""

import re

from benchpin.engines.metrics.dead_code.definitions import Definition
from benchpin.engines.metrics.dead_code.evidence import (
    HIDDEN,
    HINTED,
    POSSIBLE,
    REGISTERED,
    VISIBLE,
    Evidence,
)
from benchpin.engines.metrics.dead_code.project import Project

from .table import Rules, part_of

_SPECIAL = frozenset(
    """
    boot count current execute getIterator handle jsonSerialize key next offsetExists offsetGet
    offsetSet offsetUnset register rewind serialize setUp setUpBeforeClass tearDown
    tearDownAfterClass unserialize valid
    """.split()  # noqa: SIM905 - a table of names reads better so
)
_ATTRIBUTE = re.compile(r"(?:get|set)\w+Attribute$|scope[A-Z]|boot[A-Z]|initialize[A-Z]")


def _conventions(definition: Definition, _project: Project) -> Evidence | None:
    """Know the names that Laravel makes up."""
    if definition.kind == "method" and _ATTRIBUTE.match(definition.name):
        return Evidence(REGISTERED, "Laravel calls methods of such names")
    return None


def _exposure(definition: Definition, _project: Project) -> Evidence:
    head = definition.signature.partition("(")[0]
    if re.search(r"\bprivate\b", head):
        return Evidence(HIDDEN, "")
    if re.search(r"\bprotected\b", head):
        return Evidence(HINTED, "a subclass could use it")
    if definition.kind == "function":
        return Evidence(VISIBLE, "code outside the workspace could use it")
    return Evidence(POSSIBLE, "it is public: code outside the workspace could use it")


RULES = Rules(
    languages=frozenset({"php"}),
    definition_words=frozenset({b"function", b"class", b"interface", b"trait", b"enum"}),
    has_bare_members=False,
    is_special=lambda name: name.startswith("__") or name in _SPECIAL,
    reflective=frozenset({b"->", b"call_user_func", b"method_exists", b"is_callable", b"::"}),
    own_lookups=((b"$this", b"->", b"{"), (b"[", b"$this", b",")),
    contract_words=frozenset({"abstract"}),
    passive_decorators=frozenset({"Override", "Deprecated", "Pure", "ReturnTypeWillChange"}),
    exposure=_exposure,
    rules=(_conventions, part_of("interface", "trait")),
)
