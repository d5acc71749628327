"""How the walk handles imports and calls, and the names that show what an import is used for.

Code that the grammar does not parse, such as the arguments of macros, is handled here too.
"""

from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
from tree_sitter import Node

from benchpin.facts import Import

from ._language import FLAT, NOTHING, PATH, STRUCTURE, NameUses

if TYPE_CHECKING:
    from ._walker import Walker

# A longer callee is a chain of calls, `a(…).b(…).c(…)`, which repeats the text of those before it:
# together they would grow with the square of the chain. Their names are in the references anyway.
_MAX_CALLEE_BYTES = 120


def enter_call(walker: "Walker", node: Node) -> None:
    """Add a callee to the function around it, and visit the content."""
    find = walker.language.callee
    callee = node.children[0] if find is None else find(node)
    has_receiver = node.kind_id in walker.grammar.kinds_with_receiver
    start, end = (node if has_receiver else callee).start_byte, callee.end_byte
    if end - start <= _MAX_CALLEE_BYTES and callee.kind_id not in walker.grammar.closure_kinds:
        name = walker.source[start:end]
        walker.frame.calls.add(name)
        if name in walker.language.importing_callees:
            add_imports(walker, node)
    walker.stack.extend(node.children)


def add_imports(walker: "Walker", node: Node) -> bool:
    """Add the imports of a node; return whether there are any."""
    imports = walker.language.read_imports(node)
    if walker.language.runs_imports and _is_lazy(walker):
        imports = tuple(_as_lazy(it) for it in imports)
    walker.imports.extend(reversed(imports))
    if node.kind_id in walker.grammar.binding_kinds:
        walker.unfinished.update(imports)
    return bool(imports)


def _is_lazy(walker: "Walker") -> bool:
    """Whether the code here runs only when a function is called."""
    is_immediate = walker.language.is_called_at_once
    return any(it.body is None or not is_immediate(it.body) for it in walker.open)


def _as_lazy(imported: Import) -> Import:
    if imported.kind != "runtime":
        return imported
    return msgspec.structs.replace(imported, kind="lazy")


def enter_type_reference(walker: "Walker", node: Node) -> None:
    """Note that the first identifier of a node is no value, and visit the content."""
    first: Node | None = node
    while first is not None and first.named_child_count:
        first = first.named_child(0)
    if first is not None and first.kind_id in walker.grammar.identifier_kinds:
        walker.labels[walker.source[first.start_byte : first.end_byte]] += 1
    walker.stack.extend(node.children)


def enter_qualified(walker: "Walker", node: Node) -> None:
    """Note a name that is used as `name.Member`, and visit the content."""
    children = node.children
    first, last = children[0], children[-1]
    if not first.child_count and not last.child_count:
        source = walker.source
        member = source[last.start_byte : last.end_byte]
        walker.members[source[first.start_byte : first.end_byte]].add(member)
    walker.stack.extend(children)


def completed_imports(walker: "Walker", occurrences: dict[str, int]) -> tuple[Import, ...]:
    """Return the imports in the order of the file; `occurrences` counts each identifier."""
    complete = walker.language.complete_import
    imports = tuple(reversed(walker.imports))
    if complete is None or not walker.unfinished:
        return imports
    labels = {name.decode(errors="replace"): count for name, count in walker.labels.items()}
    uses = NameUses(
        values=frozenset(it for it, count in occurrences.items() if count > labels.get(it, 0)),
        members={
            name.decode(errors="replace"): frozenset(it.decode(errors="replace") for it in members)
            for name, members in walker.members.items()
        },
        has_decorators=any(it.found.decorators for it in walker.types),
    )
    return tuple(complete(it, uses) if it in walker.unfinished else it for it in imports)


def take_raw_code(walker: "Walker", node: Node) -> None:
    """Take the words of code that the grammar has as one leaf."""
    walker.take_words(node.start_byte, node.end_byte)


def enter_macro(walker: "Walker", node: Node) -> None:
    """Count what tokens alone show: the arguments of a macro are not parsed."""
    children = node.children
    if walker.open:
        _count_tokens(walker, children)
    walker.stack.extend(children)


def _count_tokens(walker: "Walker", children: list[Node]) -> None:
    grammar = walker.grammar
    before = NOTHING
    for left, child in pairwise(children):
        kind = child.kind_id
        is_word = left.type[0].isalpha()
        is_after_operand = is_word and left.text not in walker.language.prefix_words
        if kind in grammar.operator_kinds and is_after_operand:
            walker.count(PATH if kind == before else PATH | FLAT)
            before = kind
        elif kind in grammar.macro_weights:
            weight = grammar.macro_weights[kind]
            walker.count(weight if is_after_operand or weight & STRUCTURE else NOTHING)
