"""What the `navigation` module of a language is written with: how its names are found.

A language describes in one table, `Navigation`, what its imports bind, where the methods of a type
may be, and what its library is known to return. A language without the module has the defaults.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Literal

import msgspec

from benchpin.facts import languages

from ._variables import Span, TokenStream

# Returns which type a name means, in one spelling; it gets the parts of the name and its position.
ResolveType = Callable[[tuple[str, ...], int], str]


class NamedTest(msgspec.Struct, frozen=True):
    """A test to run, as a command names it."""

    file: str
    name: str
    """Its qualified name; empty for all tests of the file."""


class CallRules(msgspec.Struct, frozen=True):
    """How the parameters of a signature and the arguments of a call are read."""

    has_starred_rest: bool = False
    """Whether `*rest` takes the rest, and parameters after it are named; else `...` marks it."""
    has_angles: bool = True
    """Whether `<` may begin the type arguments of a call."""
    spreads_results: bool = False
    """Whether a call that is the only argument passes all its results."""
    has_nameless_signatures: bool = False
    """Whether a signature may be without the name of its function, as that of an arrow is."""


class Interfaces(msgspec.Struct, frozen=True):
    """How types implement an interface by their members, without naming it."""

    kinds: frozenset[str] = frozenset()
    """Kinds of types that are interfaces."""
    marks: frozenset[str] = frozenset()
    """Bases that make an interface of a class: `Protocol`."""
    is_exact: bool = False
    """Whether methods need the same signature, so that having them is certain."""
    may_ignore_arguments: bool = False
    """Whether a method with fewer parameters will do."""
    plain: frozenset[str] = frozenset()
    """Types that are no other type, by whatever name: `string`."""
    outside: Mapping[str, frozenset[str]] = {}
    """The methods of types of the library that are often embedded, by the name of the type."""
    signature: Callable[[TokenStream, int, ResolveType], tuple[str, ...] | None] | None = None
    """Reads the parameters and results from the token after a name; None if it cannot."""
    is_by_reference: Callable[[str], bool] = lambda _signature: False
    """Whether only a pointer to a type has the method with a signature."""
    pointer: str = ""
    """What is before a base that is embedded as a pointer, so that its methods need no other."""
    is_hidden: Callable[[str], bool] = lambda _name: False
    """Whether a type of the library cannot have a method of a name for others."""


class NamedHere(msgspec.Struct, frozen=True):
    """What a name may mean where it is, in a language that says so itself."""

    groups: tuple[tuple[str, ...], ...]
    """Qualified names, best first: the first group with one that is defined counts."""
    is_closed: bool = True
    """Whether it can mean nothing else."""
    kind: Literal["read", "write", "call"] = "read"


class TestWords(msgspec.Struct, frozen=True):
    """Words by which the tests of a language are read."""

    calls: frozenset[str] = frozenset()
    """Functions that get the name of a test, and the test."""
    skips: frozenset[str] = frozenset()
    """Words that keep a test from running."""
    asserts: tuple[str, ...] = ("assert",)
    """How the names of what checks something begin."""
    reports: frozenset[str] = frozenset()
    """Methods that fail a test; what is checked is the condition around them."""
    equals: frozenset[str] = frozenset()
    """Words of checks that compare a whole value."""
    weak: frozenset[str] = frozenset()
    """Words of checks that only ask whether there is something, or whether it holds."""
    partial: frozenset[str] = frozenset()
    """Words of checks that compare with a part of a value, or with a bound of it."""
    closeness: frozenset[str] = frozenset()
    """Words of checks that allow a difference."""
    digits: frozenset[str] = frozenset()
    """Words of checks that compare so many digits: fewer allow more."""


def _name_alone(_module: str, name: str, _files: Sequence[str]) -> str:
    return name


def _module_itself(module: str) -> tuple[str, str]:
    return module, ""


class Navigation(msgspec.Struct, frozen=True):
    """How the names of a language are found. Words in the fields are those of the language."""

    name_in_file: Callable[[str, str, Sequence[str]], str] = _name_alone
    """Returns the qualified name, in its file, of what an import names.

    It gets the module of the import, the name, and the files that the import leads to.
    """
    whole_import: Callable[[str], tuple[str, str]] = _module_itself
    """Returns the name that the import of a whole module binds, and the name in that module."""
    opens_types: bool = False
    """Whether an import can bring all members of a type, as `import static a.B.*` does."""
    takes_named: bool = False
    """Whether an import names what it takes from a file, so that a lacking name is a mistake."""

    named: Callable[[TokenStream, int], NamedHere] | None = None
    """Returns what the name at a token may mean, where names are found by other rules."""
    in_strings: Callable[[str, str], bool] | None = None
    """Whether a string of another language is code in this one that can mean a member of a type.

    It gets the string and the name of the type, which is empty for what is no member.
    """
    path_words: Mapping[str, Literal["root", "here", "parent"]] = {}
    """Words at the start of a path of modules that contain one another, and where they lead."""
    namespace_words: frozenset[str] = frozenset()
    """Words before the name of a block whose names are its own: `mod` of Rust."""
    builtin_attributes: frozenset[str] = frozenset()
    """Attributes whose arguments are no expressions."""
    package_file: str = ""
    """The file that is a package; other files of its folder are members of the package."""
    interfaces: Interfaces | None = None
    """How types implement interfaces without naming them; None where they have to."""
    implementing: Callable[[TokenStream, int], Span | None] | None = None
    """Returns the type that is said to implement the one whose name is at a token.

    For code outside of the type: `impl Trait for Type`, `Base.register(Type)`.
    """
    implements_by: str = ""
    """A name without which a file says nothing of the kind; empty where it is no name."""
    declares_for: Callable[[str, str], bool] = lambda _declarations, _file: False
    """Says of two paths whether the first has declarations only, of the code in the second."""
    names_file_by_type: bool = False
    """Whether a file has the name of its public type."""
    has_variants: bool = False
    """Whether members of enums make values of them: nothing runs when one is called."""
    has_traits: bool = False
    """Whether types inherit nothing, but implement traits, which declare and document methods."""
    has_aliases: bool = False
    """Whether a type may be another name of one: `type Name = Other`."""
    has_new_arrays: bool = False
    """Whether `T[n]` after a type makes a list of it."""
    has_receiver_parameter: bool = False
    """Whether the first parameter of a method is the object, or the type, that it belongs to."""
    has_plain_results: bool = False
    """Whether a function without a declared result returns what its `return` says."""
    has_docstrings: bool = False
    """Whether the first literal in a body documents it."""
    has_named_bases: bool = False
    """Whether a subtype names its base, or an alias of it; else a whole file may be in between."""
    has_unchecked_names: bool = False
    """Whether a name that nothing binds is found when it runs, and not before."""
    has_bare_interfaces: bool = False
    """Whether a type has no members from what it implements."""
    used_by_tags: frozenset[str] = frozenset()
    """Names that a tag in code uses without naming them: `React`."""
    reexports_imports: bool = False
    """Whether what a file imports can be imported from it."""
    makes_names: frozenset[str] = frozenset()
    """Names of code that makes names or members when it runs: `setattr`."""
    methods: Literal["anywhere", "package", "imported"] = "anywhere"
    """Where methods outside of a type may be: anywhere, in its package, or where it is imported."""
    shares_variables: bool = False
    """Whether the variables of a file are visible in its package."""

    mappings: frozenset[str] = frozenset()
    """Types with two arguments, of keys and of values."""
    gives_all_fields: bool = False
    """Whether a value that is written with the names of its fields has to give all of them."""
    has_default_exports: bool = False
    """Whether an import of the one thing that a file offers has a name of its own for it."""
    field_decorators: frozenset[str] = frozenset()
    """Decorators of types that are made from their fields: `dataclass`."""
    field_bases: frozenset[str] = frozenset()
    """Bases of such types: `NamedTuple`."""
    iterates_keys: bool = False
    """Whether a loop over a mapping has its keys."""
    of_mappings: Mapping[str, Literal["value", "values"]] = {}
    """Methods of mappings that return a value, or something to iterate over the values."""
    closed_packages: frozenset[str] = frozenset()
    """Packages of the library whose functions return nothing of the project."""
    wrappers: frozenset[str] = frozenset()
    """Types that have the members of their argument."""
    class_objects: frozenset[str] = frozenset()
    """Types whose values are types, given by their argument."""
    unwrapping: frozenset[str] = frozenset()
    """Methods of containers that return what is in them."""
    keeping: frozenset[str] = frozenset()
    """Methods of containers whose result contains the same, or holds it."""
    copying: frozenset[str] = frozenset()
    """Methods that every type may have, and that return a value of it."""
    universal_methods: frozenset[str] = frozenset()
    """Methods that every type has, so that no outer type is asked for them."""
    small_bases: Mapping[str, frozenset[str]] = {}
    """Types of its library whose few methods are not called by bare names, with these methods."""
    keywords: frozenset[str] = frozenset()
    """Words that cannot be names."""
    keyed_types: frozenset[str] = frozenset()
    """Words that begin a type whose literals have expressions as keys, not names of fields."""
    predeclared: frozenset[str] = frozenset()
    """Names of the language and of the part of its library that every program uses."""
    globals: frozenset[str] = frozenset()
    """More names that exist where nothing declares or imports them."""
    library_types: frozenset[str] = frozenset()
    """Types of its library that are imported by name."""
    standard_members: frozenset[str] = frozenset()
    """Members that values of its library have too."""

    calls: CallRules | None = None
    """How to tell whether a call fits a function; None where that is not known."""
    test_command: Callable[[Sequence[NamedTest]], str] | None = None
    """Returns the command that runs tests."""
    test_file: str = ""
    """How files of tests end; empty where their folders and names say it in other ways."""
    test_names: tuple[str, ...] = ("test",)
    """How tests begin, in files of tests."""
    examples: str = ""
    """How the name of a test begins that goes on with the name of what it shows."""
    test_modules: frozenset[str] = frozenset()
    """Modules inside of a file that hold its tests, among the code that they test."""
    tests: TestWords = TestWords()
    silencers: tuple[str, ...] = ()
    """Texts in comments and attributes that keep a checker from reporting what it finds."""
    operators: Mapping[str, frozenset[str]] = {}
    """Methods that operators and functions of the language run, and the words for these."""
    collects_tests: bool = False
    """Whether tests are also what a file imports, and classes need to be called so or have a base.

    Classes without `Test` at the start of their names or in a base are only run by heirs.
    """
    shared_fixtures: str = ""
    """The file whose fixtures all files of its folder see."""

    @property
    def has_paths(self) -> bool:
        """Whether files are modules that contain others, and paths lead from one to another."""
        return bool(self.path_words)


@cache
def navigation_of(language: str) -> Navigation:
    """Return how the names of a language are found; the defaults for an unknown one."""
    module = languages.family_module(language, "navigation")
    rules = Navigation() if module is None else module.NAVIGATION
    if not isinstance(rules, Navigation):
        message = f"{language} has no navigation"
        raise TypeError(message)
    return rules


def quoted(text: str) -> str:
    """Return a word of a command, in quotes where a shell would read more into it."""
    is_plain = all(it.isalnum() or it in "/._-:" for it in text)
    return text if is_plain else "'" + text.replace("'", "'\\''") + "'"


def quoted_files(tests: Sequence[NamedTest]) -> str:
    return " ".join(dict.fromkeys(quoted(it.file) for it in tests))


def last_names(tests: Sequence[NamedTest]) -> list[str]:
    return sorted({it.name.rpartition(".")[2] for it in tests if it.name})
