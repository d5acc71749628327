"""C. Cyclomatic complexity counts what pmccabe counts in its column of McCabe's own measure."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from benchpin.facts import Import
from benchpin.facts.parsing import DECISION, FLAT, NESTING, PATH, STRUCTURE, Language, text_of
from benchpin.facts.preprocessor import mask
from benchpin.facts.respelling import Rule

from ._macro_statements import read_c_macros

_CONTAINERS = frozenset(
    {
        "preproc_if",
        "preproc_ifdef",
        "preproc_else",
        "preproc_elif",
        "preproc_elifdef",
        "linkage_specification",
        "declaration_list",
    }
)
_KEYWORDS = frozenset(
    {b"do", b"else", b"enum", b"for", b"if", b"int", b"struct", b"switch", b"union", b"while"}
)


def innermost(declarator: Node | None) -> tuple[Node | None, Node | None]:
    """Follow nested declarators to the name; return it with the parameters of the function."""
    parameters = None
    while declarator is not None:
        if declarator.type == "function_declarator":
            parameters = declarator.child_by_field_name("parameters")
        inner = declarator.child_by_field_name("declarator")
        if inner is None and declarator.type.endswith("_declarator"):
            inner = next((it for it in declarator.named_children if not it.is_extra), None)
        if inner is None:
            break
        declarator = inner
    return declarator, parameters


def declared_name(node: Node) -> Node | None:
    """Return the declared name of a function; that of the macro in `TEST(name) {…}`.

    None for what is a statement after a macro.
    """
    declarator = node.child_by_field_name("declarator")
    if declarator is not None and declarator.type == "parenthesized_declarator":
        macro = node.child_by_field_name("type")
        return macro if macro is not None and macro.type == "type_identifier" else None
    name, parameters = innermost(declarator)
    return None if parameters is None or name is None or name.text in _KEYWORDS else name


def count_parameters(node: Node) -> int:
    """Count parameters; `(void)` has none."""
    _, parameters = innermost(node.child_by_field_name("declarator"))
    if parameters is None:
        return 0
    given = [it for it in parameters.named_children if not it.is_extra]
    return 0 if len(given) == 1 and given[0].text == b"void" else len(given)


def type_name(node: Node) -> str:
    """Name a type by itself, or by the typedef around it."""
    own = node.child_by_field_name("name")
    parent = node.parent
    if own is not None or parent is None or parent.type != "type_definition":
        return text_of(own)
    name, _ = innermost(parent.child_by_field_name("declarator"))
    return text_of(name)


def is_static(node: Node) -> bool:
    """Whether a declaration is visible in its own file only."""
    return any(
        it.type == "storage_class_specifier" and it.text == b"static" for it in node.children
    )


def is_public(node: Node, _name: str) -> bool:
    """Everything that is not static is public."""
    return not is_static(node)


def read_imports(node: Node) -> tuple[Import, ...]:
    """Read `#include`; one in quotes is relative to the file."""
    path = node.child_by_field_name("path")
    if path is None or path.type not in {"string_literal", "system_lib_string"}:
        return ()
    level = int(path.type == "string_literal")
    return (Import(text_of(path).strip('"<>'), (), node.start_point[0] + 1, level),)


def read_exports(root: Node) -> tuple[str, ...]:
    """Return the functions and variables that a header declares for other files."""
    return tuple(dict.fromkeys(name for it in _declarations(root) for name in _declared(it)))


def _declarations(root: Node) -> Iterator[Node]:
    pending = [root]
    while pending:
        node = pending.pop()
        for child in reversed(node.named_children):
            if child.type in _CONTAINERS:
                pending.append(child)
            elif child.type == "declaration" and not is_static(child):
                yield child


def _declared(declaration: Node) -> Iterator[str]:
    is_extern = any(it.text == b"extern" for it in declaration.children)
    for declarator in declaration.children_by_field_name("declarator"):
        name, parameters = innermost(declarator)
        if is_extern or parameters is not None:
            yield text_of(name)


# C23: types of enumerations, `_BitInt`, `auto`, labels at the end of a block, `#embed`; and
# `_Thread_local`.
_NEW_SYNTAX: tuple[Rule, ...] = (
    # C2y: `if (int a = b; a)` becomes `if (b, a)`.
    (
        re.compile(
            rb"\b(?:if|switch)\s{0,9}\(\s{0,9}((?:(?:const|enum|struct|unsigned)\s{1,9})?"
            rb"\w{1,80}+[\s*]{1,9}\w{1,80}+\s{0,9}=)(?!=)"
        ),
        b"",
    ),
    (
        re.compile(
            rb"\b(?:if|switch)\s{0,9}\((?:[^;{}()]|\([^;{}()]{0,80}+\)){1,200}+(;)(?=[^;{}]{1,200}?\))"
        ),
        b",",
    ),
    (re.compile(rb"(?<=[;{}\s])(defer)(?=\s{0,9}(?:\{|\w{1,80}+[\s(*]))"), b""),
    (re.compile(rb"\benum\b[ \t]{0,9}\w{0,80}+[ \t]{0,9}(:[\w \t]{1,80}+)(?=\s{0,80}\{)"), b""),
    (re.compile(rb"\b_BitInt[ \t]{0,9}(\([^()\n]{1,80}+\))"), b""),
    (re.compile(rb"(?<!\w)(_Thread_local)(?!\w)"), b""),
    (re.compile(rb"(?<=[;{}\n])[ \t]{0,80}(auto)(?=[ \t]{1,9}\w{1,80}+[ \t]{0,9}=)"), b"int "),
    (re.compile(rb"(?<=[;{}\n])[ \t]{0,80}(\w{1,80}+[ \t]{0,9}:)(?=\s{0,80}\})"), b""),
    (re.compile(rb"^[ \t]{0,80}(#[ \t]{0,9}embed\b[^\n]{0,200}+)", re.MULTILINE), b""),
)

LANGUAGE = Language(
    name="c",
    grammar="tree_sitter_c:language",
    title="C",
    toolchains=("c-cmake",),
    contexts=(("void f() { ", " }"), ("void f() { ", "; }")),
    extensions=(".c", ".h"),
    name_scope="project",
    functions=frozenset({"function_definition"}),
    types={"struct_specifier": "struct", "union_specifier": "union", "enum_specifier": "enum"},
    weights={
        "for_statement": DECISION,
        "while_statement": DECISION,
        "do_statement": DECISION,
        "conditional_expression": DECISION,
        "seh_except_clause": DECISION,
        "switch_statement": STRUCTURE | NESTING,
        "goto_statement": FLAT,
    },
    token_weights={"case": PATH},
    directives={
        "preproc_if": STRUCTURE | NESTING,
        "preproc_ifdef": STRUCTURE | NESTING,
        "preproc_elif": FLAT,
        "preproc_elifdef": FLAT,
        "preproc_else": FLAT,
    },
    ifs=frozenset({"if_statement"}),
    elses=frozenset({"else_clause"}),
    logicals=frozenset({"binary_expression"}),
    parentheses=frozenset({"parenthesized_expression"}),
    calls=frozenset({"call_expression"}),
    imports=frozenset({"preproc_include"}),
    strings=frozenset({"string_literal", "char_literal"}),
    raw_code=frozenset({"preproc_arg"}),
    identifiers=frozenset(
        {"identifier", "field_identifier", "type_identifier", "statement_identifier"}
    ),
    literals=frozenset(
        {"number_literal", "true", "false", "null", "primitive_type", "system_lib_string"}
    ),
    needs_body=True,
    function_name=lambda node: text_of(declared_name(node)),
    parameters=count_parameters,
    type_name=type_name,
    is_public=is_public,
    has_plain_docs=True,
    read_imports=read_imports,
    read_exports=read_exports,
    prepare=read_c_macros,
    mask=mask,
    new_syntax=_NEW_SYNTAX,
)
