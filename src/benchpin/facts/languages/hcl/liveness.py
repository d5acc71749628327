"""HCL: variables and locals that no expression uses; everything else Terraform makes or shows."""

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

# How far the start of a block is looked for: a longer one is a table of data.
_MAX_BLOCK_TOKENS = 2_000


def _exposure(definition: Definition, _program: ProgramView) -> Reason:
    if definition.label in {"variable", "local"}:
        return Reason(HIDDEN, "")
    if definition.label == "data":
        return Reason(VISIBLE, "it may be there to fail when something is missing")
    return Reason(SURE, "Terraform makes or shows it")


def _is_key(view: TokenView, at: int, _is_outside: bool) -> bool:  # noqa: FBT001 - a table
    """Whether a name is only the key of a value: `name = …`, but not one given to a module."""
    if view.text(at + 1) != b"=" or view.text(at - 1) == b".":
        return False
    if view.facts.path.endswith(".tfvars"):
        return False
    depth = 0
    for place in range(at - 1, max(-1, at - _MAX_BLOCK_TOKENS), -1):
        text = view.text(place)
        depth += (text == b"{") - (text == b"}")
        if depth > 0:
            # `module "name" {`: what is set here is a variable of that module.
            return view.text(place - 2) != b"module"
    return True


RULES = LivenessRules(
    definition_words=frozenset({b"variable", b"locals", b"module", b"resource", b"data"}),
    member_marks=frozenset({b"."}),
    is_declaration=_is_key,
    exposure=_exposure,
)
