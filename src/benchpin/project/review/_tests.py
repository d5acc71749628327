"""What a change does to tests and checks: tests that check less, checkers that say less.

A test is compared with itself before the change: whether it still runs, how many checks it has, and
whether a check that compared a whole value, or allowed a small difference, now asks for less.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from benchpin.code.changes import ChangedFile
from benchpin.code.names import ANONYMOUS
from benchpin.facts import FileFacts, Function
from benchpin.facts.code import CLOSING, OPENING, TestWords, TokenStream, navigation_of
from benchpin.workspace.walking import is_product_path, is_test_path

from ._state import ReviewFinding, ReviewState, finding_at, last_part

_RULE = "weakened-test"
_MARKS = frozenset({"test", "Test", "ParameterizedTest", "RepeatedTest", "rstest", "Theory"})
# A check that something is there compares nothing.
_NOTHING = frozenset({"nil", "None", "null", "undefined"})
# What an empty value is compared with.
_EMPTY = frozenset({*_NOTHING, "0", '""', "false", "``"})
# What is asked for how much there is, in any language.
_SIZES = frozenset({"len", "length", "size", "count", "Length", "Count", "Size", "Len", "strlen"})
_OPERATORS = frozenset({"==", "!=", "===", "is", "in"})
_QUOTES = "\"'`"
# Tokens from a report back to the condition that leads to it.
_MAX_CONDITION_TOKENS = 60
_MAX_CHECK_TOKENS = 200
_MAX_NAMED = 3
# The share of its words that a test keeps when it is edited.
_MIN_KEPT_SHARE = 0.5
# Tests of one change that are said to check less; a change of more is one of how tests are written.
_MAX_WEAKENED = 10


Check = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TestCase:
    """A test, and what it checks."""

    name: str
    line: int
    skips: int
    checks: tuple[tuple[int, tuple[str, ...]], ...]
    """Each with its line and its words."""
    words: Counter[str]


def check_weakened(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name tests that are gone, that no longer run, or that check less than before."""
    renamed = {
        last_part(it.before.name): last_part(it.after.name)
        for it in state.symbols
        if it.status in {"renamed", "moved"} and it.before is not None and it.after is not None
    }
    before = [(it, cases_of(it.before)) for it in state.files if it.before is not None]
    all_after = {it.delta.path: cases_of(it.after) for it in state.files if it.after is not None}
    found: list[ReviewFinding] = []
    anywhere = {name for cases in all_after.values() for name in cases}
    for file, cases in before:
        now = all_after.get(file.delta.path, {})
        gone = [
            it
            for name, it in cases.items()
            if name not in anywhere and renamed.get(name, name) not in anywhere
        ]
        # What is tested may be gone with its tests: that is up to date.
        if gone:
            yield _gone_tests(state, file, gone)
        both = [(it, now[name]) for name, it in cases.items() if name in now]
        both += _helpers(file)
        found += [it for pair in both for it in _compared(file, *pair, _words(file.after))]
    yield from found[:_MAX_WEAKENED]
    if len(found) > _MAX_WEAKENED:
        state.job.leave_out(f"{len(found) - _MAX_WEAKENED:,} more tests that check less")


def _words(file: FileFacts | None) -> TestWords:
    return TestWords() if file is None else navigation_of(file.language).tests


def _gone_tests(state: ReviewState, file: ChangedFile, gone: Sequence[TestCase]) -> ReviewFinding:
    names = [it.name for it in gone]
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    removes_code = any(
        it.status == "removed" and is_product_path(it.now.path) for it in state.symbols
    )
    text = f"Removed: {', '.join(names[:_MAX_NAMED])}{more}; nothing checks what they checked"
    place = state.line_after(file, gone[0].line)
    level = "note" if removes_code else "warning"
    return finding_at(_RULE, file.delta.path, place, text, names[0]).model_copy(
        update={"level": level}
    )


def cases_of(file: FileFacts | None) -> dict[str, TestCase]:
    """Return the tests of a file, by name; the first of a name."""
    if file is None or "tokens" not in file.sections:
        return {}
    rules = navigation_of(file.language)
    stream, words = TokenStream(file.tokens), rules.tests
    found: dict[str, TestCase] = {}
    is_file = is_test_path(file.path) and file.path.endswith(rules.test_file)
    for function in file.outline.functions:
        name = last_part(function.name)
        marks = {last_part(it) for it in function.decorators}
        if not _MARKS.isdisjoint(marks) or (is_file and name.startswith(rules.test_names)):
            span = function.first_token, function.last_token
            skips = len(words.skips.intersection(marks | _around(file, name, function)))
            found.setdefault(name, _case(stream, name, function.line, span, skips, words))
    if is_test_path(file.path):
        for name, line, span in _called(stream, words):
            found.setdefault(name, _case(stream, name, line, span, 0, words))
    return found


def _helpers(file: ChangedFile) -> list[tuple[TestCase, TestCase]]:
    """Return functions of a test file that check something for tests, before and after."""
    states = []
    for facts in (file.before, file.after):
        found: dict[str, TestCase] = {}
        if facts is not None and is_test_path(facts.path) and "tokens" in facts.sections:
            stream, words, tests = TokenStream(facts.tokens), _words(facts), cases_of(facts)
            called = [range(*span) for _, _, span in _called(stream, words)]
            for function in facts.outline.functions:
                span = function.first_token, function.last_token
                is_inside = any(span[0] in it for it in called) or ANONYMOUS in function.name
                # What is inside of a test was compared with it.
                if not is_inside and tests.keys().isdisjoint(function.name.split(".")):
                    name = last_part(function.name)
                    found.setdefault(name, _case(stream, name, function.line, span, 0, words))
        states.append(found)
    before, after = states
    return [(it, after[name]) for name, it in before.items() if it.checks and name in after]


def _around(file: FileFacts, name: str, function: Function) -> set[str]:
    """Return what marks the types around a test."""
    owner = function.name.removesuffix(name).rstrip(".")
    marks = (it.decorators for it in file.outline.types if owner and it.name == owner)
    return {last_part(it) for decorators in marks for it in decorators}


def _called(stream: TokenStream, words: TestWords) -> Iterator[tuple[str, int, tuple[int, int]]]:
    """Yield the tests that are passed to a function after their names."""
    texts = stream.words
    for called in words.calls:
        for at in stream.positions(called):
            opened = at + 1
            while opened + 1 < len(texts) and texts[opened] == ".":
                opened += 2
            is_named = texts[opened : opened + 1] == ["("] and opened + 1 < len(texts)
            if is_named and stream.is_literal(opened + 1) and texts[at - 1] != ".":
                end = stream.closing(opened, len(texts))
                yield texts[opened + 1].strip(_QUOTES), stream.line(at), (at, end)


def _case(
    stream: TokenStream,
    name: str,
    line: int,
    span: tuple[int, int],
    skips: int,
    words: TestWords,
) -> TestCase:
    inside = Counter(stream.words[slice(*span)])
    skips += sum(inside[it] for it in words.skips)
    return TestCase(name, line, skips, tuple(_checks(stream, span, words)), inside)


def _checks(
    stream: TokenStream, span: tuple[int, int], words: TestWords
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield what a test checks, each with its line and its words."""
    at, last = span
    texts = stream.words
    while at < last:
        if texts[at] in words.reports and texts[at - 1] == "." and texts[at + 1] == "(":
            asked = tuple(texts[_condition(stream, at, span[0]) : at])
            if asked:  # what always fails is a way that a test should not take
                yield stream.line(at), asked
        elif texts[at].lower().startswith(words.asserts) and texts[at - 1] not in {"def", "fn"}:
            end = _end_of_check(stream, at, last)
            if end > at + 1:
                yield stream.line(at), tuple(texts[at:end])
                at = end - 1
        at += 1


def _condition(stream: TokenStream, at: int, first: int) -> int:
    """Return where the condition starts that leads to a report."""
    for here in range(at, max(first, at - _MAX_CONDITION_TOKENS), -1):
        if stream.words[here] == "if":
            return here
    return at


def _end_of_check(stream: TokenStream, at: int, last: int) -> int:
    """Return where the call, or the statement, that begins at a position ends."""
    texts, here = stream.words, at + 1
    if texts[here : here + 1] == ["!"]:
        here += 1
    if texts[here : here + 1] not in (["("], ["."], ["::"]):
        # `assert x == y`: to the end of the line, or of the brackets that go on there.
        depth = 0
        while here < min(last, at + _MAX_CHECK_TOKENS):
            if not depth and here in stream.line_starts:
                break
            depth += (texts[here] in OPENING) - (texts[here] in CLOSING)
            here += 1
        return here
    while here < last:
        if texts[here] == "(":
            here = stream.closing(here, last) + 1
        elif texts[here] in {".", "::"}:
            here += 2
        else:
            break
    return here if ")" in texts[at:here] else at


def _compared(
    file: ChangedFile, was: TestCase, now: TestCase, words: TestWords
) -> Iterator[ReviewFinding]:
    """Say how a test checks less than it did."""
    path = file.delta.path
    if now.skips > was.skips:
        text = f"{now.name} does not always run any more: it is skipped"
        yield finding_at(_RULE, path, now.line, text, now.name, level="warning")
    size = was.words.total()
    if now.checks:
        size = min(size, now.words.total())  # what is gone is no other way to write the test
    if (was.words & now.words).total() < _MIN_KEPT_SHARE * size:
        return  # written anew: its checks cannot be compared one by one
    lost, new = Counter(it for _, it in was.checks), Counter(it for _, it in now.checks)
    gone = list((lost - new).elements())
    fresh = _fresh(was, now, new - lost)
    if len(now.checks) < len(was.checks) and not fresh:
        left = "checks nothing any more" if not now.checks else "checks less than before"
        text = f"{now.name} {left}: {_shown(gone[0])} is gone"
        yield finding_at(_RULE, path, now.line, text, now.name, level="warning")
    else:
        for old, line, text_now in _paired(gone, fresh):
            problem = _weaker(old, text_now, words)
            if problem:
                text = f"{now.name} {problem}: {_shown(old)} is now {_shown(text_now)}"
                yield finding_at(_RULE, path, line, text, now.name, level="warning")


def _fresh(was: TestCase, now: TestCase, added: Counter[Check]) -> list[tuple[int, Check]]:
    """Return the checks that are new, with their lines.

    Of two that read alike it is the one that stands where none stood before.
    """
    old, checks = [it for _, it in was.checks], [it for _, it in now.checks]
    blocks = SequenceMatcher(a=old, b=checks, autojunk=False).get_matching_blocks()
    kept = {at for block in blocks for at in range(block.b, block.b + block.size)}
    found = []
    for at in sorted(range(len(checks)), key=lambda it: (it in kept, it)):
        if added[checks[at]] > 0:
            added[checks[at]] -= 1
            found.append(at)
    return [now.checks[at] for at in sorted(found)]


def _paired(
    gone: Sequence[Check], fresh: Sequence[tuple[int, Check]]
) -> Iterator[tuple[Check, int, Check]]:
    """Yield old checks with the line and the words of the new ones that stand for them.

    Of several, one stands for the other that begins like it or has most words of it.
    """
    if len(gone) == len(fresh):
        yield from ((old, *it) for old, it in zip(gone, fresh, strict=True))
    elif len(gone) > len(fresh):
        left = list(gone)
        for line, now in fresh:
            best = max(left, key=lambda old: _kept(old, now))
            if _kept(best, now):
                left.remove(best)
                yield best, line, now


def _kept(old: Check, new: Check) -> int:
    """Return how many names and values a check still has of another."""
    said = {it for it in new[1:] if it.isidentifier() or it[-1:] in _QUOTES}
    return len(said.intersection(old[1:]))


def _shown(check: tuple[str, ...]) -> str:
    text = " ".join(check)
    return f"`{text[:60]}{'…' if len(text) > 60 else ''}`"  # noqa: PLR2004 - room on a line


def _weaker(old: tuple[str, ...], new: tuple[str, ...], words: TestWords) -> str:
    # Another way to write tests has words of its own: only those that are known to ask less count.
    asks_less = new[0] == "assert" or not (words.weak | _NOTHING).isdisjoint(new)
    if asks_less and _is_whole(old, words) and not _is_whole(new, words):
        return "no longer compares the whole value"
    if new != old and _without_sizes(new) == old:
        return "compares only sizes"
    if _says_less(old, new, words):
        return "asks for less of what is expected"
    if _compares(old) and _is_about_nothing(new):
        return "no longer compares with what is expected"
    changed = [at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other]
    if len(old) != len(new) or len(changed) != 1:
        return ""
    before, after = (_number(it[changed[0]]) for it in (old, new))
    if before is None or after is None:
        return ""
    if not words.digits.isdisjoint(old) and old[changed[0] - 1] in {",", "="}:
        return "allows a bigger difference" if after < before else ""
    is_close = not words.closeness.isdisjoint(old) and old[changed[0] - 1] in {",", "=", "<", ">"}
    is_small = 0 < abs(before) < 1 or not words.closeness.isdisjoint(old[: changed[0]])
    # The last argument, or operand: `> 0.001 { t .` in Go. Any other may be the value itself.
    is_last = changed[0] >= len(old) - 4
    is_small = is_small and (is_last or old[changed[0] - 1] == "=") and abs(before) < 1
    return "allows a bigger difference" if is_close and is_small and after > before else ""


def _without_sizes(check: Check) -> Check:
    """Return a check without what asks for sizes: `.len()`, `.length`, `len(…)`."""
    kept: list[str] = []
    at, closing = 0, set[int]()
    while at < len(check):
        is_member = check[at] == "." and check[at + 1 : at + 2] and check[at + 1] in _SIZES
        if is_member:
            at += 4 if check[at + 2 : at + 4] == ("(", ")") else 2
            continue
        is_call = check[at] in _SIZES and check[at + 1 : at + 2] == ("(",)
        if is_call and check[at - 1 : at] != (".",):
            closing.add(_closing(check, at + 1))
            at += 2
            continue
        if at not in closing:
            kept.append(check[at])
        at += 1
    return tuple(kept)


def _closing(check: Check, opened: int) -> int:
    depth = 0
    for at in range(opened, len(check)):
        depth += (check[at] in OPENING) - (check[at] in CLOSING)
        if not depth:
            return at
    return len(check)


def _says_less(old: Check, new: Check, words: TestWords) -> bool:
    """Whether a check of the same asks for a part, or a bound, of what it compared with."""
    if not _kept(old, new) or words.equals.isdisjoint(old):
        return False
    has_less = words.partial.intersection(new) - words.partial.intersection(old)
    is_equal = bool((words.equals - words.partial).intersection(old))
    keeps_equal = bool((words.equals - words.partial).intersection(new))
    return is_equal and bool(has_less) and not keeps_equal


def _compares(check: tuple[str, ...]) -> bool:
    """Whether the condition of a report compares with a value: `if got != want {`."""
    at = check.index("!=") if check[0] == "if" and "!=" in check else 0
    return bool(at) and check[at + 1] not in _EMPTY


def _is_about_nothing(check: tuple[str, ...]) -> bool:
    """Whether the condition of a report only says that there is something: `if got == nil {`."""
    equal = [at for at, it in enumerate(check) if it == "=="]
    is_plain = len(equal) == 1 and not {"!=", "&&", "||", "<", ">"} & set(check)
    return check[0] == "if" and is_plain and check[equal[0] + 1] in _EMPTY


def _is_whole(check: tuple[str, ...], words: TestWords) -> bool:
    found = words.equals.intersection(check)
    # `err != nil` asks less than `errors.Is(err, x)`; `strictEqual(x, null)` asks for all there is.
    return bool(found - _OPERATORS) or (bool(found) and _NOTHING.isdisjoint(check))


def _number(text: str) -> float | None:
    try:
        return float(text.rstrip("fFdL").replace("_", ""))
    except ValueError:
        return None
