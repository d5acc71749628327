"""The rules that hold in every language: why something may be used without a visible use.

Some look at one file, and are asked in the workers, with those of its language; see `_verdicts`.
The others look at all files: they are asked about every definition that nothing surely uses, again
after each edit, so they work on numbers and remember what they found for a type or a name.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import structs

from benchpin.facts import FileFacts
from benchpin.facts.liveness import (
    CONFIGURED,
    HINTED,
    POSSIBLE,
    REGISTERED,
    SURE,
    VISIBLE,
    Definition,
    LivenessRules,
    ProgramView,
    Reason,
    Rule,
    TokenView,
    rules_of,
)

from ._file_uses import DEPRECATED, FUNCTION, KINDS, METHOD, NONE, PUBLIC, TYPE

if TYPE_CHECKING:
    from ._program import LiveProgram

_DEPRECATION = re.compile(rb"[Dd]eprecat|DEPRECAT|[Bb]ackwards?[- ]compat")
# How far into a type a deprecation concerns all of it.
_HEAD_TOKENS = 80
_MAX_LINE_CHARS = 200  # bytes; lines that are longer on average were not written by hand


def is_deprecation(text: bytes) -> bool:
    """Whether a text says that something is deprecated."""
    return _DEPRECATION.search(text) is not None


def deprecations(view: TokenView) -> frozenset[int]:
    """Return the vocabulary indices of `DeprecationWarning`, `deprecated` and the like."""
    if not is_deprecation(b"\n".join(view.texts)):  # one search: most files have none
        return frozenset()
    return frozenset(at for at, text in enumerate(view.texts) if is_deprecation(text))


def is_deprecated(definition: Definition, view: TokenView, words: frozenset[int]) -> bool:
    """Whether a decorator says so, or one of these words inside; of a type, in its first lines."""
    if any(is_deprecation(it.encode()) for it in definition.decorators):
        return True
    if not words:
        return False
    first, last = definition.first_token, definition.last_token
    if definition.kind == "type":
        last = min(last, first + _HEAD_TOKENS)
    return not words.isdisjoint(view.stream[first:last])


def is_minified(file: FileFacts) -> bool:
    """Whether the lines of a file are too long to be written by hand."""
    return file.size_bytes > _MAX_LINE_CHARS * max(file.outline.lines, 1)


_WORDS = re.compile(r"\w+")
# Shorter names occur in any configuration or text by chance.
_MIN_WORD_CHARS = 3
# Shorter names of methods are often words of a template.
_MIN_MEMBER_CHARS = 8
# One of so many methods, and two at least, are named where an object is given to templates.
_SHARE_NAMED = 3
# So many types with one base are a family: filters, fields, storages.
_MIN_FAMILY = 4
_MANUAL = re.compile(r"(?:^|/)(?:assets|docs?|documentation|tutorials?|integrations?)/")
_COPIED = re.compile(
    r"(?:^|/)(?:_vendor|vendored|patched|third[_-]?party|3rd[_-]?party|deps|extlibs?|external)/"
)
_TEST_NAME = re.compile(r"test|spec|bench|fuzz|example|set_?up|tear_?down", re.IGNORECASE)


def _entry(definition: Definition, program: ProgramView) -> Reason | None:
    rules = _rules_for(definition, program)
    if definition.name in rules.entry_points and definition.kind == "function":
        return Reason(SURE, "programs start at it")
    return None


def _special(definition: Definition, program: ProgramView) -> Reason | None:
    if definition.kind == "type":
        return None
    if _rules_for(definition, program).is_special(definition.name):
        return Reason(SURE, "the language calls it")
    owner = program.owner(definition)
    if owner is not None and owner.kind == "type" and owner.name == definition.name:
        return Reason(SURE, "it is a constructor")
    return None


def _contract(definition: Definition, program: ProgramView) -> Reason | None:
    if program.implements(definition):
        return Reason(SURE, "it implements an interface")
    words = _rules_for(definition, program).contract_words
    if words and not words.isdisjoint(_WORDS.findall(definition.signature)):
        return Reason(SURE, "it overrides something")
    return None


def _decorated(definition: Definition, program: ProgramView) -> Reason | None:
    passive = _rules_for(definition, program).passive_decorators
    for decorator in definition.decorators:
        last = re.split(r"[.:\\]+", decorator.strip("#[]@ "))[-1].partition("(")[0]
        if last not in passive:
            return Reason(REGISTERED, f"@{decorator} may register it")
    owner = program.owner(definition)
    if owner is not None and owner.kind == "type" and definition.is_public:
        found = _decorated(owner, program)
        return found and Reason(POSSIBLE, f"{found.why.split()[0]} of {owner.name} may call it")
    return None


def _tests(definition: Definition, program: ProgramView) -> Reason | None:
    if program.is_test[definition.file] and _TEST_NAME.search(definition.name):
        return Reason(SURE, "test runners find it")
    return None


# What only a compiler or a checker of types looks at: `type _tests = [...]`, `testThrowIf`.
_TEST_LIKE = re.compile(r"_?tests?(?:_|$|[A-Z])")
_STAND_IN = re.compile(r"_?(?:Mock|Fake|Stub|Dummy|Noop|NoOp|Null)[A-Z]")


def _test_like(definition: Definition, _program: ProgramView) -> Reason | None:
    if definition.owner is None and _TEST_LIKE.match(definition.name):
        return Reason(POSSIBLE, "it looks like a test")
    return None


def _handed_out(definition: Definition, program: ProgramView) -> Reason | None:
    """A class inside a function, or one that replaces another, is made for code elsewhere."""
    owner = program.owner(definition)
    if definition.kind != "method" or not definition.is_public or owner is None:
        return None
    if _STAND_IN.match(owner.name):
        return Reason(POSSIBLE, f"{owner.name} replaces something that other code calls")
    around = program.owner(owner)
    if around is not None and around.kind != "type":
        return Reason(POSSIBLE, f"{owner.name} is made inside {around.name}, and may be handed out")
    return None


@lru_cache(1)  # it is asked for each definition of a file
def _reason_of_path(path: str) -> Reason | None:
    if _MANUAL.search(path):
        return Reason(POSSIBLE, "it is sample code, which people read or run by hand")
    if _COPIED.search(path):
        return Reason(POSSIBLE, "its folder holds copies of other projects")
    return None


def _unparsed(definition: Definition, program: ProgramView) -> Reason | None:
    line = program.files[definition.file].outline.error_line
    return Reason(POSSIBLE, f"its file does not parse from line {line} on") if line else None


def _minified(definition: Definition, program: ProgramView) -> Reason | None:
    file = program.files[definition.file]
    if is_minified(file) or file.outline.is_generated:
        return Reason(POSSIBLE, "its file looks minified or generated")
    return None


def _foreign(number: int, program: "LiveProgram") -> Reason | None:
    if program.has_foreign_use(number):
        return Reason(SURE, "code in another language uses it")
    return None


def _inheriting(number: int, program: "LiveProgram") -> Reason | None:
    """A base class from outside the workspace may call a method."""
    owner = program.type_around(number)
    # What only its own file can use, such as a private method of Java, overrides nothing.
    if owner == NONE or program.is_type(number) or program.is_local(number):
        return None
    rules, name = program.rules[program.files_of[number]], program.name(number)
    for base in program.inheritance.foreign_relatives(owner):
        called = rules.methods_called_by(base)
        if called is None or name in called:
            reason = f"{program.name(owner)} inherits from {base}, which is not in the workspace"
            score = POSSIBLE if called is None else REGISTERED
            return Reason(score, f"{reason} and may call it")
    return None


def _handed_over(number: int, program: "LiveProgram") -> Reason | None:
    """Objects none of whose methods are called here are made for code that calls them."""
    kind, owner = program.kinds[number], program.owners[number]
    if owner == NONE or kind & (KINDS | PUBLIC) != METHOD | PUBLIC:
        return None
    if program.is_handed_over(owner):
        reason = f"nothing here calls any method of {program.name(owner)}: other code may"
        return Reason(POSSIBLE, reason)
    configured, methods = program.outside.configured, program.methods_of(owner)
    named = sum(len(it) >= _MIN_MEMBER_CHARS and it in configured for it in methods)
    if named > 1 and _SHARE_NAMED * named >= len(methods):
        reason = f"templates or configuration name other methods of {program.name(owner)}"
        return Reason(POSSIBLE, reason)
    return None


def _deprecated(number: int, program: "LiveProgram") -> Reason | None:
    """What is deprecated stays for the code outside the workspace that still uses it."""
    at = number if program.kinds[number] & PUBLIC else NONE
    while at != NONE:
        if program.kinds[at] & DEPRECATED:
            return Reason(POSSIBLE, "it is deprecated: code outside the workspace may still use it")
        at = program.owners[at]
    return None


def _discovered(number: int, program: "LiveProgram") -> Reason | None:
    """A base class may register its subclasses."""
    if not program.is_type(number):
        return None
    rules, inheritance = program.rules[program.files_of[number]], program.inheritance
    for hook in rules.subclass_hooks:
        if inheritance.inherits_method(number, hook):
            return Reason(SURE, f"its base class learns of it through {hook}")
    for base in inheritance.foreign_bases(number):
        if rules.methods_called_by(base) is None:
            return Reason(
                POSSIBLE, f"its base {base}, which is not in the workspace, may register it"
            )
    return None


def _inside_framework(number: int, program: "LiveProgram") -> Reason | None:
    """A base class may look up a class inside a class, such as `Meta`."""
    owner = program.type_around(number)
    if owner == NONE or not program.is_type(number):
        return None
    rules = program.rules[program.files_of[number]]
    bases = program.inheritance.foreign_relatives(owner)
    if any(rules.methods_called_by(base) is None for base in bases):
        return Reason(POSSIBLE, f"a base of {program.name(owner)} may look it up")
    return None


def _one_of_a_family(number: int, program: "LiveProgram") -> Reason | None:
    """Of classes with one base, those that are not used here may be there for users to choose."""
    if program.is_closed or program.kinds[number] & (KINDS | PUBLIC) != TYPE | PUBLIC:
        return None
    for base in program.inheritance.parents.get(number, ()):
        family = len(program.inheritance.children(base))
        if family >= _MIN_FAMILY:
            return Reason(HINTED, f"it is one of {family} types that extend {program.name(base)}")
    return None


def _composed(number: int, program: "LiveProgram") -> Reason | None:
    """A name composed at run time may be that of a definition."""
    file = program.files_of[number]
    found = program.composed(program.rules[file], program.names[number])
    if found is None:
        return None
    part, path = found
    is_near = (
        program.kinds[number] & KINDS == METHOD
        or path == program.paths[file]
        or not program.rules[file].has_modules
    )
    score = REGISTERED if is_near else HINTED
    return Reason(score, f"{path} composes names with {part!r} at run time")


def _looked_up(number: int, program: "LiveProgram") -> Reason | None:
    """Objects may look up their own members by any name."""
    owner = program.owners[number]
    if program.kinds[number] & KINDS != METHOD or owner not in program.self_lookup_types:
        return None
    return Reason(POSSIBLE, f"{program.name(owner)} looks up its own members by name at run time")


def _named_elsewhere(number: int, program: "LiveProgram") -> Reason | None:
    name, outside = program.name(number), program.outside
    if len(name) < _MIN_WORD_CHARS:
        return None
    if name in outside.configured:
        return Reason(CONFIGURED, "a configuration or template contains its name")
    if name in outside.documented:
        return Reason(POSSIBLE, "the documentation mentions it")
    return None


# By their place: of reasons that are equally strong, the first counts.
_FILE_RULES: dict[int, Rule] = {
    0: _tests,
    2: _entry,
    3: _special,
    4: _contract,
    5: _decorated,
    14: lambda definition, _program: _reason_of_path(definition.path),
    15: _unparsed,
    16: _minified,
    17: _test_like,
    18: _handed_out,
}
_PROGRAM_RULES: Mapping[int, Callable[[int, "LiveProgram"], Reason | None]] = {
    1: _foreign,
    6: _inheriting,
    7: _handed_over,
    8: _deprecated,
    9: _discovered,
    10: _inside_framework,
    11: _composed,
    12: _looked_up,
    13: _named_elsewhere,
    19: _one_of_a_family,
}
# Rules that only judge some kinds of definitions: the others need not be asked.
_ONLY_OF = {7: {METHOD}, 9: {TYPE}, 10: {TYPE}, 12: {METHOD}, 6: {FUNCTION, METHOD}, 19: {TYPE}}
_ASKED_OF = {
    kind: [(at, it) for at, it in _PROGRAM_RULES.items() if kind in _ONLY_OF.get(at, {kind})]
    for kind in (FUNCTION, METHOD, TYPE)
}
_FIRST_OF_LANGUAGE = 20
# After all rules comes how likely code outside the workspace uses something.
EXPOSED_LATER = 1_000


def rules_in_files(rules: LivenessRules) -> tuple[tuple[int, Rule], ...]:
    """Return what is asked of each definition in its file, with the place among all rules."""
    return (*_FILE_RULES.items(), *enumerate(rules.rules, _FIRST_OF_LANGUAGE))


def _rules_for(definition: Definition, program: ProgramView) -> LivenessRules:
    return rules_of(program.files[definition.file].language)


def find_reason(number: int, program: "LiveProgram", enough: float = SURE) -> Reason:
    """Return the strongest reason to believe that something is used; of equal ones, the first.

    One that is stronger than `enough` is returned without looking for others.
    """
    verdict = program.verdict(number)
    best, order = Reason(verdict.score, verdict.why), verdict.order
    for at, rule in _ASKED_OF[program.kinds[number] & KINDS]:
        # What comes later than something sure cannot be stronger.
        if best.score > enough or (best.score >= SURE and order < at):
            return best
        found = rule(number, program)
        if found is not None and (-found.score, at) < (-best.score, order):
            best, order = found, at
    for at, found in _asked_again(number, program, verdict.open_rules):
        if (-found.score, at) < (-best.score, order):
            best, order = found, at
    if best.score < SURE:
        exposure = _exposed(number, program)
        if exposure.score > best.score:
            return exposure
    return best


def _asked_again(
    number: int, program: "LiveProgram", open_rules: int
) -> Iterator[tuple[int, Reason]]:
    """Yield what the rules find that wanted to know something of other files, by their places."""
    if open_rules:
        definition = program[number]
        for at, rule in rules_in_files(program.rules[definition.file]):
            if open_rules >> at & 1 and (found := rule(definition, program)) is not None:
                yield at, found


def _exposed(number: int, program: "LiveProgram") -> Reason:
    """Code outside the workspace may use what is public."""
    verdict = program.verdict(number)
    found = Reason(verdict.exposure, verdict.exposed_why)
    if found.score < 0:
        found = program.rules[program.files_of[number]].exposure(program[number], program)
    if not program.is_closed:
        return max((found, *_exposed_by_heirs(number, program)), key=lambda it: it.score)
    return Reason(min(found.score, VISIBLE), found.why)


def _exposed_by_heirs(number: int, program: "LiveProgram") -> Iterator[Reason]:
    """Yield how a method is exposed by the types that inherit it: as if it were theirs."""
    owner = program.owners[number]
    if owner == NONE or program.kinds[number] & (KINDS | PUBLIC) != METHOD | PUBLIC:
        return
    for heir in sorted(program.inheritance.descendants(owner) - {owner}):
        file = program.files_of[heir]
        own = structs.replace(program[number], owner=heir, file=file, path=program.paths[file])
        yield program.rules[file].exposure(own, program)
