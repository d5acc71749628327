"""Split a profile's text into blocks of whole lines: first events, then functions."""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from benchpin.performance.reading import FaultLog

_EVENTS = b"[events]\n"
_FUNCTIONS = b"[functions]\n"
_MAX_LINE_CHARS = 64 * 1024

Section = Literal["events", "functions"]


class Block(NamedTuple):
    """Some lines of a section; only the last one of the text may lack its end."""

    section: Section
    line: int
    """The number of the first line, from 1."""
    text: bytes


def blocks(chunks: Iterable[bytes], faults: FaultLog) -> Iterator[Block]:
    """Yield blocks of whole lines, without the headings of the sections."""
    section: Section = "events"
    line = 1
    for text in _joined(chunks, faults):
        body = text
        if line == 1:
            if body.startswith(_EVENTS):
                body = body.removeprefix(_EVENTS)
                line = 2
            else:
                faults.add("line 1", "no [events] at the beginning")
        if section == "events" and (place := body.find(_FUNCTIONS)) >= 0:
            events = body[:place]
            if events:
                yield Block(section, line, events if events.endswith(b"\n") else events + b"\n")
            line += events.count(b"\n") + 1
            section = "functions"
            body = body[place + len(_FUNCTIONS) :]
        if body:
            yield Block(section, line, body)
        line += body.count(b"\n")


def whole_lines(block: Block, faults: FaultLog) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a block with their numbers; a truncated one is a fault."""
    *lines, cut = block.text.split(b"\n")
    yield from enumerate(lines, block.line)
    if cut:
        faults.add(f"line {block.line + len(lines)}", "truncated by the end of the text")


def _joined(chunks: Iterable[bytes], faults: FaultLog) -> Iterator[bytes]:
    """Join chunks so that each ends with a line; of overlong lines the beginning is dropped."""
    rest = b""
    for chunk in chunks:
        text = rest + chunk
        end = text.rfind(b"\n") + 1
        rest = text[end:]
        if len(rest) > _MAX_LINE_CHARS:
            faults.add("a line", f"longer than {_MAX_LINE_CHARS} bytes; its beginning is dropped")
            rest = rest[-_MAX_LINE_CHARS // 2 :]
        if end:
            yield text[:end]
    if rest:
        yield rest
