"""The table that describes one language to the walk.

A table says which grammar to load, which kinds of nodes mean what, and, in a few small functions,
how the language names, imports and publishes things. To add a language, write a table in
`languages/` and list it there.
"""

from collections.abc import Callable, Iterator, Mapping

import msgspec
from tree_sitter import Node

from .facts import Import

Mended = tuple[bytes, list[tuple[int, int]]]
"""A source as long as it was, and where something was taken out of it."""

# What a node adds to the complexity of the function that it stands in, put together with `|`.
# Plain numbers: the walk asks for them a million times, and flags of an enum are slow.
Weight = int
NOTHING: Weight = 0
PATH: Weight = 1
"""Cyclomatic: one more path."""
STRUCTURE: Weight = 2
"""Cognitive: one, and one for each level of nesting."""
FLAT: Weight = 4
"""Cognitive: one, whatever the nesting."""
NESTING: Weight = 8
"""What is inside is one level deeper."""
DECISION: Weight = PATH | STRUCTURE | NESTING


def text_of(node: Node | None) -> str:
    """Return the text of a node, empty when there is none."""
    text = None if node is None else node.text
    return "" if text is None else text.decode(errors="replace")


def field_text(node: Node, name: str) -> str:
    """Return the text of a field, empty when there is none."""
    return text_of(node.child_by_field_name(name))


def children_of(node: Node, kind: str) -> Iterator[Node]:
    """Return the children of one kind."""
    return (child for child in node.children if child.type == kind)


def child_of(node: Node, kind: str) -> Node | None:
    """Return the first child of a kind."""
    for child in node.children:
        if child.type == kind:
            return child
    return None


def is_alternative(node: Node) -> bool:
    """Whether a node is what follows an `else`."""
    before = node.prev_sibling
    while before is not None and before.is_extra:
        before = before.prev_sibling
    return before is not None and before.type == "else"


def name_field(node: Node) -> str:
    """Name a definition by its field `name`, as most grammars have it."""
    return field_text(node, "name")


def no_names(_node: Node) -> tuple[str, ...]:
    """Find nothing."""
    return ()


def no_imports(_node: Node) -> tuple[Import, ...]:
    """Find no imports."""
    return ()


def count_parameters(node: Node) -> int:
    """Count what stands in the field `parameters`, comments aside."""
    parameters = node.child_by_field_name("parameters")
    if parameters is None:
        return 0
    return sum(1 for child in parameters.children if child.is_named and not child.is_extra)


def is_never_wrapped(_node: Node, _outer_body: Node | None) -> bool:
    """Take every inner function for nested."""
    return False


def is_public_by_default(_node: Node, _name: str) -> bool:
    """Take everything for public."""
    return True


class Language(msgspec.Struct, frozen=True):
    """One language."""

    name: str
    grammar: str
    """Module and function that give the grammar: `tree_sitter_python:language`."""
    extensions: tuple[str, ...]
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    """Programs that a `#!` line may name."""

    functions: frozenset[str] = frozenset()
    types: Mapping[str, str] = {}
    """Kinds of nodes, and what each is called: class, struct, trait."""
    scopes: Mapping[str, bool] = {}
    """Kinds of nodes that only qualify names, and whether functions inside are methods."""
    directives: Mapping[str, Weight] = {}
    """Conditionals of a preprocessor; those with a flat weight are alternatives."""
    weights: Mapping[str, Weight] = {}
    token_weights: Mapping[str, Weight] = {}
    """Weights of bare tokens: keywords and operators that no node stands for."""
    ifs: frozenset[str] = frozenset()
    elses: frozenset[str] = frozenset()
    """Kinds of nodes that are the `else` of an if; grammars without one have the bare token."""
    logicals: frozenset[str] = frozenset()
    """Kinds of binary expressions."""
    logical_operators: frozenset[str] = frozenset({"&&", "||"})
    parentheses: frozenset[str] = frozenset()
    """Kinds of nodes that a chain of logical operators goes on through."""
    calls: frozenset[str] = frozenset()
    calls_with_receiver: frozenset[str] = frozenset()
    """Calls that have no node for `receiver.name`: the callee begins where the call does."""
    imports: frozenset[str] = frozenset()
    """Kinds of nodes that import; a scope that is one too is entered when it imports nothing."""
    comments: frozenset[str] = frozenset({"comment"})
    strings: frozenset[str] = frozenset()
    interpolation_marks: tuple[bytes, ...] = ()
    """What a string has in it when there is code inside; it is one token otherwise."""
    raw_code: frozenset[str] = frozenset()
    """Kinds of leaves that are code which the grammar does not look into, such as macros."""
    macros: frozenset[str] = frozenset()
    """Kinds of nodes that have the tokens of code which the grammar does not parse."""
    macro_weights: Mapping[str, Weight] = {}
    """What tokens mean there; one that has no structure counts after an operand only."""
    prefix_words: frozenset[bytes] = frozenset()
    """Words there that are no operands."""
    identifiers: frozenset[str] = frozenset({"identifier"})
    literals: frozenset[str] = frozenset()
    decorated: frozenset[str] = frozenset()
    muted: frozenset[str] = frozenset()
    """Kinds of nodes inside which nothing counts for cyclomatic complexity."""

    callee: Callable[[Node], Node] | None = None
    """The part of a call that says what is called; its first child by default."""
    function_name: Callable[[Node], str] = name_field
    """Names functions; one without a name is left out."""
    function_body: str = "body"
    """The field that has the body; what stands before it is the signature."""
    body_kinds: frozenset[str] = frozenset()
    """Kinds of nodes that are bodies, where a grammar has no field for them."""
    is_header_muted: bool = False
    """Whether defaults and decorators count for nothing, as in radon."""
    needs_body: bool = False
    """Whether a function or type without a body is a mere declaration, and left out."""
    closures: frozenset[str] = frozenset()
    """Kinds of functions that are expressions."""
    folds_closures: bool = False
    """Whether the paths of a closure count in the function around it too."""
    has_dotted_methods: bool = False
    """Whether a function with a dot in its own name is a method, as in `Server::run`."""
    types_nest: bool = False
    """Whether a class in a function is a level of nesting, as in Java; it starts anew otherwise."""
    parameters: Callable[[Node], int] = count_parameters
    type_name: Callable[[Node], str] = name_field
    """Names types and scopes; a type without a name is left out."""
    type_kind: Callable[[Node], str] | None = None
    """Tells apart what `types` cannot."""
    is_wrapped: Callable[[Node, Node | None], bool] = is_never_wrapped
    """Whether a function is all that the one around it is there for, and so not nested in it."""
    bases: Callable[[Node], tuple[str, ...]] = no_names
    is_public: Callable[[Node, str], bool] = is_public_by_default
    is_documented: Callable[[Node | None], bool] | None = None
    """Looks for documentation in a body; comments before a definition are found by the walk."""
    first_line: Callable[[Node], int] | None = None
    """The line on which a definition begins, with attributes that stand outside its node."""
    doc_comment: Callable[[str], bool] = lambda text: text.startswith(("/**", "///", "//!"))
    has_plain_docs: bool = False
    """Whether any comment right before a definition documents it."""
    read_imports: Callable[[Node], tuple[Import, ...]] = no_imports
    importing_callees: frozenset[bytes] = frozenset()
    """Functions whose calls import something, such as `require`; given to `read_imports` too."""
    read_exports: Callable[[Node], tuple[str, ...]] = no_names
    """Names that a file offers explicitly; given its root."""
    read_decorators: Callable[[Node], tuple[str, ...]] = no_names
    """Given a node of `decorated`; where there is no such kind, the function itself."""
    custom: Mapping[str, Callable[[Node], Weight]] = {}
    """Kinds whose weight depends on what stands in or around them."""
    unwrap: Callable[[bytes], Mended] | None = None
    """Takes off what hides code from the grammar; not done where the file does not parse so."""
    mend: Callable[[bytes], Mended] | None = None
    """Blanks out what the grammar cannot take; tried when a file does not parse."""
