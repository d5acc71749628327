"""What callers rely on and a change alters, though the calls still fit: results and defaults."""

import re
from collections.abc import Iterator
from functools import cache

from benchpin.code import CodeIndex
from benchpin.code.changes import SymbolChange
from benchpin.code.names import Module, Symbol, chain_start
from benchpin.code.references import Use, find_uses
from benchpin.code.signatures import defaults_of, leaves_out, result_of
from benchpin.core.text import counted
from benchpin.facts import Function
from benchpin.facts.code import split_at_commas
from benchpin.workspace.walking import is_product_path

from ._state import ReviewFinding, ReviewState, finding_at, first_few

_RESULT = "changed-result"
_MAX_SHOWN = 5
_MAX_NAMED = 3
# Functions of one change whose callers are looked up.
_MAX_FOLLOWED = 40


def check_relied(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name the calls that rely on a result or a default that is another since the change."""
    left = _MAX_FOLLOWED
    for change in state.symbols:
        symbol = _function_after(state, change)
        if symbol is None or change.before is None:
            continue
        was = change.before.fact
        now = symbol.declared
        module = state.index.symbols.modules[symbol.file]
        if not isinstance(was, Function) or not isinstance(now, Function):
            continue
        results = _results(state, change, symbol)
        defaults = _changed_defaults(was, now, module.language)
        if not results and not defaults:
            continue
        left -= 1
        if left < 0:
            state.job.leave_out("callers of more changed results and defaults")
            return
        if results:
            yield from _of_result(state, symbol, *results)
        for name, (old, new) in defaults.items():
            yield from _of_default(state, symbol, name, old, new)


def _function_after(state: ReviewState, change: SymbolChange) -> Symbol | None:
    module = state.index.symbols.modules.get(change.now.path)
    is_both = change.before is not None and change.after is not None
    symbol = module.symbols.get(change.now.name) if module is not None and is_both else None
    return symbol if symbol is not None and symbol.is_function else None


def _calls(state: ReviewState, symbol: Symbol) -> list[tuple[Use, Module, int]]:
    """Return the calls that certainly mean a function and that the change did not touch."""
    touched = cache(state.touched)
    uses = find_uses(state.index, symbol, state.job, mentions=False)
    found = [
        (it, state.index.symbols.modules[it.file], uses.tokens[it])
        for it in uses.found
        if it.kind == "call" and it.certainty == "certain" and it in uses.tokens
        if it.line not in touched(it.file)
    ]
    return sorted(found, key=lambda it: (not is_product_path(it[0].file), it[0].file, it[0].line))


def _results(state: ReviewState, change: SymbolChange, symbol: Symbol) -> tuple[str, str] | None:
    """Return the declared result before and after, or how many values it has; None if the same."""
    if change.before is None:
        return None
    before = state.index_before.symbols.modules.get(change.before.path)
    old = None if before is None else before.symbols.get(change.before.name)
    if old is None:
        return None
    was, now = _result(state.index_before, old), _result(state.index, symbol)
    if was and now:
        return None if _plain(was) == _plain(now) else (was, now)
    counts = _values(state.index_before, old), _values(state.index, symbol)
    if was or now or counts[0] == counts[1] or 0 in counts:
        return None
    return counted(counts[0], "value"), counted(counts[1], "value")


def _result(index: CodeIndex, symbol: Symbol) -> str:
    declared = symbol.declared
    if not isinstance(declared, Function) or declared.name != symbol.qualified:
        return ""
    said = index.types.result(symbol)
    if said is None:
        return ""
    return result_of(declared) or _TIGHT.sub(r"\1", " ".join(said[1]))


_TIGHT = re.compile(r" ?([.()\[\]<>,|]|::) ?")
_WORD = re.compile(r"\w+")
# Names of one type.
_SAME = {"List": "list", "Dict": "dict", "Tuple": "tuple", "Set": "set", "Type": "type"}


def _plain(result: str) -> str:
    """Return a result without what does not change which type it is."""
    text = re.sub(r"\b(?:typing|t|std::\w+|java\.\w+)(?:\.|::)", "", result)
    text = re.sub(r"[\"'\s]|\b(?:readonly|final|const)\b", "", text)
    if text.startswith("Optional[") and text.endswith("]"):
        text = text[len("Optional[") : -1] + "|None"
    if text.startswith("Union[") and text.endswith("]"):
        text = _at_top(text[len("Union[") : -1].removesuffix(","))
    if text.startswith("(") and text.endswith(")") and "|" in text and "," not in text:
        text = text[1:-1]
    return _WORD.sub(lambda it: _SAME.get(it[0], it[0]), text)


def _at_top(listed: str) -> str:
    """Return types that commas part as a union; the commas inside of a type stay."""
    depth, text = 0, ""
    for char in listed:
        depth += (char in "[(") - (char in "])")
        text += "|" if char == "," and not depth else char
    return text


def _values(index: CodeIndex, symbol: Symbol) -> int:
    """Return how many values a function of Python returns; 0 if that differs or is not known."""
    module = index.symbols.modules[symbol.file]
    scope = None if module.code is None else module.code.scope_declaring(symbol.declared)
    if module.code is None or scope is None or not module.navigation.has_docstrings:
        return 0
    spans = index.values.returned_by(module, scope)
    counts = {sum(1 for _ in split_at_commas(module.code.stream, *it)) for it in spans}
    return counts.pop() if len(counts) == 1 else 0


# What a caller has to unwrap, wait for or look into.
_WRAPPED = re.compile(
    r"^(?:Option|Result|Promise|Future|Awaitable|Coroutine|Optional|CompletableFuture)[<\[]"
)
_EMPTY = re.compile(r"\|(?:None|null|undefined)\b|\b(?:None|null|undefined)\|")
_LIST = re.compile(r"(?:\[\]$|^(?:list|Vec|List|Array|tuple)\b|^\[)")
_MAPPING = re.compile(r"^(?:dict|Map|HashMap|Mapping|Record)\b")


def _is_other(was: str, now: str) -> bool:
    """Whether code for the one result hardly works with the other."""
    old, new = _plain(was), _plain(now)
    if "Any" in was or "Any" in now:
        return False
    return any(bool(it.search(new)) and not it.search(old) for it in (_WRAPPED, _EMPTY)) or _shape(
        old
    ) != _shape(new)


def _shape(result: str) -> str:
    if "|" in result:
        return "union"
    for name, pattern in (("list", _LIST), ("mapping", _MAPPING), ("wrapped", _WRAPPED)):
        if pattern.search(result):
            return name
    if result in _PLAIN_TYPES:
        return result
    return "values" if result.startswith("(") or result.endswith("values") else ""


_PLAIN_TYPES = frozenset(
    {
        *("str", "int", "float", "bytes", "bool", "string", "number", "boolean", "bigint", "void"),
        *("uint", "int32", "int64", "uint32", "uint64", "usize", "i32", "i64", "u32", "u64"),
        *("f32", "f64", "String", "long", "double", "char", "rune", "byte", "error"),
    }
)


def _of_result(state: ReviewState, symbol: Symbol, was: str, now: str) -> Iterator[ReviewFinding]:
    calls = [it for it in _calls(state, symbol) if _is_value_used(it[1], it[2])]
    if not calls:
        return
    name, place = symbol.qualified, f"{symbol.file}:{symbol.line}"
    wanted = _go_results(state, symbol)
    if wanted:
        counts = {id(it): _taken(it[1], it[2]) for it in calls}
        lost = [it for it in calls if counts[id(it)] not in {0, wanted}]
        for (use, _, _), more in first_few(lost, _MAX_SHOWN, "; so do {:,} more"):
            text = f"{name} returns {counted(wanted, 'value')} now, and this takes another number"
            yield finding_at("broken-call", use.file, use.line, text + more, name, place)
        if lost:
            return
    text = f"{name} returned {was} before this change, and returns {now} now"
    if not _is_other(was, now):
        listed = _listed(calls)
        found = f"The result of {name} was {was}, and is {now} now; {listed}"
        first = f"{calls[0][0].file}:{calls[0][0].line}"
        yield finding_at(
            "changed-result", symbol.file, symbol.line, found, name, first, level="note"
        )
        return
    for (use, _, _), more in first_few(calls, _MAX_SHOWN, "; {:,} more calls use it"):
        yield finding_at(_RESULT, use.file, use.line, text + more, name, place, level="warning")


def _listed(calls: list[tuple[Use, Module, int]]) -> str:
    places = ", ".join(f"{it.file}:{it.line}" for it, _, _ in calls[:_MAX_NAMED])
    more = f" and {len(calls) - _MAX_NAMED} more" if len(calls) > _MAX_NAMED else ""
    verb = "relies" if len(calls) == 1 else "rely"
    return f"{counted(len(calls), 'call')} {verb} on it: {places}{more}"


def _is_value_used(module: Module, at: int) -> bool:
    """Whether a call is more than a statement of its own."""
    code = module.code
    if code is None:
        return False
    words = code.stream.words
    start, opened = chain_start(words, at), at + 1
    while words[opened : opened + 1] != ["("] and opened < min(at + 12, len(words)):
        opened += 1
    end = code.stream.closing(opened, len(words)) + 1
    if start and words[start - 1] == "await":
        start -= 1
    is_first = start == 0 or start in code.stream.line_starts or words[start - 1] in {";", "{", "}"}
    is_last = end >= len(words) or end in code.stream.line_starts or words[end] in {";", "}"}
    before = words[start - 1] if start else ""
    is_inside = before in {"=", "(", ",", "return", ":=", "+", "=>", "->", "["}
    return is_inside or not (is_first and is_last)


def _go_results(state: ReviewState, symbol: Symbol) -> int:
    """Return how many results a function of Go has; 0 for another language."""
    module = state.index.symbols.modules[symbol.file]
    rules = module.navigation.calls
    if rules is None or not rules.spreads_results or not isinstance(symbol.declared, Function):
        return 0
    text = result_of(symbol.declared)
    if not text.startswith("("):
        return int(bool(text))
    depth, count = 0, 1
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        count += char == "," and depth == 1
    return count


def _taken(module: Module, at: int) -> int:
    """Return how many values a statement of Go takes from a call; 0 if it may be any number."""
    code = module.code
    if code is None:
        return 0
    words = code.stream.words
    start = chain_start(words, at)
    before = words[start - 1] if start else ""
    end = code.stream.closing(at + 1, len(words)) + 1
    is_alone = end in code.stream.line_starts or words[end : end + 1] in ([";"], ["{"], [])
    if before in {"=", ":="} and is_alone:
        first, count = start - 2, 1
        while first > 0 and words[first] not in {"{", "}", ";", "if", "switch", "for", "var"}:
            count += words[first] == ","
            if first in code.stream.line_starts:
                break
            first -= 1
        return count
    # `go f()` takes none; `return f()` and `g(f())` pass all of them on.
    is_open = before in {"=", ":=", ",", "(", "return"} or before in module.navigation.keywords
    return 0 if is_open else 1


def _changed_defaults(was: Function, now: Function, language: str) -> dict[str, tuple[str, str]]:
    if was.signature == now.signature:
        return {}
    old, new = defaults_of(was, language), defaults_of(now, language)
    return {name: (old[name], it) for name, it in new.items() if old.get(name, it) != it}


def _of_default(
    state: ReviewState, symbol: Symbol, name: str, old: str, new: str
) -> Iterator[ReviewFinding]:
    calls = [it for it in _calls(state, symbol) if leaves_out(it[1], it[2], symbol, name)]
    if not calls:
        return
    text = f"The default of {name} of {symbol.qualified} was {old}, and is {new} now; "
    first = f"{calls[0][0].file}:{calls[0][0].line}"
    yield finding_at(
        "changed-default",
        symbol.file,
        symbol.line,
        text + _listed(calls),
        symbol.qualified,
        first,
        level="warning",
    )
