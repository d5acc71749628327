"""Zig: what is neither `pub` nor used in its file is dead; the library calls a few names."""

from benchpin.facts.liveness import (
    HIDDEN,
    SURE,
    VISIBLE,
    Definition,
    LivenessRules,
    ProgramView,
    Reason,
    TokenView,
)

# The formatter, the JSON and hash code of the library look for these in a type.
_SPECIAL = frozenset(
    """
    eql format formatNumber hash jsonParse jsonParseFromValue jsonStringify
    """.split()  # noqa: SIM905 - easier to read than quoted names
)


def _is_declared(view: TokenView, at: int, _is_outside: bool) -> bool:  # noqa: FBT001 - a table
    """Whether a position names a constant: `const Name = …`, but not `*const Name`."""
    is_constant = view.text(at - 1) == b"const" and view.text(at - 2) not in {b"*", b"]"}
    return is_constant and view.text(at + 1) in {b"=", b":"}


def _exported(definition: Definition, _program: ProgramView) -> Reason | None:
    if "export" in definition.decorators:
        return Reason(SURE, "it is exported to other languages")
    return None


def _exposure(definition: Definition, _program: ProgramView) -> Reason:
    if definition.is_public:
        return Reason(VISIBLE, "it is public: code outside the workspace could use it")
    return Reason(HIDDEN, "")


RULES = LivenessRules(
    definition_words=frozenset({b"fn"}),
    member_marks=frozenset({b"."}),
    is_local=lambda definition, _program: not definition.is_public,
    is_declaration=_is_declared,
    is_special=lambda name: name in _SPECIAL,
    reflection_words=frozenset({b"@field", b"@hasDecl"}),
    entry_points=frozenset({"main", "_start", "panic", "build", "wasm_main"}),
    exposure=_exposure,
    rules=(_exported,),
)
