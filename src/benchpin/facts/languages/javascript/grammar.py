"""JavaScript, JSX included. Cyclomatic complexity counts what ESLint's rule `complexity` counts."""

from collections.abc import Iterator

from tree_sitter import Node

from benchpin.facts import DependencyKind, Import
from benchpin.facts.parsing import (
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

from ._built import is_built
from ._new_syntax import RULES

_LOGICAL_ASSIGNMENTS = frozenset({"&&=", "||=", "??="})
_NAMING_PARENTS = {
    "variable_declarator": "name",
    "assignment_expression": "left",
    "pair": "key",
    "field_definition": "property",
    "public_field_definition": "name",
}
# `declare class Name { … }`
_AMBIENT = "ambient_declaration"
_DECLARATIONS = frozenset({"lexical_declaration", "variable_declaration"})
_FIELDS = frozenset({"field_definition", "public_field_definition"})
_MEMBERS = _FIELDS | {"method_definition"}
_TYPE_WORDS = frozenset({"type", "typeof"})
_SPECIFIERS = frozenset({"import_specifier", "export_specifier"})
_AROUND_CALLEES = frozenset({"parenthesized_expression", "member_expression", "unary_expression"})
_HERITAGE = frozenset(
    {"class_heritage", "extends_clause", "implements_clause", "extends_type_clause"}
)


def weigh_assignment(node: Node) -> Weight:
    """Only logical assignments such as `a ||= b` are a path."""
    return PATH if field_text(node, "operator") in _LOGICAL_ASSIGNMENTS else NOTHING


def weigh_jump(node: Node) -> Weight:
    """A jump to a label adds one; a plain one nothing."""
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
    """Count parameters; an arrow function may have one without parentheses."""
    if node.child_by_field_name("parameter") is not None:
        return 1
    listed = node.child_by_field_name("parameters")
    if listed is None:
        return 0
    return sum(1 for child in listed.children if child.is_named and not child.is_extra)


def type_name(node: Node) -> str:
    """Name a class or a module, whose name may be a quoted path; an export has no name."""
    return field_text(node, "name").strip("'\"")


def bases(node: Node) -> tuple[str, ...]:
    """Return what a class extends and implements, except the results of calls."""
    clauses = (it for it in node.children if it.type in _HERITAGE)
    texts = (text_of(it).partition("<")[0] for clause in clauses for it in _listed(clause))
    return tuple(text for text in texts if "(" not in text)


def _listed(clause: Node) -> Iterator[Node]:
    for part in clause.named_children:
        if part.type in _HERITAGE:
            yield from (it for it in part.named_children if it.type != "type_arguments")
        else:
            yield part


def is_public(node: Node, name: str) -> bool:
    """Methods are public by default, functions when they are exported."""
    outer = node.parent
    member = outer if outer is not None and outer.type in _FIELDS else node
    if member.type in _MEMBERS:
        modifier = next((it for it in member.children if it.type == "accessibility_modifier"), None)
        return not name.startswith("#") and text_of(modifier) not in {"private", "protected"}
    while outer is not None and outer.type in {*_DECLARATIONS, _AMBIENT, "variable_declarator"}:
        outer = outer.parent
    return outer is not None and outer.type == "export_statement"


def first_line(node: Node) -> int:
    """Return the line of the first decorator, or of the export, where there is one."""
    outer = node.parent
    if node.type == "method_definition":
        node = next(reversed(list(_decorators_before(node))), node)
    elif outer is not None and outer.type == "export_statement":
        node = outer
    return node.start_point[0] + 1


def read_decorators(node: Node) -> tuple[str, ...]:
    """Read the decorators inside or before a class, or before a method."""
    inside = [child for child in node.children if child.type == "decorator"]
    before: list[Node] = []
    beside = node.prev_sibling
    while beside is not None and beside.type in {"decorator", "comment", "export", "default"}:
        before.insert(0, beside)
        beside = beside.prev_sibling
    found = [it for it in (*before, *inside) if it.type == "decorator"]
    return tuple(text_of(it).lstrip("@").partition("(")[0].strip() for it in found)


def _decorators_before(node: Node) -> Iterator[Node]:
    before = node.prev_sibling
    while before is not None and before.type == "decorator":
        yield before
        before = before.prev_sibling


def read_imports(node: Node) -> tuple[Import, ...]:
    """Read `import … from`, `export … from`, `require(…)` and `import(…)`.

    A plain export imports nothing.
    """
    line = node.start_point[0] + 1
    if node.type == "call_expression":
        given = node.child_by_field_name("arguments")
        first = given.named_children[0] if given is not None and given.named_child_count else None
        if first is None or first.type != "string":
            return ()
        names, aliases = _names_and_aliases(_required(node))
        return (Import(_unquoted(first), names, line, 0, aliases),)
    clause = next((it for it in node.named_children if it.type.endswith("_clause")), None)
    source = node.child_by_field_name("source")
    if clause is not None and clause.type == "import_require_clause":
        alias = text_of(clause.named_children[0])
        source = clause.child_by_field_name("source")
        return (Import(_unquoted(source), (), line, 0, (alias,)),) if source is not None else ()
    if source is None:
        return ()
    is_all = any(it.type in {"*", "namespace_export"} for it in node.children)
    names, aliases = _names_and_aliases(_reexported(node) if is_all else _imported(clause))
    kind: DependencyKind = "type-only" if _is_for_types(node, clause) else "runtime"
    return (Import(_unquoted(source), names, line, 0, aliases, kind),)


def _is_for_types(node: Node, clause: Node | None) -> bool:
    """Whether it is `import type …` or `export type …`, or each of its names has `type`."""
    if any(it.type in _TYPE_WORDS for it in node.children):
        return True
    if clause is None:
        # `new_syntax` blanks the word of `export type * from`, which the grammar does not know.
        word, *rest = node.children
        is_export = word.type == "export" and bool(rest)
        return is_export and rest[0].start_byte - word.end_byte > len(" type")
    parts = clause.named_children
    lists = [it for it in parts if it.type == "named_imports"]
    if lists and len(lists) < len(parts):
        return False
    specifiers = [it for part in lists for it in part.named_children] if lists else parts
    named = [it for it in specifiers if it.type in _SPECIFIERS]
    return bool(named) and all(it.children[0].type in _TYPE_WORDS for it in named)


def is_called_at_once(body: Node) -> bool:
    """Whether a function is `(function () { … })()`, or is called so with `call` or `apply`."""
    outer = body.parent and body.parent.parent
    while outer is not None and outer.type in _AROUND_CALLEES:
        outer = outer.parent
    if outer is None or outer.type != "call_expression":
        return False
    callee = outer.child_by_field_name("function")
    return callee is not None and callee.start_byte <= body.start_byte < callee.end_byte


def _names_and_aliases(pairs: list[tuple[str, str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split pairs into imported names and local aliases; no aliases if nothing is renamed."""
    names, aliases = tuple(name for name, _ in pairs if name), tuple(alias for _, alias in pairs)
    return names, () if names == aliases else aliases


def _imported(clause: Node | None) -> list[tuple[str, str]]:
    """Return the imported names with their local names."""
    pairs: list[tuple[str, str]] = []
    for part in clause.named_children if clause is not None else ():
        if part.type == "identifier":
            pairs.append(("default", text_of(part)))
        elif part.type == "namespace_import":
            pairs.append(("*", text_of(part.named_children[-1])))
        else:
            specifiers = part.named_children if part.type == "named_imports" else [part]
            pairs.extend(map(_renamed, specifiers))
    return [pair for pair in pairs if pair[0]]


def _renamed(specifier: Node) -> tuple[str, str]:
    name = field_text(specifier, "name")
    return name, field_text(specifier, "alias") or name


def _reexported(node: Node) -> list[tuple[str, str]]:
    """Return what `export * from` and `export * as name from` re-export."""
    space = next((it for it in node.named_children if it.type == "namespace_export"), None)
    return [("*", "*" if space is None else text_of(space.named_children[-1]))]


def _required(call: Node) -> list[tuple[str, str]]:
    """Return what `const … = require(…)` imports; the name of the module itself is empty."""
    holder = call.parent
    if holder is not None and holder.type == "await_expression":
        holder = holder.parent
    pattern = holder.child_by_field_name("name") if holder is not None else None
    if holder is None or holder.type != "variable_declarator" or pattern is None:
        return []
    if pattern.type == "identifier":
        return [("", text_of(pattern))]
    return [
        (field_text(it, "key") or text_of(it), field_text(it, "value") or text_of(it))
        for it in pattern.named_children
        if it.type in {"shorthand_property_identifier_pattern", "pair_pattern"}
    ]


def callee(node: Node) -> Node:
    """Return the called function or the class of a new object."""
    return node.child_by_field_name("constructor") or node.children[0]


def read_exports(root: Node) -> tuple[str, ...]:
    """Return the names that a module exports."""
    names: list[str] = []
    for statement in root.named_children:
        if statement.type == "export_statement":
            names.extend(_exported(statement))
    return tuple(dict.fromkeys(name for name in names if name))


def _exported(statement: Node) -> list[str]:
    if any(child.type == "default" for child in statement.children):
        return ["default"]
    names: list[str] = []
    for part in statement.named_children:
        if part.type == "export_clause":
            names += [
                field_text(it, "alias") or field_text(it, "name") for it in part.named_children
            ]
        elif part.type == _AMBIENT:
            names += _exported(part)
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
    title="JavaScript",
    aliases=("js",),
    toolchains=("deno", "node"),
    contexts=(("class C { ", " }"),),
    extensions=(".js", ".jsx", ".mjs", ".cjs"),
    filenames=("Jakefile",),
    interpreters=("node", "nodejs", "deno", "bun"),
    is_built=is_built,
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
    scopes={"export_statement": False},
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
    imports=frozenset({"import_statement", "export_statement"}),
    importing_callees=frozenset({b"require", b"import"}),
    runs_imports=True,
    is_called_at_once=is_called_at_once,
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
    callee=callee,
    function_name=function_name,
    parameters=count_parameters,
    type_name=type_name,
    bases=bases,
    is_public=is_public,
    first_line=first_line,
    read_decorators=read_decorators,
    read_imports=read_imports,
    read_exports=read_exports,
    new_syntax=RULES,
)
