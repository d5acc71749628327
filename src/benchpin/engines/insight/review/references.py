"""The checks that follow names through other files: what is gone, and calls that no longer fit."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from benchpin.engines.changes.symbols import SymbolChange
from benchpin.engines.navigation.code import Code
from benchpin.engines.navigation.signatures import Accepts, accepted_by, arguments_at, misfit
from benchpin.engines.source.facts import Function
from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.languages import family_of
from benchpin.engines.source.token_stream import TokenStream

from .remarks import Remark
from .state import ReviewState, last_part

_MOST_FILES = 200
"""Files that are looked into for calls of one function."""
_MEMBER = frozenset({".", "->", "::", "?."})
_DEFINING = frozenset({"def", "class", "func", "fn", "function"})
_MOST_SHOWN = 5
"""Places that are named of one function."""


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


def _names_of(file: FileFacts) -> set[str]:
    """Return every name that can be imported from a file, or may be."""
    imported = {name for it in file.links.imports for name in (*it.names, *it.aliases)}
    return {*file.links.references, *file.links.exports, *imported}


def _broken_imports(state: ReviewState, gone: list[SymbolChange]) -> Iterator[Remark]:
    now = {it.path: it for it in state.after}
    lost: dict[str, set[str]] = {}
    for it in gone:
        if it.before is not None and it.before.path in now and "." not in it.before.name:
            lost.setdefault(it.before.path, set()).add(it.before.name)
    for path, names in lost.items():
        available = _names_of(now[path])
        lost[path] = {it for it in names if it not in available}
    if not any(lost.values()):
        return
    for file, imported, lead in state.resolved(state.after, state.imports_after):
        if len(lead.files) != 1:
            continue
        for name in imported.names:
            if name in lost.get(lead.files[0], ()):
                text = f"{name} is imported from {lead.files[0]}, which no longer has it"
                yield _at(file, imported.line, "broken-reference", text, name, lead.files[0])


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
            yield _at(file, imported.line, "broken-reference", text, imported.module, old[0])


def _broken_uses(state: ReviewState, gone: list[SymbolChange]) -> Iterator[Remark]:
    """Name uses, in its own file, of a function or type that is no longer defined anywhere."""
    for it in gone:
        if it.before is None or "." in it.before.name or state.defined[it.before.name]:
            continue
        file, name = state.changed.get(it.before.path), it.before.name
        if file is None or not file.links.references.get(name):
            continue
        if any(name in one.names or name in one.aliases for one in file.links.imports):
            continue
        stream = TokenStream(file.tokens)
        words = stream.words
        for at in stream.positions(name)[:_MOST_SHOWN]:
            is_member = at > 0 and words[at - 1] in _MEMBER
            is_bound = at + 1 < len(words) and words[at + 1] in {"=", ":", ":="}
            if not is_member and not is_bound:
                text = f"{name} is used here, and is gone"
                yield _at(file, stream.line(at), "broken-reference", text, name, None)


def check_calls(state: ReviewState) -> Iterator[Remark]:
    """Name calls that fit the signature before, and do not fit the one after.

    Only of functions whose name nothing else has, so that no other function is meant.
    """
    for it in state.symbols:
        is_unique = state.defined[last_part(it.now.name)] == 1
        check = _CallCheck.of(it, state) if it.is_signature_changed and is_unique else None
        if check is not None:
            yield from islice(check.remarks(state), _MOST_SHOWN)


@dataclass(frozen=True, slots=True)
class _CallCheck:
    """A function whose signature changed."""

    name: str
    shown: str
    where: str
    family: str
    is_method: bool
    old: Accepts
    new: Accepts

    @classmethod
    def of(cls, change: SymbolChange, state: ReviewState) -> "_CallCheck | None":
        now, before = change.now, change.before
        if before is None or not isinstance(now.fact, Function):
            return None
        language = state.changed[now.path].language
        new = accepted_by(now.fact, language)
        old = accepted_by(before.fact, language) if isinstance(before.fact, Function) else None
        if old is None or new is None or now.fact.decorators:
            return None
        return cls(
            name=last_part(now.name),
            shown=now.name,
            where=f"{now.path}:{now.fact.line}",
            family=family_of(language),
            is_method=now.fact.kind == "method",
            old=old,
            new=new,
        )

    def remarks(self, state: ReviewState) -> Iterator[Remark]:
        users = [
            it
            for it in state.after
            if family_of(it.language) == self.family and it.links.references.get(self.name)
        ]
        for file in state.with_tokens(users[:_MOST_FILES]).values():
            code = Code(file)
            for at in code.stream.positions(self.name):
                why = self._misfit(code, at)
                if why:
                    text = f"This call of {self.shown} no longer fits: it {why}"
                    line = code.stream.line(at)
                    yield _at(file, line, "broken-call", text, self.shown, self.where)

    def _misfit(self, code: Code, at: int) -> str:
        before = code.stream.words[at - 1] if at else ""
        if before in _DEFINING or (self.is_method and before not in _MEMBER):
            return ""
        given = arguments_at(code, at)
        return misfit(self.new, given) if given and not misfit(self.old, given) else ""


def check_cycles(state: ReviewState) -> Iterator[Remark]:
    """Name new imports that close a cycle of files."""
    new = {it.delta.path: _imported(it.after) - _imported(it.before) for it in state.files}
    if not any(new.values()):
        return
    edges: dict[str, set[str]] = {}
    added: list[tuple[FileFacts, int, str]] = []
    for file, imported, lead in state.resolved(state.after, state.imports_after):
        if lead.status != "file" or lead.is_for_tests or imported.kind != "runtime":
            continue
        edges.setdefault(file.path, set()).update(lead.files)
        if (imported.module, imported.level) in new.get(file.path, ()):
            added += ((file, imported.line, target) for target in lead.files if target != file.path)
    for file, line, target in added:
        way = _way(edges, target, file.path)
        if way:
            text = f"This import closes a cycle: {' → '.join((file.path, *way))}"
            yield _at(file, line, "new-cycle", text, None, target)


def _imported(file: FileFacts | None) -> set[tuple[str, int]]:
    return set() if file is None else {(it.module, it.level) for it in file.links.imports}


def _way(edges: dict[str, set[str]], start: str, end: str) -> list[str]:
    """Return the shortest way from one file to another."""
    came: dict[str, str] = {start: ""}
    ahead = [start]
    for here in ahead:
        if here == end:
            way = [here]
            while came[way[0]]:
                way.insert(0, came[way[0]])
            return way
        for following in sorted(edges.get(here, ())):
            if following not in came:
                came[following] = here
                ahead.append(following)
    return []


def _at(
    file: FileFacts, line: int, rule: str, message: str, symbol: str | None, elsewhere: str | None
) -> Remark:
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
