"""The rules that hold in every language: why something may be used without a visible use.

Some read what the text of a file says: that code is deprecated, minified or generated.
"""

import re
from itertools import chain

from benchpin.facts import FileFacts
from benchpin.facts.liveness import (
    CONFIGURED,
    HINTED,
    NO_REASON,
    POSSIBLE,
    REGISTERED,
    SURE,
    VISIBLE,
    Definition,
    Reason,
    TokenView,
)

from ._program_uses import ProgramUses

_DEPRECATION = re.compile(rb"[Dd]eprecat|DEPRECAT|[Bb]ackwards?[- ]compat")
# How far into a type a deprecation concerns all of it.
_HEAD_TOKENS = 80
# Mean length in bytes above which lines were not written by hand.
_MAX_LINE_CHARS = 200


def is_deprecation(text: bytes) -> bool:
    """Whether a text says that something is deprecated."""
    return _DEPRECATION.search(text) is not None


def deprecations(view: TokenView) -> frozenset[int]:
    """Return the vocabulary indices of `DeprecationWarning`, `deprecated` and the like."""
    if not is_deprecation(b"\n".join(view.texts)):  # one search: most files have none
        return frozenset()
    return frozenset(at for at, text in enumerate(view.texts) if is_deprecation(text))


def warns(definition: Definition, view: TokenView, words: frozenset[int]) -> bool:
    """Whether a definition contains such a word; a type, in its first lines."""
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
_MANUAL = re.compile(r"(?:^|/)(?:assets|docs?|documentation|tutorials?|integrations?)/")
_COPIED = re.compile(
    r"(?:^|/)(?:_vendor|vendored|patched|third[_-]?party|3rd[_-]?party|deps|extlibs?|external)/"
)
_TEST_NAME = re.compile(r"test|spec|bench|fuzz|example|set_?up|tear_?down", re.IGNORECASE)


def find_reason(definition: Definition, program: ProgramUses) -> Reason:
    """Return the strongest reason to believe that something is used; of equal ones, the first."""
    rules, best = program.rules_for(definition), NO_REASON
    for rule in chain(_RULES, rules.rules, (_exposed,)):
        found = rule(definition, program)
        if found is not None and found.score > best.score:
            best = found
            if best.score >= SURE:
                break
    return best


def _exposed(definition: Definition, program: ProgramUses) -> Reason:
    """Code outside the workspace may use what is public."""
    found = program.rules_for(definition).exposure(definition, program)
    return Reason(min(found.score, VISIBLE), found.why) if program.is_closed else found


def _foreign(definition: Definition, program: ProgramUses) -> Reason | None:
    if program.has_foreign_use(definition):
        return Reason(SURE, "code in another language uses it")
    return None


def _deprecated(definition: Definition, program: ProgramUses) -> Reason | None:
    """What is deprecated stays for the code outside the workspace that still uses it."""
    at: Definition | None = definition if definition.is_public else None
    while at is not None:
        if any(is_deprecation(it.encode()) for it in at.decorators) or _warns(at, program):
            return Reason(POSSIBLE, "it is deprecated: code outside the workspace may still use it")
        at = program.owner(at)
    return None


def _warns(definition: Definition, program: ProgramUses) -> bool:
    words = program.once_in_file(definition.file, deprecations)
    return bool(words) and warns(definition, program.views[definition.file], words)


def _entry(definition: Definition, program: ProgramUses) -> Reason | None:
    rules = program.rules_for(definition)
    if definition.name in rules.entry_points and definition.kind == "function":
        return Reason(SURE, "programs start at it")
    return None


def _special(definition: Definition, program: ProgramUses) -> Reason | None:
    rules, owner = program.rules_for(definition), program.owner(definition)
    if definition.kind == "type":
        return None
    if rules.is_special(definition.name):
        return Reason(SURE, "the language calls it")
    if owner is not None and owner.kind == "type" and owner.name == definition.name:
        return Reason(SURE, "it is a constructor")
    return None


def _contract(definition: Definition, program: ProgramUses) -> Reason | None:
    if program.implements(definition):
        return Reason(SURE, "it implements an interface")
    words = program.rules_for(definition).contract_words
    if words and not words.isdisjoint(_WORDS.findall(definition.signature)):
        return Reason(SURE, "it overrides something")
    return None


def _decorated(definition: Definition, program: ProgramUses) -> Reason | None:
    passive = program.rules_for(definition).passive_decorators
    for decorator in definition.decorators:
        last = re.split(r"[.:\\]+", decorator.strip("#[]@ "))[-1].partition("(")[0]
        if last not in passive:
            return Reason(REGISTERED, f"@{decorator} may register it")
    owner = program.owner(definition)
    if owner is not None and owner.kind == "type" and definition.is_public:
        found = _decorated(owner, program)
        return found and Reason(POSSIBLE, f"{found.why.split()[0]} of {owner.name} may call it")
    return None


def _inheriting(definition: Definition, program: ProgramUses) -> Reason | None:
    """A base class from outside the workspace may call a method."""
    owner = program.owner(definition)
    if definition.kind == "type" or owner is None or owner.kind != "type":
        return None
    rules = program.rules_for(definition)
    for base in program.inheritance.foreign_relatives(owner.id):
        called = rules.methods_called_by(base)
        if called is None or definition.name in called:
            reason = f"{owner.name} inherits from {base}, which is not in the workspace"
            score = POSSIBLE if called is None else REGISTERED
            return Reason(score, f"{reason} and may call it")
    return None


def _handed_over(definition: Definition, program: ProgramUses) -> Reason | None:
    """Objects none of whose methods are called here are made for code that calls them."""
    owner = program.owner(definition)
    is_offered = definition.kind == "method" and definition.is_public
    if not is_offered or owner is None or owner.name not in program.used_names:
        return None
    rules = program.rules_for(definition)
    names = {it for it in program.public_methods(owner.id) if not rules.is_special(it)}
    is_handed = len(names) > 1 and names.isdisjoint(program.used_names)
    reason = f"nothing here calls any method of {owner.name}: other code may"
    return Reason(POSSIBLE, reason) if is_handed else None


def _discovered(definition: Definition, program: ProgramUses) -> Reason | None:
    """A base class may register its subclasses."""
    if definition.kind != "type":
        return None
    rules, inheritance = program.rules_for(definition), program.inheritance
    for hook in rules.subclass_hooks:
        if inheritance.inherits_method(definition.id, hook):
            return Reason(SURE, f"its base class learns of it through {hook}")
    for base in inheritance.foreign_bases(definition.id):
        if rules.methods_called_by(base) is None:
            return Reason(
                POSSIBLE, f"its base {base}, which is not in the workspace, may register it"
            )
    return None


def _inside_framework(definition: Definition, program: ProgramUses) -> Reason | None:
    """A base class may look up a class inside a class, such as `Meta`."""
    owner = program.owner(definition)
    if definition.kind != "type" or owner is None or owner.kind != "type":
        return None
    rules = program.rules_for(definition)
    bases = program.inheritance.foreign_relatives(owner.id)
    if any(rules.methods_called_by(base) is None for base in bases):
        return Reason(POSSIBLE, f"a base of {owner.name} may look it up")
    return None


def _composed(definition: Definition, program: ProgramUses) -> Reason | None:
    """A name composed at run time may be that of a definition."""
    rules = program.rules_for(definition)
    found = program.composed_names(rules).find(definition.name)
    if found is None:
        return None
    part, path = found
    is_near = definition.kind == "method" or path == definition.path or not rules.has_modules
    score = REGISTERED if is_near else HINTED
    return Reason(score, f"{path} composes names with {part!r} at run time")


def _looked_up(definition: Definition, program: ProgramUses) -> Reason | None:
    """Objects may look up their own members by any name."""
    owner = program.owner(definition)
    if definition.kind != "method" or owner is None or owner.id not in program.self_lookup_types:
        return None
    return Reason(POSSIBLE, f"{owner.name} looks up its own members by name at run time")


def _named_elsewhere(definition: Definition, program: ProgramUses) -> Reason | None:
    name, outside = definition.name, program.outside
    if len(name) < _MIN_WORD_CHARS:
        return None
    if name in outside.configured:
        return Reason(CONFIGURED, "a configuration or template contains its name")
    if name in outside.documented:
        return Reason(POSSIBLE, "the documentation mentions it")
    return None


def _tests(definition: Definition, program: ProgramUses) -> Reason | None:
    if program.is_test[definition.file] and _TEST_NAME.search(definition.name):
        return Reason(SURE, "test runners find it")
    return None


def _sample(definition: Definition, _program: ProgramUses) -> Reason | None:
    if _MANUAL.search(definition.path):
        return Reason(POSSIBLE, "it is sample code, which people read or run by hand")
    if _COPIED.search(definition.path):
        return Reason(POSSIBLE, "its folder holds copies of other projects")
    return None


def _unparsed(definition: Definition, program: ProgramUses) -> Reason | None:
    line = program.files[definition.file].outline.error_line
    return Reason(POSSIBLE, f"its file does not parse from line {line} on") if line else None


def _minified(definition: Definition, program: ProgramUses) -> Reason | None:
    file = program.files[definition.file]
    if is_minified(file) or file.outline.is_generated:
        return Reason(POSSIBLE, "its file looks minified or generated")
    return None


_RULES = (
    _tests,
    _foreign,
    _entry,
    _special,
    _contract,
    _decorated,
    _inheriting,
    _handed_over,
    _deprecated,
    _discovered,
    _inside_framework,
    _composed,
    _looked_up,
    _named_elsewhere,
    _sample,
    _unparsed,
    _minified,
)
