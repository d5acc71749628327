"""TypeScript with JSX."""

from msgspec.structs import replace

from benchpin.facts.languages.typescript.grammar import LANGUAGE as TYPESCRIPT

LANGUAGE = replace(
    TYPESCRIPT,
    name="tsx",
    grammar="tree_sitter_typescript:language_tsx",
    extensions=(".tsx",),
    interpreters=(),
)
