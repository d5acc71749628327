"""New and changed functions that no test mentions or reaches."""

from collections.abc import Iterator

from benchpin.code.names import ANONYMOUS, Symbol
from benchpin.code.references import find_uses, is_tested
from benchpin.facts import Function
from benchpin.workspace.walking import is_product_path, is_test_path

from ._state import ReviewFinding, ReviewState, finding_at, is_distinct, last_part

_MAX_NAMED = 3
# A shorter function is hardly worth a test of its own.
_MIN_TESTED_LINES = 5
# Changed functions whose callers are followed to tests: each may take a second in a big project.
_MAX_FOLLOWED = 8
# Files with the name of a function that is followed.
_MAX_USERS = 40


def check_reached(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name new functions that no test mentions, and changed ones that none reaches."""
    if not any(map(is_test_path, state.index.symbols.modules)):
        return
    untested: dict[tuple[str, str], list[Symbol]] = {}
    left = _MAX_FOLLOWED
    for symbol, status in _worth_a_test(state):
        names = state.index.symbols.names
        users = (*names.using(symbol.name), *names.mentioning(symbol.name))
        is_named = any(map(is_test_path, users))
        if is_named and (status == "added" or is_distinct(symbol.name)):
            continue
        if status == "changed":
            # A name in so many files is an ordinary word, and some test is likely to reach it.
            left -= len(users) <= _MAX_USERS
            if left < 0 or len(users) > _MAX_USERS or _is_reached(state, symbol):
                continue
        untested.setdefault((symbol.file, status), []).append(symbol)
    for (path, status), symbols in untested.items():
        listed = [it.qualified for it in symbols]
        more = f" and {len(listed) - _MAX_NAMED} more" if len(listed) > _MAX_NAMED else ""
        verb = "mentions" if status == "added" else "reaches"
        text = f"No test {verb} {', '.join(listed[:_MAX_NAMED])}{more}"
        found = finding_at("missing-test", path, symbols[0].line, text, listed[0], level="note")
        yield found.model_copy(update={"end_line": symbols[0].end_line})


def _worth_a_test(state: ReviewState) -> Iterator[tuple[Symbol, str]]:
    """Yield the functions of the product that are new or changed, each once."""
    seen: set[Symbol] = set()
    for change in state.symbols:
        module = state.index.symbols.modules.get(change.now.path)
        if module is None or not is_product_path(change.now.path):
            continue
        # A closure without a name is part of the function around it.
        name = change.now.name.partition(ANONYMOUS)[0].rstrip(".")
        symbol = module.symbols.get(name)
        if symbol is None or symbol in seen or not isinstance(symbol.declared, Function):
            continue
        status = change.status if name == change.now.name else "changed"
        is_offered = status == "changed" or (status == "added" and symbol.is_public)
        if is_offered and symbol.declared.code_lines >= _MIN_TESTED_LINES:
            seen.add(symbol)
            yield symbol, status


def _is_reached(state: ReviewState, symbol: Symbol) -> bool:
    """Whether a test calls a function, directly or through others, or may, as far as followed."""
    uses = find_uses(state.index, symbol, state.job, mentions=False)
    names = state.index.symbols.names
    callers = {last_part(it.inside) for it in uses.found if it.inside}
    # What Python calls by itself is called where its type is made.
    callers |= {
        it.inside.split(".")[-2]
        for it in uses.found
        if it.inside.endswith("__") and "." in it.inside
    }
    if any(is_test_path(it.file) for it in uses.found) or any(
        is_test_path(path) for it in callers for path in names.using(it)
    ):
        return True
    return is_tested(state.index, symbol, state.job)
