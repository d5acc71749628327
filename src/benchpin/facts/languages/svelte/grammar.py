"""Svelte: components in one file, read as TypeScript."""

from msgspec.structs import replace

from benchpin.facts.languages.typescript.grammar import LANGUAGE as TYPESCRIPT

from ._code import as_code

LANGUAGE = replace(
    TYPESCRIPT,
    name="svelte",
    title="Svelte",
    aliases=(),
    toolchains=("node",),
    extensions=(".svelte",),
    interpreters=(),
    as_code=as_code,
)
