"""Finds what a file defines: tables with their columns, routines, packages."""

from ._blocks import Blocks
from ._cursor import Open, OpenKind
from ._defined import Defined
from ._words import TABLE_PARTS
from .grammar import LANGUAGE

_MODIFIERS = frozenset(
    """
    OR REPLACE ALTER TEMP TEMPORARY GLOBAL LOCAL UNLOGGED EDITIONABLE NONEDITIONABLE RECURSIVE
    MATERIALIZED FORCE NO AGGREGATE CONSTRAINT SHARDED PRIVATE PUBLIC FOREIGN VIRTUAL EXTERNAL
    IMMUTABLE BLOCKCHAIN SQL SECURITY DEFINER INVOKER ALGORITHM UNDEFINED MERGE TEMPTABLE = @
    """.split()  # noqa: SIM905 - a table
)
_TYPES = {
    "TABLE": "table",
    "VIEW": "view",
    "TYPE": "type",
    "DOMAIN": "type",
    "SEQUENCE": "sequence",
    "PACKAGE": "package",
}
_ROUTINES = LANGUAGE.functions
_MAX_HEAD_TOKENS = 400


class Definitions(Blocks):
    """Reads the heads of definitions; what is in their bodies is read as blocks."""

    def defines(self, start: int) -> int:
        """Read `CREATE` or `ALTER` up to the body of what it defines."""
        at = start + 1
        while self.word(at) in _MODIFIERS or self._is_definer(at):
            at += 1
        kind = self.word(at)
        if self.word(start) == "ALTER" and self.word(at) == "TABLE":
            return self._altered(at + 1)
        if kind in _ROUTINES and (self.word(start) == "CREATE" or self.is_transact):
            self._end_everything(start)
            return self.routine(start, at, kind)
        if self.word(start) == "ALTER" or kind not in _TYPES:
            return start + 1
        return self._typed(start, at, kind)

    def _is_definer(self, at: int) -> bool:
        """Whether a token is a part of `DEFINER = user@host`."""
        return "=" in {self.word(at - 1), self.word(at - 2), self.word(at - 3)} and (
            self.word(at) not in _ROUTINES and self.word(at) not in _TYPES
        )

    def _end_everything(self, at: int) -> None:
        """A routine that is defined where another one is open ends it: its end was not seen."""
        if all(it.kind != "$$" for it in self.open):
            self.close(0, at)

    def _typed(self, start: int, at: int, kind: str) -> int:
        at = self._after_exists(at + 1)
        is_body = kind in {"PACKAGE", "TYPE"} and self.word(at) == "BODY"
        if kind == "PACKAGE" or is_body:
            self._end_everything(start)
        at, name = self._named(at + is_body)
        if not name:
            return at
        label = "package" if is_body else _TYPES[kind]
        defined = self._define(name, label, start, at)
        if (kind == "PACKAGE" or is_body) and self._skips_to_body(at) >= 0:
            at = self._skips_to_body(at)
            self.open.append(Open("package", defined, at))
            return at
        if kind == "TABLE" or (kind == "TYPE" and self.word(at) in {"AS", "IS"}):
            at += self.word(at) in {"AS", "IS"}
            at += self.word(at) in {"OBJECT", "TABLE"} and kind == "TYPE"
            if self.word(at) == "(":
                self._columns(at, name)
        self.ends(defined, self.statement_end(at))
        return at

    def _skips_to_body(self, at: int) -> int:
        """Return the position after the `IS` or `AS` of a package; -1 without one."""
        for here in range(at, at + _MAX_HEAD_TOKENS):
            if self.word(here) in {"IS", "AS"}:
                return here + 1
            if self.word(here) in {";", ""}:
                break
        return -1

    def _after_exists(self, at: int) -> int:
        """Skip `IF NOT EXISTS`."""
        while self.word(at) in {"IF", "NOT", "EXISTS", "ONLY", "CONCURRENTLY"}:
            self.keywords.add(at)
            at += 1
        return at

    def _named(self, at: int) -> tuple[int, str]:
        """Return the position after a name, and its last part."""
        name = ""
        while self.is_name(at):
            name = self.tokens[at].text.decode(errors="replace")
            if self.word(at + 1) != ".":
                return at + 1, name
            at += 2
        return at, name

    def _define(
        self, name: str, kind: str, start: int, named: int, *, is_routine: bool = False
    ) -> Defined:
        """Add a definition that starts at a token; its name ends before another."""
        line = self.lines.at(self.tokens[start].at)
        defined = Defined(name, kind, is_routine, first=start, line=line)
        self.ends(defined, named)
        self.all.append(defined)
        return defined

    def _columns(self, opened: int, table: str) -> None:
        """Read the columns between brackets."""
        depth, at, is_first = 0, opened, False
        begun: tuple[int, str] | None = None
        while at < len(self.tokens):
            word, is_mark = self.words[at], self.tokens[at].role == "mark"
            if is_first and not is_mark:
                is_column = self.tokens[at].role == "name" or word not in TABLE_PARTS
                if is_column and self.tokens[at].role != "literal":
                    begun = (at, self.tokens[at].text.decode(errors="replace"))
            is_first = is_mark and ((word == "(" and not depth) or (word == "," and depth == 1))
            ends = is_mark and ((depth == 1 and word in {",", ")"}) or word == ";")
            if ends and begun is not None:
                self._column(table, *begun, at)
                begun = None
            if is_mark:
                depth += (word == "(") - (word == ")")
                if not depth or word == ";":
                    return
            at += 1

    def _column(self, table: str, start: int, name: str, end: int) -> None:
        column = self._define(f"{table}.{name}", "column", start, start + 1)
        self.ends(column, end)
        self.keywords.discard(start)
        self.names.add(start)

    def _altered(self, at: int) -> int:
        """Read the columns that `ALTER TABLE` adds or renames."""
        at, table = self._named(self._after_exists(at))
        end, depth = self.statement_end(at), 0
        for here in range(at, end):
            word = self.words[here]
            if self.tokens[here].role == "mark":
                depth += (word == "(") - (word == ")")
            if depth > (self.word(at) == "ADD" and self.word(at + 1) == "("):
                continue
            if word == "ADD" and self.tokens[here].role == "word":
                self._added(table, here + 1, end)
            elif (
                word == "RENAME" and self.word(here + 1) == "COLUMN" and self.word(here + 3) == "TO"
            ):
                self._column(table, here + 4, self.text(here + 4), here + 5)
            elif word == "RENAME" and self.word(here + 1) == "TO" and here + 2 < end:
                self._define(self._named(here + 2)[1], "table", here + 2, here + 3)
            elif word == "CHANGE":
                old = here + 1 + (self.word(here + 1) == "COLUMN")
                if old + 1 < end and self.text(old) != self.text(old + 1):
                    self._column(table, old + 1, self.text(old + 1), old + 2)
        return at

    def _added(self, table: str, at: int, end: int) -> None:
        """Read `ADD [COLUMN] [IF NOT EXISTS] name type`, and `ADD (name type, …)`."""
        if self.word(at) == "(":
            self._columns(at, table)
            return
        at = self._after_exists(at + (self.word(at) == "COLUMN"))
        is_column = (
            self.tokens[at].role == "name"
            or (
                self.tokens[at].role == "word"
                and self.words[at] not in {*TABLE_PARTS, "PARTITION", "VALUE", "TABLE", "DEFAULT"}
            )
            if at < end
            else False
        )
        while is_column:
            stop, depth = at, 0
            while stop < end and (depth or self.words[stop] != ","):
                depth += (self.words[stop] == "(") - (self.words[stop] == ")")
                stop += 1
            self._column(table, at, self.text(at), stop)
            # SQL Server: `ADD a int, b int`.
            at = stop + 1
            follows = self.word(at) in {"ADD", "DROP", "ALTER", "RENAME", "MODIFY", "CHANGE"}
            is_column = (
                at < end
                and not follows
                and self.is_name(at)
                and (self.is_transact and self.words[at] not in TABLE_PARTS)
            )

    def routine(self, start: int, at: int, word: str) -> int:
        """Read the head of a routine up to its body."""
        at, name = self._named(self._after_exists(at + 1))
        if not name:
            return start + 1
        parameters, after = self._parameters(at, word)
        outer = next((it.defined for it in reversed(self.open) if it.defined), None)
        is_declared = self.in_declarations() and self._is_declaration(after)
        if is_declared:
            return after
        qualified = f"{outer.name}.{name}" if outer is not None else name
        defined = self._define(qualified, word.lower(), start, at, is_routine=True)
        defined.is_member = outer is not None and outer.kind == "package"
        defined.parameters = parameters
        kind, begins = self._body(after, word)
        begins = min(begins, len(self.tokens))
        first, last = self.tokens[start].at, self.tokens[max(start, begins - 1)]
        defined.signature = self.source[first : last.at + len(last.text)].decode(errors="replace")
        self.open.append(Open(kind, defined, begins))
        return begins if kind == "declaring" else after

    def _parameters(self, at: int, word: str) -> tuple[int, int]:
        """Count the parameters of a routine; return the position after them, too."""
        if word in {"TRIGGER", "EVENT"} or self.word(at) != "(":
            count, here = 0, at
            while self.is_transact and self.word(here) not in {"AS", "", "GO", "WITH"}:
                count += self.word(here).startswith("@")
                here += 1
            return count, (here if self.is_transact and word not in {"TRIGGER", "EVENT"} else at)
        depth, count, here = 0, 0, at
        while here < len(self.tokens):
            text = self.words[here]
            if self.tokens[here].role == "mark":
                depth += (text == "(") - (text == ")")
                count += text == "," and depth == 1
            if not depth:
                break
            here += 1
        return count + (here > at + 1), here + 1

    def _is_declaration(self, at: int) -> bool:
        """Whether a routine has no body here: its head ends with a semicolon."""
        while self.word(at) not in {"IS", "AS", ";", ""}:
            at += 1
        return self.word(at) in {";", ""}

    def _body(self, at: int, word: str) -> tuple[OpenKind, int]:
        """Return what closes a routine, and where its body begins."""
        for here in range(at, min(at + _MAX_HEAD_TOKENS, len(self.tokens))):
            text = self.words[here]
            if self.tokens[here].role not in {"word", "mark"}:
                continue
            if text in {"IS", "AS"} and word not in {"TRIGGER", "EVENT"}:
                after = here + 1 < len(self.tokens) and self.tokens[here + 1]
                is_quoted = after and (after.role == "literal" or after.word == "$$")
                is_oracle = not is_quoted and not self.is_transact
                return ("declaring" if is_oracle else "routine"), here + 1
            if text in {"BEGIN", "$$", ";", "DECLARE", "GO"} or (
                text in {"EXECUTE", "SET", "SELECT", "INSERT", "UPDATE", "DELETE", "CALL"}
                and word == "PROCEDURE"
            ):
                return "routine", here
        return "routine", at
