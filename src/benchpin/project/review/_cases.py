"""What has to be said of every member, or in every place: cases of an enum, and renamed keys."""

import re
from collections.abc import Iterator, Sequence

from benchpin.code.changes import ChangedFile
from benchpin.code.names import Code, Module
from benchpin.facts.code import TokenStream, split_at_commas
from benchpin.workspace.diffs import changed_hunks
from benchpin.workspace.walking import is_product_path

from ._state import ReviewFinding, ReviewState, finding_at, is_distinct

_MIN_MEMBERS = 2
# A table without `case` that happens to name some members is no list of all.
_MIN_LISTED = 3
_MAX_SHOWN = 5
_MAX_FILES = 300
_KEY = re.compile(r"[\"'`]([A-Za-z][\w.-]{4,60})[\"'`]")


def check_cases(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name choices that say something of every member of an enum but of the new one."""
    for file in state.job.each(state.files, "files"):
        if file.before is None or file.after is None or not state.is_reliable(file.delta.path):
            continue
        before, after = TokenStream(file.before.tokens), TokenStream(file.after.tokens)
        module = state.index.symbols.modules.get(file.delta.path)
        if module is None:
            continue
        was = {name: members for name, _, members in _enums(file.before.outline, before)}
        for name, line, members in _enums(file.after.outline, after):
            old = was.get(name, [])
            new = [it for it in members if it not in old]
            if new and len(old) >= _MIN_MEMBERS and set(old) <= set(members):
                yield from _without(state, module, (name, line), old, new)


def _enums(outline: object, stream: TokenStream) -> Iterator[tuple[str, int, list[str]]]:
    """Yield the enums of a file with their members; constants of Go have the name of their type."""
    words = stream.words
    for one in getattr(outline, "types", ()):
        if one.kind == "enum":
            own = words[one.first_token : one.last_token]
            if "{" in own:
                opened = one.first_token + own.index("{")
                end = stream.closing(opened, one.last_token)
                ends = (it for it in range(opened, end) if words[it] == ";")
                yield one.name, one.line, list(_first_names(stream, opened + 1, next(ends, end)))
        elif any(it.rpartition(".")[2].endswith("Enum") for it in one.bases):
            members = [
                words[at]
                for at in range(one.first_token, one.last_token - 1)
                if words[at + 1] == "=" and at in stream.line_starts and words[at].isupper()
            ]
            yield one.name, one.line, members
    for at in [it for it, word in enumerate(words) if word == "iota"]:
        if words[at - 1] == "=" and words[at - 4 : at - 3] == ["("] and words[at - 5] == "const":
            end = stream.closing(at - 4, len(words))
            rest = [words[it] for it in range(at + 1, end) if it in stream.line_starts]
            plain = [it for it in rest if it.isidentifier()]
            yield words[at - 2], stream.line(at), [words[at - 3], *plain]


def _first_names(stream: TokenStream, first: int, last: int) -> Iterator[str]:
    for start, end in split_at_commas(stream, first, last):
        at = start
        while at < end and stream.words[at] in {"#", "@"}:
            has_brackets = stream.words[at + 1] in {"[", "("} or stream.words[at + 2] == "("
            opened = at + 1 if stream.words[at + 1] == "[" else at + 2
            at = stream.closing(opened, end) + 1 if has_brackets else at + 2
        if at < end and stream.is_name(at):
            yield stream.words[at]


def _without(
    state: ReviewState, home: Module, enum: tuple[str, int], old: Sequence[str], new: Sequence[str]
) -> Iterator[ReviewFinding]:
    name, line = enum
    names = state.index.symbols.names
    files = names.using(old[0])
    if len(files) > _MAX_FILES:
        state.job.leave_out(f"choices among members of {name}, named in {len(files):,} files")
        return
    found: list[tuple[str, int, bool, bool]] = []
    for path in files:
        module = state.index.symbols.modules[path]
        if module.code is None or module.family != home.family:
            continue
        found += [(path, *it) for it in _groups(module.code, name, old, new)]
    found.sort(key=lambda it: (not is_product_path(it[0]), it[0], it[1]))
    for path, at, is_closed, is_choice in found[:_MAX_SHOWN]:
        what = "choice" if is_choice else "list"
        text = f"This {what} names every other member of {name}, and not {', '.join(new)}"
        finding = finding_at("missing-case", path, at, text, name, f"{home.path}:{line}")
        yield finding if is_closed else finding.model_copy(update={"level": "warning"})


def _groups(
    code: Code, enum: str, old: Sequence[str], new: Sequence[str]
) -> Iterator[tuple[int, bool, bool]]:
    """Yield the brackets that name all old members and no new one: the line, and what they are."""
    stream, words = code.stream, code.stream.words
    inside: dict[int, set[str]] = {}
    for member in (*old, *new):
        for at in stream.positions(member):
            is_own = words[at - 2] in {enum, "Self"} or words[at - 1] in {"case", ",", "{", "|"}
            is_declared = words[at + 1 : at + 2] == ["="] and words[at - 1] not in {"case", ","}
            if not is_own or is_declared:
                continue
            opened = stream.enclosing(at)
            while opened > 0 and words[opened] == "(":
                opened = stream.enclosing(opened)
            if opened > 0:
                inside.setdefault(opened, set()).add(member)
    for opened, members in inside.items():
        if not set(old) <= members or not members.isdisjoint(new):
            continue
        end = stream.closing(opened, len(words))
        text = words[opened:end]
        is_choice = "case" in text or (
            "match" in words[max(0, opened - 12) : opened] and "=>" in text
        )
        # Where the members themselves are declared, and not chosen among.
        is_declaring = (
            enum in words[max(0, opened - 8) : opened]
            and "enum" in words[max(0, opened - 8) : opened]
        )
        if is_declaring or (words[opened - 1] == "const"):
            continue
        if is_choice or (len(old) >= _MIN_LISTED and words[opened] in {"{", "["}):
            is_closed = is_choice and "=>" in text and not _has_rest(text)
            line = stream.line(opened)
            yield line, is_closed, is_choice


def _has_rest(text: Sequence[str]) -> bool:
    """Whether an arm of a match takes all that is left: `_ =>`, `other =>`."""
    arms = [at for at, it in enumerate(text) if it == "=>"]
    return any(
        text[at - 1] == "_" or (text[at - 2] in {",", "{", "}"} and text[at - 1][:1].islower())
        for at in arms
    )


def check_keys(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name keys that a change renames in one place, and that others still call as before."""
    renamed = {
        (old, new): (file, line)
        for file in state.files
        if file.after is not None and is_product_path(file.delta.path)
        for old, new, line in _renamed_literals(file)
    }
    names = state.index.symbols.names
    for (old, new), (file, line) in renamed.items():
        if not is_distinct(old.replace("-", "_").replace(".", "_")) or names.using(new):
            continue
        own = file.delta.path
        others = [it for it in names.mentioning(new) if it != own and is_product_path(it)]
        text = (file.delta.after or b"").decode(errors="replace")
        is_alone = not others and text.count(new) == 1
        if _letters(old) == _letters(new):
            continue
        # Where a library reads fields by their names, they are keys, too.
        home = state.index.symbols.modules.get(own)
        by_field = home is not None and home.navigation.has_traits
        known = (*names.mentioning(old), *(names.using(old) if by_field else ()))
        reading = [it for it in known if is_product_path(it)]
        if is_alone and reading:
            path = min(reading, key=lambda it: (it != own, it))
            module = state.index.symbols.modules[path]
            place = f"{path}:{_line_of(module, old)}"
            said = f"{old} is called {new} here now, and still {old} at {place}"
            yield finding_at("broken-reference", own, line, said, new, place, level="warning")


def _letters(key: str) -> str:
    return re.sub(r"[\W_]", "", key).lower()


def _line_of(module: Module, name: str) -> int:
    code = module.code
    if code is None:
        return 1
    found = code.stream.positions(name) or code.stream.literals_with(name.encode())
    return code.stream.line(found[0]) if found else 1


def _renamed_literals(file: ChangedFile) -> Iterator[tuple[str, str, int]]:
    """Yield keys in quotes that are all that a line changes, before and after."""
    old = (file.delta.before or b"").decode(errors="replace").split("\n")
    new = (file.delta.after or b"").decode(errors="replace").split("\n")
    for hunk in changed_hunks(file.delta.before or b"", file.delta.after or b""):
        before, after = old[hunk.old_start : hunk.old_end], new[hunk.new_start : hunk.new_end]
        if len(before) != len(after):
            continue
        for offset, (one, other) in enumerate(zip(before, after, strict=True)):
            was, now = _KEY.findall(one), _KEY.findall(other)
            is_same = _KEY.sub("", one) == _KEY.sub("", other) and len(was) == len(now)
            changed = [it for it in zip(was, now, strict=False) if it[0] != it[1]]
            if is_same and len(changed) == 1 and one.strip().count(" ") < 12:  # noqa: PLR2004
                yield *changed[0], hunk.new_start + offset + 1
