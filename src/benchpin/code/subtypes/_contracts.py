"""What a type demands of those below it, which of them lack it, and which overrides do not fit.

An interface of Go has no implementers any more once it demands a method that they lack: who they
are has to be looked up in the code as it was before.
"""

from collections.abc import Iterator
from typing import NamedTuple

from benchpin.code.names import CONSTRUCTORS, Code, Symbol
from benchpin.core.text import counted
from benchpin.facts import Function, Type
from benchpin.facts.code import split_at_commas

from ._implementations import blocks_of, extends, is_ambient
from ._members import Certainty, bases_written, last_part
from ._subtypes import Heir, Subtypes

# Types of these kinds have no methods without a body but those that they demand.
_INTERFACES = frozenset({"interface", "trait", "protocol"})
# Begins the word before a method, and the decorator of one: `@abc.abstractmethod`.
_ABSTRACT = "abstract"
_ENDS = frozenset({";", "{", "}"})
_BRANCHES = frozenset({"if", "elif", "else", "for", "while", "with", "try", "except", "catch"})
_QUOTES = frozenset("\"'`")
# Words after the name of an interface that a value of it may begin in: `= ( * T`.
_SAID_WITHIN = 7
# A type may have fewer members of an interface than this by chance.
_MIN_MEMBERS = 2


def demands(types: Subtypes, owner: Symbol) -> dict[str, Symbol]:
    """Return the members without a body that a type wants of those that inherit from it."""
    module = types.symbols.modules[owner.file]
    if module.code is None or not isinstance(owner.declared, Type):
        return {}
    words = module.code.stream.words
    methods = module.members.get(owner.qualified, {})
    found = {
        name: it
        for name, it in methods.items()
        if isinstance(it.declared, Function)
        and (_is_abstract(it) or _of_protocol(types, owner, name) or only_raises(types, it))
    }
    for member in types.own_members(owner):
        if member.kind != "field" or member.name in methods:
            continue
        variable = types.values.places(member)[0].variable
        if owner.kind in _INTERFACES:
            # A field of an interface of Java is a constant; Go has the method where its type is.
            after = words[variable.at + 1 : variable.at + 2]
            if variable.is_method or after in (["("], ["<"]):
                found[member.name] = member
        elif _says_abstract(words, variable.at) or (
            is_ambient(types, owner) and words[variable.at + 1] in {"(", "<"}
        ):
            found[member.name] = member
    return found


def _is_abstract(method: Symbol) -> bool:
    declared = method.declared
    return isinstance(declared, Function) and any(
        last_part(it.partition("(")[0]).startswith(_ABSTRACT) for it in declared.decorators
    )


def only_raises(types: Subtypes, method: Symbol) -> bool:
    """Whether all that a method does is to say that those below have to have it."""
    code, declared = types.symbols.modules[method.file].code, method.declared
    is_special = method.name.startswith("__")
    if code is None or is_special or not isinstance(declared, Function):
        return False
    words = code.stream.words[declared.first_token : declared.last_token]
    at = next((at for at, it in enumerate(words) if it in {"raise", "throw"}), 0)
    is_documented = at > 1 and words[at - 1][-1:] in _QUOTES
    end = words[at:]
    if words[at - 1 - is_documented] not in {":", "{"} or not _BRANCHES.isdisjoint(words[:at]):
        return False
    if end[:2] == ["raise", "NotImplementedError"]:
        return ")" not in end or end.index(")") == len(end) - 1
    # `throw new Error("not implemented");` and the brace after it.
    is_error = end[:4] == ["throw", "new", "Error", "("] and end[5:6] == [")"]
    return is_error and "implement" in end[4] and not {*end[6:]} - {";", "}"}


def _of_protocol(types: Subtypes, owner: Symbol, name: str) -> bool:
    """Whether a method with a body only says what a class should have."""
    rules = types.rules(owner)
    is_marked = rules is not None and any(
        last_part(it) in rules.marks for it in bases_written(owner)
    )
    return is_marked and not name.startswith("__")


def _says_abstract(words: list[str], at: int) -> bool:
    """Whether one of the words before the name of a member says that it has no body."""
    while at > 0 and words[at - 1] not in _ENDS:
        at -= 1
        if words[at] == _ABSTRACT:
            return True
    return False


def _may_lack(types: Subtypes, owner: Symbol) -> bool:
    """Whether a type need not have everything: it leaves something to those below it."""
    code = types.symbols.modules[owner.file].code
    declared = owner.declared
    if types.is_interface(owner) or owner.kind in _INTERFACES or code is None:
        return True
    if not isinstance(declared, Type) or demands(types, owner):
        return True
    words = code.stream.words[declared.first_token : declared.last_token]
    name = owner.name
    head = words[: words.index(name)] if name in words else words
    return _ABSTRACT in head or any(last_part(it) == "ABC" for it in bases_written(owner))


def lacking(
    before: Subtypes, after: Subtypes, was: Symbol, now: Symbol, name: str
) -> Iterator[tuple[Symbol, Certainty]]:
    """Yield the types, as they are now, that lack a member that is demanded since a change."""
    seen: set[Symbol] = set()
    wanted = before.required(was).members if before.is_interface(was) else {}
    for heir in before.heirs(was):
        module = None if heir.symbol is None else after.symbols.modules.get(heir.symbol.file)
        if module is None or heir.symbol is None or module.facts.outline.error_line:
            continue
        own = module.symbols.get(heir.symbol.qualified)
        if own is None or own is now or not own.is_type or _may_lack(after, own):
            continue
        # What extends a class that is declared only inherits what that has elsewhere.
        is_given = is_ambient(after, now) and extends(after, own)
        if is_given or name in module.navigation.universal_methods:
            continue
        is_few = len(wanted) < _MIN_MEMBERS
        if is_few and heir.how == "members" and not _is_near(after, own, now):
            continue
        blocks = list(blocks_of(after, own, now)) if module.navigation.implementing else []
        if blocks:
            missing = [it for it in blocks if not it.gives(name)]
            if missing and own not in seen:
                seen.add(own)
                is_open = _is_conditional(after, now, name) or all(it.is_made for it in missing)
                yield own, "possible" if is_open else "certain"
            continue
        lines = after.names.ancestors(own)
        # What inherits from a type that lacks it lacks it, too: that is said once.
        if not seen.isdisjoint(lines) or _has(after, own, name):
            continue
        # A class of Python that is only inherited from need not have it, if those below do.
        below = [it for it in after.direct(own) if it not in seen]
        if module.navigation.has_unchecked_names and any(_has(after, it, name) for it in below):
            continue
        seen.add(own)
        certainty = _certainty(after, heir, own, now, name)
        # A type may have the methods by chance and not be written for the interface.
        is_meant = _is_said(after, own, now) or not (is_few or not _is_near(after, own, now))
        is_sure = heir.how != "members" or is_meant
        yield own, certainty if is_sure else "possible"


def _is_conditional(types: Subtypes, interface: Symbol, name: str) -> bool:
    """Whether a member is demanded under a condition only: `#[cfg(unix)]`."""
    member = own_member(types, interface, name)
    place = None if member is None else types.place(member)
    if place is None:
        return False
    _, stream, at = place
    first = at
    while first > 0 and stream.words[first - 1] not in _ENDS:
        first -= 1
    return "cfg" in stream.words[first:at]


def _has(types: Subtypes, owner: Symbol, name: str) -> bool:
    """Whether a type has a member of its own or inherits one that is more than a demand."""
    rules = types.rules(owner)
    for here in types.names.ancestors(owner):
        member = types.symbols.member(here, name) or types.values.field(here, name)
        if member is None:
            continue
        # A struct of Go that embeds an interface has its methods.
        is_embedded = rules is not None and rules.is_exact
        if is_embedded or name not in demands(types, here):
            return True
    return False


def _certainty(types: Subtypes, heir: Heir, own: Symbol, interface: Symbol, name: str) -> Certainty:
    """Say how sure it is that a type needs the member, and that nothing else gives it one."""
    module = types.symbols.modules[own.file]
    rules, small = types.rules(own), {*module.navigation.small_bases, "ABC"}
    is_hidden = False
    if rules is not None:
        # A known base of the library that has the member gives it.
        small |= {last_part(it) for it, has in rules.outside.items() if name not in has}
        small |= rules.marks
        is_hidden = rules.is_hidden(name)
    outside = [last_part(it) for it in types.names.outside_bases(own)]
    if not is_hidden and not small.issuperset(outside):
        return "possible"
    # What inherits from a protocol of Python inherits the body, which may be enough.
    is_marked = types.is_interface(interface) and interface.kind not in _INTERFACES
    if heir.certainty != "certain" or own.kind == "enum" or is_marked:
        return "possible"
    made = (it for one in types.names.ancestors(own) for it in _made(one))
    return "possible" if any(not it.startswith("derive") for it in made) else "certain"


def _is_near(types: Subtypes, own: Symbol, interface: Symbol) -> bool:
    """Whether a type is in the package of an interface, or in a file that names it."""
    module, home = (types.symbols.modules[it.file] for it in (own, interface))
    is_same = module.package is not None and module.package == home.package
    return is_same or interface.name in module.facts.links.references


def _is_said(types: Subtypes, own: Symbol, interface: Symbol) -> bool:
    """Whether the code says that a type implements an interface: `var _ I = (*T)(nil)`."""
    for path in types.symbols.names.using(interface.name):
        module = types.symbols.modules[path]
        if module.code is None or own.name not in module.facts.links.references:
            continue
        words = module.code.stream.words
        for at in module.code.stream.positions(interface.name):
            if words[at + 1 : at + 2] == ["="] and own.name in words[at + 2 : at + _SAID_WITHIN]:
                return True
    return False


def _made(owner: Symbol) -> tuple[str, ...]:
    """Return the decorators of a type, which may add members to it."""
    return owner.declared.decorators if isinstance(owner.declared, Type) else ()


class Override(NamedTuple):
    """A type with a method, and one above it that has it, too."""

    owner: Symbol
    base: Symbol
    name: str


def pairs_of(
    before: Subtypes, after: Subtypes, was: Symbol, now: Symbol
) -> Iterator[tuple[Override, Certainty]]:
    """Yield the methods that a change of a type may break: its own, and those that override them.

    Subtypes are looked up in the code before the change, and found again in the code after it.
    """
    changed = [
        it.name
        for it in _methods(after, now)
        if (old := own_member(before, was, it.name)) is not None
        and _written(before, old) != _written(after, it)
    ]
    if not changed:
        return
    heirs = [(it, it.symbol, was) for it in before.heirs(was)]
    heirs += [(it, was, it.symbol) for it in before.above(was) if it.symbol is not None]
    for heir, below, above in heirs:
        if below is None or above is None:
            continue
        owner, base = (now if it is was else _again(after, it) for it in (below, above))
        if owner is None or base is None:
            continue
        for name in changed:
            certainty = heir.certainty
            if heir.how == "members" and not _is_said(after, owner, base):
                is_few = len(before.required(above).members) < _MIN_MEMBERS
                if not _is_near(after, owner, base):
                    continue
                certainty = "possible" if is_few else certainty
            if not misfit_of(before, Override(below, above, name)):
                yield Override(owner, base, name), certainty


def _methods(types: Subtypes, owner: Symbol) -> list[Symbol]:
    module = types.symbols.modules[owner.file]
    methods = module.members.get(owner.qualified, {})
    demanded = demands(types, owner)
    return [it for it in {**demanded, **methods}.values() if not it.is_type]


def _again(types: Subtypes, symbol: Symbol) -> Symbol | None:
    module = types.symbols.modules.get(symbol.file)
    return None if module is None else module.symbols.get(symbol.qualified)


def own_member(types: Subtypes, owner: Symbol, name: str) -> Symbol | None:
    """Return the method that a type has itself, also one without a body."""
    return types.symbols.member(owner, name) or types.values.field(owner, name)


def _written(types: Subtypes, member: Symbol) -> tuple[str, ...]:
    """Return the parameters and the result of a method as words, with the numbers of overloads."""
    place = types.place(member)
    if place is None:
        return ()
    _, stream, at = place
    end = stream.closing(at + 1, len(stream)) if stream.words[at + 1 : at + 2] == ["("] else at
    others = sorted(map(str, _counts(types, member)))
    result = types.result(member)
    return (*stream.words[at : end + 1], *others, *(() if result is None else result[1]))


def misfit_of(types: Subtypes, override: Override) -> str:
    """Say why a method does not fit the one that it overrides; empty if it does, or may."""
    owner, base, name = override
    own, theirs = own_member(types, owner, name), own_member(types, base, name)
    module = types.symbols.modules[owner.file]
    is_private = name.startswith("_") and not name.endswith("__")
    is_made = name in CONSTRUCTORS or name in {owner.name, base.name}
    if own is None or theirs is None or module.code is None or is_made or is_private:
        return ""
    if _chooses_by_arguments(module.code):
        return _misfit_of_overloads(types, override, own, theirs)
    # Of several methods of one name, such as those of two traits, the right one is not known.
    if max(_written_times(types, own), _written_times(types, theirs)) > 1:
        return ""
    mine, wanted = types.arity(own), types.arity(theirs)
    rules = types.rules(own)
    if rules is not None:
        # What a struct of Go embeds is hidden by a method of its own, not overridden.
        if rules.is_exact and not types.is_interface(base):
            return ""
        same = types.is_same(own, theirs, rules)
    else:
        same = mine is None or wanted is None or mine == wanted
        if base.kind not in {"trait", "interface"}:
            return ""
    if same:
        return ""
    if mine is None or wanted is None or mine == wanted:
        return "its types are others"
    most = "any number of" if wanted.most is None else counted(wanted.most, "argument")
    if mine.required == (wanted.most or 0):
        return f"it does not take {most}"
    return f"it needs {counted(mine.required, 'argument')}, and {base.name}.{name} takes {most}"


def _chooses_by_arguments(code: Code) -> bool:
    """Whether the language overloads functions by their arguments."""
    return code.reader is not None and code.reader.bare_members


def _misfit_of_overloads(types: Subtypes, override: Override, own: Symbol, theirs: Symbol) -> str:
    """Say which of the methods that a base demands has no method of as many parameters."""
    owner, base, name = override
    has = set[int]()
    for here in types.names.ancestors(owner):
        member = own_member(types, here, name)
        if member is not None and name not in demands(types, here):
            has |= _counts(types, member)
    wanted = _counts(types, theirs)
    says_so = any(
        it.decorators and "Override" in it.decorators and it.parameters not in wanted
        for it in _functions(types, own)
    )
    is_demanded = name in demands(types, base)
    lacking = sorted(wanted - has) if is_demanded else []
    if not lacking and not (says_so and types.names.ancestors(owner) == [owner, base]):
        return ""
    count = (lacking or sorted(wanted))[0]
    takes = f"no method takes {counted(count, 'argument')}, as {base.name}.{name} does"
    return "" if types.names.has_outside_base(owner) else takes


def _functions(types: Subtypes, member: Symbol) -> list[Function]:
    module = types.symbols.modules[member.file]
    return [it for it in module.facts.outline.functions if it.name == member.qualified]


def _written_times(types: Subtypes, member: Symbol) -> int:
    return max(len(_functions(types, member)), 1)


def _counts(types: Subtypes, member: Symbol) -> set[int]:
    """Return how many parameters the methods of a name take, those without a body too."""
    found = {it.parameters for it in _functions(types, member)}
    module = types.symbols.modules[member.file]
    stream = None if module.code is None else module.code.stream
    for place in types.values.places(member):
        at = place.variable.at
        if stream is not None and stream.words[at + 1 : at + 2] == ["("]:
            end = stream.closing(at + 1, len(stream))
            found.add(sum(1 for _ in split_at_commas(stream, at + 2, end)))
    return found
