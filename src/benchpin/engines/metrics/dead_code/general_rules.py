"""What speaks for a definition that nothing in the workspace uses."""

import re
from itertools import chain

from benchpin.engines.source.liveness import (
    CONFIGURED,
    HINTED,
    NO_REASON,
    POSSIBLE,
    REGISTERED,
    SURE,
    Reason,
)
from benchpin.engines.source.program import Definition

from .program_uses import ProgramUses

_WORDS = re.compile(r"\w+")
_SHORTEST_WORD = 3
_LONGEST_LINE = 200
"""Nobody writes lines that are longer than this on average."""
_TEST_NAME = re.compile(r"test|spec|bench|fuzz|example|set_?up|tear_?down", re.IGNORECASE)


def find_reason(definition: Definition, program: ProgramUses) -> Reason:
    """Return the strongest reason to believe that something is used from outside.

    Of those that are as strong the first counts, and after what is sure nothing is looked at.
    """
    rules, best = program.rules_for(definition), NO_REASON
    for rule in chain(_RULES, rules.rules, (rules.exposure,)):
        found = rule(definition, program)
        if found is not None and found.score > best.score:
            best = found
            if best.score >= SURE:
                break
    return best


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
        return Reason(SURE, "it makes the objects of its type")
    return None


def _contract(definition: Definition, program: ProgramUses) -> Reason | None:
    if definition.id in program.fulfilling:
        return Reason(SURE, "it fulfils a contract")
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
    return None


def _inheriting(definition: Definition, program: ProgramUses) -> Reason | None:
    """Leave a method alone whose class has a base that could call it."""
    owner = program.owner(definition)
    if definition.kind == "type" or owner is None or owner.kind != "type":
        return None
    rules = program.rules_for(definition)
    for base in program.inheritance.foreign_relatives(owner.id):
        called = rules.methods_called_by(base)
        if called is None or definition.name in called:
            reason = f"{owner.name} inherits from {base}, which is not in the workspace"
            return Reason(POSSIBLE if definition.is_public else HINTED, f"{reason} and may call it")
    return None


def _discovered(definition: Definition, program: ProgramUses) -> Reason | None:
    """Leave a class alone whose base could keep a list of its subclasses."""
    if definition.kind != "type":
        return None
    rules, inheritance = program.rules_for(definition), program.inheritance
    for hook in rules.subclass_hooks:
        if inheritance.is_heir_with(definition.id, hook):
            return Reason(SURE, f"its base sees it through {hook}")
    for base in inheritance.foreign_bases(definition.id):
        if rules.methods_called_by(base) is None:
            return Reason(POSSIBLE, f"{base}, its base outside the workspace, may find it")
    return None


def _inside_framework(definition: Definition, program: ProgramUses) -> Reason | None:
    """Leave a class in a class alone when a base of the outer one may look for it."""
    owner = program.owner(definition)
    if definition.kind != "type" or owner is None or owner.kind != "type":
        return None
    rules = program.rules_for(definition)
    bases = program.inheritance.foreign_relatives(owner.id)
    if any(rules.methods_called_by(base) is None for base in bases):
        return Reason(POSSIBLE, f"a base of {owner.name} may look for it")
    return None


def _put_together(definition: Definition, program: ProgramUses) -> Reason | None:
    """Leave alone what a name that is put together while running could mean."""
    name = definition.name
    begins, ends = program.name_parts(program.rules_for(definition))
    for at in range(1, len(name)):
        is_seam = name[at].isupper() or "_" in name[at - 1 : at + 1]
        if is_seam and (path := begins.get(name[:at]) or ends.get(name[at:])):
            part = name[:at] if name[:at] in begins else name[at:]
            has_modules = program.rules_for(definition).has_modules
            is_near = definition.kind == "method" or path == definition.path or not has_modules
            score = REGISTERED if is_near else HINTED
            return Reason(score, f"{path} puts names with {part!r} together while it runs")
    return None


def _looked_up(definition: Definition, program: ProgramUses) -> Reason | None:
    """Leave methods alone of objects that look up their own members by any name."""
    owner = program.owner(definition)
    if definition.kind != "method" or owner is None or owner.id not in program.seeking_types:
        return None
    return Reason(POSSIBLE, f"{owner.name} looks up members of its own while it runs")


def _named_elsewhere(definition: Definition, program: ProgramUses) -> Reason | None:
    name, outside = definition.name, program.outside
    if len(name) < _SHORTEST_WORD:
        return None
    if name in outside.configured:
        return Reason(CONFIGURED, "its name stands in a configuration or template")
    if name in outside.documented:
        return Reason(POSSIBLE, "its name stands in the documentation")
    return None


def _tests(definition: Definition, program: ProgramUses) -> Reason | None:
    if program.is_test[definition.file] and _TEST_NAME.search(definition.name):
        return Reason(SURE, "test runners find it")
    return None


def _unparsed(definition: Definition, program: ProgramUses) -> Reason | None:
    line = program.files[definition.file].outline.error_line
    return Reason(HINTED, f"its file does not parse from line {line} on") if line else None


def _minified(definition: Definition, program: ProgramUses) -> Reason | None:
    file = program.files[definition.file]
    is_minified = file.size_bytes > _LONGEST_LINE * max(file.outline.lines, 1)
    return Reason(POSSIBLE, "a program wrote its file") if is_minified else None


_RULES = (
    _tests,
    _entry,
    _special,
    _contract,
    _decorated,
    _inheriting,
    _discovered,
    _inside_framework,
    _put_together,
    _looked_up,
    _named_elsewhere,
    _unparsed,
    _minified,
)
