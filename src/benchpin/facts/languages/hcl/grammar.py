"""HCL, as Terraform uses it: blocks are symbols, under the names by which expressions use them."""

from collections.abc import Iterator

from tree_sitter import Node

from benchpin.facts import Import
from benchpin.facts.parsing import Language, Role, child_of, children_of, text_of

# What comes before the labels of a block where its content is used: `var.name`, `data.type.name`.
_PREFIXES = {
    "variable": ("var",),
    "output": ("output",),
    "module": ("module",),
    "data": ("data",),
    "ephemeral": ("ephemeral",),
    "provider": ("provider",),
    "check": ("check",),
    "resource": (),
}


def _keyword(block: Node) -> str:
    return text_of(child_of(block, "identifier"))


def _outer_block(node: Node) -> Node | None:
    """Return the block that a node is directly in; None at the top of a file."""
    body = node.parent
    return body.parent if body is not None and body.type == "body" else None


def _role_of_block(node: Node) -> Role:
    outer = _outer_block(node)
    is_outermost = outer is not None and outer.type == "config_file"
    return "type" if is_outermost and _keyword(node) in _PREFIXES else "plain"


def _role_of_attribute(node: Node) -> Role:
    """A value in `locals` is a symbol; the `source` of a module is an import."""
    outer = _outer_block(node)
    if outer is None or outer.type != "block":
        return "plain"
    if _keyword(outer) == "locals":
        return "type"
    is_source = _keyword(outer) == "module" and _keyword(node) == "source"
    return "import" if is_source else "plain"


def _type_name(node: Node) -> str:
    if node.type == "attribute":
        return f"local.{_keyword(node)}"
    labels = (text_of(it).strip('"') for it in children_of(node, "string_lit"))
    return ".".join((*_PREFIXES[_keyword(node)], *labels))


def _read_imports(node: Node) -> tuple[Import, ...]:
    value = next(_find(node, "template_literal"), None)
    return (Import(text_of(value), (), node.start_point[0] + 1),) if value is not None else ()


def _find(node: Node, kind: str) -> Iterator[Node]:
    pending = [node]
    while pending:
        one = pending.pop()
        if one.type == kind:
            yield one
        pending.extend(reversed(one.named_children))


LANGUAGE = Language(
    name="hcl",
    grammar="tree_sitter_hcl:language",
    title="HCL",
    aliases=("terraform",),
    toolchains=("terraform", "tofu"),
    extensions=(".tf", ".tofu", ".tfvars", ".hcl"),
    name_scope="project",
    unit="package",
    roles={"block": _role_of_block, "attribute": _role_of_attribute},
    type_kind=lambda node: "local" if node.type == "attribute" else _keyword(node),
    calls=frozenset({"function_call"}),
    strings=frozenset({"string_lit"}),
    literals=frozenset(
        {"numeric_lit", "bool_lit", "null_lit", "template_literal", "heredoc_identifier"}
    ),
    type_name=_type_name,
    doc_comment=lambda _text: False,
    has_plain_docs=True,
    read_imports=_read_imports,
)
