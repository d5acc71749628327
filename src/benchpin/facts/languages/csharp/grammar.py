"""C#. Cyclomatic complexity counts what SonarSource's rule S1541 counts, and case patterns."""

import re

from tree_sitter import Node

from benchpin.facts import Import, preprocessor
from benchpin.facts.parsing import (
    DECISION,
    NESTING,
    NOTHING,
    PATH,
    STRUCTURE,
    Language,
    Masked,
    child_of,
    children_of,
    field_text,
    text_of,
)
from benchpin.facts.respelling import Rule, respell

_CLOSURES = frozenset({"lambda_expression", "anonymous_method_expression"})
_LOCAL = frozenset({"local_function_statement", *_CLOSURES})
_PROPERTIES = frozenset({"property_declaration", "indexer_declaration"})
_FIXED_NAMES = {
    "conversion_operator_declaration": "operator",
    "indexer_declaration": "this",
    "anonymous_method_expression": "(anonymous)",
}
_ACCESSES = frozenset(
    {"member_access_expression", "conditional_access_expression", "member_binding_expression"}
)

_TYPES = {
    "class_declaration": "class",
    "struct_declaration": "struct",
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "record_declaration": "record",
    "delegate_declaration": "delegate",
}

# The grammar requires a line break after a directive, also at the end of the file.
_LAST_PRAGMA = re.compile(rb"#[ \t]*pragma[^\n]{0,200}\Z")
# `async` as a name, which the grammar reads as a keyword.
_NAMED_ASYNC = re.compile(rb"(?<![\w.@])async(?=\s*(?:[,);:?=.]|&&|\|\||!=))")


def _owner(node: Node) -> Node:
    """Return the property or event of an accessor; any other node itself."""
    if node.type != "accessor_declaration" or node.parent is None:
        return node
    return node.parent.parent or node


def _function_name(node: Node) -> str:
    """Name a function by itself, an accessor by its property, a lambda by its variable."""
    has_body = node.child_by_field_name("body") is not None
    if node.type in _PROPERTIES:
        value = node.child_by_field_name("value")
        has_body = value is not None and value.type == "arrow_expression_clause"
    if not has_body and node.type not in _CLOSURES:
        return ""
    owner = _owner(node)
    if owner.type in _CLOSURES:
        outer = owner.parent
        is_named = outer is not None and outer.type == "variable_declarator"
        return field_text(outer, "name") if outer is not None and is_named else "(anonymous)"
    sign = "~" if owner.type == "destructor_declaration" else ""
    own = sign + (field_text(owner, "name") or field_text(owner, "operator"))
    return own or _FIXED_NAMES.get(owner.type, "")


def _count_parameters(node: Node) -> int:
    listed = _owner(node).child_by_field_name("parameters")
    if listed is None:
        return 0
    if listed.type == "implicit_parameter":
        return 1
    return sum(1 for it in listed.children if it.type in {"parameter", "params"})


def _callee(node: Node) -> Node:
    """Return the name that is called, without type arguments."""
    called = node.child_by_field_name("type") or node.children[0]
    while called.type in _ACCESSES:
        called = called.child_by_field_name("name") or called.children[-1]
    return called.children[0] if called.type == "generic_name" else called


def _type_name(node: Node) -> str:
    """Name a type; an extension block, respelled as a class, as it is written."""
    name = field_text(node, "name")
    return "extension" if name == "x__" else name


def _bases(node: Node) -> tuple[str, ...]:
    listed = child_of(node, "base_list")
    if listed is None:
        return ()
    return tuple(
        _without_arguments(field_text(it, "type") or text_of(it))
        for it in listed.named_children
        if it.type != "argument_list" and not it.is_extra
    )


def _without_arguments(name: str) -> str:
    return name.partition("<")[0].strip()


def _is_public(node: Node, _name: str) -> bool:
    """Everything without a modifier is private, except members of an interface."""
    if node.type in _LOCAL:
        return False
    own, owner = _modifiers(node), _owner(node)
    modifiers = own & {"private", "protected", "internal"} or _modifiers(owner)
    if modifiers & {"public", "private", "protected", "internal"}:
        return "public" in modifiers
    if child_of(owner, "explicit_interface_specifier") is not None:
        return True
    outer = owner.parent.parent if owner.parent is not None else None
    return outer is not None and outer.type == "interface_declaration"


def _modifiers(node: Node) -> set[str]:
    return {text_of(it) for it in children_of(node, "modifier")}


def _read_decorators(node: Node) -> tuple[str, ...]:
    return tuple(
        field_text(it, "name")
        for listed in children_of(node, "attribute_list")
        for it in children_of(listed, "attribute")
    )


def _read_imports(node: Node) -> tuple[Import, ...]:
    """Read `using a.b;`, `using static a.B;` and `using C = a.B;`."""
    alias = node.child_by_field_name("name")
    module = next((it for it in reversed(node.named_children) if not it.is_extra), None)
    if module is None or module == alias:
        return ()
    names = ("*",) if child_of(node, "static") is not None else ()
    return (Import(_without_arguments(text_of(module)), names, node.start_point[0] + 1),)


def _read_exports(root: Node) -> tuple[str, ...]:
    """Return the full names of the types of a file."""
    names: list[str] = []
    pending = [("", root)]
    while pending:
        namespace, node = pending.pop()
        for child in node.named_children:
            if child.type == "file_scoped_namespace_declaration":
                namespace = f"{field_text(child, 'name')}."
            elif child.type == "namespace_declaration":
                body = child.child_by_field_name("body") or child
                pending.append((f"{namespace}{field_text(child, 'name')}.", body))
            elif child.type in _TYPES:
                names.append(namespace + field_text(child, "name"))
    return tuple(names)


def _mask(source: bytes) -> Masked:
    """Blank out a last pragma and branches of `#if`, and respell `async` where it is a name."""
    without_branches, spans = preprocessor.mask(source)
    masked = bytearray(without_branches)
    pragmas = [found.span() for found in _LAST_PRAGMA.finditer(source)]
    for start, end in pragmas:
        masked[start:end] = b" " * (end - start)
    for found in _NAMED_ASYNC.finditer(source):
        masked[found.end() - 1] = ord("_")
        spans.append((found.end(), found.end()))
    return bytes(masked), spans + pragmas


# The extension blocks of C# 14, which the grammar reads as constructors.
_EXTENSIONS: tuple[Rule, ...] = (
    (
        re.compile(
            rb"(?<=[\s{};])(extension)(?=\s{0,9}(?:<[^<>(){};]{1,200}+>)?\([^(){};]{1,200}+\))"
        ),
        b"class x__",
    ),
)
# Syntax of C# 13 and 14: `allows ref struct`, `operator +=`, modifiers of untyped parameters,
# the directives of a program of one file.
_NEW_SYNTAX: tuple[Rule, ...] = (
    (re.compile(rb"(\bwhere\s{1,9}\w{1,80}+\s{0,9}:\s{0,9}allows\s{1,9}ref\s{1,9}struct)"), b""),
    (re.compile(rb"(,\s{0,9}allows\s{1,9}ref\s{1,9}struct)"), b""),
    (re.compile(rb"\boperator\s{0,9}[-+*/%&|^]{1,2}(=)(?=\s{0,9}\()"), b""),
    (
        re.compile(
            rb"[(,]\s{0,9}(out|ref|in|scoped)(?=\s{1,9}\w{1,80}+\s{0,9}[,)][^;{}()]{0,200}?=>)"
        ),
        b"",
    ),
    (re.compile(rb"^(#:[^\n]{0,400}+)", re.MULTILINE), b""),
)

LANGUAGE = Language(
    name="csharp",
    grammar="tree_sitter_c_sharp:language",
    title="C#",
    aliases=("csharp",),
    has_bare_members=True,
    contexts=(("class C { ", " }"),),
    extensions=(".cs", ".csx"),
    interpreters=("dotnet-script", "csi"),
    name_scope="project",
    functions=frozenset(
        {
            "method_declaration",
            "constructor_declaration",
            "destructor_declaration",
            "operator_declaration",
            "conversion_operator_declaration",
            "accessor_declaration",
            *_PROPERTIES,
            *_LOCAL,
        }
    ),
    closures=_CLOSURES,
    folds_closures=True,
    types=_TYPES,
    weights={
        "for_statement": DECISION,
        "foreach_statement": DECISION,
        "while_statement": DECISION,
        "do_statement": DECISION,
        "conditional_expression": DECISION,
        "conditional_access_expression": PATH,
        "catch_clause": STRUCTURE | NESTING,
        "switch_statement": STRUCTURE | NESTING,
        "switch_expression": STRUCTURE | NESTING,
        "switch_expression_arm": PATH,
        "goto_statement": STRUCTURE,
    },
    token_weights={"??": PATH, "??=": PATH},
    custom={"switch_section": lambda node: PATH if node.children[0].type == "case" else NOTHING},
    directives={"preproc_if": NOTHING, "preproc_elif": NOTHING, "preproc_else": NOTHING},
    ifs=frozenset({"if_statement"}),
    logicals=frozenset({"binary_expression", "and_pattern", "or_pattern"}),
    logical_operators=frozenset({"&&", "||", "and", "or"}),
    parentheses=frozenset({"parenthesized_expression", "parenthesized_pattern"}),
    calls=frozenset({"invocation_expression", "object_creation_expression"}),
    calls_with_receiver=frozenset({"invocation_expression"}),
    callee=_callee,
    imports=frozenset({"using_directive"}),
    strings=frozenset(
        {
            "string_literal",
            "verbatim_string_literal",
            "raw_string_literal",
            "character_literal",
            "interpolated_string_expression",
        }
    ),
    interpolation_marks=(b'$"', b'$@"', b"$$"),
    literals=frozenset(
        {
            "integer_literal",
            "real_literal",
            "boolean_literal",
            "null_literal",
            "string_content",
            "string_literal_content",
            "predefined_type",
        }
    ),
    function_name=_function_name,
    parameters=_count_parameters,
    type_name=_type_name,
    bases=_bases,
    is_public=_is_public,
    doc_comment=lambda text: text.startswith(("///", "/**")),
    read_imports=_read_imports,
    read_exports=_read_exports,
    read_decorators=_read_decorators,
    prepare=lambda source: respell(source, _EXTENSIONS),
    mask=_mask,
    new_syntax=_NEW_SYNTAX,
)
