"""C and C++: headers declare, the preprocessor glues names together."""

import re

from benchpin.engines.metrics.dead_code.definitions import Definition
from benchpin.engines.metrics.dead_code.evidence import (
    HIDDEN,
    HINTED,
    POSSIBLE,
    VISIBLE,
    Evidence,
)
from benchpin.engines.metrics.dead_code.project import Project

from .table import Rules, TokenView

_HEADER = re.compile(r"\.(?:h|hh|hpp|hxx|h\+\+|inl|inc|ipp|tpp)$")
_PUBLIC_HEADER = re.compile(r"(?:^|/)include/")
_TYPE_WORD = re.compile(rb"[A-Za-z_]\w*$|\*$|&$|>$")
_NOT_TYPES = frozenset(
    {b"return", b"else", b"case", b"goto", b"sizeof", b"new", b"delete", b"throw"}
)


def _is_declared(view: TokenView, at: int, is_outside: bool) -> bool:  # noqa: FBT001 - a table
    """Whether a place is the prototype of a function, or the mere name of a type to come."""
    after, before = view.text(at + 1), view.text(at - 1)
    if before in {b"struct", b"class", b"enum", b"union"}:
        return after == b";"
    if not is_outside or after != b"(" or before in _NOT_TYPES:
        return False
    is_macro = view.text(at - 2) in {b"#define", b"define"} or before in {b"#define", b"define"}
    return not is_macro and _TYPE_WORD.search(before) is not None


def _is_local(definition: Definition, project: Project) -> bool:
    """Whether something is static, in a file that no other includes."""
    is_static = re.search(r"\bstatic\b", definition.signature) is not None
    name = definition.path.rpartition("/")[2]
    return is_static and not _HEADER.search(name) and name not in project.included


def _registered(definition: Definition, _project: Project) -> Evidence | None:
    if re.search(r"__attribute__|__declspec|\bEXPORT|_API\b|extern\s+\"C\"", definition.signature):
        return Evidence(POSSIBLE, "the linker or other programs may use it")
    return None


def _virtual(definition: Definition, project: Project) -> Evidence | None:
    """What overrides, or is an operator, is called in ways that no name shows."""
    owner = project.owner(definition)
    if owner is not None and owner.bases and definition.kind == "method":
        return Evidence(HINTED, f"{owner.name} has bases")
    return None


def _exposure(definition: Definition, project: Project) -> Evidence:
    if _is_local(definition, project):
        return Evidence(HIDDEN, "")
    if definition.kind == "type":
        is_used_here = project.views[definition.file].text(definition.last_token) != b";"
        has_constants = definition.label in {"enum", "union"}
        score = POSSIBLE if is_used_here or has_constants else VISIBLE
        return Evidence(score, "what is in it may be used without its name")
    if _PUBLIC_HEADER.search(definition.path):
        return Evidence(POSSIBLE, "it stands in a public header")
    declared = project.declared_in(definition, _HEADER)
    if declared is not None:
        is_offered = _PUBLIC_HEADER.search(declared) is not None
        return Evidence(POSSIBLE if is_offered else HINTED, f"{declared} declares it")
    if _HEADER.search(definition.path):
        return Evidence(HINTED, "it stands in a header")
    return Evidence(VISIBLE, "it is not static: other programs could use it")


RULES = Rules(
    languages=frozenset({"c", "cpp"}),
    is_local=_is_local,
    reflective=frozenset({b"##", b"#"}),
    is_declared=_is_declared,
    is_special=lambda name: name.startswith(("operator", "LLVMFuzzer")),
    entries=frozenset({"main", "WinMain", "wmain", "wWinMain", "DllMain", "_start"}),
    passive_decorators=frozenset({"nodiscard", "noreturn", "maybe_unused", "deprecated", "inline"}),
    contract_words=frozenset({"override", "final", "virtual"}),
    exposure=_exposure,
    rules=(_registered, _virtual),
)
