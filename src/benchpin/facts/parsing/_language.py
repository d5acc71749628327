"""The grammar table of a language: which tree-sitter grammar to load, and what its nodes mean.

A few small functions in the table say how the language names, imports and publishes things. The
tables are in `languages/<name>/grammar.py`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

import msgspec
from tree_sitter import Node

from benchpin.facts import Import
from benchpin.facts.respelling import Rule

# A source of unchanged length with parts blanked out, and the byte ranges of those parts.
Masked = tuple[bytes, list[tuple[int, int]]]

NameScope = Literal["file", "package", "project"]
# What a node is in the walk: `plain` is none of the others.
Role = Literal["plain", "weight", "logical", "function", "type", "call", "import", "scope"]

# What a node adds to the complexity of the function around it, combined with `|`. Plain integers:
# the walk tests them a million times, and the flags of an enum are slow.
Weight = int
NOTHING: Weight = 0
# Cyclomatic: one more path.
PATH: Weight = 1
# Cognitive: one, and one for each level of nesting.
STRUCTURE: Weight = 2
# Cognitive: one, at any level of nesting.
FLAT: Weight = 4
# Its content is one level deeper.
NESTING: Weight = 8
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
    """Whether a node directly follows an `else`."""
    before = node.prev_sibling
    while before is not None and before.is_extra:
        before = before.prev_sibling
    return before is not None and before.type == "else"


def weigh_if(node: Node) -> Weight:
    """Weigh an `if` in a grammar that has no node for `else if`."""
    return PATH | FLAT if is_alternative(node) else DECISION


def weigh_else_block(node: Node) -> Weight:
    """Weigh a block: that of an `else` adds one, but not the `else` of a conditional expression."""
    return FLAT if is_alternative(node) else NOTHING


def weigh_jump(node: Node) -> Weight:
    """Weigh `break` and `continue`: one with a label or a number of loops adds one."""
    return FLAT if node.named_child_count else NOTHING


def name_field(node: Node) -> str:
    """Name a definition by its field `name`, which most grammars have."""
    return field_text(node, "name")


class NameUses(msgspec.Struct, frozen=True):
    """How a file uses names; completes what its imports alone do not tell."""

    values: frozenset[str]
    """Names that occur as values, not only as types or members."""
    members: Mapping[str, frozenset[str]]
    """The names that occur after a name and a dot, for languages with `qualified` nodes."""
    has_decorators: bool
    """Whether a type has decorators, which can see the types of its members at run time."""


def no_names(_node: Node) -> tuple[str, ...]:
    """Find no names."""
    return ()


def no_imports(_node: Node) -> tuple[Import, ...]:
    """Find no imports."""
    return ()


def count_parameters(node: Node) -> int:
    """Count the children of the field `parameters`, without comments."""
    parameters = node.child_by_field_name("parameters")
    if parameters is None:
        return 0
    return sum(1 for child in parameters.children if child.is_named and not child.is_extra)


def is_never_wrapped(_node: Node, _outer_body: Node | None) -> bool:
    """Count every inner function as nested."""
    return False


def is_never_called_at_once(_body: Node) -> bool:
    """Take every function for one that is called later, if at all."""
    return False


def is_public_by_default(_node: Node, _name: str) -> bool:
    """Treat everything as public."""
    return True


class Language(msgspec.Struct, frozen=True):
    """The grammar table of one language.

    Most fields are kinds of nodes, as the tree-sitter grammar calls them.
    """

    name: str
    grammar: str
    """Module and function that return the grammar: `tree_sitter_python:language`."""
    title: str
    """What people call it, and GitHub in its shares of languages."""
    extensions: tuple[str, ...] = ()
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    """Programs that a `#!` line may name."""
    family: str = ""
    """The language whose package has its imports and liveness, if not its own; both share names."""
    is_dialect: bool = False
    """Whether code can be copied from its family as it is, which then has its navigation too."""
    aliases: tuple[str, ...] = ()
    """What else `.gitattributes` may call it."""
    toolchains: tuple[str, ...] = ()
    """Toolchains that build it."""
    name_scope: NameScope = "file"
    """How far the names of a file are visible without an import."""
    has_bare_members: bool = False
    """Whether a method calls the others of its type without a receiver."""
    contexts: tuple[tuple[str, str], ...] = ()
    """What to write before and after a piece of code that means something else alone."""
    needs_context: bool = False
    """Whether a piece alone means something else although it parses."""
    unit: NameScope = "file"
    """What is compiled as one: its files import one another in circles as a matter of course."""

    roles: Mapping[str, Callable[[Node], Role]] = {}
    """Kinds of nodes that are something else each time, such as the calls of Elixir: `def`, `if`.

    What a node turns out to be is then read with the rest of the table.
    """
    functions: frozenset[str] = frozenset()
    types: Mapping[str, str] = {}
    """Kinds of nodes, and what each is called: class, struct, trait."""
    scopes: Mapping[str, bool] = {}
    """Kinds of nodes that only qualify names, and whether functions inside are methods."""
    directives: Mapping[str, Weight] = {}
    """Preprocessor conditionals; those with a flat weight are alternatives."""
    weights: Mapping[str, Weight] = {}
    token_weights: Mapping[str, Weight] = {}
    """Weights of keywords and operators that have no node of their own."""
    ifs: frozenset[str] = frozenset()
    elses: frozenset[str] = frozenset()
    """The `else` of an if; grammars without such a node have only the token."""
    logicals: frozenset[str] = frozenset()
    """Binary expressions."""
    logical_operators: frozenset[str] = frozenset({"&&", "||"})
    parentheses: frozenset[str] = frozenset()
    """Kinds of nodes through which a chain of logical operators continues."""
    calls: frozenset[str] = frozenset()
    calls_with_receiver: frozenset[str] = frozenset()
    """Calls without a node for `receiver.name`: the callee begins where the call does."""
    imports: frozenset[str] = frozenset()
    """Imports; a scope that is one too is entered when it imports nothing."""
    comments: frozenset[str] = frozenset({"comment"})
    strings: frozenset[str] = frozenset()
    interpolation_marks: tuple[bytes, ...] = ()
    """What a string with code inside contains; a string without any of them is one token."""
    raw_code: frozenset[str] = frozenset()
    """Leaves that contain code which the grammar does not parse, such as macro bodies."""
    macros: frozenset[str] = frozenset()
    """Nodes that contain the tokens of code which the grammar does not parse."""
    macro_weights: Mapping[str, Weight] = {}
    """Weights of tokens in `macros`; one without a structure counts only after an operand."""
    prefix_words: frozenset[bytes] = frozenset()
    """Words in `macros` that are not operands."""
    identifiers: frozenset[str] = frozenset({"identifier"})
    labels: frozenset[str] = frozenset()
    """Identifiers that are no values: names of types and members."""
    type_references: frozenset[str] = frozenset()
    """Nodes whose first identifier is no value, such as `typeof x` in a type."""
    qualified: frozenset[str] = frozenset()
    """Nodes that consist of a name, a dot and a name."""
    literals: frozenset[str] = frozenset()
    decorated: frozenset[str] = frozenset()
    muted: frozenset[str] = frozenset()
    """Kinds of nodes inside which nothing adds to cyclomatic complexity."""

    callee: Callable[[Node], Node] | None = None
    """Returns the part of a call that says what is called; its first child by default."""
    function_name: Callable[[Node], str] = name_field
    """Names functions; one without a name is left out."""
    function_body: str = "body"
    """The field of the body; the signature is what precedes it."""
    body_kinds: frozenset[str] = frozenset()
    """Bodies, in a grammar without a field for them."""
    headers: frozenset[str] = frozenset()
    """Signatures, in a grammar that has them as the sibling before a body: the function is then
    the body, and everything else about it is read from the signature. Or as a child, where the
    body has no node of its own: then it is what follows."""
    is_header_muted: bool = False
    """Whether defaults and decorators add nothing to complexity, as in radon."""
    needs_body: bool = False
    """Whether a function or type without a body is only a declaration, and left out."""
    closures: frozenset[str] = frozenset()
    """Functions that are expressions."""
    folds_closures: bool = False
    """Whether the paths of a closure also count in the function around it."""
    has_dotted_methods: bool = False
    """Whether a function with a dot in its own name is a method, as in `Server::run`."""
    types_nest: bool = False
    """Whether a class in a function is a level of nesting, as in Java; otherwise it starts at 0."""
    parameters: Callable[[Node], int] = count_parameters
    type_name: Callable[[Node], str] = name_field
    """Names types and scopes; a type without a name is left out."""
    type_kind: Callable[[Node], str] | None = None
    """Returns what a type is called, where its kind of node does not say it."""
    is_wrapped: Callable[[Node, Node | None], bool] = is_never_wrapped
    """Whether the outer function only wraps this one, which then does not count as nested."""
    bases: Callable[[Node], tuple[str, ...]] = no_names
    is_public: Callable[[Node, str], bool] = is_public_by_default
    is_documented: Callable[[Node | None], bool] | None = None
    """Looks for documentation in a body; the walk itself finds comments before a definition."""
    first_line: Callable[[Node], int] | None = None
    """Returns the first line of a definition, with attributes outside its node."""
    doc_comment: Callable[[str], bool] = lambda text: text.startswith(("/**", "///", "//!"))
    has_plain_docs: bool = False
    """Whether any comment directly before a definition documents it."""
    read_imports: Callable[[Node], tuple[Import, ...]] = no_imports
    importing_callees: frozenset[bytes] = frozenset()
    """Functions whose calls import, such as `require`; `read_imports` gets those calls too."""
    runs_imports: bool = False
    """Whether an import inside a function is carried out when the function is called."""
    is_called_at_once: Callable[[Node], bool] = is_never_called_at_once
    """Whether a function, given by its body, is called where it is written."""
    binding_imports: frozenset[str] = frozenset()
    """Imports that `complete_import` gets, once it is known how the file uses names."""
    complete_import: Callable[[Import, NameUses], Import] | None = None
    read_exports: Callable[[Node], tuple[str, ...]] = no_names
    """Returns the names that a file exports explicitly; called with its root."""
    read_decorators: Callable[[Node], tuple[str, ...]] = no_names
    """Called with a node of `decorated`; with the function itself where there is no such kind."""
    custom: Mapping[str, Callable[[Node], Weight]] = {}
    """Kinds of nodes whose weight depends on their content or context."""
    is_built: Callable[[bytes], bool] | None = None
    """Whether a program wrote a file, by its text; comments that say so are known for all."""
    as_code: Callable[[bytes], tuple[str, bytes]] | None = None
    """Rewrites a file that holds several languages as code of one, line for line.

    Returns the name of that language too. Written with `facts/embedding.py`.
    """
    prepare: Callable[[bytes], Masked] | None = None
    """Rewrites what the grammar misreads without an error; applied to every file."""
    unwrap: Callable[[bytes], Masked] | None = None
    """Blanks out wrappers that hide code from the grammar; used only if the result parses."""
    mask: Callable[[bytes], Masked] | None = None
    """Blanks out what the grammar cannot parse; tried when a file does not parse."""
    new_syntax: tuple[Rule, ...] = ()
    """Respells what is newer than the grammar; tried when a file does not parse."""
