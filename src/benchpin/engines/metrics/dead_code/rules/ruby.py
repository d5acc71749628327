"""Ruby: nearly everything can be called by a name that is put together."""

from benchpin.engines.metrics.dead_code.definitions import Definition
from benchpin.engines.metrics.dead_code.evidence import HINTED, POSSIBLE, VISIBLE, Evidence
from benchpin.engines.metrics.dead_code.project import Project

from .table import Rules

_SPECIAL = frozenset(
    """
    == [] []= <=> === =~ ! + - * / call coerce each eql? extended hash included inherited
    initialize initialize_copy inspect method_added method_missing prepended respond_to_missing?
    setup teardown to_a to_ary to_h to_hash to_proc to_s to_str
    """.split()  # noqa: SIM905 - a table of names reads better so
)


def _exposure(definition: Definition, project: Project) -> Evidence:
    if definition.name.endswith("="):
        return Evidence(POSSIBLE, "it may be assigned to")
    if definition.kind == "type":
        return Evidence(HINTED, "it is public: code outside the workspace could use it")
    if definition.is_public and project.owner(definition) is not None:
        return Evidence(POSSIBLE, "it is public: code outside the workspace could use it")
    return Evidence(VISIBLE, "")


RULES = Rules(
    languages=frozenset({"ruby"}),
    definition_words=frozenset({b"def", b"class", b"module"}),
    is_special=lambda name: name in _SPECIAL,
    reflective=frozenset(
        {b"send", b"public_send", b"__send__", b"method", b"define_method", b"const_get"}
    ),
    own_lookups=((b"send", b"("), (b"public_send", b"("), (b"__send__", b"(")),
    exposure=_exposure,
)
