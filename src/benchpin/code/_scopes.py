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
    scope = scope_of_path(path)
    if scope in {"tests", "generated"} or path not in index.symbols.modules:
        return scope
    is_generated = index.symbols.modules[path].facts.outline.is_generated
    return "generated" if is_generated else scope


def scope_of_path(path: str) -> CodeScope:
    """Return what kind of code a file has by its path alone."""
    if is_test_path(path):
        return "tests"
    if is_foreign_path(path):
        return "generated"
    return "production" if is_product_path(path) else "examples"
