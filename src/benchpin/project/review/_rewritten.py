"""Small edits of a function that change what it does: a mark, an order, an assignment that is gone.

Each is an edit of few words in code that is otherwise as before; where more is new, it is taken for
meant. They are possible defects: an edit of a word is what many good changes are made of.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from benchpin.code.names import chain_start
from benchpin.present import Level
from benchpin.workspace.walking import is_product_path

from ._bodies import ChangedBody, FunctionBody, found_at
from ._state import ReviewFinding, ReviewState, finding_at, last_part

_RULE = "lost-check"
# Longer functions are not compared word for word: that takes time with the square of the length.
_MAX_WORDS = 1_500
# Lines that a change may take from a function that lost an assignment; more is a rewrite.
_MAX_LOST_LINES = 12
# Where anything can be a condition, each of these asks for less than the value alone.
_NOT_NOTHING = frozenset({"is not None", "!= null", "!== null", "!= undefined", "!== undefined"})
_EXITS = frozenset({"return", "raise", "throw", "continue", "break", "panic"})


def rewritten(
    state: ReviewState, pair: ChangedBody, assigned: Counter[str]
) -> Iterator[ReviewFinding]:
    """Name edits of few words after which a function does something else."""
    was = pair.was
    if was is None or max(len(was.own), len(pair.now.own)) > _MAX_WORDS:
        return
    yield from _few_words(pair, was)
    yield from _slices_turned(pair, was)
    if was.lines and pair.now.lines:
        old, new = _lines_of(was), _lines_of(pair.now)
        edits = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        yield from _swapped_statements(pair, old, new, edits)
        yield from _lost_guard(state, pair, was, old, edits)
        lost = sum(end - start for kind, start, end, _, _ in edits if kind != "equal")
        if lost <= _MAX_LOST_LINES and is_product_path(pair.path):
            yield from _lost_assignments(state, pair, was, assigned)


def _possible(pair: ChangedBody, at: int, text: str, level: Level = "note") -> ReviewFinding:
    finding = found_at(pair, at, _RULE, text)
    return finding.model_copy(update={"level": level, "certainty": "possible"})


def _few_words(pair: ChangedBody, was: FunctionBody) -> Iterator[ReviewFinding]:
    """Name an assignment that declares, a test for nothing, and an error that is another one."""
    old, new = was.own, pair.now.own
    for kind, start, end, here, until in SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        at = pair.now.first + here
        gone, written = tuple(old[start:end]), tuple(new[here:until])
        if pair.now.line(at) not in pair.touched or kind not in {"delete", "replace"}:
            continue
        if (gone, written) == (("=",), (":=",)):
            yield from _declared_anew(pair, at)
        elif not written and " ".join(gone) in _NOT_NOTHING:
            text = (
                f"{new[here - 1]} is asked for being true here, and was asked for being there: "
                "0, an empty text and an empty list now count as nothing"
            )
            yield _possible(pair, at, text, "warning")
        elif len(gone) == len(written) == 1 and all(map(_is_error, (*gone, *written))):
            before = old[max(0, start - 4) : start]
            is_given = not {"return", "raise", "throw", "panic"}.isdisjoint(before)
            if is_given and old.count(written[0]) and before == new[max(0, here - 4) : here]:
                text = f"{gone[0]} is {written[0]} here now, on the condition of before"
                yield _possible(pair, at, text)
        elif not written and _is_keyword(gone, old, end):
            text = f"{' '.join(it for it in gone if it != ',')} is no longer passed here"
            yield _possible(pair, at, text.replace(" = ", "="))


def _is_error(word: str) -> bool:
    return word.endswith(("Error", "Exception")) or (word.startswith("Err") and word[3:4].isupper())


def _is_keyword(gone: Sequence[str], old: Sequence[str], end: int) -> bool:
    """Whether what is gone is one argument with its name, of which the value is a literal."""
    words = [it for it in gone if it != ","]
    is_one = len(words) == 3 and words[1] == "="  # noqa: PLR2004 - name = value
    if not is_one or not words[0].isidentifier() or old[end - len(gone) - 1] not in {"(", ","}:
        return False
    value = words[2]
    return value in {"True", "False", "None"} or value.isdigit() or value[:1] in "\"'"


def _declared_anew(pair: ChangedBody, at: int) -> Iterator[ReviewFinding]:
    """Name variables that a block only assigned before, and that are read after it."""
    now, words, stream = pair.now, pair.now.words, pair.now.code.stream
    end = stream.closing(stream.enclosing(at), now.last)
    here = at - 1
    while here > now.first and (words[here] == "," or stream.is_name(here)):
        read = [it for it in stream.positions(words[here]) if end < it < now.last]
        if read and words[here] not in {"_", "err"}:
            text = (
                f"{words[here]} is declared anew here, where it was assigned: line "
                f"{now.line(read[0])} still has what it was before this block"
            )
            yield _possible(pair, here, text, "warning")
        here -= 1


def _slices_turned(pair: ChangedBody, was: FunctionBody) -> Iterator[ReviewFinding]:
    """Name slices that take the other end of the same thing: `[-n:]` and `[:n]`."""
    before, after = list(_slices(was)), list(_slices(pair.now))
    if len(before) != len(after) or sorted(it for _, it in before) == sorted(it for _, it in after):
        return
    for (_, old), (at, new) in zip(before, after, strict=True):
        is_same = [it for it in old if it not in {":", "..", "-"}] == [
            it for it in new if it not in {":", "..", "-"}
        ]
        is_turned = old[1] in {":", ".."} and new[-1] == old[1] and new[1] != old[1]
        is_turned |= old[-1] in {":", ".."} and new[1] == old[-1] and new[-1] != old[-1]
        if is_same and is_turned and pair.now.line(at) in pair.touched:
            text = f"{_shown(new)} takes the other end here: it was {_shown(old)} before"
            yield _possible(pair, at, text, "warning")


def _shown(words: Sequence[str]) -> str:
    return f"{''.join(words)}]"


def _slices(body: FunctionBody) -> Iterator[tuple[int, list[str]]]:
    """Yield the slices with one bound: what is before the closing bracket."""
    for at in range(body.first, body.last - 2):
        if body.words[at] == "[" and (
            body.words[at - 1].isidentifier() or body.words[at - 1] in ")]"
        ):
            end = body.code.stream.closing(at, body.last)
            inside = body.words[at:end]
            if inside.count(":") + inside.count("..") == 1 and len(inside) > 2:  # noqa: PLR2004
                yield at, inside


def _lines_of(body: FunctionBody) -> list[str]:
    first, last = body.line(body.first), body.line(max(body.first, body.last - 1))
    return [it.strip() for it in body.lines[first - 1 : last]]


_Edit = tuple[str, int, int, int, int]


def _swapped_statements(
    pair: ChangedBody, old: Sequence[str], new: Sequence[str], edits: Sequence[_Edit]
) -> Iterator[ReviewFinding]:
    """Name two lines in the other order, of which one sets what the other reads."""
    first = pair.now.line(pair.now.first)
    for (one, a, b, c, d), (other, e, f, g, h) in pairwise(
        [it for it in edits if it[0] != "equal"]
    ):
        if {one, other} != {"insert", "delete"}:
            continue
        moved = old[a:b] if one == "delete" else old[e:f]
        again = new[g:h] if one == "delete" else new[c:d]
        passed = old[b:e]
        if len(moved) != 1 or list(moved) != list(again) or len(passed) != 1:
            continue
        sets = [_set_by(it) for it in (moved[0], passed[0])]
        if not all(sets) or sets[0] == sets[1]:
            continue
        for target, text in ((sets[0], passed[0]), (sets[1], moved[0])):
            if _reads(text, target):
                line = first + min(c, g)
                said = f"{target} is set before the next line reads it; that line came first before"
                found = finding_at(_RULE, pair.path, line, said, pair.name, level="warning")
                yield found.model_copy(update={"certainty": "possible"})
                break


def _set_by(line: str) -> str:
    """Return what a line of code assigns; empty for any other line."""
    target, mark, _ = line.partition(" = ")
    name = target.replace(".", "").replace("self", "").replace("this", "")
    return target if mark and name.isidentifier() else ""


def _reads(line: str, name: str) -> bool:
    value = line.partition(" = ")[2]
    at = value.find(name)
    if at < 0:
        return False
    before, after = value[at - 1 : at], value[at + len(name) : at + len(name) + 1]
    return not (before.isidentifier() or before == "." or after.isidentifier())


def _lost_guard(
    state: ReviewState,
    pair: ChangedBody,
    was: FunctionBody,
    old: Sequence[str],
    edits: Sequence[_Edit],
) -> Iterator[ReviewFinding]:
    """Name the check with its way out that is all that a change takes from a function."""
    changed = [it for it in edits if it[0] != "equal"]
    if len(changed) != 1 or changed[0][0] != "delete":
        return
    _, start, end, _, _ = changed[0]
    gone = [it for it in old[start:end] if it]
    head = gone[0] if gone else ""
    words = " ".join(gone[1:3]).replace("(", " ").replace(";", " ").split()
    if not head.startswith(("if ", "if(")) or len(gone) > 4 or _EXITS.isdisjoint(words[:1]):  # noqa: PLR2004
        return
    names = [it for it in was.words[was.first : was.last] if it in head and it.isidentifier()]
    elsewhere = " ".join(
        lines[it - 1]
        for one in state.files
        for lines in [(one.delta.after or b"").decode(errors="replace").split("\n")]
        for it in state.new_lines(one)
        if one.delta.path != pair.path and 0 < it <= len(lines)
    )
    if any(it in elsewhere for it in names if len(it) > 4):  # noqa: PLR2004
        return
    file = next(it for it in state.files if it.delta.path == pair.path)
    line = state.line_after(file, was.line(was.first) + start)
    shown = head.rstrip("{: ").removeprefix("if").strip()
    text = f"The check of {shown} is gone, and the rest of {last_part(pair.name)} is as before"
    found = finding_at(_RULE, pair.path, line, text, pair.name, level="note")
    yield found.model_copy(update={"certainty": "possible"})


def assigned_in(every: Sequence[ChangedBody]) -> Counter[str]:
    """Return how many more assignments to each member a change has than before."""
    found: Counter[str] = Counter()
    for pair in every:
        found.update(it[-1] for it in _assignments(pair.now))
        if pair.was is not None:
            found.subtract(it[-1] for it in _assignments(pair.was))
    return found


def _assignments(body: FunctionBody) -> dict[tuple[str, ...], int]:
    """Return the members and names that statements assign, and where first."""
    found: dict[tuple[str, ...], int] = {}
    for at in range(body.first, body.last - 1):
        if body.words[at + 1] == "=" and body.code.stream.is_name(at):
            start = chain_start(body.words, at)
            if body.starts_statement(start):
                found.setdefault(tuple(body.words[start : at + 1]), at)
    return found


def _is_altered(body: FunctionBody, name: str) -> bool:
    """Whether a function alters a member: `n += 1`, `n++`, `&mut n`, `n.clear()`, `n: int = 1`."""
    stream, words = body.code.stream, body.words
    for at in stream.positions(name):
        if not body.first <= at < body.last:
            continue
        start, after = chain_start(words, at), words[at + 1]
        is_sum = after in {"++", "--"} or (
            len(after) > 1 and after[-1] == "=" and after[0] not in "=!<>"
        )
        is_called = after == "." and words[at + 3] == "(" and body.is_statement(at + 2)
        if (
            is_sum
            or is_called
            or after == ":"
            or words[start - 1] in {"mut", "++", "--", "del", "delete"}
        ):
            return True
    return False


def _lost_assignments(
    state: ReviewState, pair: ChangedBody, was: FunctionBody, assigned: Counter[str]
) -> Iterator[ReviewFinding]:
    """Name members that a function set before, and that are only read now."""
    before, after = _assignments(was), _assignments(pair.now)
    file = next(it for it in state.files if it.delta.path == pair.path)
    module = pair.now.module
    owner = module.symbols.get(pair.name.rpartition(".")[0])
    for chain, at in before.items():
        name = chain[-1]
        if assigned[name] >= 0 or name in {it[-1] for it in after} or _is_altered(pair.now, name):
            continue
        is_field = owner is not None and state.index.values.field(owner, name) is not None
        is_member = len(chain) > 2 or is_field  # noqa: PLR2004 - of something else
        is_read = name in pair.now.own or is_field
        if not is_member or not is_read or not state.index.symbols.names.using(name):
            continue
        line = state.line_after(file, was.line(at))
        text = f"{last_part(pair.name)} set {''.join(chain)} before this change, and does not now"
        found = finding_at("lost-check", pair.path, line, text, pair.name, level="warning")
        yield found.model_copy(update={"certainty": "possible"})
