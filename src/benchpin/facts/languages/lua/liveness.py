"""Lua, with the functions that LÖVE, Neovim, Kong and Premake call by name."""

import re

from benchpin.facts.liveness import (
    HIDDEN,
    MENTIONED,
    POSSIBLE,
    SURE,
    VISIBLE,
    Definition,
    LivenessRules,
    ProgramView,
    Reason,
)

_PHASES = frozenset(
    """
    access body_filter certificate configure header_filter init_worker log preread response rewrite
    """.split()  # noqa: SIM905 - easier to read than quoted names
)
_FOUND_BY_TOOLS = re.compile(r"(?:^|/)(?:plugin|ftplugin|after|autoload|colors|health|plugins)/")
_HOOKS = frozenset({"setup", "check", "health"})
_TABLE_ENDS = frozenset({b"{", b",", b";"})


def _called_by_name(definition: Definition, _program: ProgramView) -> Reason | None:
    """Callbacks of frameworks: `love.draw`, phases of a Kong plugin, hooks of Neovim."""
    owner, _, name = definition.qualified.rpartition(".")
    if owner.partition(".")[0] == "love":
        return Reason(SURE, "LÖVE calls it")
    if owner and name in _PHASES and definition.path.endswith("handler.lua"):
        return Reason(SURE, "Kong calls it in a phase of a request")
    if definition.is_public and (name in _HOOKS or _FOUND_BY_TOOLS.search(definition.path)):
        return Reason(POSSIBLE, "an editor or a host may find it by its name or path")
    return None


def _field(definition: Definition, program: ProgramView) -> Reason | None:
    """A function in a table may be reached without its name: `{ draw = function() end }`."""
    view, first = program.views[definition.file], definition.first_token
    is_value = view.text(first - 1) == b"=" and view.text(first - 2) == definition.name.encode()
    if is_value and view.text(first - 3) in _TABLE_ENDS:
        return Reason(MENTIONED, "it is a field of a table")
    if is_value and view.text(first - 3) == b"." and program.owner(definition) is not None:
        return Reason(POSSIBLE, "it becomes a member of a table when a function runs")
    return None


def _exposure(definition: Definition, _program: ProgramView) -> Reason:
    if not definition.is_public:
        return Reason(HIDDEN, "")
    return Reason(VISIBLE, "it is public: code outside the workspace could use it")


RULES = LivenessRules(
    definition_words=frozenset({b"function"}),
    member_marks=frozenset({b".", b":"}),
    has_bare_members=False,
    is_local=lambda definition, _program: not definition.is_public,
    is_special=lambda name: name.startswith("__"),
    reflection_words=frozenset({b"["}),
    exposure=_exposure,
    rules=(_called_by_name, _field),
)
