"""What kind of code a place is in: production code is listed first, tests and the rest apart."""

from typing import Literal, get_args

from benchpin.workspace.walking import is_foreign_path, is_product_path, is_test_path

from ._code_index import CodeIndex

# Generated code and copies of other projects are one kind: nobody here edits them.
CodeScope = Literal["production", "tests", "examples", "generated"]
# What a caller may ask for, in all tools; examples and generated code come with all.
ScopeChoice = Literal["production", "tests", "all"]

# In the order of lists.
SCOPES: tuple[CodeScope, ...] = get_args(CodeScope)


def scope_of(index: CodeIndex, path: str) -> CodeScope:
    """Return what kind of code a file has; a file that is in no language has its path only."""
    if is_test_path(path):
        return "tests"
    known = index.symbols.modules.files.get(path)
    if is_foreign_path(path):
        return "generated"
    if known is not None and index.symbols.modules[path].facts.outline.is_generated:
        return "generated"
    return "production" if is_product_path(path) else "examples"
