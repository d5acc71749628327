"""Julia: methods of functions of others are called by these, and what is exported by users."""

from benchpin.facts.liveness import (
    HIDDEN,
    HINTED,
    SURE,
    VISIBLE,
    Definition,
    LivenessRules,
    ProgramView,
    Reason,
    TokenView,
)

# How far the closing bracket of a list of parameters is looked for.
_MAX_HEAD_TOKENS = 400


def _exposure(definition: Definition, program: ProgramView) -> Reason:
    """What a module exports is for its users; the rest can be used too, with a prefix."""
    exported = program.files[definition.file].links.exports
    if definition.name in exported:
        return Reason(VISIBLE, "it is exported: code outside the workspace could use it")
    if definition.is_public:
        return Reason(VISIBLE, "code outside the workspace could use it by its module")
    return Reason(HIDDEN, "")


def _extends(definition: Definition, program: ProgramView) -> Reason | None:
    """`Base.show(io, x)` is called by what prints, a method of a type by its calls."""
    outer = definition.qualified.rpartition(".")[0]
    owner = program.owner(definition)
    name = outer.rpartition(".")[2]
    if definition.kind == "function" and name[:1].isupper() and owner is None:
        written = f"{name}.{definition.name}("
        if written in definition.signature.replace(" ", ""):
            return Reason(SURE, f"it is a method of a function of {name}")
    if not definition.name[:1].isidentifier() if definition.name else False:
        return Reason(SURE, "it is a method of an operator")
    if definition.decorators:
        return Reason(HINTED, f"the macro @{definition.decorators[0]} may use it")
    return None


def _is_head(view: TokenView, at: int, _is_outside: bool) -> bool:  # noqa: FBT001 - a table
    """Whether a name is declared as in `name(a, b) = …`: its methods do not use one another."""
    if view.text(at + 1) != b"(" or view.text(at - 1) in {b".", b"@"}:
        return False
    depth = 0
    for here in range(at + 1, at + _MAX_HEAD_TOKENS):
        text = view.text(here)
        depth += (text == b"(") - (text == b")")
        if not depth:
            return view.text(here + 1) == b"="
    return False


RULES = LivenessRules(
    definition_words=frozenset({b"function", b"macro", b"struct", b"type"}),
    entry_points=frozenset({"main", "__init__"}),
    is_declaration=_is_head,
    reflection_words=frozenset({b"eval", b"getfield", b"getproperty"}),
    exposure=_exposure,
    rules=(_extends,),
)
