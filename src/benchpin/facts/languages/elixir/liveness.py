"""Elixir, with the callbacks of OTP, Phoenix, Ecto, Plug, Oban and ExUnit."""

from benchpin.facts.liveness import (
    HIDDEN,
    POSSIBLE,
    REGISTERED,
    VISIBLE,
    Definition,
    LivenessRules,
    ProgramView,
    Reason,
    TokenView,
)

# What the runtime and supervisors call by name.
_SPECIAL = frozenset({"child_spec", "start_link", "exception", "message"})
# Callbacks, by a part of the name of what a module uses.
_CALLBACKS = {
    "GenServer": (
        "code_change format_status handle_call handle_cast handle_continue handle_info init "
        "terminate"
    ),
    "GenStage": "handle_call handle_cast handle_demand handle_events handle_info init",
    "Supervisor": "init",
    "Application": "config_change prep_stop start stop",
    "Live": "handle_async handle_event handle_info handle_params mount on_mount render update",
    "Channel": "handle_in handle_info handle_out join terminate",
    "Socket": "connect id",
    "Plug": "call init",
    "Migration": "change down up",
    "Mix.Task": "run",
    "Worker": "perform",
    "Type": "cast dump embed_as equal? load type",
}
_WEB_PARAMETERS = ("conn", "_conn", "socket", "assigns", "%{")
_DECLARING = frozenset({b"spec", b"callback", b"macrocallback", b"opaque", b"type", b"typep"})


def _callback(definition: Definition, program: ProgramView) -> Reason | None:
    """What `@impl` marks, members of an implementation, and callbacks of known behaviours."""
    owner = program.owner(definition)
    if "impl" in definition.decorators or _has_clause_of_behaviour(definition, program):
        return Reason(REGISTERED, "a behaviour calls it")
    if owner is None or not definition.is_public:
        return None
    if owner.bases and definition.name.startswith("handle_"):
        return Reason(REGISTERED, f"a behaviour of {owner.name} may call it")
    if owner.label in {"implementation", "protocol"}:
        return Reason(REGISTERED, f"it is part of the {owner.label} {owner.name}")
    for base in owner.bases:
        for part, names in _CALLBACKS.items():
            if part in base and definition.name in names.split():
                return Reason(REGISTERED, f"{base} calls it")
        # `use ShopWeb, :controller`: the router calls its actions by name.
        first = definition.signature.partition("(")[2]
        if base.endswith("Web") and first.startswith(_WEB_PARAMETERS):
            return Reason(REGISTERED, f"{base} may call it")
    return None


def _has_clause_of_behaviour(definition: Definition, program: ProgramView) -> bool:
    """Whether `@impl` is before another clause of the same function."""
    functions = program.files[definition.file].outline.functions
    clauses = (it for it in functions if it.name == definition.qualified)
    return any("impl" in it.decorators for it in clauses)


def _exposure(definition: Definition, _program: ProgramView) -> Reason:
    if definition.kind == "type":
        return Reason(POSSIBLE, "modules are used under names that are put together")
    if not definition.is_public:
        return Reason(HIDDEN, "")
    return Reason(VISIBLE, "it is public: code outside the workspace could use it")


def _is_declared(view: TokenView, at: int, _is_outside: bool) -> bool:  # noqa: FBT001 - a table
    """Whether a position only says the type of a function: `@spec name(…)`."""
    return view.text(at - 1) in _DECLARING and view.text(at - 2) == b"@"


RULES = LivenessRules(
    definition_words=frozenset(
        {
            *(b"def", b"defp", b"defmacro", b"defmacrop", b"defguard", b"defguardp", b"defmodule"),
            *(b"defdelegate", b"defprotocol", b"defn", b"defnp"),
        }
    ),
    member_marks=frozenset({b"."}),
    is_local=lambda definition, _program: not definition.is_public,
    is_declaration=_is_declared,
    is_special=lambda name: name.startswith("__") or name in _SPECIAL,
    reflection_words=frozenset({b"apply", b"unquote"}),
    exposure=_exposure,
    rules=(_callback,),
)
