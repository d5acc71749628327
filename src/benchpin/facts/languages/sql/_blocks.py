"""One pass over the tokens of a file, with a stack of the blocks and routines that are open."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence

from benchpin.facts.parsing import FLAT, NESTING, PATH, STRUCTURE

from ._cursor import Cursor, Open, OpenKind
from ._defined import Defined
from ._facts import FileLines
from ._tokens import Token
from ._words import BEFORE_LISTS, LINE_COMMANDS, RESERVED, STARTERS
from .grammar import LANGUAGE

# What ends a block: `END IF`.
_ENDS = frozenset({"IF", "LOOP", "CASE", "WHILE", "REPEAT", "FOR"})
# What follows a `BEGIN` that opens a transaction, not a block.
_TRANSACTION = frozenset(
    """
    ; TRANSACTION TRAN WORK IMMEDIATE EXCLUSIVE DEFERRED ISOLATION READ DISTRIBUTED
    """.split()  # noqa: SIM905 - a table
) | {""}
# What is before the `IF` of `DROP TABLE IF EXISTS`, which is no statement.
_OBJECTS = frozenset(
    """
    AGGREGATE ASSEMBLY CERTIFICATE COLUMN CONSTRAINT DATABASE DOMAIN END EVENT EXTENSION FUNCTION
    INDEX LOGIN ON POLICY PROC PROCEDURE ROLE SCHEMA SEQUENCE SERVER SYNONYM TABLE TRIGGER TYPE
    USER VIEW
    """.split()  # noqa: SIM905 - a table
)
_CALLS = frozenset({"CALL", "EXEC", "EXECUTE", "PERFORM"})
_NO_ROUTINES = frozenset({"IMMEDIATE", "FUNCTION", "PROCEDURE", "AS", "ON"})
# What comes before a routine in a type of Oracle.
_ROUTINE_KINDS = frozenset(
    {
        "CONSTRUCTOR",
        "FINAL",
        "INSTANTIABLE",
        "MAP",
        "MEMBER",
        "NOT",
        "ORDER",
        "OVERRIDING",
        "STATIC",
    }
)
_HANDLERS = frozenset({"CONTINUE", "EXIT", "UNDO"})
_NESTING: frozenset[OpenKind] = frozenset({"if", "loop", "case"})


class Blocks(Cursor):
    """What is open at each token, and what it adds to the routine around it."""

    def __init__(self, tokens: Sequence[Token], source: bytes, lines: FileLines) -> None:
        super().__init__(tokens, source, lines)
        self.file = Defined()
        self.keywords: set[int] = set()
        """The positions of reserved words that are no names."""
        self.names: set[int] = set()
        """The positions of words that are names although they are reserved."""
        self.all: list[Defined] = []
        self._brackets: list[int] = []
        self._condition = ""
        """The last `AND` or `OR` of the condition here; `?` at its beginning."""
        self._loops = 0
        """How many loops have a head whose body has not begun."""
        self._by_word: dict[str, Callable[[int], None]] = {
            "BEGIN": self._begin,
            "CASE": self._case,
            "DECLARE": self._declare,
            "DO": self._do,
            "ELSE": self._else,
            "ELSEIF": self._elsif,
            "ELSIF": self._elsif,
            "FOR": self._for,
            "HANDLER": self._handler,
            "IF": self._if,
            "LOOP": self._loop,
            "REPEAT": self._repeat,
            "RETURN": self._expression,
            "SELECT": self._no_condition,
            "THEN": self._no_condition,
            "WHEN": self._when,
            "WHILE": self._while,
            "AND": self._logical,
            "OR": self._logical,
        }

    @abstractmethod
    def defines(self, at: int) -> int:
        """Read `CREATE` or `ALTER`; return what is next."""

    @abstractmethod
    def routine(self, start: int, at: int, word: str) -> int:
        """Read the head of a routine; return where its body begins."""

    def routines(self) -> Iterator[Defined]:
        """Yield the functions, procedures and triggers, in order."""
        return (it for it in self.all if it.is_routine)

    def types(self) -> Iterator[Defined]:
        """Yield the tables, columns and other things, in order."""
        return (it for it in self.all if not it.is_routine)

    def in_declarations(self) -> bool:
        """Whether `PROCEDURE` here begins one inside of a package or of another routine."""
        return bool(self.open) and self.open[-1].kind in {"package", "declaring"}

    def read(self) -> None:
        """Read the file."""
        at, count = 0, len(self.words)
        while at < count:
            before = at
            at = min(self._read(at), count)
            self._mark_keywords(before, at)
        if self._brackets:
            self.fail(self._brackets[-1], "Unclosed '('")
        self.close(0, count)
        self.all.sort(key=lambda it: (it.first, -it.last))

    def _mark_keywords(self, first: int, last: int) -> None:
        for at in range(first, last):
            is_word = self.tokens[at].role == "word" and self.words[at] in RESERVED
            if is_word and self.word(at - 1) != "." and at not in self.names:
                self.keywords.add(at)

    def _read(self, at: int) -> int:
        """Read a token, or the head of a definition; return what is next."""
        word, role = self.words[at], self.tokens[at].role
        if role == "mark":
            self._mark(at, word)
        elif role == "name":
            self._name(at)
        elif role == "word":
            return self._word(at, word)
        return at + 1

    def _word(self, at: int, word: str) -> int:
        if not self._brackets and self.starts(at):
            after = self._started(at, word)
            if after > at:
                return after
        if self.is_separator(at):
            self._separate(at)
        elif word == "END" and self.word(at - 1) != ".":
            return self._end(at)
        elif word in _CALLS and self.word(at + 1) not in _NO_ROUTINES:
            self._called(at + 1)
        elif word in self._by_word:
            self._by_word[word](at)
        elif word not in RESERVED:
            self._name(at)
        return at + 1

    def _started(self, at: int, word: str) -> int:
        """Read what only begins a statement; return what is next, or the same position."""
        if word in {"CREATE", "ALTER"}:
            return self.defines(at)
        if word in LINE_COMMANDS and not self.open:
            return self.next_line(at)
        if self.in_declarations():
            start = at
            while self.word(at) in _ROUTINE_KINDS:
                at += 1
            if self.word(at) in LANGUAGE.functions:
                return self.routine(start, at, self.words[at])
            at = start
        is_known = word in STARTERS or self.is_transact or self.word(at + 1) in {":", "("}
        if not is_known and self.is_certain_start(at):
            self.fail(at, f"Unexpected token {self.text(at)!r}")
        return at

    # Marks and names

    def _mark(self, at: int, word: str) -> None:
        if word == "'":
            self.fail(at, f"Unclosed {self.text(at)[:1]}")
        elif word == "(":
            self._brackets.append(at)
        elif word == ")":
            if self._brackets:
                self._brackets.pop()
            else:
                self.fail(at, "Unexpected token ')'")
        elif word == "$$":
            self._body_mark(at)
        elif word == ":=":
            self._expression(at)
        elif word == ";":
            self._no_condition(at)
            if self._brackets:
                self.fail(self._brackets[-1], "Unclosed '('")
                self._brackets.clear()
            self._end_statement(at)
        elif self.is_separator(at):
            self._separate(at)

    def _separate(self, at: int) -> None:
        if self._brackets:
            self.fail(self._brackets[-1], "Unclosed '('")
            self._brackets.clear()
        self.close(0, at)

    def _body_mark(self, at: int) -> None:
        """Open the body of a function between dollar signs, or close it."""
        known = [it for it, one in enumerate(self.open) if one.kind == "$$"]
        if known:
            self.close(known[-1], at)
        else:
            self.open.append(Open("$$"))
        self._brackets.clear()

    def _end_statement(self, at: int) -> None:
        """Close a routine whose body is one statement, or whose block has ended."""
        top = self.open[-1] if self.open else None
        if top is None or (self.is_transact and top.kind == "routine"):
            return
        if top.kind == "routine" or (top.kind == "declaring" and top.has_begun):
            self.close(len(self.open) - 1, at + 1)

    def _name(self, at: int) -> None:
        """Note a call; a name after a name is a type: `price NUMERIC(10, 2)`."""
        if self.word(at + 1) != "(":
            return
        start = at
        while self.word(start - 1) == "." and start > 1:
            start -= 2
        before = self.word(start - 1)
        is_type = start and self.is_name(start - 1) and before not in RESERVED
        if not is_type and before not in BEFORE_LISTS:
            self._call(at)

    def _call(self, at: int) -> None:
        """Note a call, with the package before it."""
        name = self.text(at)
        if self.word(at - 1) == "." and at > 1 and self.is_name(at - 2):
            name = f"{self.text(at - 2)}.{name}"
        self._here().calls.add(name)

    def _called(self, at: int) -> None:
        """Note the routine that `CALL`, `EXEC` or `PERFORM` runs."""
        if self.word(at).startswith("@") and self.word(at + 1) == "=":
            at += 2
        while self.word(at + 1) == "." and at + 2 < len(self.words):
            at += 2
        if self.is_name(at) and not self.word(at).startswith("@"):
            self._call(at)

    def _here(self) -> Defined:
        """Return the routine around, or the file."""
        near = (it.defined for it in reversed(self.open) if it.defined and it.defined.is_routine)
        return next(near, self.file)

    # Blocks

    def _begin(self, at: int) -> None:
        self._no_condition(at)
        if self.word(at + 1) in _TRANSACTION:
            return
        if self.open and self.open[-1].kind == "declaring":
            self.open[-1].has_begun = True
        self.open.append(Open("begin"))
        if self.word(at + 1) == "CATCH":
            self._weigh("CATCH")

    def _end(self, at: int) -> int:
        """Close the innermost block; `END name` too."""
        inner = len(self.open) - 1
        while inner >= 0 and self.open[inner].kind == "routine":
            inner -= 1
        if inner >= 0 and self.open[inner].kind != "$$":
            self.close(inner, at + 1)
        self._no_condition(at)
        return at + 2 if self.word(at + 1) in _ENDS else at + 1

    def _declare(self, at: int) -> None:
        if self.is_transact or ("CURSOR" in self.words[at + 1 : at + 6] and not self.open):
            return
        top = self.open[-1] if self.open else None
        if top is not None and top.kind == "routine":
            top.kind = "declaring"
        elif self.starts(at) and (top is None or top.kind == "$$"):
            self.open.append(Open("declaring"))

    def _case(self, _at: int) -> None:
        self._weigh("CASE")
        self.open.append(Open("case"))

    def _when(self, at: int) -> None:
        before, top = self.word(at - 1), self.open[-1].kind if self.open else ""
        if before in _HANDLERS or top == "case":
            self._here().cyclomatic += 1
            self._condition = "?" if before in _HANDLERS else ""
        elif top in {"begin", "declaring"} and before in {"EXCEPTION", ";"}:
            self._weigh("HANDLER")

    def _else(self, at: int) -> None:
        is_case = bool(self.open) and self.open[-1].kind == "case"
        if not is_case and self.word(at + 1) != "IF":
            self._weigh("ELSE")

    def _elsif(self, at: int) -> None:
        self._weigh(self.words[at])
        self._condition = "?"

    def _if(self, at: int) -> None:
        if self.is_transact:
            if self.word(at - 1) not in _OBJECTS and self.word(at + 1) != "UPDATE":
                self._weigh("ELSEIF" if self.word(at - 1) == "ELSE" else "IF")
                self._condition = "?"
        elif self.starts(at):
            self._weigh("IF")
            if self.has_then(at):
                self._condition = "?"
                self.open.append(Open("if"))

    def _while(self, at: int) -> None:
        if self.starts(at) and (self.open or self.is_transact):
            self._weigh("WHILE")
            self._loops += not self.is_transact
            self._condition = "?"

    def _for(self, at: int) -> None:
        if self.starts(at) and self.open and not self.is_transact:
            self._weigh("FOR")
            self._loops += 1

    def _repeat(self, at: int) -> None:
        if self.starts(at) and self.open:
            self._weigh("REPEAT")
            self.open.append(Open("loop"))

    def _loop(self, at: int) -> None:
        if not self._loops:
            self._weigh("LOOP")
        self._begin_loop(at)

    def _do(self, at: int) -> None:
        if self._loops:
            self._begin_loop(at)

    def _begin_loop(self, at: int) -> None:
        self._loops = max(0, self._loops - 1)
        self.open.append(Open("loop"))
        self._no_condition(at)

    def _handler(self, at: int) -> None:
        if self.word(at - 1) in _HANDLERS:
            self._weigh("HANDLER")

    def _logical(self, at: int) -> None:
        """Count `AND` and `OR` of conditions that decide what runs, not of queries."""
        if self._condition:
            self._here().cyclomatic += 1
            self._here().cognitive += self.words[at] != self._condition
            self._condition = self.words[at]

    def _expression(self, _at: int) -> None:
        """What a routine returns or assigns may decide too; a query in it ends that."""
        if self.open:
            self._condition = "?"

    def _no_condition(self, _at: int) -> None:
        self._condition = ""

    def _weigh(self, word: str) -> None:
        """Add what a word weighs to the routine around it."""
        weight, here, depth = LANGUAGE.weights[word], self._here(), 0
        for opened in reversed(self.open):
            if opened.defined is here:
                break
            depth += opened.kind in _NESTING
        here.cyclomatic += bool(weight & PATH)
        here.cognitive += 1 + depth if weight & STRUCTURE else bool(weight & FLAT)
        if weight & NESTING:
            here.nesting = max(here.nesting, depth + 1)

    def close(self, count: int, at: int) -> None:
        """Close all but some of what is open."""
        while len(self.open) > count:
            defined = self.open.pop().defined
            if defined is not None:
                self.ends(defined, at)
        self._loops = 0

    def ends(self, defined: Defined, at: int) -> None:
        """Note where a definition ends, the position excluded."""
        defined.last = max(defined.first + 1, min(at, len(self.tokens)))
        defined.end_line = self.line(defined.last - 1)
