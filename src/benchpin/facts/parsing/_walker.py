"""The one walk over a syntax tree that collects all facts of a file.

It has its own stack instead of recursing, so that deep nesting cannot overflow it. It visits a file
from end to beginning, because a stack returns children in reverse. A mark on the stack means that a
node has been left. Calls of Python functions cost most, so the loop handles common nodes itself.

(`Node.start_point.row` is not used: in tree-sitter 0.26.0 it sometimes crashes the process.)
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import count
from typing import cast

import msgspec
from tree_sitter import Node

from benchpin.facts import Import, SourceComment

from . import _definitions as definitions
from . import _grammar as act
from . import _links as links
from ._definitions import Frame, TypeFrame, mute
from ._grammar import Grammar
from ._language import FLAT, NESTING, NOTHING, PATH, STRUCTURE, Weight

_MAX_PARENTHESES = 8  # a bound for `((((…))))`
_WORD = re.compile(
    rb"""(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))|(?P<name>[A-Za-z_]\w*)|(?P<literal>\d[\w.]*|(?<!\\)"(?:\\.|[^"\\])*+"|(?<!\\)'(?:\\.|[^'\\])*+')|[^\s\\]""",
    re.DOTALL,
)


class _Mark(msgspec.Struct, frozen=True):
    """Marks on the stack where a node ends; has the one attribute of a node that the loop reads."""

    kind_id: int


class Walker:
    """Walks one tree once; what it collects is in order from end to beginning."""

    def __init__(self, grammar: Grammar, source: bytes, root: Node, line_starts: list[int]) -> None:
        """Prepare a walk; `line_starts` are the offsets of lines, and the end of the last one."""
        self.grammar = grammar
        self.language = grammar.language
        self.source = source
        self.stack: list[Node] = [root]
        self.mark = cast("Node", _Mark(grammar.leave_kind))
        self.exits: list[Callable[[Walker], None]] = []
        self.open: list[Frame] = []
        self.scope: list[tuple[str, bool]] = []
        """The open definitions: the qualified name of each, and whether it is a type."""
        self.nesting = 0
        self.muted = 0
        """Above zero where nothing counts for cyclomatic complexity."""
        self.silenced = 0
        """Above zero where nothing counts at all."""
        self.decorators_of: dict[int, tuple[str, ...]] = {}
        self.else_ifs: set[int] = set()

        self.file = Frame()
        self.frame = self.file
        """The innermost open function, or the file."""
        self.functions: list[Frame] = []
        # Signatures side by side cannot be larger than the file. Only functions nested in the
        # headers of others can, up to a hundredfold: `function a(b = function c(d = …`.
        self.signature_bytes_left = 2 * len(source)
        self.types: list[TypeFrame] = []
        self.imports: list[Import] = []
        self.unfinished: set[Import] = set()
        """Imports that are completed when all uses of names are known."""
        self.labels: Counter[bytes] = Counter()
        """How often each identifier occurs where it is no value."""
        self.members: defaultdict[bytes, set[bytes]] = defaultdict(set)
        self.comments: list[SourceComment] = []
        self.tokens: list[int] = []
        """The tokens of the file by number; the three tables below map texts to numbers."""
        self.line_starts = line_starts
        self.begun = [0] * len(line_starts)
        """How many tokens start on each line, and after the last."""
        number = count().__next__  # one counter for all tables; looking up a text numbers it
        self.operators: defaultdict[bytes, int] = defaultdict(number)
        self.identifiers: defaultdict[bytes, int] = defaultdict(number)
        self.literals: defaultdict[bytes, int] = defaultdict(number)
        self._tables = {"name": self.identifiers, "literal": self.literals}

    def run(self) -> None:
        """Walk the tree."""
        # Local names: the loop runs for every node of every file.
        stack, source = self.stack, self.source
        acts, fixed_texts = self.grammar.acts, self.grammar.fixed_texts
        is_interpolated = self.grammar.is_interpolated
        tokens, begun, line_starts = self.tokens, self.begun, self.line_starts
        line, line_start = len(line_starts) - 1, line_starts[-1]
        operators, identifiers, literals = self.operators, self.identifiers, self.literals
        token, plain, identifier, string = act.TOKEN, act.PLAIN, act.IDENTIFIER, act.STRING
        label, labels = act.LABEL, self.labels
        while stack:
            node = stack.pop()
            kind = node.kind_id
            role = acts[kind]
            if role == token:
                start = node.start_byte
                tokens.append(operators[fixed_texts[kind]])
            elif role == plain:
                children = node.children
                if children:
                    stack.extend(children)
                    continue
                start = node.start_byte
                tokens.append(operators[source[start : node.end_byte]])
            elif role == identifier:
                start = node.start_byte
                tokens.append(identifiers[source[start : node.end_byte]])
            elif role < token:  # everything but leaves, which come last in the numbering
                _HANDLERS[role](self, node)
                continue
            else:
                start = node.start_byte
                text = source[start : node.end_byte]
                if role == label:
                    labels[text] += 1
                    tokens.append(identifiers[text])
                elif role == string and is_interpolated(text):
                    stack.extend(node.children)
                    continue
                else:
                    tokens.append(literals[text])
            while start < line_start:  # tokens come in reverse, so the line only moves back
                line -= 1
                line_start = line_starts[line]
            begun[line] += 1
        self.file.last_token = len(self.tokens)

    def enter(self, children: list[Node], leave: "Callable[[Walker], None]") -> None:
        """Visit children next, and call `leave` after them."""
        self.stack.append(self.mark)
        self.exits.append(leave)
        self.stack.extend(children)

    def before(self, action: "Callable[[Walker], None]") -> None:
        """Call `action` before what was put on the stack last is visited."""
        self.stack.append(self.mark)
        self.exits.append(action)

    def count(self, weight: Weight) -> None:
        """Add a weight to the innermost open function, and to those around it."""
        if self.silenced:
            return
        frames = self.open or (self.file,)
        if weight & PATH and not self.muted:
            frames[-1].cyclomatic += 1
        if weight & STRUCTURE:
            for frame in frames:
                frame.cognitive += 1 + self.nesting - frame.base_nesting
        elif weight & FLAT:
            for frame in frames:
                frame.cognitive += 1

    def nest(self, node: Node) -> None:
        """Visit the children, from the body on one level deeper: conditions are not nested."""
        children = node.children
        body = node.child_by_field_name("consequence") or node.child_by_field_name("body")
        if body is None:
            body = node.child_by_field_name("alternative")
            condition = node.child_by_field_name("condition")
            if body is not None and condition is not None:
                # What is between the two is the body, in a grammar without a node for it.
                body = condition.next_sibling
        if body is not None:
            start = body.start_byte
            first = next(at for at, child in enumerate(children) if child.start_byte >= start)
            self.stack.extend(children[:first])
            children = children[first:]
        self.enter(children, _nest_less)
        self.before(_nest_deeper)

    def add_word(self, number: int, start: int) -> None:
        """Add a token that the loop did not see."""
        self.tokens.append(number)
        self.begun[bisect_right(self.line_starts, start) - 1] += 1

    def take_words(self, start: int, end: int) -> None:
        """Add the tokens of code that was not parsed."""
        for found in reversed(list(_WORD.finditer(self.source, start, end))):
            word = found.group()
            if found.lastgroup == "comment":
                line = self.source.count(b"\n", 0, found.start()) + 1
                self.add_comment(word, line, line + word.count(b"\n"))
                continue
            table = self._tables.get(found.lastgroup or "", self.operators)
            self.add_word(table[word], found.start())

    def add_comment(self, source: bytes, first: int, last: int) -> None:
        """Add a comment."""
        text = source.decode(errors="replace")
        if text.endswith("\n"):
            text, last = text.rstrip(), last - 1
        self.comments.append(SourceComment(text, first, last, self.language.doc_comment(text)))

    def qualified(self, name: str) -> str:
        """Return a name qualified by the open definitions."""
        outer = self.scope[-1][0] if self.scope else ""
        return f"{outer}.{name}" if outer and name else outer or name


def _leave(walker: Walker, _mark: Node) -> None:
    walker.exits.pop()(walker)


def _nest_deeper(walker: Walker) -> None:
    walker.nesting += 1
    frame = walker.frame
    depth = walker.nesting - frame.base_nesting
    frame.nesting = max(frame.nesting, depth)


def _nest_less(walker: Walker) -> None:
    walker.nesting -= 1


def _unmute(walker: Walker) -> None:
    walker.muted -= 1


def _silence(walker: Walker) -> None:
    walker.silenced += 1


def _unsilence(walker: Walker) -> None:
    walker.silenced -= 1


def _weight(walker: Walker, node: Node) -> None:
    kind = node.kind_id
    weigh = walker.grammar.custom.get(kind)
    weight = walker.grammar.weights[kind] if weigh is None else weigh(node)
    walker.count(weight)
    if not node.child_count:
        start = node.start_byte
        walker.add_word(walker.operators[walker.source[start : node.end_byte]], start)
    elif weight & NESTING:
        walker.nest(node)
    elif kind in walker.grammar.muted_kinds:
        walker.enter(node.children, _unmute)
        walker.before(mute)
    else:
        walker.stack.extend(node.children)


def _if(walker: Walker, node: Node) -> None:
    children = node.children
    _count_bare_else(walker, children)
    if node.id in walker.else_ifs:
        # The `else` before it was counted, and its content is already nested.
        walker.count(PATH)
        walker.stack.extend(children)
    else:
        walker.count(PATH | STRUCTURE)
        walker.nest(node)


def _count_bare_else(walker: Walker, children: list[Node]) -> None:
    """Count the `else` of a grammar that has no node for it, and mark the if that follows it."""
    token, ifs = walker.grammar.else_token, walker.grammar.if_kinds
    for at, child in enumerate(children):
        if child.kind_id == token:
            walker.count(FLAT)
            if at + 1 < len(children) and children[at + 1].kind_id in ifs:
                walker.else_ifs.add(children[at + 1].id)


def _else(walker: Walker, node: Node) -> None:
    walker.count(FLAT)
    children = node.children
    if children[-1].kind_id in walker.grammar.if_kinds:
        walker.else_ifs.add(children[-1].id)
    walker.stack.extend(children)


def _logical(walker: Walker, node: Node) -> None:
    """Count a chain of `and` and `or`: a path for each, cognitive complexity for each change."""
    operator_kinds = walker.grammar.operator_kinds
    parts = list(node.children)
    before = NOTHING
    at = 0
    while at < len(parts):
        part = parts[at]
        kind = part.kind_id
        if _is_chained(walker, part):
            parts[at : at + 1] = part.children
            continue
        if kind in operator_kinds:
            walker.count(PATH if kind == before else PATH | FLAT)
            before = kind
        at += 1
    walker.stack.extend(parts)


def _is_chained(walker: Walker, part: Node) -> bool:
    """Whether an operand is a logical expression too, possibly in parentheses."""
    grammar = walker.grammar
    for _ in range(_MAX_PARENTHESES):
        if part.kind_id not in grammar.parenthesis_kinds or not part.named_child_count:
            break
        part = part.named_children[0]
    return part.kind_id in grammar.logical_kinds and any(
        inner.kind_id in grammar.operator_kinds for inner in part.children
    )


def _directive(walker: Walker, node: Node) -> None:
    """Treat the first branch of a preprocessor conditional as the code; weigh the others."""
    weight = walker.grammar.weights[node.kind_id] if walker.open else NOTHING
    condition = node.child_by_field_name("condition")
    alternative = node.child_by_field_name("alternative")
    is_dead = walker.open and condition is not None and condition.text == b"0"
    if not is_dead:
        walker.count(weight)
    if weight & NESTING:
        walker.enter([], _nest_less)
    for child in node.children:
        if child == alternative and is_dead:
            walker.stack.append(child)
        elif child == alternative:
            walker.enter([child], _unmute)
            walker.before(mute)
        elif child == condition or is_dead:
            walker.enter([child], _unsilence)
            walker.before(_silence)
        else:
            walker.stack.append(child)
    if weight & NESTING:
        walker.before(_nest_deeper)


def _blank(_walker: Walker, _node: Node) -> None:
    """Skip a line break that ends a statement."""


def _comment(walker: Walker, node: Node) -> None:
    text = walker.source[node.start_byte : node.end_byte]
    walker.add_comment(text, node.start_point[0] + 1, node.end_point[0] + 1)


def _decorated(walker: Walker, node: Node) -> None:
    children = node.children
    walker.decorators_of[children[-1].id] = walker.language.read_decorators(node)
    walker.stack.extend(children)


def _role(walker: Walker, node: Node) -> None:
    """Handle a node as what it is here, not as what its kind is elsewhere."""
    role = walker.grammar.roles[node.kind_id](node)
    if role == "plain":
        walker.stack.extend(node.children)
    else:
        _BY_ROLE[role](walker, node)


_HANDLERS: dict[int, Callable[[Walker, Node], object]] = {
    act.WEIGHT: _weight,
    act.IF: _if,
    act.ELSE: _else,
    act.LOGICAL: _logical,
    act.FUNCTION: definitions.enter_function,
    act.TYPE: definitions.enter_named_type,
    act.CALL: links.enter_call,
    act.IMPORT: links.add_imports,
    act.TYPE_REFERENCE: links.enter_type_reference,
    act.QUALIFIED: links.enter_qualified,
    act.COMMENT: _comment,
    act.DECORATED: _decorated,
    act.SCOPE: definitions.enter_scope,
    act.DIRECTIVE: _directive,
    act.RAW_CODE: links.take_raw_code,
    act.MACRO: links.enter_macro,
    act.BLANK: _blank,
    act.ROLE: _role,
    act.LEAVE: _leave,
}
_BY_ROLE: dict[str, Callable[[Walker, Node], object]] = {
    "weight": _weight,
    "logical": _logical,
    "function": definitions.enter_function,
    "type": definitions.enter_named_type,
    "call": links.enter_call,
    "import": links.add_imports,
    "scope": definitions.enter_scope,
}
