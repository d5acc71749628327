"""Calls of a function that nothing waits for, or whose errors nobody sees, since a change."""

from collections import Counter
from collections.abc import Iterator

from benchpin.code.names import chain_start
from benchpin.code.references import find_uses
from benchpin.code.signatures import callee_at, result_of
from benchpin.core.text import counted
from benchpin.facts import Function
from benchpin.workspace.walking import is_product_path

from ._bodies import ChangedBody, FunctionBody, blocks, found_at
from ._state import ReviewFinding, ReviewState, finding_at, is_distinct, replacing


def lost_awaits(state: ReviewState, pair: ChangedBody) -> Iterator[ReviewFinding]:
    """Name calls that start something, and that nothing waits for."""
    now, words = pair.now, pair.now.words
    if not {"async", "await"} & {*now.own, *(pair.was.own if pair.was else ())}:
        return
    awaited = set[tuple[str, ...]]()
    if pair.was is not None:
        awaited = {pair.was.chain(it) for it in pair.was.calls() if pair.was.is_awaited(it)}
    for at in pair.new_calls():
        called = now.chain(at)
        if words[at] == "forEach" and words[at + 2 : at + 3] == ["async"]:
            yield found_at(pair, at, "not-awaited", "forEach does not wait for its async function")
            continue
        is_condition = _is_condition(pair, at)
        if now.is_awaited(at) or not (is_condition or now.is_statement(at)):
            continue
        is_async, is_sure = _is_async(state, pair, at)
        was_awaited = called in awaited
        # Only where a call that is not awaited does nothing is it wrong for certain.
        if not was_awaited and _was_gathered(pair, called):
            text = f"{''.join(called)} was waited for with Promise.all before, and is not now"
            yield found_at(pair, at, "not-awaited", text)
            continue
        does_nothing = is_async and (pair.rules.has_docstrings or pair.rules.has_traits)
        if was_awaited or does_nothing:
            shown = "".join(called)
            why = "it was awaited before" if was_awaited else "it does nothing until it is awaited"
            if is_condition:
                why = "what it returns is always true until it is awaited"
            finding = found_at(pair, at, "not-awaited", f"{shown} is not awaited here; {why}")
            fix = None
            if pair.rules.has_docstrings and "async" in now.own[:2]:
                lines = state.text_of(pair.path).split("\n")
                fix = replacing(lines, now.line(at), shown, f"await {shown}")
            level = "error" if is_sure and does_nothing else "warning"
            yield finding.model_copy(update={"fix": fix, "level": level})


def _was_gathered(pair: ChangedBody, called: tuple[str, ...]) -> bool:
    """Whether what a call returns was collected for one `await Promise.all(…)`, which is gone."""
    was, name = pair.was, "allSettled"
    if was is None or "Promise" not in was.own or "await" not in was.own:
        return False
    gathers = [it for it in was.calls() if was.words[it] in {"all", name} and was.is_awaited(it)]
    is_gone = not any(pair.now.words[it] in {"all", name} for it in pair.now.calls())
    used = {was.chain(it) for it in was.calls() if not was.is_statement(it)}
    return bool(gathers) and is_gone and called in used


def _is_condition(pair: ChangedBody, at: int) -> bool:
    """Whether a call alone is what a test asks: `assert f()`, `if f():`."""
    words, start = pair.now.words, chain_start(pair.now.words, at)
    end = pair.now.end(at)
    is_alone = end in pair.now.code.stream.line_starts or words[end : end + 1] in ([":"], [","])
    return pair.rules.has_docstrings and words[start - 1] in {"assert", "if", "not"} and is_alone


def _is_async(state: ReviewState, pair: ChangedBody, at: int) -> tuple[bool, bool]:
    """Say whether what is called is an async function, and whether that is certain."""
    found = callee_at(state.index, pair.now.module, at)
    if found is not None:
        declared = found[0].declared
        is_plain = isinstance(declared, Function) and not declared.decorators
        return is_plain and _says_async(declared), True
    name, modules = pair.now.words[at], state.index.symbols.modules
    if not is_distinct(name):
        return False, False
    places = [path for path, _ in state.index.symbols.names.defining(name)]
    named = [
        it
        for path in places
        for it in modules[path].facts.outline.functions
        if it.name.rpartition(".")[2] == name
    ]
    return bool(named) and all(_says_async(it) and not it.decorators for it in named), False


def _says_async(declared: object) -> bool:
    return isinstance(declared, Function) and "async" in declared.signature.split("(")[0].split()


def lost_errors(state: ReviewState, pair: ChangedBody) -> Iterator[ReviewFinding]:
    """Name calls whose result was looked at before, where results tell of errors."""
    calls = pair.rules.calls
    is_go = calls is not None and calls.spreads_results
    now, was = pair.now, pair.was
    if was is not None and (is_go or pair.rules.has_traits):
        used = {was.chain(it) for it in was.calls() if not was.is_statement(it)}
        dropped = {
            was.chain(it) for it in was.calls() if was.is_statement(it) or _loses_error(was, it)
        }
        for at in pair.new_calls():
            called = now.chain(at)
            if called in used - dropped and _loses_error(now, at):
                text = f"The error of {''.join(called)} was looked at before, and is not now"
                yield found_at(pair, at, "lost-error", text)
            elif called in used - dropped and (now.is_statement(at) or _is_thrown_away(now, at)):
                text = f"The result of {''.join(called)} was looked at before, and is not now"
                yield _said(pair, at, text)
    if is_go or pair.rules.has_traits:
        yield from _ignored(state, pair)
    if was is not None and pair.rules.has_traits:
        yield from _unwrapped(pair, was)
    if is_go:
        yield from _shadowed(pair)
    yield from _lost_causes(pair)
    yield from _lost_handling(state, pair)
    yield from _no_longer_raises(pair)


def _ignored(state: ReviewState, pair: ChangedBody) -> Iterator[ReviewFinding]:
    """Name new calls that drop an error which all other callers look at."""
    now = pair.now
    for at in pair.new_calls() if is_product_path(pair.path) else ():
        on_purpose = _is_thrown_away(now, at)
        found = None
        if on_purpose or now.is_statement(at) or now.is_awaited(at):
            found = callee_at(state.index, now.module, at)
        declared = None if found is None else found[0].declared
        if found is None or not isinstance(declared, Function):
            continue
        result = result_of(declared)
        is_awaited = now.is_awaited(at) and not on_purpose and not _is_awaited_alone(now, at)
        if is_awaited or not (result.endswith(("error", "error)")) or "Result" in result):
            continue
        others = [
            (FunctionBody(module, module.code, 0, len(module.code.stream)), uses.tokens[it])
            for uses in [find_uses(state.index, found[0], state.job, mentions=False)]
            for it in uses.found
            if it.kind == "call" and it in uses.tokens
            if it.certainty == "certain" or is_distinct(found[0].name)
            if (it.file, it.line) != (pair.path, now.line(at)) and is_product_path(it.file)
            for module in [state.index.symbols.modules[it.file]]
            if module.code is not None
        ]
        looking = sum(not _drops(*it) for it in others)
        # What is dropped on purpose is worth a note where most others look at it.
        if looking and (looking == len(others) or (on_purpose and 2 * looking > len(others))):
            shown = "".join(now.chain(at))
            text = f"The error of {shown} is dropped; {counted(looking, 'other call')} look at it"
            yield _said(pair, at, text)


def _said(pair: ChangedBody, at: int, text: str) -> ReviewFinding:
    """Return that an error is dropped: a note where it is done on purpose."""
    finding = found_at(pair, at, "lost-error", text)
    level = "note" if _is_thrown_away(pair.now, at) else "warning"
    return finding.model_copy(update={"level": level})


def _drops(body: FunctionBody, at: int) -> bool:
    return body.is_statement(at) or _is_thrown_away(body, at) or _is_awaited_alone(body, at)


def _is_awaited_alone(body: FunctionBody, at: int) -> bool:
    """Whether nothing takes what is awaited: `f().await;`."""
    end = body.end(at)
    is_awaited = body.words[end : end + 3] == [".", "await", ";"]
    return is_awaited and body.starts_statement(chain_start(body.words, at))


def _is_thrown_away(body: FunctionBody, at: int) -> bool:
    """Whether a result is given no name on purpose: `_ = f()`, `let _ = f()`."""
    start, end = chain_start(body.words, at), body.end(at)
    end += 2 * (body.words[end : end + 2] == [".", "await"])
    is_whole = end in body.code.stream.line_starts or body.words[end : end + 1] in ([";"], ["}"])
    return is_whole and body.words[start - 2 : start] == ["_", "="]


def _loses_error(body: FunctionBody, at: int) -> bool:
    """Whether the last of several results is given no name: `value, _ := f()`."""
    start = chain_start(body.words, at)
    is_bound = body.words[start - 1] in {"=", ":="}
    return is_bound and body.words[start - 3 : start - 1] == [",", "_"]


def _unwrapped(pair: ChangedBody, was: FunctionBody) -> Iterator[ReviewFinding]:
    """Name calls that end the program now where they returned an error before."""
    returned = {was.chain(it) for it in was.calls() if was.words[was.end(it)] == "?"}
    for at in pair.new_calls():
        end = pair.now.end(at)
        following = pair.now.words[end : end + 2]
        if following in ([".", "unwrap"], [".", "expect"]) and pair.now.chain(at) in returned:
            shown = "".join(pair.now.chain(at))
            text = (
                f"{following[1]} panics where an error of {shown} was returned before this change"
            )
            yield found_at(pair, end + 1, "lost-error", text)


def _shadowed(pair: ChangedBody) -> Iterator[ReviewFinding]:
    """Name variables that are declared anew in a block, and whose outer ones are read after it."""
    now, words = pair.now, pair.now.words
    stream = now.code.stream
    for at in range(now.first, now.last):
        if words[at] != ":=" or now.line(at) not in pair.touched:
            continue
        for here in _declared_before(now, at):
            name = words[here]
            opened = stream.enclosing(here)
            first = _line_start(now, here)
            if name == "_" or words[first] in {"if", "for", "switch", "case", "func", "}"}:
                continue
            end = stream.closing(opened, now.last) if opened > now.first else now.last
            is_outer = _is_declared(now, name, opened)
            inside = [it for it in stream.positions(name) if here < it < end]
            sets_again = any(words[it + 1] == "=" for it in inside)
            after = [it for it in stream.positions(name) if end < it < now.last]
            is_read = bool(after) and words[after[0] + 1] not in {"=", ":=", ","}
            returned = any("return" in words[_line_start(now, it) : it] for it in inside)
            if is_outer and is_read and sets_again and not returned:
                text = (
                    f"{name} is declared anew here, so {name} on line {now.line(after[0])} is "
                    "still what it was before this block"
                )
                yield found_at(pair, here, "lost-error", text)


def _line_start(body: FunctionBody, at: int) -> int:
    while at > body.first and at not in body.code.stream.line_starts:
        at -= 1
    return at


def _declared_before(body: FunctionBody, at: int) -> list[int]:
    """Return the names before `:=`."""
    found, here = [at - 1], at - 2
    while body.words[here] == "," and here > body.first:
        found.append(here - 1)
        here -= 2
    return found


def _is_declared(body: FunctionBody, name: str, before: int) -> bool:
    """Whether a function declares a name outside of the block that opens at a position."""
    words = body.words
    for at in body.code.stream.positions(name):
        if not body.first < at < before:
            continue
        if words[at - 1] == "var":
            outer = body.code.stream.enclosing(at)
            return body.code.stream.closing(outer, body.last) > before
    return False


def _lost_causes(pair: ChangedBody) -> Iterator[ReviewFinding]:
    """Name errors that are made in a handler and no longer say what they handle."""
    now, was = pair.now, pair.was
    if was is None:
        return
    told = _handlers(was)
    for name, at, says in _handlers(now):
        thrown = now.words[at : now.last].index("throw") + at if not says else -1
        if not says and any(it[0] == name and it[2] for it in told):
            if not any(now.line(it) in pair.touched for it in range(at, thrown + 1)):
                continue
            text = f"What is thrown here does not name {name} any more: what caused it is lost"
            yield found_at(pair, thrown, "lost-error", text)
    wrapping = Counter(it for it in was.own if it[:1] in '"`' and "%w" in it)
    for at in range(now.first, now.last):
        word = now.words[at]
        if word[:1] in '"`' and "%" in word and now.line(at) in pair.touched:
            for form in ("%v", "%s"):
                is_same = any(it.replace("%w", form) == word for it in wrapping)
                if is_same or (form in word and _no_longer_wraps(now, at, wrapping)):
                    text = (
                        f"{form} does not keep the error that %w kept: errors.Is will not find it"
                    )
                    yield found_at(pair, at, "lost-error", text)
                    break


def _no_longer_wraps(body: FunctionBody, at: int, wrapping: Counter[str]) -> bool:
    """Whether an error is put into a text, in a function that wraps fewer errors than before."""
    words = body.words
    left = sum("%w" in it for it in body.own if it[:1] in '"`')
    opened = body.code.stream.enclosing(at)
    is_made = words[opened - 1] == "Errorf" and words[opened] == "("
    given = words[at + 1 : body.code.stream.closing(opened, body.last)]
    is_error = any(it == "err" or it.endswith("Err") for it in given[-2:])
    return is_made and is_error and left < sum(wrapping.values())


# What a handler does beside reporting, and what callers rely on.
_HANDLING = frozenset(
    {
        *("interrupt", "rollback", "abort", "cancel", "reject", "set_exception", "setException"),
        *("completeExceptionally", "Rollback", "Abort"),
    }
)


def _lost_handling(state: ReviewState, pair: ChangedBody) -> Iterator[ReviewFinding]:
    """Name handlers that no longer do what callers rely on: interrupt the thread, roll back."""
    if pair.was is None:
        return
    before, after = _handled(pair.was), _handled(pair.now)
    file = next(it for it in state.files if it.delta.path == pair.path)
    for caught, called in before.items():
        now = after.get(caught)
        for name, at in called.items() if now is not None else ():
            if name in _HANDLING and name not in pair.now.own:
                text = f"This handler called {name} before this change, and does not now"
                line = state.line_after(file, pair.was.line(at))
                yield finding_at("lost-error", pair.path, line, text, pair.name, level="warning")


# What a handler may do so that its error is not lost.
_PASSING_ON = frozenset(
    {
        *(
            "raise",
            "throw",
            "return",
            "exit",
            "panic",
            "abort",
            "fail",
            "reject",
            "yield",
            "rethrow",
        ),
        *("set_exception", "setException", "completeExceptionally", "onError", "on_error"),
    }
)


def _no_longer_raises(pair: ChangedBody) -> Iterator[ReviewFinding]:
    """Name handlers that raised an error before, and after which the function goes on now."""
    now, was = pair.now, pair.was
    if was is None or now.words[now.first : now.last].count("try") != was.own.count("try"):
        return
    heads = {"except", "catch"}
    before, after = list(blocks(was, heads)), list(blocks(now, heads))
    if len(before) != len(after):
        return
    for (_, opened, end), (at, start, last) in zip(before, after, strict=True):
        raised = {"raise", "throw"}.intersection(was.words[opened:end])
        is_kept = not raised or not _PASSING_ON.isdisjoint(now.words[start:last])
        is_touched = not pair.touched.isdisjoint(range(now.line(at), now.line(last - 1) + 1))
        if not is_kept and is_touched:
            text = f"This handler had {min(raised)} before; now the error ends here"
            yield found_at(pair, at, "lost-error", text)


def _handled(body: FunctionBody) -> dict[tuple[str, ...], dict[str, int]]:
    """Return what the handlers of a function call, by what they catch."""
    found: dict[tuple[str, ...], dict[str, int]] = {}
    for at in range(body.first, body.last - 3):
        if body.words[at] != "catch" or body.words[at + 1] != "(":
            continue
        end = body.code.stream.closing(at + 1, body.last)
        last = body.code.stream.closing(end + 1, body.last)
        caught = found.setdefault(tuple(body.words[at + 2 : end - 1]), {})
        caught.update((body.words[it], it) for it in body.calls() if end < it < last)
    return found


def _handlers(body: FunctionBody) -> list[tuple[str, int, bool]]:
    """Return the handlers that throw: the name of what is caught, where, and if it is passed on."""
    found, words = [], body.words
    for at in range(body.first, body.last - 3):
        if words[at] != "catch" or words[at + 1] != "(":
            continue
        end = body.code.stream.closing(at + 1, body.last)
        if end + 1 >= body.last or words[end + 1] != "{":
            continue
        name, last = words[end - 1], body.code.stream.closing(end + 1, body.last)
        inside = words[end + 1 : last]
        if "throw" in inside:
            found.append((name, end + 1, name in inside))
    return found
