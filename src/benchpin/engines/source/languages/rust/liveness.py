"""Rust: traits call their methods, attributes register, `pub` is for other crates."""

from benchpin.engines.source.liveness import (
    HIDDEN,
    POSSIBLE,
    SURE,
    VISIBLE,
    LivenessRules,
    Reason,
    braces_from,
)
from benchpin.engines.source.program import Definition, ProgramView, TokenView

_LONGEST_HEAD = 60
"""How many tokens may precede the body of an `impl`."""


def _contract_spans(view: TokenView) -> list[tuple[int, int]]:
    """Find `impl Trait for Type { … }` and `trait Name { … }`."""
    return [
        braces_from(view, at)
        for at in view.positions_of(b"impl", b"trait")
        if view.text(at) == b"trait" or _names_trait(view, at)
    ]


def _names_trait(view: TokenView, at: int) -> bool:
    for place in range(at + 1, at + _LONGEST_HEAD):
        text = view.text(place)
        if text in {b"{", b";", b""}:
            return False
        if text == b"for" and view.text(place + 1) != b"<":
            return True
    return False


def _is_declaration(view: TokenView, at: int, is_outside: bool) -> bool:  # noqa: FBT001 - a table
    """Whether a type is only the subject of an `impl`: `impl Type`, `impl Trait for Type`."""
    if not is_outside:
        return False
    before = view.text(at - 1)
    return before == b"impl" or (before == b"for" and view.text(at + 1) in {b"{", b"<", b"where"})


def _trait(definition: Definition, program: ProgramView) -> Reason | None:
    """A public trait may be implemented elsewhere, and its methods called through it."""
    is_trait = definition.kind == "type" and definition.label == "trait"
    if is_trait and definition.is_public:
        return Reason(POSSIBLE, "other crates may implement it")
    owner = program.owner(definition)
    if owner is not None and owner.label == "trait":
        return Reason(SURE, "it is part of a trait")
    return None


def _exposure(definition: Definition, _program: ProgramView) -> Reason:
    head = definition.signature.lstrip()
    if not definition.is_public:
        return Reason(HIDDEN, "")
    if head.startswith("pub("):
        return Reason(VISIBLE, "it is public inside its crate")
    return Reason(POSSIBLE, "it is public: other crates could use it")


RULES = LivenessRules(
    definition_words=frozenset({b"fn", b"struct", b"enum", b"trait", b"mod", b"union", b"macro"}),
    entry_points=frozenset({"main"}),
    is_declaration=_is_declaration,
    contract_spans=_contract_spans,
    passive_decorators=frozenset(
        """
        allow cfg cold deny deprecated derive doc expect inline must_use non_exhaustive repr
        rustfmt::skip track_caller warn skip instrument
        """.split()  # noqa: SIM905 - easier to read than quoted names
    ),
    exposure=_exposure,
    rules=(_trait,),
)
