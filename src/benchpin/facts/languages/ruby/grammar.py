"""Ruby. Cyclomatic complexity counts what RuboCop's Metrics/CyclomaticComplexity counts."""

import re
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
from benchpin.facts.respelling import Rule

# Methods that run their block once for each item: only such a block is a path.
_ITERATING = frozenset(
    """
    all? any? chain chunk chunk_while collect collect_concat count cycle detect drop drop_while each
    each_cons each_entry each_slice each_with_index each_with_object entries filter filter_map find
    find_all find_index flat_map grep grep_v group_by inject lazy map max max_by min min_by minmax
    minmax_by none? one? partition reduce reject reverse_each select slice_after slice_before
    slice_when sort sort_by sum take take_while tally to_h uniq zip
    with_index with_object
    bsearch bsearch_index collect! combination d_permutation delete_if each_index keep_if map!
    permutation product reject! repeat repeated_combination select! sort!
    each_key each_pair each_value fetch fetch_values has_key? merge merge! transform_keys
    transform_keys! transform_values transform_values!
    """.split()  # noqa: SIM905 - easier to read than quoted names
)
_IFS = frozenset({"if", "unless", "elsif"})
_HIDING = frozenset({"private", "protected", "private_class_method"})
_VISIBILITIES = frozenset({"private", "protected", "public", "module_function"})
_MIXING = frozenset({"include", "extend", "prepend"})
_TYPES = {"class": "class", "module": "module"}
_CONSTANTS = frozenset({"constant", "scope_resolution"})
# Above it, visibility is not looked for: time would grow with the square of the siblings.
_MAX_SIBLINGS = 1_000


def _weigh_else(node: Node) -> Weight:
    """The else of a case counts as a case, that of a rescue as another rescue."""
    outer = node.parent.type if node.parent is not None else ""
    if outer in _IFS:
        return FLAT
    return NOTHING if outer in {"case", "case_match"} else STRUCTURE | NESTING


def _weigh_rescue(node: Node) -> Weight:
    """All rescues of one `begin` are one path."""
    before = node.prev_named_sibling
    is_first = before is None or before.type != "rescue"
    return (PATH if is_first else NOTHING) | STRUCTURE | NESTING


def _weigh_loop_modifier(node: Node) -> Weight:
    """As in RuboCop, `begin … end while` is no path."""
    body = node.child_by_field_name("body")
    is_begin = body is not None and body.type == "begin"
    return (NOTHING if is_begin else PATH) | STRUCTURE | NESTING


def _weigh_assignment(node: Node) -> Weight:
    return PATH if field_text(node, "operator") in {"||=", "&&="} else NOTHING


def _weigh_block(node: Node) -> Weight:
    """A block or `&:name` given to a method that iterates is a path."""
    call = node.parent
    if call is not None and call.type == "argument_list":
        call = call.parent
    is_iterating = call is not None and field_text(call, "method") in _ITERATING
    return PATH if is_iterating else NOTHING


def _wrapping_call(node: Node) -> str:
    """Return the method that a definition is passed to: `private def …`."""
    listed = node.parent
    if listed is None or listed.type != "argument_list" or listed.parent is None:
        return ""
    return field_text(listed.parent, "method")


def _is_public(node: Node, name: str) -> bool:
    wrapper = _wrapping_call(node)
    outer = node.parent
    if wrapper or outer is None or outer.named_child_count > _MAX_SIBLINGS:
        return wrapper not in _HIDING
    is_hidden = False
    for sibling in outer.named_children:
        if sibling.type == "identifier" and sibling.start_byte < node.start_byte:
            if text_of(sibling) in _VISIBILITIES and node.type == "method":
                is_hidden = text_of(sibling) in _HIDING
        elif sibling.type == "call" and sibling.start_byte > node.start_byte:
            is_hidden = is_hidden or _hides(sibling, name)
    return not is_hidden


def _hides(call: Node, name: str) -> bool:
    """Whether a call is `private :name`."""
    return field_text(call, "method") in _HIDING and f":{name}" in _arguments(call)


def _arguments(call: Node) -> list[str]:
    listed = call.child_by_field_name("arguments")
    return [] if listed is None else [text_of(it) for it in listed.named_children]


def _read_decorators(node: Node) -> tuple[str, ...]:
    wrapper = _wrapping_call(node)
    return () if not wrapper or wrapper in _HIDING | _VISIBILITIES else (wrapper,)


def _bases(node: Node) -> tuple[str, ...]:
    """Return the superclass and the mixed-in modules."""
    above = node.child_by_field_name("superclass")
    names = [text_of(above).lstrip("<").strip()] if above is not None else []
    body = node.child_by_field_name("body")
    for call in () if body is None else body.named_children:
        if call.type == "call" and field_text(call, "method") in _MIXING:
            listed = call.child_by_field_name("arguments")
            given = () if listed is None else listed.named_children
            names += [text_of(it) for it in given if it.type in _CONSTANTS]
    return tuple(names)


def _read_imports(node: Node) -> tuple[Import, ...]:
    """Read `require`, `require_relative`, `load` and `autoload` with a literal path."""
    listed = node.child_by_field_name("arguments")
    last = listed.named_children[-1] if listed is not None and listed.named_child_count else None
    if last is None or last.type != "string" or b"#{" in (last.text or b""):
        return ()
    method = field_text(node, "method")
    level = int(method == "require_relative")
    kind: DependencyKind = "lazy" if method == "autoload" else "runtime"
    path = text_of(last).strip("'\"")
    return (Import(path, (), node.start_point[0] + 1, level, kind=kind),)


def _constants(root: Node) -> Iterator[str]:
    pending = [("", root)]
    while pending:
        prefix, node = pending.pop()
        for child in node.named_children:
            if child.type in _TYPES:
                name = prefix + field_text(child, "name")
                yield name
                body = child.child_by_field_name("body")
                if body is not None:
                    pending.append((f"{name}::", body))


_ENDLESS = (
    rb"^[ \t]{0,80}+def\s{1,9}[\w.?!]{1,80}+(?:\([^()\n]{0,200}+\))?[ \t]{1,9}=[ \t]{1,9}"
    rb"\w{1,80}+([ \t])(?=[\"':\w]"
)
_NEW_SYNTAX: tuple[Rule, ...] = (
    # 4.0: a line that begins with `&&` becomes a statement of its own; it adds no path then.
    (re.compile(rb"^[ \t]{0,80}+(&&|\|\|)(?=\s)", re.MULTILINE), b""),
    # `def a = puts "b"` becomes `def a = puts; "b"`, and with several values an assignment.
    (re.compile(_ENDLESS + rb"[^,\n]{1,200}+$)", re.MULTILINE), b";"),
    (re.compile(_ENDLESS + rb")", re.MULTILINE), b"="),
)

LANGUAGE = Language(
    name="ruby",
    grammar="tree_sitter_ruby:language",
    title="Ruby",
    has_bare_members=True,
    extensions=(".rb", ".rake", ".gemspec", ".ru", ".podspec", ".thor", ".jbuilder", ".rbw"),
    filenames=(
        "Appraisals",
        "Brewfile",
        "Capfile",
        "Dangerfile",
        "Fastfile",
        "Gemfile",
        "Guardfile",
        "Podfile",
        "Rakefile",
        "Thorfile",
        "Vagrantfile",
    ),
    interpreters=("ruby", "jruby", "rake"),
    name_scope="project",
    functions=frozenset({"method", "singleton_method"}),
    types=_TYPES,
    scopes={"singleton_class": True},
    weights={
        "if": DECISION,
        "unless": DECISION,
        "if_modifier": DECISION,
        "unless_modifier": DECISION,
        "elsif": PATH | FLAT,
        "conditional": DECISION,
        "while": DECISION,
        "until": DECISION,
        "for": DECISION,
        "case": STRUCTURE | NESTING,
        "case_match": STRUCTURE | NESTING,
        "when": PATH,
        "in_clause": PATH,
        "rescue_modifier": DECISION,
    },
    token_weights={"&.": PATH},
    custom={
        "else": _weigh_else,
        "rescue": _weigh_rescue,
        "while_modifier": _weigh_loop_modifier,
        "until_modifier": _weigh_loop_modifier,
        "operator_assignment": _weigh_assignment,
        "block": _weigh_block,
        "do_block": _weigh_block,
        "block_argument": _weigh_block,
    },
    logicals=frozenset({"binary"}),
    logical_operators=frozenset({"&&", "||", "and", "or"}),
    parentheses=frozenset({"parenthesized_statements"}),
    calls=frozenset({"call"}),
    calls_with_receiver=frozenset({"call"}),
    callee=lambda node: node.child_by_field_name("method") or node.children[0],
    importing_callees=frozenset({b"require", b"require_relative", b"load", b"autoload"}),
    strings=frozenset({"string", "delimited_symbol", "regex", "subshell", "simple_symbol"}),
    interpolation_marks=(b"#{",),
    identifiers=frozenset(
        {"identifier", "constant", "instance_variable", "class_variable", "global_variable"}
    ),
    literals=frozenset(
        {
            "integer",
            "float",
            "rational",
            "complex",
            "true",
            "false",
            "nil",
            "character",
            "string_content",
            "escape_sequence",
            "hash_key_symbol",
            "heredoc_beginning",
            "heredoc_content",
            "heredoc_end",
        }
    ),
    is_header_muted=True,
    type_name=lambda node: field_text(node, "name").replace("::", "."),
    bases=_bases,
    is_public=_is_public,
    doc_comment=lambda _text: False,
    has_plain_docs=True,
    read_imports=_read_imports,
    runs_imports=True,
    read_exports=lambda root: tuple(_constants(root)),
    read_decorators=_read_decorators,
    new_syntax=_NEW_SYNTAX,
)
