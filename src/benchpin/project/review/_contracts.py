"""Contracts between types: who lacks a member, and values without a field, since a change."""

from collections.abc import Iterator

from benchpin.code import CodeIndex
from benchpin.code.names import Code, Symbol, closing_angle
from benchpin.code.references import find_uses
from benchpin.code.subtypes import demands, lacking, misfit_of, only_raises, own_member, pairs_of
from benchpin.facts import Type
from benchpin.facts.code import TokenStream, split_at_commas
from benchpin.workspace.walking import is_product_path

from ._state import ReviewFinding, ReviewState, finding_at, first_few, last_part

RULE = "broken-contract"
# Places that are named for one type, and types for one member.
_MAX_SHOWN = 5
# Before the name of a type whose braces hold its members or a body, and no value of it.
_NO_VALUE = frozenset({"struct", "impl", "for", "->", "type", ")"})
# Before a value without keys, the package of its type left out: not `[]T{`, nor a result `*T {`.
_BEFORE_VALUE = frozenset({"&", "=", ":=", "return", "(", ",", "{", ":"})


# Types whose values are written without their name.
_OBJECTS = frozenset({"interface", "type"})
_QUOTES = "\"'"


def incomplete_values(state: ReviewState, was: Symbol, now: Symbol) -> Iterator[ReviewFinding]:
    """Name the places that write a value of a type without a field that it has since a change."""
    rules = state.index.symbols.modules[now.file].navigation
    bases = now.declared.bases if isinstance(now.declared, Type) else ()
    is_keyed = any(last_part(it) == "TypedDict" for it in bases)
    is_object = (rules.has_bare_interfaces and now.kind in _OBJECTS) or is_keyed
    if (now.kind != "struct" and not is_object) or "total=False" in bases:
        return
    old = {it.name for it in state.index_before.values.fields_of(was)}
    fields = {it.name: it for it in state.index.values.fields_of(now)}
    is_optional = _may_be_left_out if is_object else _is_conditional
    new = [name for name, it in fields.items() if name not in old and not is_optional(state, it)]
    # Where a field was renamed, its old name is what is wrong.
    if not new or not old or not old <= set(fields):
        return
    found: dict[tuple[str, int], None] = {}
    for path, code, at in _certain(state.index, state, now):
        if is_object:
            for opened in _objects_at(state.index, path, code, at):
                if _lacks(code.stream, opened, {*fields}, new):
                    found[path, code.stream.line(opened)] = None
            found |= dict.fromkeys(_tags_without(state, path, code, at, new))
        elif _leaves_out(code.stream, at, old, new, rules.gives_all_fields):
            found[path, code.stream.line(at)] = None
    ordered = sorted(found, key=lambda it: (not is_product_path(it[0]), it))
    for (path, line), more in first_few(ordered, _MAX_SHOWN, "; so do {:,} more place{s}"):
        text = f"This value of {now.qualified} does not give {', '.join(new)}, which is new{more}"
        place = f"{now.file}:{fields[new[0]].line}"
        yield finding_at(RULE, path, line, text, now.qualified, place)


def _certain(
    index: CodeIndex, state: ReviewState, owner: Symbol
) -> Iterator[tuple[str, Code, int]]:
    """Yield the places that certainly name a type."""
    uses = find_uses(index, owner, state.job, mentions=False)
    lines = {
        (it.file, it.line) for it in uses.found if it.certainty == "certain" and it in uses.tokens
    }
    for path in dict.fromkeys(path for path, _ in lines):
        code = index.symbols.modules[path].code
        # A line may have several uses of one name, of which only the first is known.
        for at in code.stream.positions(owner.name) if code is not None else ():
            if code is not None and (path, code.stream.line(at)) in lines:
                yield path, code, at


def _may_be_left_out(state: ReviewState, field: Symbol) -> bool:
    """Whether a member is optional: `name?: string`, `name: NotRequired[str]`."""
    code = state.index.symbols.modules[field.file].code
    places = state.index.values.places(field)
    if code is None or not places:
        return True
    at = places[0].variable.at
    following = code.stream.words[at + 1 : at + 5]
    return following[:1] == ["?"] or "NotRequired" in following


def _objects_at(index: CodeIndex, path: str, code: Code, at: int) -> Iterator[int]:
    """Yield where the objects begin that are written for the type named at a position."""
    words = code.stream.words
    if words[at + 1 : at + 2] == ["("] and words[at - 1] not in {"class", ".", "def"}:
        yield at + 1  # `Order(id=1)`
    if at and words[at - 1] == "->" and words[at + 1 : at + 2] == [":"]:
        spans = _returned(index, path, code, at + 1, is_arrow=False)
        yield from (it for it in spans if words[it] == "{")
    if at and words[at - 1] == ":":
        yield from _objects_of(index, path, code, at)


def _objects_of(index: CodeIndex, path: str, code: Code, at: int) -> Iterator[int]:
    """Yield where the objects begin that a declared type says: `x: T = {}`, `(): T => ({})`."""
    words, stream, after = code.stream.words, code.stream, at + 1
    if words[after : after + 1] == ["<"]:
        after = closing_angle(words, after) + 1
    is_list = words[after : after + 2] == ["[", "]"]
    after += 2 * is_list
    if words[after : after + 1] == ["="]:
        starts = [after + 1]
    elif words[after : after + 1] == [";"] or after in stream.line_starts:
        starts = _given_to(code, words[at - 2])
    elif at > 1 and words[at - 2] == ")":
        is_arrow = words[after : after + 1] == ["=>"]
        starts = _returned(index, path, code, after + is_arrow, is_arrow=is_arrow)
    else:
        return
    for start in starts:
        if is_list and words[start : start + 1] == ["["]:
            parts = split_at_commas(stream, start + 1, stream.closing(start, len(stream)))
            yield from (first for first, _ in parts if words[first] == "{")
        elif not is_list and words[start : start + 1] == ["{"]:
            yield start


def _given_to(code: Code, field: str) -> list[int]:
    """Return where the values begin that the file gives a field of a type: `this.field = {`."""
    words = code.stream.words
    places = code.stream.positions(field)
    return [it + 2 for it in places if words[it - 1] == "." and words[it + 1 : it + 2] == ["="]]


def _returned(
    index: CodeIndex,
    path: str,
    code: Code,
    body: int,
    *,
    is_arrow: bool,
) -> list[int]:
    """Return where the expressions begin that the function whose body is at a position returns."""
    words = code.stream.words
    if is_arrow and words[body : body + 2] == ["(", "{"]:
        return [body + 1]
    scope = code.scope_at(body + 1)
    if scope is None or not scope.is_function:
        return []
    module = index.symbols.modules[path]
    return [start for start, _ in index.values.returned_by(module, scope)]


def _lacks(stream: TokenStream, opened: int, known: set[str], new: list[str]) -> bool:
    """Whether an object has members of a type, and not a new one."""
    words = stream.words
    given: set[str] = set()
    for start, end in split_at_commas(stream, opened + 1, stream.closing(opened, len(stream))):
        if words[start] in {"...", "[", "**"}:
            return False
        names = [it for it in words[start:end] if it not in {"async", "get", "set", "*"}]
        given.add(names[0].strip(_QUOTES) if names else "")
    return given <= known and not given.issuperset(new)


def _tags_without(
    state: ReviewState, path: str, code: Code, at: int, new: list[str]
) -> Iterator[tuple[str, int]]:
    """Yield the tags of a component, whose attributes a type says, that lack a new one."""
    scope, module = code.scope_at(at), state.index.symbols.modules[path]
    component = None if scope is None else module.symbols.get(scope.declared.name)
    is_header = code.stream.words[at - 1] == ":" and code.stream.words[at + 1 : at + 2] == [")"]
    if component is None or not is_header or not component.name[:1].isupper():
        return
    uses = find_uses(state.index, component, state.job, mentions=False)
    for use in uses.found:
        here = state.index.symbols.modules[use.file].code
        place = uses.tokens.get(use)
        if here is None or place is None or here.stream.words[place - 1] != "<":
            continue
        given = _attributes(here.stream, place + 1)
        if given is not None and not given.issuperset(new):
            yield use.file, use.line


def _attributes(stream: TokenStream, at: int) -> set[str] | None:
    """Return the attributes of a tag; None if it may have more, or cannot be read."""
    words, found = stream.words, {"children"}
    while at < len(words) and words[at] not in {">", "/", "/>"}:
        if words[at] == "{":
            return None  # `{...props}`
        if stream.is_name(at):
            found.add(words[at])
        if words[at] == "=" and words[at + 1] == "{":
            at = stream.closing(at + 1, len(words))
        at += 1
    return found


def _is_conditional(state: ReviewState, field: Symbol) -> bool:
    """Whether a field is there under a condition only: `#[cfg(unix)]`."""
    code = state.index.symbols.modules[field.file].code
    places = state.index.values.places(field)
    if code is None or not places:
        return True
    at = first = places[0].variable.at
    while first > 0 and code.stream.words[first - 1] not in {",", "{", ";"}:
        first -= 1
    return "cfg" in code.stream.words[first:at]


def _leaves_out(
    stream: TokenStream,
    at: int,
    old: set[str],
    new: list[str],
    needs_all: bool,  # noqa: FBT001 - private
) -> bool:
    """Whether the value that is written after the name of a type lacks a new field."""
    words = stream.words
    if words[at + 1 : at + 2] != ["{"] or (at and words[at - 1] in _NO_VALUE):
        return False
    parts = [
        words[start:end]
        for start, end in split_at_commas(stream, at + 2, stream.closing(at + 1, len(stream)))
    ]
    is_keyed = any(it[1:2] == [":"] for it in parts)
    if not needs_all:
        # Without keys, the values are those of all fields in their order.
        first = at
        while first > 1 and words[first - 1] == ".":
            first -= 2
        is_value = first > 0 and words[first - 1] in _BEFORE_VALUE
        return is_value and not is_keyed and len(parts) == len(old)
    given = {it[0] for it in parts}
    # Anything else than fields is the rest of another value, a macro or a block.
    return bool(given) and given <= {*old, *new} and not given.issuperset(new)


def check_contracts(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name types that lack what is demanded since a change, and overrides that no longer fit."""
    seen: set[tuple[str, str, str]] = set()
    for was, now in state.changed_types():
        before, after = state.index_before.types, state.index.types
        old = demands(before, was)
        for name, member in demands(after, now).items():
            if name not in old:
                yield from _lacking(state, was, now, member)
        yield from incomplete_values(state, was, now)
        for finding in _misfits(state, was, now):
            place = (finding.file, finding.symbol or "", finding.elsewhere or "")
            if place not in seen:
                seen.add(place)
                yield finding


def _lacking(
    state: ReviewState, was: Symbol, now: Symbol, member: Symbol
) -> Iterator[ReviewFinding]:
    found = list(lacking(state.index_before.types, state.index.types, was, now, member.name))
    found.sort(key=lambda it: (it[1], not is_product_path(it[0].file), it[0].file, it[0].line))
    for (own, certainty), more in first_few(found, _MAX_SHOWN, "; so do {:,} more type{s}"):
        is_sure = certainty == "certain"
        lacks = "lacks" if is_sure else "may lack"
        text = f"{own.qualified} {lacks} {member.name}, which {now.qualified} demands now{more}"
        place = f"{now.file}:{member.line}"
        finding = finding_at(RULE, own.file, own.line, text, own.qualified, place)
        # What only raises may stand for what a type does not offer.
        is_error = is_sure and not only_raises(state.index.types, member)
        yield finding if is_error else finding.model_copy(update={"level": "warning"})


def _misfits(state: ReviewState, was: Symbol, now: Symbol) -> Iterator[ReviewFinding]:
    """Name the methods that fitted what they override before the change, and do not now."""
    after = state.index.types
    found = []
    for override, certainty in pairs_of(state.index_before.types, after, was, now):
        problem = misfit_of(after, override)
        own = own_member(after, override.owner, override.name)
        base = own_member(after, override.base, override.name)
        if problem and own is not None and base is not None:
            found.append((own, base, problem, certainty))
    found.sort(key=lambda it: (not is_product_path(it[0].file), it[0].file, it[0].line))
    for (own, base, problem, certainty), more in first_few(
        found, _MAX_SHOWN, "; {:,} more do not fit either"
    ):
        text = f"{own.qualified} no longer fits {base.qualified}: {problem}{more}"
        place = f"{base.file}:{base.line}"
        finding = finding_at(RULE, own.file, own.line, text, own.qualified, place)
        is_sure = certainty == "certain" and _is_checked(state, own, base)
        yield finding if is_sure else finding.model_copy(update={"level": "warning"})


def _is_checked(state: ReviewState, own: Symbol, base: Symbol) -> bool:
    """Whether a compiler would refuse a method that does not fit: the code has types."""
    types = state.index.types
    module = state.index.symbols.modules[own.file]
    rules = types.rules(own)
    if module.navigation.has_unchecked_names:
        return False
    has_results = all(types.result(it) is not None for it in (own, base))
    return rules is None or rules.is_exact or has_results
