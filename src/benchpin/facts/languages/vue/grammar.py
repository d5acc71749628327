"""Vue: components in one file, read as TypeScript."""

from msgspec.structs import replace

from benchpin.facts.languages.typescript.grammar import LANGUAGE as TYPESCRIPT

from ._code import as_code

LANGUAGE = replace(
    TYPESCRIPT,
    name="vue",
    title="Vue",
    aliases=(),
    toolchains=("node",),
    extensions=(".vue",),
    interpreters=(),
    as_code=as_code,
)
