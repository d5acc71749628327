"""JavaScript, JSX included. Cyclomatic complexity counts what ESLint's rule `complexity` counts."""

from tree_sitter import Node

from benchpin.engines.source.facts import Import
from benchpin.engines.source.language import (
    DECISION,
    FLAT,
    NESTING,
    NOTHING,
    PATH,
    STRUCTURE,
    Language,
    Weight,
    field_text,
    text_of,
)

_LOGICAL_ASSIGNMENTS = frozenset({"&&=", "||=", "??="})
_NAMING_PARENTS = {
    "variable_declarator": "name",
    "assignment_expression": "left",
    "pair": "key",
    "field_definition": "property",
    "public_field_definition": "name",
}
_DECLARATIONS = frozenset({"lexical_declaration", "variable_declaration"})


def weigh_assignment(node: Node) -> Weight:
    """`a ||= b` is a path; other assignments are not."""
    return PATH if field_text(node, "operator") in _LOGICAL_ASSIGNMENTS else NOTHING


def weigh_jump(node: Node) -> Weight:
    """A jump to a label takes a thought; a plain one does not."""
    return FLAT if node.child_by_field_name("label") is not None else NOTHING


def function_name(node: Node) -> str:
    """Name a function by itself, or by what it is assigned to."""
    own = node.child_by_field_name("name")
    if own is not None:
        return text_of(own)
    parent = node.parent
    field = _NAMING_PARENTS.get(parent.type) if parent is not None else None
    if parent is None or field is None:
        return "(anonymous)"
    return field_text(parent, field).strip("'\"`")


def count_parameters(node: Node) -> int:
    """Count parameters; an arrow function may have a bare one."""
    if node.child_by_field_name("parameter") is not None:
        return 1
    listed = node.child_by_field_name("parameters")
    if listed is None:
        return 0
    return sum(1 for child in listed.children if child.is_named and not child.is_extra)


def bases(node: Node) -> tuple[str, ...]:
    """Return what a class extends."""
    heritage = next((child for child in node.children if child.type == "class_heritage"), None)
    if heritage is None:
        return ()
    names = text_of(heritage).replace("extends", " ").replace("implements", " ").replace(",", " ")
    return tuple(name for name in names.split() if name)


def is_public(node: Node, name: str) -> bool:
    """Methods are public unless they say otherwise; functions when they are exported."""
    if node.type == "method_definition":
        modifier = next((it for it in node.children if it.type == "accessibility_modifier"), None)
        return not name.startswith("#") and text_of(modifier) not in {"private", "protected"}
    outer = node.parent
    while outer is not None and outer.type in {*_DECLARATIONS, "variable_declarator"}:
        outer = outer.parent
    return outer is not None and outer.type == "export_statement"


def read_decorators(node: Node) -> tuple[str, ...]:
    """Read the decorators in a class, or before it or a method."""
    inside = [child for child in node.children if child.type == "decorator"]
    before: list[Node] = []
    beside = node.prev_sibling
    while beside is not None and beside.type in {"decorator", "comment", "export", "default"}:
        before.insert(0, beside)
        beside = beside.prev_sibling
    found = [it for it in (*before, *inside) if it.type == "decorator"]
    return tuple(text_of(it).lstrip("@").partition("(")[0].strip() for it in found)


def read_imports(node: Node) -> tuple[Import, ...]:
    """Read `import … from`, `export … from`, `require(…)` and `import(…)`."""
    line = node.start_point[0] + 1
    if node.type == "call_expression":
        given = node.child_by_field_name("arguments")
        first = given.named_children[0] if given is not None and given.named_child_count else None
        if first is None or first.type != "string":
            return ()
        return (Import(_unquoted(first), (), line),)
    source = node.child_by_field_name("source")
    if source is None:
        return ()
    clause = next((it for it in node.named_children if it.type.endswith("_clause")), None)
    return (Import(_unquoted(source), _imported(clause), line),)


def _imported(clause: Node | None) -> tuple[str, ...]:
    if clause is None:
        return ()
    names: list[str] = []
    for part in clause.named_children:
        if part.type == "identifier":
            names.append("default")
        elif part.type == "namespace_import":
            names.append("*")
        else:
            specifiers = part.named_children if part.type == "named_imports" else [part]
            names.extend(field_text(specifier, "name") for specifier in specifiers)
    return tuple(name for name in names if name)


def read_exports(root: Node) -> tuple[str, ...]:
    """Return the names that a module exports."""
    names: list[str] = []
    for statement in root.named_children:
        if statement.type == "export_statement":
            names.extend(_exported(statement))
    return tuple(name for name in names if name)


def _exported(statement: Node) -> list[str]:
    if any(child.type == "default" for child in statement.children):
        return ["default"]
    names: list[str] = []
    for part in statement.named_children:
        if part.type == "export_clause":
            names += [
                field_text(it, "alias") or field_text(it, "name") for it in part.named_children
            ]
        elif part.type in _DECLARATIONS:
            names += [field_text(it, "name") for it in part.named_children]
        else:
            names.append(field_text(part, "name"))
    return names


def _unquoted(node: Node) -> str:
    return text_of(node).strip("'\"`")


LANGUAGE = Language(
    name="javascript",
    grammar="tree_sitter_javascript:language",
    extensions=(".js", ".jsx", ".mjs", ".cjs"),
    filenames=("Jakefile",),
    interpreters=("node", "nodejs", "deno", "bun"),
    functions=frozenset(
        {
            "function_declaration",
            "function_expression",
            "arrow_function",
            "method_definition",
            "generator_function",
            "generator_function_declaration",
        }
    ),
    types={"class_declaration": "class", "class": "class"},
    weights={
        "for_statement": DECISION,
        "for_in_statement": DECISION,
        "while_statement": DECISION,
        "do_statement": DECISION,
        "ternary_expression": DECISION,
        "catch_clause": DECISION,
        "switch_statement": STRUCTURE | NESTING,
        "switch_case": PATH,
        "assignment_pattern": PATH,
        "object_assignment_pattern": PATH,
        "optional_chain": PATH,
    },
    custom={
        "augmented_assignment_expression": weigh_assignment,
        "break_statement": weigh_jump,
        "continue_statement": weigh_jump,
    },
    ifs=frozenset({"if_statement"}),
    elses=frozenset({"else_clause"}),
    logicals=frozenset({"binary_expression"}),
    logical_operators=frozenset({"&&", "||", "??"}),
    parentheses=frozenset({"parenthesized_expression"}),
    calls=frozenset({"call_expression", "new_expression"}),
    imports=frozenset({"import_statement"}),
    importing_callees=frozenset({b"require", b"import"}),
    comments=frozenset({"comment", "html_comment"}),
    strings=frozenset({"string", "template_string", "regex"}),
    interpolation_marks=(b"${",),
    identifiers=frozenset(
        {
            "identifier",
            "property_identifier",
            "private_property_identifier",
            "shorthand_property_identifier",
            "shorthand_property_identifier_pattern",
            "statement_identifier",
        }
    ),
    literals=frozenset(
        {"number", "true", "false", "null", "undefined", "string_fragment", "jsx_text"}
    ),
    function_name=function_name,
    parameters=count_parameters,
    bases=bases,
    is_public=is_public,
    read_imports=read_imports,
    read_exports=read_exports,
    read_decorators=read_decorators,
)
