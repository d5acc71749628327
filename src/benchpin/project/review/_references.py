"""The checks that follow names through other files: imports and uses of what is gone."""

from collections.abc import Iterator
from itertools import islice

from benchpin.code.changes import SymbolChange
from benchpin.facts import FileFacts
from benchpin.facts.code import TokenStream
from benchpin.facts.languages import name_scope_of

from ._remarks import Remark
from ._state import ReviewState, is_distinct, last_part

# Files that are looked into for calls of one function.
_MAX_FILES = 200
_MEMBER = frozenset({".", "->", "::", "?."})
# Places that are named of one function.
_MAX_SHOWN = 10


def check_references(state: ReviewState) -> Iterator[Remark]:
    """Name imports and uses of what is gone."""
    gone = [it for it in state.symbols if it.status in {"removed", "renamed", "moved"}]
    deleted = {it.delta.path for it in state.files if it.delta.after is None}
    renamed = {it.delta.old_path for it in state.files if it.delta.old_path}
    if not gone and not deleted | renamed:
        return
    yield from _broken_imports(state, gone)
    yield from _lost_files(state, deleted | renamed)
    yield from _broken_uses(state, gone)


def names_of(file: FileFacts) -> set[str]:
    """Return every name that can be imported from a file, or may be."""
    imported = {name for it in file.links.imports for name in (*it.names, *it.aliases)}
    return {*file.links.references, *file.links.exports, *imported}


def _broken_imports(state: ReviewState, gone: list[SymbolChange]) -> Iterator[Remark]:
    now = {it.path: it for it in state.after}
    lost: dict[str, set[str]] = {}
    for symbol in gone:
        if (
            symbol.before is not None
            and symbol.before.path in now
            and "." not in symbol.before.name
        ):
            lost.setdefault(symbol.before.path, set()).add(symbol.before.name)
    for path, names in lost.items():
        available = names_of(now[path])
        lost[path] = {it for it in names if it not in available}
    if not any(lost.values()):
        return
    for file, imported, lead in state.resolved(state.after, state.imports_after):
        if len(lead.files) != 1:
            continue
        for name in imported.names:
            if name in lost.get(lead.files[0], ()):
                text = f"{name} is imported from {lead.files[0]}, which no longer has it"
                yield remark_at(file, imported.line, "broken-reference", text, name, lead.files[0])


def _lost_files(state: ReviewState, deleted: set[str]) -> Iterator[Remark]:
    """Name imports that led to a file that is gone, and now lead nowhere."""
    if not deleted:
        return
    now = {it.path: it for it in state.after}
    led = {
        (file.path, imported.module, imported.level): lead.files
        for file, imported, lead in state.resolved(state.before, state.imports_before)
        if set(lead.files) & deleted
    }
    for file, imported, lead in state.resolved(now.values(), state.imports_after):
        old = led.get((file.path, imported.module, imported.level))
        if old and lead.status in {"unresolved", "external"}:
            text = f"{imported.module} is imported, and {old[0]} is gone"
            yield remark_at(file, imported.line, "broken-reference", text, imported.module, old[0])


def _broken_uses(state: ReviewState, gone: list[SymbolChange]) -> Iterator[Remark]:
    """Name uses of a function, type or method that is no longer defined anywhere."""
    for symbol in gone:
        if symbol.before is None or state.is_defined(last_part(symbol.before.name)):
            continue
        name = last_part(symbol.before.name)
        if "." not in symbol.before.name:
            files, is_member = _that_see(state, symbol.before.path, name), False
        elif is_distinct(name):
            files, is_member = [one for one in state.after if name in one.links.references], True
        else:
            continue
        yield from islice(_uses_of(state, files, name, is_member=is_member), _MAX_SHOWN)


def _that_see(state: ReviewState, path: str, name: str) -> list[FileFacts]:
    """Return the files that use a name without importing it: its own, or all of its package."""
    folder = path.rpartition("/")[0]
    return [
        it
        for it in state.after
        if name in it.links.references
        and (it.path == path or _shares_names(it, folder))
        and not any(name in (*one.names, *one.aliases) for one in it.links.imports)
    ]


def _shares_names(file: FileFacts, folder: str) -> bool:
    return name_scope_of(file.language) != "file" and file.path.rpartition("/")[0] == folder


def _uses_of(
    state: ReviewState, files: list[FileFacts], name: str, *, is_member: bool
) -> Iterator[Remark]:
    for file in state.with_tokens(files[:_MAX_FILES]).values():
        stream = TokenStream(file.tokens)
        words = stream.words
        for at in stream.positions(name):
            is_bound = at + 1 < len(words) and words[at + 1] in {"=", ":", ":="}
            if is_bound or (at > 0 and words[at - 1] in _MEMBER) != is_member:
                continue
            text = f"{name} is used here, and is gone"
            yield remark_at(file, stream.line(at), "broken-reference", text, name, None)


def remark_at(
    file: FileFacts, line: int, rule: str, message: str, symbol: str | None, elsewhere: str | None
) -> Remark:
    """Return a finding about a line of a file."""
    level = "warning" if rule == "new-cycle" else "error"
    return Remark(
        rule=rule,
        level=level,
        file=file.path,
        line=line,
        end_line=line,
        message=message,
        symbol=symbol,
        elsewhere=elsewhere,
    )
