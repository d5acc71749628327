"""Shell scripts. Cyclomatic complexity counts what ShellMetrics counts: no `&&` and no `||`."""

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
    text_of,
)
from benchpin.facts.respelling import Rule

_OPERATORS = frozenset({"&&", "||"})
_LITERAL_PATHS = frozenset({"word", "string", "raw_string"})
_EXPANSIONS = frozenset("$`*?")


def _weigh_item(node: Node) -> Weight:
    """The default `*)` of a case is no further path."""
    patterns = node.children_by_field_name("value")
    return NOTHING if [it.text for it in patterns] == [b"*"] else PATH


def _operator(node: Node) -> str:
    """Return the `&&` or `||` of a list of commands or of a test, else the empty string."""
    if node.type not in {"list", "binary_expression"}:
        return ""
    return next((it.type for it in node.children if it.type in _OPERATORS), "")


def _weigh_list(node: Node) -> Weight:
    """A chain of the same operator adds one."""
    operator = _operator(node)
    goes_on = any(_operator(it) == operator for it in node.named_children)
    return FLAT if operator and not goes_on else NOTHING


def _read_imports(node: Node) -> tuple[Import, ...]:
    """Read `source` and `.` with a literal path."""
    given = node.child_by_field_name("argument")
    path = text_of(given).strip("'\"")
    if given is None or given.type not in _LITERAL_PATHS or _EXPANSIONS & set(path):
        return ()
    return (Import(path, (), node.start_point[0] + 1),)


def _read_exports(root: Node) -> tuple[str, ...]:
    """Return the functions in `export -f`."""
    names: list[str] = []
    for statement in root.named_children:
        words = text_of(statement).split() if statement.type == "declaration_command" else []
        if words[:2] == ["export", "-f"]:
            names += words[2:]
    return tuple(names)


# Bash 4: the ends `;;&` and `;&` of a case, and bases before a variable; 5.3: `${ command; }`.
_NEW_SYNTAX: tuple[Rule, ...] = (
    (re.compile(rb";;(&)"), b""),
    (re.compile(rb"(?<!;);(&)"), b";"),
    (re.compile(rb"\$\(\((\d{1,2}#)(?=\$)"), b""),
    (re.compile(rb"\$\{[\s|][^{}]{0,400}+(\})"), b")"),
    (re.compile(rb"\$(\{)(?=[\s|][^{}()]{0,400}+\))"), b"("),
    (re.compile(rb"\$\((\|)"), b""),
)

LANGUAGE = Language(
    name="bash",
    grammar="tree_sitter_bash:language",
    title="Shell",
    aliases=("bash", "sh"),
    extensions=(".sh", ".bash", ".ksh"),
    filenames=(
        ".bash_aliases",
        ".bash_login",
        ".bash_logout",
        ".bash_profile",
        ".bashrc",
        ".profile",
        "APKBUILD",
        "PKGBUILD",
    ),
    interpreters=("bash", "sh", "dash", "ash", "ksh", "mksh"),
    name_scope="project",
    functions=frozenset({"function_definition"}),
    weights={
        "if_statement": DECISION,
        "elif_clause": PATH | FLAT,
        "else_clause": FLAT,
        "for_statement": DECISION,
        "c_style_for_statement": DECISION,
        "while_statement": DECISION,
        "case_statement": STRUCTURE | NESTING,
        "ternary_expression": STRUCTURE | NESTING,
    },
    custom={
        "case_item": _weigh_item,
        "list": _weigh_list,
        "binary_expression": _weigh_list,
    },
    calls=frozenset({"command"}),
    callee=lambda node: node.child_by_field_name("name") or node.children[0],
    importing_callees=frozenset({b"source", b"."}),
    strings=frozenset({"string"}),
    interpolation_marks=(b"$", b"`"),
    identifiers=frozenset({"word", "variable_name", "special_variable_name"}),
    literals=frozenset(
        {
            "ansi_c_string",
            "extglob_pattern",
            "heredoc_content",
            "heredoc_end",
            "heredoc_start",
            "number",
            "raw_string",
            "regex",
            "string_content",
        }
    ),
    is_public=lambda _node, name: not name.startswith("_"),
    doc_comment=lambda _text: False,
    has_plain_docs=True,
    read_imports=_read_imports,
    runs_imports=True,
    read_exports=_read_exports,
    new_syntax=_NEW_SYNTAX,
)
