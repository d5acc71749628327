"""TypeScript with JSX."""

from msgspec.structs import replace

from .typescript import LANGUAGE as TYPESCRIPT

LANGUAGE = replace(
    TYPESCRIPT,
    name="tsx",
    grammar="tree_sitter_typescript:language_tsx",
    extensions=(".tsx",),
    interpreters=(),
)
