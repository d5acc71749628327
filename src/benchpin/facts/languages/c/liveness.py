"""C and C++: headers declare functions, and the preprocessor composes names."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping

from benchpin.facts.liveness import (
    HIDDEN,
    HINTED,
    POSSIBLE,
    VISIBLE,
    Definition,
    LivenessRules,
    NamesOutsideCode,
    ProgramView,
    Reason,
    SharedByName,
    SharedNames,
    TokenView,
)

_HEADER = re.compile(r"\.(?:h|hh|hpp|hxx|h\+\+|inl|inc|ipp|tpp)$")
_PUBLIC_HEADER = re.compile(r"(?:^|/)include/")
_TYPE_WORD = re.compile(rb"(?<!\w)[A-Za-z_]\w*+$|\*$|&$|>$")
_NOT_TYPES = frozenset(
    {b"return", b"else", b"case", b"goto", b"sizeof", b"new", b"delete", b"throw"}
)


def _is_declaration(view: TokenView, at: int, is_outside: bool) -> bool:  # noqa: FBT001 - a table
    """Whether a position is the prototype of a function, or the forward declaration of a type."""
    after, before = view.text(at + 1), view.text(at - 1)
    if before in {b"struct", b"class", b"enum", b"union"}:
        return after == b";"
    if not is_outside or after != b"(" or before in _NOT_TYPES:
        return False
    is_macro = view.text(at - 2) in {b"#define", b"define"} or before in {b"#define", b"define"}
    return not is_macro and _TYPE_WORD.search(before) is not None


def _is_local(definition: Definition, program: ProgramView) -> bool:
    """Whether a definition is static, in a file that no other file includes."""
    is_static = re.search(r"\bstatic\b", definition.signature) is not None
    name = definition.path.rpartition("/")[2]
    return is_static and not _HEADER.search(name) and name not in program.shared(_INCLUDED_NAMES)


def _included_names(view: TokenView) -> set[str]:
    return {it.module.rpartition("/")[2] for it in view.facts.links.imports}


_INCLUDED_NAMES = SharedNames(_included_names)


def _declaring_header(definition: Definition, program: ProgramView) -> str | None:
    """Return a header that names something which another file defines."""
    headers = program.shared(_NAMED_IN_HEADERS).get(definition.name, ())
    return next((path for path in headers if path != definition.path), None)


def _identifiers(view: TokenView) -> Collection[str]:
    return view.facts.links.references if _HEADER.search(view.facts.path) else ()


def _first_headers(
    by_path: Mapping[str, Collection[str]], _outside: NamesOutsideCode
) -> SharedByName:
    """Return the first headers in which each name occurs: one of them may define it."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path, names in by_path.items():
        for name in names:
            found[name].append(path)
    return {name: tuple(paths[:2]) for name, paths in found.items()}


_NAMED_IN_HEADERS = SharedNames(_identifiers, _first_headers, is_defined=True)


def _registered(definition: Definition, _program: ProgramView) -> Reason | None:
    if re.search(r"__attribute__|__declspec|\bEXPORT|_API\b|extern\s+\"C\"", definition.signature):
        return Reason(POSSIBLE, "the linker or other programs may use it")
    return None


def _virtual(definition: Definition, program: ProgramView) -> Reason | None:
    """A method of a class with bases may override one, and be called through the base."""
    owner = program.owner(definition)
    if owner is not None and owner.bases and definition.kind == "method":
        return Reason(HINTED, f"{owner.name} has base classes that may call it")
    return None


def _exposure(definition: Definition, program: ProgramView) -> Reason:
    if _is_local(definition, program):
        return Reason(HIDDEN, "")
    if definition.kind == "type":
        is_used_here = program.views[definition.file].text(definition.last_token) != b";"
        has_constants = definition.label in {"enum", "union"}
        score = POSSIBLE if is_used_here or has_constants else VISIBLE
        return Reason(score, "its members may be used without naming it")
    if _PUBLIC_HEADER.search(definition.path):
        return Reason(POSSIBLE, "it is in a public header")
    declared = _declaring_header(definition, program)
    if declared is not None:
        is_offered = _PUBLIC_HEADER.search(declared) is not None
        return Reason(POSSIBLE if is_offered else HINTED, f"{declared} declares it")
    if _HEADER.search(definition.path):
        return Reason(HINTED, "it is in a header")
    return Reason(VISIBLE, "it is not static: other programs could use it")


RULES = LivenessRules(
    is_local=_is_local,
    reflection_words=frozenset({b"##", b"#"}),
    is_declaration=_is_declaration,
    is_special=lambda name: name.startswith(("operator", "LLVMFuzzer", "PyInit_", "Java_")),
    entry_points=frozenset({"main", "WinMain", "wmain", "wWinMain", "DllMain", "_start"}),
    passive_decorators=frozenset({"nodiscard", "noreturn", "maybe_unused", "deprecated", "inline"}),
    contract_words=frozenset({"override", "final", "virtual"}),
    exposure=_exposure,
    rules=(_registered, _virtual),
    shared=(_INCLUDED_NAMES, _NAMED_IN_HEADERS),
)
