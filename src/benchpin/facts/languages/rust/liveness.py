"""Rust: traits call their methods, attributes register, `pub` is for other crates."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from benchpin.facts.liveness import (
    POSSIBLE,
    SURE,
    VISIBLE,
    Definition,
    LivenessRules,
    ProgramView,
    Reason,
    SharedNames,
    TokenView,
    braces_from,
)

# How many tokens may precede the body of an `impl`, or the last word in an attribute.
_MAX_HEAD_TOKENS = 60
# Attributes of what the linker finds by name; `unsafe` is `#[unsafe(no_mangle)]`.
_LINKED = frozenset({"no_mangle", "export_name", "unsafe", "used", "link_section"})
_TEST = re.compile(r"test(?:_case)?$|^bench$|^proptest$|^quickcheck$")
_EXTERN = re.compile(r'\bextern\s*"')


def _contract_spans(view: TokenView) -> list[tuple[int, int]]:
    """Find `impl Trait for Type { … }` and `trait Name { … }`."""
    return [
        braces_from(view, at)
        for at in view.positions_of(b"impl", b"trait")
        if view.text(at) == b"trait" or _names_trait(view, at)
    ]


def _names_trait(view: TokenView, at: int) -> bool:
    for place in range(at + 1, at + _MAX_HEAD_TOKENS):
        text = view.text(place)
        if text in {b"{", b";", b""}:
            return False
        if text == b"for" and view.text(place + 1) != b"<":
            return True
    return False


def _is_declaration(view: TokenView, at: int, is_outside: bool) -> bool:  # noqa: FBT001 - a table
    """Whether a type is only the subject of an `impl`: `impl Type`, `impl Trait for Type`."""
    if not is_outside:
        return False
    before = view.text(at - 1)
    return before == b"impl" or (before == b"for" and view.text(at + 1) in {b"{", b"<", b"where"})


def _kept(definition: Definition, program: ProgramView) -> Reason | None:
    """`#[allow(dead_code)]`, and a name that begins with `_`, tell the compiler that it stays."""
    if definition.name.startswith("_"):
        return Reason(SURE, "its name begins with _, as that of something kept on purpose")
    at = definition.first_token
    spans = program.once_in_file(definition.file, _allowed_spans)
    if any(first <= at <= last for first, last in spans):
        return Reason(SURE, "an attribute allows it to be dead")
    return None


def _kept_in_crate(definition: Definition, program: ProgramView) -> Reason | None:
    """`#![allow(dead_code)]` in the root of a crate holds for all of it."""
    crates = program.shared(_ALLOWED_CRATES)
    if any(str(it) in crates for it in PurePosixPath(definition.path).parents):
        return Reason(SURE, "an attribute allows it to be dead")
    return None


def _allowed_spans(view: TokenView) -> list[tuple[int, int]]:
    """Find the items and blocks under `#[allow(dead_code)]` or `#![allow(dead_code)]`."""
    return [
        _enclosing(view, start) if is_inner else braces_from(view, end + 1)
        for start, end, is_inner in _allowances(view)
    ]


def _allowances(view: TokenView) -> Iterator[tuple[int, int, bool]]:
    """Yield the first and last token of each such attribute, and whether it is an inner one."""
    for at in view.positions_of(b"dead_code", b"unused", b"warnings"):
        start = end = at
        while start >= 0 and at - start < _MAX_HEAD_TOKENS and view.text(start) != b"[":
            start -= 1
        if view.text(start + 1) not in {b"allow", b"expect"}:
            continue
        while view.text(end) not in {b"]", b""}:
            end += 1
        # Further attributes belong to the same item.
        while view.text(end + 1) == b"#":
            end += 2
            while view.text(end) not in {b"]", b""}:
                end += 1
        is_inner = view.text(start - 1) == b"!"
        yield start, end, is_inner


def _enclosing(view: TokenView, at: int) -> tuple[int, int]:
    """Return the block around a position; the whole file where there is none."""
    depth = 0
    for start in range(at, -1, -1):
        depth += (view.text(start) == b"}") - (view.text(start) == b"{")
        if depth < 0:
            return braces_from(view, start)
    return 0, len(view.stream)


def _allowed_crate(view: TokenView) -> tuple[str, ...]:
    """Return the folder of a crate that may have dead code anywhere, given its root."""
    path = view.facts.path
    is_allowed = path.endswith(("lib.rs", "main.rs")) and any(
        is_inner for _, _, is_inner in _allowances(view)
    )
    return (path.rpartition("/")[0] or ".",) if is_allowed else ()


_ALLOWED_CRATES = SharedNames(_allowed_crate)


def _tests(definition: Definition, _program: ProgramView) -> Reason | None:
    """`#[test]`, `#[tokio::test]` and the like."""
    is_test = any(_TEST.search(it) for it in definition.decorators)
    return Reason(SURE, "test runners call it") if is_test else None


def _linked(definition: Definition, _program: ProgramView) -> Reason | None:
    """Programs in other languages use functions of the C interface by their names."""
    is_exported = not _LINKED.isdisjoint(definition.decorators)
    if is_exported or _EXTERN.search(definition.signature):
        return Reason(SURE, "other languages may use it through the linker")
    return None


def _trait(definition: Definition, program: ProgramView) -> Reason | None:
    """A public trait may be implemented elsewhere, and its methods called through it."""
    is_trait = definition.kind == "type" and definition.label == "trait"
    if is_trait and definition.is_public:
        return Reason(POSSIBLE, "other crates may implement it")
    owner = program.owner(definition)
    if owner is not None and owner.label == "trait":
        return Reason(SURE, "it is part of a trait")
    return None


def _exposure(definition: Definition, _program: ProgramView) -> Reason:
    head = definition.signature.lstrip()
    if not definition.is_public:
        # The compiler reports what is unused in all configurations, so little of it is left.
        return Reason(VISIBLE, "")
    if head.startswith("pub("):
        return Reason(VISIBLE, "it is public inside its crate")
    return Reason(POSSIBLE, "it is public: other crates could use it")


RULES = LivenessRules(
    definition_words=frozenset({b"fn", b"struct", b"enum", b"trait", b"mod", b"union", b"macro"}),
    entry_points=frozenset({"main"}),
    is_declaration=_is_declaration,
    formats_names=True,
    # `write!` calls it.
    is_special=lambda name: name == "write_fmt",
    contract_spans=_contract_spans,
    passive_decorators=frozenset(
        """
        allow cfg cold deny deprecated derive doc expect inline must_use non_exhaustive repr
        rustfmt::skip track_caller warn skip instrument
        """.split()  # noqa: SIM905 - easier to read than quoted names
    ),
    exposure=_exposure,
    # The methods of traits are found by their spans; a trait calls no other method of a type.
    methods_called_by=lambda _base: frozenset(),
    rules=(_kept, _kept_in_crate, _linked, _tests, _trait),
    shared=(_ALLOWED_CRATES,),
)
