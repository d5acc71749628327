"""What kind of code a place is in: production code is listed first, tests and the rest apart."""

from benchpin.workspace.walking import CodeScope, scope_of_path

from ._code_index import CodeIndex


def scope_of(index: CodeIndex, path: str) -> CodeScope:
    """Return what kind of code a file has; a file that is in no language has its path only."""
    scope = scope_of_path(path)
    if scope in {"tests", "generated"} or path not in index.symbols.modules:
        return scope
    is_generated = index.symbols.modules[path].facts.outline.is_generated
    return "generated" if is_generated else scope
