"""Go. Cyclomatic complexity counts what gocyclo counts: cases, and closures with their owner."""

import re
from collections.abc import Iterator

from msgspec.structs import replace
from tree_sitter import Node

from benchpin.facts import Import
from benchpin.facts.parsing import (
    DECISION,
    FLAT,
    NESTING,
    PATH,
    STRUCTURE,
    Language,
    NameUses,
    children_of,
    field_text,
    text_of,
    weigh_jump,
)
from benchpin.facts.respelling import NAME, Rule

_VERSION = re.compile(r"v\d+")
_NOT_NAME = re.compile(r"\W")
_KINDS = {"struct_type": "struct", "interface_type": "interface"}
_NAMING_PARENTS = {
    "short_var_declaration": "left",
    "assignment_statement": "left",
    "var_spec": "name",
}


def _function_name(node: Node) -> str:
    """Name a method with its receiver, a closure by its variable."""
    if node.type == "func_literal":
        return _variable(node)
    name = field_text(node, "name")
    receiver = node.child_by_field_name("receiver")
    if receiver is None or not receiver.named_child_count:
        return name
    return f"{_plain_type(receiver.named_children[0].child_by_field_name('type'))}.{name}"


def _variable(literal: Node) -> str:
    outer = literal.parent
    if outer is not None and outer.type == "expression_list" and outer.named_child_count == 1:
        outer = outer.parent
    field = None if outer is None else _NAMING_PARENTS.get(outer.type)
    return field_text(outer, field) if outer is not None and field else "(anonymous)"


def _plain_type(node: Node | None) -> str:
    """Return the name of a type without pointer and type arguments."""
    while node is not None and node.type in {"pointer_type", "generic_type", "parenthesized_type"}:
        node = node.named_children[0] if node.named_child_count else None
    return text_of(node)


def _count_parameters(node: Node) -> int:
    listed = node.child_by_field_name("parameters")
    if listed is None:
        return 0
    given = (it for it in listed.named_children if not it.is_extra)
    return sum(max(1, len(it.children_by_field_name("name"))) for it in given)


def _type_kind(node: Node) -> str:
    written = node.child_by_field_name("type")
    return "type" if written is None else _KINDS.get(written.type, "type")


def _bases(node: Node) -> tuple[str, ...]:
    """Return the types that a struct or an interface embeds."""
    written = node.child_by_field_name("type")
    return () if written is None else tuple(_embedded(written))


def _embedded(written: Node) -> Iterator[str]:
    if written.type == "interface_type":
        elements = (it for it in written.named_children if it.type == "type_elem")
        yield from (_plain_type(it.named_children[0]) for it in elements if it.child_count == 1)
    elif written.type == "struct_type" and written.named_child_count:
        for member in written.named_children[0].named_children:
            if member.type == "field_declaration" and not member.child_by_field_name("name"):
                yield _plain_type(member.child_by_field_name("type"))


def _read_imports(node: Node) -> tuple[Import, ...]:
    """Read `import "a/b"` and `import ( … )`."""
    specs: list[Node] = []
    for child in node.named_children:
        specs.extend(child.named_children if child.type == "import_spec_list" else [child])
    return tuple(_read_spec(spec) for spec in specs if spec.type == "import_spec")


def _read_spec(spec: Node) -> Import:
    alias, line = field_text(spec, "name"), spec.start_point[0] + 1
    path = field_text(spec, "path").strip('"`')
    if alias == ".":
        return Import(path, ("*",), line)
    return Import(path, (), line, 0, (alias,) if alias else ())


def _complete_import(imported: Import, uses: NameUses) -> Import:
    """Add the names that are used as `package.Name`.

    The name of a package that is not renamed is not in the file: it is the last part of the path,
    or a word of it, as in `gopkg.in/yaml.v3` and `github.com/mattn/go-isatty`.
    """
    names = imported.aliases or _package_names(imported.module)
    used = next((uses.members[it] for it in names if it in uses.members), frozenset())
    exported = sorted(it for it in used if it[:1].isupper())
    return replace(imported, uses=tuple(exported)) if exported else imported


def _package_names(path: str) -> tuple[str, ...]:
    parts = [it for it in path.split("/") if not _VERSION.fullmatch(it)]
    last = parts[-1] if parts else path
    return (last, *_NOT_NAME.split(last), last.replace("-", "_"), last.replace("-", ""))


def _read_exports(root: Node) -> tuple[str, ...]:
    """Return the constants and variables of the package."""
    names: list[str] = []
    for declaration in root.named_children:
        if declaration.type in {"const_declaration", "var_declaration"}:
            for spec in _specs(declaration):
                names += map(text_of, spec.children_by_field_name("name"))
    return tuple(dict.fromkeys(it for it in names if it not in {"_", ","}))


def _specs(declaration: Node) -> Iterator[Node]:
    for child in declaration.named_children:
        if child.type == "var_spec_list":
            yield from children_of(child, "var_spec")
        elif child.type in {"const_spec", "var_spec"}:
            yield child


# Go 1.26: `new` takes any expression.
_NEW_SYNTAX: tuple[Rule, ...] = ((re.compile(rb"(?<![\w.])(new)(?=\()"), NAME),)

LANGUAGE = Language(
    name="go",
    grammar="tree_sitter_go:language",
    title="Go",
    aliases=("golang",),
    toolchains=("go",),
    contexts=(("func f() { ", " }"),),
    needs_context=True,  # `fmt.Println(x)` alone is a conversion of x to a type
    extensions=(".go",),
    name_scope="package",
    unit="package",
    functions=frozenset({"function_declaration", "method_declaration", "func_literal"}),
    closures=frozenset({"func_literal"}),
    folds_closures=True,
    types={"type_spec": "type", "type_alias": "type"},
    weights={
        "for_statement": DECISION,
        "expression_switch_statement": STRUCTURE | NESTING,
        "type_switch_statement": STRUCTURE | NESTING,
        "select_statement": STRUCTURE | NESTING,
        "expression_case": PATH,
        "type_case": PATH,
        "communication_case": PATH,
        "goto_statement": FLAT,
    },
    custom={"break_statement": weigh_jump, "continue_statement": weigh_jump},
    ifs=frozenset({"if_statement"}),
    logicals=frozenset({"binary_expression"}),
    calls=frozenset({"call_expression"}),
    imports=frozenset({"import_declaration"}),
    strings=frozenset({"interpreted_string_literal", "raw_string_literal", "rune_literal"}),
    identifiers=frozenset(
        {
            "identifier",
            "type_identifier",
            "field_identifier",
            "package_identifier",
            "blank_identifier",
            "label_name",
        }
    ),
    literals=frozenset(
        {"int_literal", "float_literal", "imaginary_literal", "true", "false", "nil", "iota"}
    ),
    qualified=frozenset({"selector_expression", "qualified_type"}),
    has_dotted_methods=True,
    function_name=_function_name,
    parameters=_count_parameters,
    type_kind=_type_kind,
    bases=_bases,
    is_public=lambda node, name: name[:1].isupper() and node.type != "func_literal",
    has_plain_docs=True,
    read_imports=_read_imports,
    binding_imports=frozenset({"import_declaration"}),
    complete_import=_complete_import,
    read_exports=_read_exports,
    new_syntax=_NEW_SYNTAX,
)
