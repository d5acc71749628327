"""Uses of symbols, and what follows from them: calls, dependents, tests, renames."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._body_calls import BodyCalls, calls_in_body
    from ._calls import Direction, FunctionCall, find_path, trace
    from ._dependents import Dependent, find_dependents
    from ._reaching import is_tested
    from ._renaming import definition_lines, plan_rename
    from ._tests import (
        OTHERWISE,
        RelatedTest,
        command_for,
        find_related_tests,
        is_collected,
        with_covering,
    )
    from ._uses import Certainty, Use, UseKind, Uses, find_uses, is_called, with_code
    from ._written_at import variable_at

__all__ = [
    "OTHERWISE",
    "BodyCalls",
    "Certainty",
    "Dependent",
    "Direction",
    "FunctionCall",
    "RelatedTest",
    "Use",
    "UseKind",
    "Uses",
    "calls_in_body",
    "command_for",
    "definition_lines",
    "find_dependents",
    "find_path",
    "find_related_tests",
    "find_uses",
    "is_called",
    "is_collected",
    "is_tested",
    "plan_rename",
    "trace",
    "variable_at",
    "with_code",
    "with_covering",
]

__getattr__ = lazy(__name__)
