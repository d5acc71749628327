"""Mistakes that new code shows by its form: what it compares, keeps, swallows or never uses."""

import re
from collections.abc import Iterator, Sequence

from benchpin.code.changes import ChangedFile
from benchpin.code.names import ANONYMOUS, Code, Module
from benchpin.facts import FileFacts
from benchpin.facts.code import TokenStream, split_at_commas
from benchpin.measures.clones import DuplicateOptions
from benchpin.workspace.walking import is_product_path

from ._bodies import ChangedBody, FunctionBody, pairs
from ._state import Fix, ReviewFinding, ReviewState, finding_at, last_part

_RULE = "likely-mistake"
_QUOTES = frozenset("\"'`")
# What catches nearly everything.
_BROAD = frozenset({"Exception", "BaseException", "Throwable", "RuntimeException", ":"})
_CHANGING = frozenset(
    {"append", "add", "update", "setdefault", "pop", "extend", "insert", "clear", "remove"}
)
_COMMENT = re.compile(r"#|//|/\*")
# Words of a body that is worth being called a copy of another.
_MIN_COPIED_WORDS = 15


def check_pitfalls(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name what new code gets wrong by its form."""
    every = list(pairs(state))
    for pair in state.job.each(every, "functions"):
        yield from _mutable_defaults(pair)
        yield from _swallowed(state, pair)
        yield from _same_body(pair, every)
    for file in state.files:
        module = state.index.symbols.modules.get(file.delta.path)
        if file.after is None or module is None or module.code is None:
            continue
        lines = state.new_lines(file)
        yield from _identity(state, module, module.code, lines)
        yield from _hashes(file, file.after)
        yield from _emptied(file, module.code, lines)
        if is_product_path(file.delta.path):
            yield from _never_set(module, module.code, lines)
            yield from _never_read(state, module, module.code, lines)


def _warning(path: str, line: int, text: str, symbol: str | None = None) -> ReviewFinding:
    return finding_at(_RULE, path, line, text, symbol, level="warning")


def _mutable_defaults(pair: ChangedBody) -> Iterator[ReviewFinding]:
    """Name defaults that are made once and that the function changes."""
    now, words = pair.now, pair.now.words
    if not pair.rules.has_docstrings or "(" not in now.own:
        return
    opened = now.first + now.own.index("(")
    end = now.code.stream.closing(opened, now.last)
    for start, last in split_at_commas(now.code.stream, opened + 1, end):
        at, name = last - 3, words[start]
        is_empty = words[at:last] in (["=", "[", "]"], ["=", "{", "}"])
        if not is_empty or now.line(at) not in pair.touched:
            continue
        changed = [
            it
            for it in now.code.stream.positions(name)
            if end < it < now.last
            and (
                (words[it + 1] == "." and words[it + 2] in _CHANGING)
                or (words[it + 1] == "[" and _is_set(now, it + 1))
            )
        ]
        if changed:
            line = now.line(changed[0])
            text = f"The default of {name} is one value for all calls, and line {line} changes it"
            yield _warning(pair.path, now.line(at), text, pair.name)


def _is_set(body: FunctionBody, opened: int) -> bool:
    after = body.code.stream.closing(opened, body.last) + 1
    return body.words[after : after + 1] == ["="]


def _swallowed(state: ReviewState, pair: ChangedBody) -> Iterator[ReviewFinding]:
    """Name handlers of nearly every error that do nothing and do not say why."""
    now, words = pair.now, pair.now.words
    for at in range(now.first, now.last - 2):
        if words[at] not in {"except", "catch"} or now.line(at) not in pair.touched:
            continue
        if words[at] == "except":
            end = next((it for it in range(at, min(at + 12, now.last)) if words[it] == ":"), at)
            is_empty = words[end + 1 : end + 2] in (["pass"], ["..."])
            last = end + 1
            caught = words[at + 1]
        else:
            opened = (
                now.code.stream.closing(at + 1, now.last) + 1 if words[at + 1] == "(" else at + 1
            )
            is_empty = words[opened : opened + 2] == ["{", "}"]
            last = opened + 1
            caught = words[at + 2] if words[at + 1] == "(" and opened - at > 4 else ":"  # noqa: PLR2004
        if not is_empty or caught not in _BROAD:
            continue
        text = state.text_of(pair.path).split("\n")[now.line(at) - 1 : now.line(last) + 1]
        if not any(_COMMENT.search(it) for it in text):
            said = "Every error is dropped here without a word"
            yield finding_at(
                "lost-error", pair.path, now.line(at), said, pair.name, level="warning"
            )


def _same_body(pair: ChangedBody, every: Sequence[ChangedBody]) -> Iterator[ReviewFinding]:
    """Name a new function that is word for word another one of its file."""
    if pair.was is not None or ANONYMOUS in pair.name:
        return
    functions = pair.now.module.facts.outline.functions
    own = _body(pair.now, pair.name)
    lines = pair.now.line(pair.now.last - 1) - pair.now.line(pair.now.first) + 1
    # Longer ones are found among the clones.
    if len(own) < _MIN_COPIED_WORDS or lines >= DuplicateOptions().minimum.lines:
        return
    added = {it.name for it in every if it.was is None and it.path == pair.path}
    for other in functions:
        is_other = other.name != pair.name and other.name not in added
        if not is_other or other.name.rpartition(".")[0] != pair.name.rpartition(".")[0]:
            continue
        body = FunctionBody(pair.now.module, pair.now.code, other.first_token, other.last_token)
        if _body(body, other.name) == own:
            text = f"{pair.name} does the same as {other.name}, word for word"
            place = f"{pair.path}:{other.line}"
            line = pair.now.line(pair.now.first)
            yield finding_at(
                "copied-code", pair.path, line, text, pair.name, place, level="warning"
            )
            return


def _body(body: FunctionBody, name: str) -> list[str]:
    own, short = body.own, last_part(name)
    return own[own.index(short) + 1 :] if short in own else []


def _identity(
    state: ReviewState, module: Module, code: Code, lines: frozenset[int]
) -> Iterator[ReviewFinding]:
    """Name strings that are compared by what they are stored at, not by what they say."""
    rules = module.navigation
    by_identity = {"is"} if rules.has_docstrings else set()
    if rules.names_file_by_type:
        by_identity = {"==", "!="}
    words = code.stream.words
    for mark in by_identity:
        for at in _positions(words, mark) if mark in words else ():
            if code.stream.line(at) not in lines or at + 1 >= len(words):
                continue
            after = words[at + 1 + (words[at + 1] == "not")]
            literal = [it for it in (words[at - 1], after) if it[:1] in _QUOTES and it[:1] != "'"]
            if rules.has_docstrings:
                literal = [it for it in (words[at - 1], after) if it[:1] in _QUOTES]
            if not literal:
                continue
            line = code.stream.line(at)
            other = words[at - 1]
            fix = None
            if rules.names_file_by_type and after == literal[0] and other.isidentifier():
                old, negated = f"{other} {mark} {after}", "!" if mark == "!=" else ""
                text = state.text_of(module.path).split("\n")[line - 1]
                if text.count(old) == 1 and code.mark_before(at - 1) < 0:
                    new = text.replace(old, f"{negated}{after}.equals({other})")
                    fix = Fix(line=line, end_line=line, text=f"{new}\n")
            said = f"{mark} asks whether {literal[0]} is the same object, not the same text"
            yield _warning(module.path, line, said).model_copy(
                update={"fix": fix, "certainty": "certain"}
            )


def _positions(words: Sequence[str], wanted: str) -> Iterator[int]:
    return (at for at, it in enumerate(words) if it == wanted and at)


def _hashes(file: ChangedFile, after: FileFacts) -> Iterator[ReviewFinding]:
    """Name types of Java that say when two are equal, and have no hash code to go with it."""
    pair = {"equals": "hashCode", "hashCode": "equals"}
    methods = {it.name: it for it in after.outline.functions if "@" not in it.name}
    before = {it.name for it in file.before.outline.functions} if file.before else set()
    kinds = {it.name: it for it in after.outline.types}
    for name, function in methods.items():
        owner, _, short = name.rpartition(".")
        other = f"{owner}.{pair.get(short, '')}"
        is_lost = name not in before or other in before
        known = kinds.get(owner)
        if short not in pair or other in methods or not is_lost or known is None:
            continue
        takes = function.parameters if short == "equals" else 1
        is_equals = takes == 1 and (short != "equals" or "Object" in function.signature)
        if not is_equals or known.bases or known.kind == "record" or known.decorators:
            continue
        text = f"{owner} has {short} and no {pair[short]}: collections will not find what is equal"
        yield _warning(after.path, function.line, text, name)


def _emptied(file: ChangedFile, code: Code, lines: frozenset[int]) -> Iterator[ReviewFinding]:
    """Name `a || b` where `a ?? b` was: zero and the empty string are taken for nothing now."""
    if file.before is None or "||" not in code.stream.words:
        return
    was, words = TokenStream(file.before.tokens).words, code.stream.words
    before = [(was[at - 1], was[at + 1]) for at in _positions(was[:-1], "??")]
    now = [(words[at - 1], words[at + 1]) for at in _positions(words[:-1], "??")]
    for at in _positions(words[:-1], "||"):
        pair = words[at - 1], words[at + 1]
        line = code.stream.line(at)
        if line in lines and pair[1] not in {"false", "0", "''", '""'} and _is_odd_one(code, at):
            text = (
                f"{pair[0]} || {pair[1]} takes 0 and '' for nothing; the values beside it have ??"
            )
            yield finding_at("lost-check", file.delta.path, line, text, level="warning")
            continue
        if line in lines and before.count(pair) > now.count(pair) and pair[1] not in {"false", "0"}:
            text = (
                f"{pair[0]} || {pair[1]} takes 0 and '' for nothing; it was ?? before this change"
            )
            yield finding_at("lost-check", file.delta.path, line, text, level="warning")


def _is_odd_one(code: Code, at: int) -> bool:
    """Whether two or more values beside this one are asked with `??`, and no other with `||`."""
    opened, words = code.stream.enclosing(at), code.stream.words
    if opened < 0 or words[opened] != "{":
        return False
    end = code.stream.closing(opened, len(words))
    inside = [it for it in range(opened + 1, end) if words[it] in {"||", "??"}]
    marks = [words[it] for it in inside if code.stream.enclosing(it) == opened]
    is_value = code.reader is not None and ":" in words[opened:at]
    return is_value and marks.count("??") > 1 and marks.count("||") == 1


def _never_set(module: Module, code: Code, lines: frozenset[int]) -> Iterator[ReviewFinding]:
    """Name private fields of Java that are read, and that nothing gives a value."""
    words, stream = code.stream.words, code.stream
    if not module.navigation.names_file_by_type:
        return
    for at in _positions(words, "private"):
        end = at
        while end < len(words) and words[end] not in {";", "=", "(", "{"}:
            end += 1
        name = words[end - 1]
        is_field = words[end : end + 1] == [";"] and stream.line(at) in lines
        is_made = (
            words[at - 2 : at - 1] == ["@"] or words[at - 1] == ")" or "static" in words[at:end]
        )
        if not is_field or is_made or stream.is_literal(end - 1):
            continue
        places = [it for it in stream.positions(name) if it != end - 1]
        members = [it for it in places if not _is_declared(words, it)]
        is_set = any(
            words[it + 1] in {"=", "++", "--", "+=", "-=", "|="} or words[it - 1] in {"++", "--"}
            for it in members
        )
        if members and not is_set and not _is_by_annotation(words, at):
            text = f"{name} is read, and nothing gives it a value"
            yield _warning(module.path, stream.line(end - 1), text, name)


def _is_declared(words: Sequence[str], at: int) -> bool:
    """Whether a name is that of a parameter or local variable: `Long timeout)`."""
    before = words[at - 1]
    return before not in {"return", "new", "throw", "else"} and before.isidentifier()


def _is_by_annotation(words: Sequence[str], at: int) -> bool:
    """Whether an annotation on the field or its type may give it a value."""
    return words[at - 2] == "@" or any(
        it in words for it in ("Data", "Setter", "Builder", "AllArgsConstructor", "Inject")
    )


def _never_read(
    state: ReviewState, module: Module, code: Code, lines: frozenset[int]
) -> Iterator[ReviewFinding]:
    """Name attributes that a new line sets and nothing reads, where those set beside it are."""
    reader, words, stream = code.reader, code.stream.words, code.stream
    if reader is None or not module.navigation.has_docstrings:
        return
    for scope in code.scopes:
        if not scope.is_function or last_part(scope.declared.name) != "__init__":
            continue
        first, last = scope.span
        owner = scope.declared.name.rpartition(".")[0]
        known = module.symbols.get(owner)
        if known is None or state.index.names.has_outside_base(known):
            continue
        own = {
            words[at]: at
            for at in range(first, last - 2)
            if words[at + 1 : at + 3] == ["=", words[at]] and words[at - 2 : at] == ["self", "."]
        }
        if len(own) < 2:  # noqa: PLR2004 - nothing to compare with
            continue
        unread = [it for it in own if not _is_read(state, it)]
        for name in unread if len(unread) == 1 else ():
            line = stream.line(own[name])
            if line in lines:
                text = f"{owner}.{name} is set, and nothing reads it"
                yield finding_at("unused-code", module.path, line, text, name, level="warning")


def _is_read(state: ReviewState, name: str) -> bool:
    """Whether anything asks for a member of a name."""
    names = state.index.symbols.names
    if names.mentioning(name):
        return True
    for path in names.using(name):
        code = state.index.symbols.modules[path].code
        for at in code.stream.positions(name) if code is not None else ():
            is_member = code is not None and code.mark_before(at) >= 0
            if is_member and code is not None and code.stream.words[at + 1 : at + 2] != ["="]:
                return True
    return False
