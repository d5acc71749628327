"""Review a change: every check, and what it says."""

from collections.abc import Callable, Iterator, Mapping

from ._checks import (
    check_complexity,
    check_debt,
    check_secrets,
    check_syntax,
    check_tests,
)
from ._documentation import check_documentation
from ._measured import check_copies, check_cycles, check_unused
from ._new_code import check_calls, check_new_imports, check_new_names
from ._references import check_references
from ._remarks import Remark, in_order
from ._state import ReviewState

# The checks run in this order, cheap and serious ones first: what does not fit the time is left
# out.
_CHECKS: Mapping[str, Callable[[ReviewState], Iterator[Remark]]] = {
    "secrets": lambda it: check_secrets(it.files, it.job),
    "syntax": check_syntax,
    "references": check_references,
    "imports": check_new_imports,
    "calls": check_calls,
    "names": check_new_names,
    "complexity": check_complexity,
    "debt": lambda it: check_debt(it.files, it.job),
    "documentation": check_documentation,
    "unused code": check_unused,
    "tests": check_tests,
    "cycles": check_cycles,
    "copies": check_copies,
}


def review(state: ReviewState) -> list[Remark]:
    """Return the findings about a change, the most serious first."""
    found: list[Remark] = []
    for name, check in _CHECKS.items():
        if state.job.is_expired:
            state.job.leave_out(f"the check of {name}")
            continue
        found += check(state)
    return in_order(found)
