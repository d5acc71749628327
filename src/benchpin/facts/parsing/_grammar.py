"""The table of a language and its tree-sitter grammar, prepared for the walk."""

import re
from functools import cache
from importlib import import_module

import tree_sitter

from benchpin.facts import languages

from ._language import NOTHING, Language, Weight

# How the walk handles a kind of node: an index into its handlers. Leaves must come last.
(
    PLAIN,
    WEIGHT,
    IF,
    ELSE,
    LOGICAL,
    FUNCTION,
    TYPE,
    CALL,
    IMPORT,
    TYPE_REFERENCE,
    QUALIFIED,
    COMMENT,
    DECORATED,
    SCOPE,
    DIRECTIVE,
    RAW_CODE,
    MACRO,
    BLANK,
    ROLE,
    LEAVE,
    TOKEN,
    IDENTIFIER,
    LITERAL,
    STRING,
    LABEL,
) = range(25)


# Kind ids have 16 bits; error nodes have the highest.
_KINDS = 65_536


class Grammar:
    """A language, indexed by the kind ids of its parser: list lookups instead of names."""

    def __init__(self, language: Language) -> None:
        module, _, function = language.grammar.partition(":")
        self.language = language
        self._tree_sitter = tree_sitter.Language(getattr(import_module(module), function)())
        self._parser = tree_sitter.Parser(self._tree_sitter)
        count = self._tree_sitter.node_kind_count
        self.acts = [PLAIN] * _KINDS
        self.leave_kind = count
        """An unused kind id, for the marks of the walk."""
        self.acts[count] = LEAVE
        self.fixed_texts = [self._fixed_text(kind) for kind in range(count)]
        """The text of tokens that have only one, such as `if`; empty for the others."""
        self.weights: list[Weight] = [NOTHING] * count
        self._assign()
        self.else_token = self._tree_sitter.id_for_node_kind("else", False)
        self.if_kinds = self.ids(language.ifs)
        self.logical_kinds = self.ids(language.logicals)
        self.parenthesis_kinds = self.ids(language.parentheses)
        # Some grammars have a node around the token.
        self.operator_kinds = self.ids(language.logical_operators) | self.ids(
            language.logical_operators, named=False
        )
        self.muted_kinds = self.ids(language.muted)
        self.closure_kinds = self.ids(language.closures)
        self.header_kinds = self.ids(language.headers)
        self.import_kinds = self.ids(language.imports)
        self.binding_kinds = self.ids(language.binding_imports)
        self.identifier_kinds = self.ids(language.identifiers - language.labels)
        self.kinds_with_receiver = self.ids(language.calls_with_receiver)
        self.macro_weights = {
            kind: weight
            for token, weight in language.macro_weights.items()
            for kind in self.ids(frozenset({token}), named=False)
        }
        marks = b"|".join(map(re.escape, language.interpolation_marks))
        self.is_interpolated = re.compile(marks).search if marks else _never
        self.roles = {
            kind: role
            for name, role in language.roles.items()
            for kind in self.ids(frozenset({name}))
        }
        self.custom = {
            kind: weigh
            for name, weigh in language.custom.items()
            for kind in self.ids(frozenset({name}))
        }

    def _fixed_text(self, kind: int) -> bytes:
        text = self._tree_sitter.node_kind_for_id(kind)
        is_named = self._tree_sitter.node_kind_is_named(kind)
        return b"" if is_named or text is None else text.encode()

    def parse(self, source: bytes) -> tree_sitter.Tree:
        """Parse a file; what does not match the grammar becomes error nodes."""
        return self._parser.parse(source)

    def ids(self, names: frozenset[str], *, named: bool = True) -> frozenset[int]:
        """Return the ids of kinds; names that the grammar does not have are skipped."""
        found = (self._tree_sitter.id_for_node_kind(name, named) for name in names)
        return frozenset(kind for kind in found if kind is not None)

    def _assign(self) -> None:
        language = self.language
        for kind, text in enumerate(self.fixed_texts):
            if text:
                self.acts[kind] = BLANK if text.isspace() else TOKEN
        for act, names in (
            (WEIGHT, frozenset(language.weights)),
            (WEIGHT, frozenset(language.custom)),
            (IF, language.ifs),
            (ELSE, language.elses),
            (LOGICAL, language.logicals),
            (FUNCTION, language.functions),
            (TYPE, frozenset(language.types)),
            (CALL, language.calls),
            (IMPORT, language.imports),
            (TYPE_REFERENCE, language.type_references),
            (QUALIFIED, language.qualified),
            (COMMENT, language.comments),
            (STRING, language.strings),
            (DECORATED, language.decorated),
            (SCOPE, frozenset(language.scopes)),
            (DIRECTIVE, frozenset(language.directives)),
            (RAW_CODE, language.raw_code),
            (MACRO, language.macros),
            (IDENTIFIER, language.identifiers),
            (LABEL, language.labels),
            (LITERAL, language.literals),
            (ROLE, frozenset(language.roles)),
        ):
            for kind in self.ids(names):
                self.acts[kind] = act
        for name, weight in (*language.weights.items(), *language.directives.items()):
            for kind in self.ids(frozenset({name})):
                self.weights[kind] = weight
        for token, weight in language.token_weights.items():
            for kind in self.ids(frozenset({token}), named=False):
                self.weights[kind] = weight
                self.acts[kind] = WEIGHT


def _never(_text: bytes) -> None:
    return None


@cache
def load_grammar(name: str) -> Grammar:
    """Return the grammar of a language; loaded with its first file."""
    return Grammar(languages.load(name))
