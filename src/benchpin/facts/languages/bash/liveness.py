"""Shell scripts: any script that sources a file may call its functions."""

import re

from benchpin.facts.liveness import (
    HINTED,
    POSSIBLE,
    VISIBLE,
    Definition,
    LivenessRules,
    ProgramView,
    Reason,
    TokenView,
)

_LIBRARY = re.compile(r"(?:^|/)(?:lib|plugins?|completions?|functions|themes?)/|\.plugin\.")

_SHELL_HOOKS = frozenset({b"complete", b"compgen", b"compdef", b"bind", b"bindkey", b"zle"})


def _exposure(definition: Definition, program: ProgramView) -> Reason:
    if _LIBRARY.search(definition.path) or program.once_in_file(definition.file, _extends_shell):
        return Reason(POSSIBLE, "scripts that source its file could use it")
    is_private = definition.name.startswith("_")
    return Reason(VISIBLE if is_private else HINTED, "scripts that source its file could use it")


def _extends_shell(view: TokenView) -> bool:
    """Whether a file is for interactive shells: it sets up completions or key bindings."""
    return not _SHELL_HOOKS.isdisjoint(view.texts)


RULES = LivenessRules(
    definition_words=frozenset({b"function"}),
    reflection_words=frozenset({b"eval", b"$", b"${", b'"'}),
    entry_points=frozenset({"main", "usage"}),
    is_declaration=lambda view, at, _is_outside: (
        (view.text(at + 1), view.text(at + 2)) == (b"(", b")")
    ),
    exposure=_exposure,
)
