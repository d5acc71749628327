"""Python, with the functions that its standard library, pytest and Django call by name."""

import builtins
import io
import logging
import re
from functools import cache
from importlib import import_module
from pathlib import PurePosixPath

from benchpin.facts.liveness import (
    HIDDEN,
    POSSIBLE,
    REGISTERED,
    SURE,
    VISIBLE,
    Definition,
    LivenessRules,
    ProgramView,
    Reason,
    SharedNames,
    TokenView,
)

from . import _frameworks as frameworks

_PASSIVE = frozenset(
    """
    abstractmethod asynccontextmanager cache cached_property classmethod contextmanager coroutine
    dataclass deleter deprecated final frozen getter lru_cache mutable no_type_check overload
    override property runtime_checkable setter staticmethod total_ordering type_check_only unique
    wraps
    """.split()  # noqa: SIM905 - easier to read than quoted names
)
_PLAIN_BASES = frozenset(
    """
    ABC ABCMeta Enum EnumMeta Flag Generic IntEnum IntFlag NamedTuple Protocol SimpleNamespace
    StrEnum TypedDict namedtuple
    """.split()  # noqa: SIM905 - easier to read than quoted names
)
# Methods that databases, loaders, parsers, servers and threads call.
_PROTOCOLS = frozenset(
    """
    callproc cancel commit cursor default emit execute executemany fetchall fetchmany fetchone
    filter finalize find_module find_spec format get_code get_data get_source handle handle_data
    handle_endtag handle_starttag is_package load_module exec_module create_module log_message
    nextset process request_finished rollback run send setinputsizes start_response step throw
    """.split()  # noqa: SIM905 - easier to read than quoted names
)
# Modules of the standard library whose import has no side effects, so that it is safe.
_KNOWN_MODULES = frozenset(
    """
    abc argparse ast codecs collections collections.abc configparser contextlib csv datetime
    decimal enum functools html.parser http.server io json json.decoder json.encoder logging
    logging.handlers pathlib queue socketserver string textwrap threading types typing
    """.split()  # noqa: SIM905 - easier to read than quoted names
)
_DISPATCHING = {
    "NodeVisitor": ("visit_",),
    "NodeTransformer": ("visit_",),
    "BaseHTTPRequestHandler": ("do_",),
    "SimpleHTTPRequestHandler": ("do_",),
    "Cmd": ("do_", "help_", "complete_"),
    "TestCase": ("test",),
    "HTMLParser": ("handle_",),
}
# Marks a class whose file iterates over subclasses.
_ITERATED = "()"
_LISTING = re.compile(r"\bgetmembers$|^(?:globals|vars|locals)\(\)\.(?:items|values|keys|copy)$")
_LISTING_WORDS = frozenset({b"getmembers", b"globals", b"vars", b"locals"})


@cache
def _called_by(base: str) -> frozenset[str] | None:
    """Return the methods of a built-in or standard library base; None for any other base."""
    module, _, name = base.rpartition(".")
    if name in _PLAIN_BASES:
        return frozenset()
    if module and module not in _KNOWN_MODULES:
        return None
    known = getattr(import_module(module) if module else builtins, name, None)
    return frozenset(dir(known)) if isinstance(known, type) else None


def _dispatched(definition: Definition, program: ProgramView) -> Reason | None:
    """The standard library finds some methods by their prefix."""
    owner = program.owner(definition)
    if definition.kind != "method" or owner is None or owner.kind != "type":
        return None
    for base in program.inheritance.foreign_relatives(owner.id):
        if definition.name.startswith(_DISPATCHING.get(base.rpartition(".")[2], ("\0",))):
            return Reason(SURE, f"{base} finds it by its name")
    return None


def _iterated(definition: Definition, program: ProgramView) -> Reason | None:
    """A file may iterate over its own names."""
    if program.owner(definition) is None:
        if program.once_in_file(definition.file, _iterates_over_names):
            return Reason(POSSIBLE, "its file iterates over its own names at run time")
        if program.once_in_file(definition.file, _looks_up_names):
            return Reason(POSSIBLE, "its file looks up names in globals()")
    return None


def _listed(definition: Definition, program: ProgramView) -> Reason | None:
    """Code may iterate over the subclasses of a class."""
    if definition.kind == "type":
        for ancestor in program.inheritance.ancestors(definition.id) - {definition.id}:
            if program.heritage(ancestor).endswith(_ITERATED):
                base = program.definitions[ancestor].name
                return Reason(SURE, f"code iterates over the subclasses of {base}")
    return None


def _iterates_over_names(view: TokenView) -> bool:
    if _LISTING_WORDS.isdisjoint(view.texts):
        return False
    is_listing = any(_LISTING.search(it) for calls in view.facts.links.calls for it in calls)
    return is_listing and not _wants_instances(view)


def _wants_instances(view: TokenView) -> bool:
    """Whether a file iterates over its names only to find instances, not functions or classes."""
    found = view.positions_of(b"globals", b"vars", b"locals")
    starts = [at for at in found if view.text(at + 3) == b"."]
    # globals ( ) . values ( ) if isinstance
    return bool(starts) and all(view.text(at + 8) == b"isinstance" for at in starts)


def _looks_up_names(view: TokenView) -> bool:
    """Whether there is a `globals()[name]` with a variable as the name."""
    return any(
        view.text(at + 3) == b"[" and view.text(at + 4).decode(errors="replace").isidentifier()
        for at in view.positions_of(b"globals")
    )


def _duck(definition: Definition, _program: ProgramView) -> Reason | None:
    """Other code may expect this method of a file, mapping or handler."""
    if definition.kind == "method" and definition.name in _expected():
        return Reason(POSSIBLE, "code outside the workspace may expect a method of that name")
    return None


@cache
def _expected() -> frozenset[str]:
    kinds = (io.TextIOWrapper, io.BufferedRandom, io.FileIO, dict, list, set, str, logging.Handler)
    return frozenset(_PROTOCOLS).union(*map(dir, kinds))


def _inner_settings(definition: Definition, program: ProgramView) -> Reason | None:
    owner = program.owner(definition)
    if (
        definition.kind == "type"
        and owner is not None
        and definition.name in frameworks.INNER_SETTINGS
    ):
        return Reason(SURE, f"a base of {owner.name} reads it")
    around = None if owner is None else program.owner(owner)
    is_setting = owner is not None and owner.name in frameworks.INNER_SETTINGS
    if definition.is_public and around is not None and is_setting:
        return Reason(POSSIBLE, f"a base of {around.name} may use it")
    return None


def _protocol(definition: Definition, program: ProgramView) -> Reason | None:
    """A method of a protocol declares what other classes implement."""
    owner = program.owner(definition)
    is_declaration = (
        definition.kind == "method"
        and owner is not None
        and any("Protocol" in base for base in owner.bases)
    )
    return Reason(SURE, "it is part of a protocol") if is_declaration else None


def _abstract(definition: Definition, _program: ProgramView) -> Reason | None:
    """Subclasses must implement an abstract method, whether or not anything calls it."""
    is_abstract = any("abstract" in it for it in definition.decorators)
    return Reason(POSSIBLE, "it is abstract: subclasses implement it") if is_abstract else None


def _stub(definition: Definition, _program: ProgramView) -> Reason | None:
    is_stub = definition.path.endswith(".pyi") or "overload" in "".join(definition.decorators)
    return Reason(SURE, "it is a declaration for type checkers") if is_stub else None


def _stand_in(definition: Definition, program: ProgramView) -> Reason | None:
    """A class with the name of an import takes its place where that is missing."""
    owner = definition if definition.kind == "type" else program.owner(definition)
    if owner is None or owner.kind != "type":
        return None
    imports = program.files[definition.file].links.imports
    if any(owner.name in (it.aliases or it.names) for it in imports):
        return Reason(POSSIBLE, f"{owner.name} replaces an import")
    return None


# What is chosen by its dotted name in the settings of a project that uses this one.
_CHOSEN = re.compile(r"(?:Backend|Storage|Driver|Plugin|Adapter|Provider|Renderer|Loader)$")


def _chosen(definition: Definition, _program: ProgramView) -> Reason | None:
    """Settings elsewhere may name an implementation by its path."""
    if definition.kind != "type" or not definition.is_public:
        return None
    for base in definition.bases:
        if _CHOSEN.search(base):
            return Reason(POSSIBLE, f"settings may name a {base} by its path")
    return None


def _metaclass(definition: Definition, program: ProgramView) -> Reason | None:
    """A metaclass is used implicitly, and may register the classes that it creates."""
    if definition.kind != "type":
        return None
    if "type" in program.inheritance.foreign_bases(definition.id):
        return Reason(POSSIBLE, "it is a metaclass")
    for ancestor in program.inheritance.ancestors(definition.id):
        metaclass = program.heritage(ancestor).removesuffix(_ITERATED)
        if metaclass and metaclass not in _PLAIN_BASES:
            return Reason(REGISTERED, f"its metaclass {metaclass} may register it")
    return None


def _metaclass_in(definition: Definition, view: TokenView) -> str:
    for at in range(definition.first_token, definition.last_token):
        if view.text(at) == b":":
            break
        if view.text(at) == b"metaclass" and view.text(at + 1) == b"=":
            return view.text(at + 2).decode(errors="replace")
    return ""


_EXPORTS = SharedNames(lambda view: view.facts.links.exports)


def _exposure(definition: Definition, program: ProgramView) -> Reason:
    exports = program.names_in(definition.file, _EXPORTS)
    owner = program.owner(definition)
    is_top = owner is None
    if is_top and definition.name in exports:
        return Reason(SURE, "__all__ lists it")
    is_package = definition.path.rpartition("/")[2] == frameworks.PACKAGE_FILE
    if is_top and is_package and definition.is_public:
        return Reason(POSSIBLE, "it is part of the interface of its package")
    if not definition.is_public or (owner is not None and owner.kind != "type"):
        return Reason(HIDDEN, "")
    if owner is not None and _is_exported(owner, program):
        return Reason(POSSIBLE, f"it is public, and {owner.name} is exported or documented")
    documented = program.outside.documented_modules
    module = ".".join(PurePosixPath(definition.path).with_suffix("").parts)
    if any(f".{module}".endswith(f".{it}") for it in documented):
        return Reason(POSSIBLE, "the documentation lists everything public in its module")
    return Reason(VISIBLE, "it is public: code outside the workspace could use it")


def _is_exported(definition: Definition, program: ProgramView) -> bool:
    """Whether a definition is documented, listed in `__all__` or imported by a package."""
    return (
        definition.name in program.names_in(definition.file, _EXPORTS)
        or definition.name in program.outside.documented
        or definition.name in program.shared(_PACKAGE_IMPORTS)
    )


def _package_imports(view: TokenView) -> set[str]:
    """Return the names that a package imports, which makes them part of what it offers."""
    if not view.facts.path.endswith(frameworks.PACKAGE_FILE):
        return set()
    return {name for it in view.facts.links.imports for name in it.names}


_PACKAGE_IMPORTS = SharedNames(_package_imports)


def _heritage(definition: Definition, view: TokenView) -> str:
    """Return the metaclass of a class, and whether its file iterates over subclasses."""
    metaclass = _metaclass_in(definition, view) if b"metaclass" in view.texts else ""
    is_iterated = "__subclasses__" in view.facts.links.references
    return f"{metaclass}{_ITERATED}" if is_iterated else metaclass


RULES = LivenessRules(
    heritage=_heritage,
    shared=(_EXPORTS, _PACKAGE_IMPORTS, *frameworks.SHARED),
    definition_words=frozenset({b"def", b"class"}),
    member_marks=frozenset({b"."}),
    has_modules=True,
    has_bare_members=False,
    package_file=frameworks.PACKAGE_FILE,
    reflection_words=frozenset(
        {b"getattr", b"hasattr", b"methodcaller", b"attrgetter", b"globals", b"locals", b"vars"}
    ),
    self_lookups=(
        (b"getattr", b"(", b"self", b","),
        (b"getattr", b"(", b"cls", b","),
        (b"getattr", b"(", b"type", b"(", b"self", b")", b","),
    ),
    is_declaration=lambda view, at, _is_outside: (
        view.text(at + 1) == b"=" and view.text(at - 1) in {b"(", b","}
    ),
    is_special=lambda name: name.startswith("_") and name.endswith("_"),
    passive_decorators=_PASSIVE,
    methods_called_by=_called_by,
    subclass_hooks=("__init_subclass__",),
    exposure=_exposure,
    rules=(
        *frameworks.RULES,
        _abstract,
        _chosen,
        _dispatched,
        _duck,
        _inner_settings,
        _iterated,
        _listed,
        _metaclass,
        _protocol,
        _stand_in,
        _stub,
    ),
)
