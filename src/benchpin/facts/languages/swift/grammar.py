"""Swift. Cyclomatic complexity counts what lizard counts; SwiftLint's rule skips operators."""

import re

from tree_sitter import Node

from benchpin.facts import Import
from benchpin.facts.parsing import (
    DECISION,
    FLAT,
    NESTING,
    NOTHING,
    PATH,
    STRUCTURE,
    Language,
    Weight,
    child_of,
    children_of,
    field_text,
    text_of,
    weigh_if,
)
from benchpin.facts.respelling import Rule

_LOGICALS = frozenset({"conjunction_expression", "disjunction_expression"})
# The grammar gives all operators the same precedence: all that follows one is its right side.
_OPERATIONS = frozenset(
    {
        "additive_expression",
        "as_expression",
        "bitwise_operation",
        "check_expression",
        "comparison_expression",
        "equality_expression",
        "infix_expression",
        "multiplicative_expression",
        "nil_coalescing_expression",
        "range_expression",
        "tuple_expression",
    }
)

# Operators to look past, so that a long chain does not take quadratic time.
_MAX_OPERATIONS = 16
_ACCESSORS = frozenset({"computed_getter", "computed_setter", "willset_clause", "didset_clause"})
_FIXED_NAMES = {"init_declaration": "init", "deinit_declaration": "deinit"}
_OPEN = frozenset({"public", "open"})


def _weigh_else(node: Node) -> Weight:
    """An else adds one, unless it belongs to a guard or precedes an if."""
    after = node.next_named_sibling
    while after is not None and after.is_extra:
        after = after.next_named_sibling
    is_of_guard = node.parent is not None and node.parent.type == "guard_statement"
    is_of_if = after is not None and after.type == "if_statement"
    return NOTHING if is_of_guard or is_of_if else FLAT


def _weigh_jump(node: Node) -> Weight:
    is_jump = node.children[0].type in {"break", "continue"}
    return FLAT if is_jump and node.child_by_field_name("result") is not None else NOTHING


def _weigh_logical(node: Node) -> Weight:
    """Each operator is a path; a chain of the same operator adds one."""
    neighbours = (node.child_by_field_name("lhs"), node.child_by_field_name("rhs"))
    goes_on = any(_leading_logical(it) == node.type for it in neighbours)
    return PATH if goes_on else PATH | FLAT


def _leading_logical(operand: Node | None) -> str:
    """Return the kind of the first logical operation on the right side of other operators."""
    for _ in range(_MAX_OPERATIONS):
        if operand is None or operand.type not in _OPERATIONS:
            break
        operand = operand.named_children[-1] if operand.named_child_count else None
    return operand.type if operand is not None and operand.type in _LOGICALS else ""


def _property(node: Node) -> Node | None:
    """Return the property or subscript that an accessor or a closure belongs to."""
    outer = node.parent
    while outer is not None and outer.type in {"computed_property", "willset_didset_block"}:
        outer = outer.parent
    kinds = {"property_declaration", "subscript_declaration"}
    return outer if outer is not None and outer.type in kinds else None


def _function_name(node: Node) -> str:
    """Name a function by itself, an accessor by its property, a closure by its variable."""
    if node.type == "computed_property" and child_of(node, "statements") is None:
        return ""
    own = _FIXED_NAMES.get(node.type) or field_text(node, "name")
    if own:
        return own
    declared = _property(node)
    if declared is None:
        return "(anonymous)"
    name = field_text(declared, "name")
    return "subscript" if declared.type == "subscript_declaration" else name


def _count_parameters(node: Node) -> int:
    if node.type == "lambda_literal":
        given = node.child_by_field_name("type")
        listed = None if given is None else child_of(given, "lambda_function_type_parameters")
        return 0 if listed is None else sum(1 for _ in children_of(listed, "lambda_parameter"))
    return sum(1 for _ in children_of(node, "parameter"))


def _callee(node: Node) -> Node:
    if node.type == "constructor_expression":
        built = node.child_by_field_name("constructed_type")
        return node.children[0] if built is None else built.children[0]
    return node.children[0]


def _type_kind(node: Node) -> str:
    return field_text(node, "declaration_kind") or "type"


def _bases(node: Node) -> tuple[str, ...]:
    listed = children_of(node, "inheritance_specifier")
    return tuple(field_text(it, "inherits_from").partition("<")[0] for it in listed)


def _is_public(node: Node, _name: str) -> bool:
    """Only `public` and `open` are public; an extension may declare it for all its members."""
    if node.type == "lambda_literal":
        return False
    declared = _property(node) or node
    visibility = _visibility(declared)
    if visibility:
        return visibility in _OPEN
    outer = declared.parent.parent if declared.parent is not None else None
    is_in_extension = outer is not None and _type_kind(outer) == "extension"
    return outer is not None and is_in_extension and _visibility(outer) in _OPEN


def _visibility(node: Node) -> str:
    modifiers = child_of(node, "modifiers")
    return "" if modifiers is None else text_of(child_of(modifiers, "visibility_modifier"))


def _read_decorators(node: Node) -> tuple[str, ...]:
    modifiers = child_of(node, "modifiers")
    if modifiers is None:
        return ()
    return tuple(text_of(child_of(it, "user_type")) for it in children_of(modifiers, "attribute"))


def _read_imports(node: Node) -> tuple[Import, ...]:
    """Read `import A.B` and `import struct A.B`."""
    path = text_of(child_of(node, "identifier"))
    line = node.start_point[0] + 1
    after = next((it for it in node.children if it.type == "import"), node).next_sibling
    if after is None or after.is_named:
        return (Import(path, (), line),)
    module, _, name = path.rpartition(".")
    return (Import(module, (name,), line),)


# Swift 5.9 and 6: ownership of parameters and of `self`.
_NEW_SYNTAX: tuple[Rule, ...] = (
    (re.compile(rb"(?<=[:,(])\s{0,9}(consuming|borrowing|sending)(?=\s{1,9}[\w\[(])"), b""),
    (re.compile(rb"(?<!\w)(consuming|borrowing)(?=\s{1,9}func\b)"), b""),
)

LANGUAGE = Language(
    name="swift",
    grammar="tree_sitter_swift:language",
    title="Swift",
    has_bare_members=True,
    contexts=(("class C { ", " }"),),
    extensions=(".swift",),
    interpreters=("swift",),
    name_scope="project",
    functions=frozenset(
        {
            "function_declaration",
            "init_declaration",
            "deinit_declaration",
            "computed_property",
            "lambda_literal",
            *_ACCESSORS,
        }
    ),
    body_kinds=frozenset({"statements"}),
    closures=frozenset({"lambda_literal"}),
    folds_closures=True,
    types={
        "class_declaration": "class",
        "protocol_declaration": "protocol",
        "typealias_declaration": "type",
    },
    types_nest=True,
    weights={
        "guard_statement": DECISION,
        "for_statement": DECISION,
        "while_statement": DECISION,
        "repeat_while_statement": DECISION,
        "ternary_expression": DECISION,
        "catch_block": DECISION,
        "switch_statement": STRUCTURE | NESTING,
    },
    custom={
        "if_statement": weigh_if,
        "else": _weigh_else,
        "switch_entry": lambda node: PATH if child_of(node, "case") is not None else NOTHING,
        "control_transfer_statement": _weigh_jump,
        **dict.fromkeys(_LOGICALS, _weigh_logical),
    },
    calls=frozenset({"call_expression", "constructor_expression"}),
    callee=_callee,
    imports=frozenset({"import_declaration"}),
    comments=frozenset({"comment", "multiline_comment"}),
    strings=frozenset(
        {
            "line_string_literal",
            "multi_line_string_literal",
            "raw_string_literal",
            "regex_literal",
        }
    ),
    interpolation_marks=(b"\\(",),
    identifiers=frozenset({"simple_identifier", "type_identifier"}),
    literals=frozenset(
        {
            "integer_literal",
            "hex_literal",
            "oct_literal",
            "bin_literal",
            "real_literal",
            "boolean_literal",
            "nil_literal",
            "line_str_text",
            "multi_line_str_text",
            "str_escaped_char",
        }
    ),
    function_name=_function_name,
    parameters=_count_parameters,
    type_name=lambda node: field_text(node, "name").partition("<")[0],
    type_kind=_type_kind,
    bases=_bases,
    is_public=_is_public,
    doc_comment=lambda text: text.startswith(("///", "/**")),
    read_imports=_read_imports,
    read_decorators=_read_decorators,
    new_syntax=_NEW_SYNTAX,
)
