"""Print results and errors; the exit codes.

A picture is shown in a terminal that can: with kitty's protocol, iTerm2's, or Sixel. Which one
follows from the environment, as other programs decide it; a question to the terminal would wait for
an answer that some never give. tmux and screen do not pass images on.
"""

import base64
import os
import shutil
import struct
import sys
import zlib
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Literal, TextIO

import click
from click.exceptions import NoArgsIsHelpError

from benchpin.core.content import EmbeddedResource, Text
from benchpin.core.errors import AccessDenied, BenchpinError, FileMissing, InvalidPath
from benchpin.core.results import Result
from benchpin.core.text import folded, json_text, visible
from benchpin.present import MACHINE_FORMATS, Report

Protocol = Literal["kitty", "iterm2", "sixel"]
_KITTY = frozenset({"ghostty", "kitty"})
_ITERM2 = frozenset({"iTerm.app", "WezTerm", "mintty"})
_SIXEL = ("foot", "mlterm", "contour", "yaft", "sixel")
# Characters of base64 in one sequence of kitty's protocol.
_CHUNK = 4_096
# Rows of pixels in one row of sixels.
_BAND = 6
# Steps of red, green and blue above zero: 216 colours, which every such terminal has.
_LEVELS = 5
# Of three pixels, two are shown: a PNG has more of them than terminals have room for.
_SKIP = 3, 2
# Nothing was done: the usage or the settings are wrong, or it was not possible.
ERROR = 2
PARTIAL = 3
CONTINUE_HINT = "What was read so far is cached: run it again, or allow more --tool-timeout."


def protocol_of(environment: Mapping[str, str]) -> Protocol | None:
    """Return how the terminal takes images; None if it does not, or is not known to."""
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if "TMUX" in environment or term.startswith(("screen", "tmux", "dumb")):
        return None
    if "KITTY_WINDOW_ID" in environment or "kitty" in term or program in _KITTY:
        return "kitty"
    if program in _ITERM2 or environment.get("LC_TERMINAL") == "iTerm2":
        return "iterm2"
    return "sixel" if any(name in term for name in _SIXEL) else None


def in_terminal(png: bytes, protocol: Protocol) -> str:
    """Return the escape sequences that show an image at the cursor."""
    match protocol:
        case "kitty":
            return "".join(_kitty(base64.b64encode(png).decode())) + "\n"
        case "iterm2":
            size, content = len(png), base64.b64encode(png).decode()
            return f"\x1b]1337;File=inline=1;size={size};width=auto:{content}\x07\n"
        case "sixel":
            return "".join(_sixel(_pixels(png))) + "\n"


def _kitty(content: str) -> Iterator[str]:
    parts = [content[at : at + _CHUNK] for at in range(0, len(content), _CHUNK)]
    for at, part in enumerate(parts):
        how = "a=T,f=100," if at == 0 else ""
        yield f"\x1b_G{how}m={int(at + 1 < len(parts))};{part}\x1b\\"


def _pixels(png: bytes) -> list[list[int]]:
    """Return the rows of an image as colours of the terminal's palette, made smaller."""
    at, packed, width, channels = 8, bytearray(), 0, 4
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, channels = struct.unpack_from(">I", body)[0], 4 if body[9] == 6 else 3  # noqa: PLR2004 - PNG §11.2.2: 6 is colour with alpha
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    return [*_smaller(_unfiltered(zlib.decompress(packed), width * channels, channels), channels)]


def _unfiltered(raw: bytes, stride: int, step: int) -> Iterator[bytearray]:
    """Yield the rows of an image without the filters of PNG §9."""
    above = bytearray(stride)
    for start in range(0, len(raw), stride + 1):
        kind, row = raw[start], bytearray(raw[start + 1 : start + 1 + stride])
        for at in range(stride) if kind else ():
            left = row[at - step] if at >= step else 0
            corner = above[at - step] if at >= step else 0
            row[at] = (row[at] + _predicted(kind, left, above[at], corner)) & 0xFF
        yield row
        above = row


def _predicted(kind: int, left: int, up: int, corner: int) -> int:
    match kind:
        case 1:
            return left
        case 2:
            return up
        case 3:
            return (left + up) // 2
    guess = left + up - corner
    return min((left, up, corner), key=lambda it: abs(guess - it))


def _smaller(rows: Iterator[bytearray], step: int) -> Iterator[list[int]]:
    every, kept = _SKIP
    for number, row in enumerate(rows):
        if number % every < kept:
            yield [
                _color(row[at], row[at + 1], row[at + 2])
                for place, at in enumerate(range(0, len(row), step))
                if place % every < kept
            ]


def _color(red: int, green: int, blue: int) -> int:
    levels = [(it * _LEVELS + 127) // 255 for it in (red, green, blue)]
    return (levels[0] * 6 + levels[1]) * 6 + levels[2]


def _sixel(rows: list[list[int]]) -> Iterator[str]:
    yield "\x1bPq"
    for color in sorted({it for row in rows for it in row}):
        red, green, blue = color // 36, color // 6 % 6, color % 6
        percents = ";".join(str(it * 100 // _LEVELS) for it in (red, green, blue))
        yield f"#{color};2;{percents}"
    for top in range(0, len(rows), _BAND):
        band = rows[top : top + _BAND]
        for color in sorted({it for row in band for it in row}):
            columns = (
                63 + sum(1 << bit for bit, it in enumerate(column) if it == color)
                for column in zip(*band, strict=True)
            )
            yield f"#{color}{''.join(_run(code, len([*same])) for code, same in groupby(columns))}$"
        yield "-"
    yield "\x1b\\"


def _run(code: int, length: int) -> str:
    return chr(code) * length if length <= 3 else f"!{length}{chr(code)}"  # noqa: PLR2004 - a repeat takes 3 characters or more


def print_error(error: BenchpinError) -> None:
    """Print the message of an error, its reason if known, and its suggestion."""
    message, reason = error.message, error.data.get("reason") or error.data.get("parseError")
    path = error.data.get("path") or error.data.get("filePath")
    if isinstance(error, FileMissing) and path:
        # Two documents fix other words, which clients of MCP get.
        message = f"There is nothing at {visible(str(path))!r}"
    why = f": {visible(str(reason))}" if reason else ""
    echo_folded(f"Error: {message}{why}\n{error.suggestion}", err=True)


def folded_error(error: click.UsageError) -> click.UsageError:
    """Return an error about the words that were typed, folded to the width of the terminal."""
    width = width_of_terminal(sys.stderr)
    if not width or isinstance(error, NoArgsIsHelpError):
        return error
    before = "Error: "  # what click writes in front
    text = folded(f"{before}{visible(error.format_message())}", width)
    return click.UsageError(text.removeprefix(before), error.ctx)


def echo_folded(text: str, *, err: bool = False) -> None:
    """Print a text of our own, folded to the width of the terminal."""
    width = width_of_terminal(sys.stderr if err else sys.stdout)
    click.echo(folded(text, width) if width else text, err=err, color=True)


def show(
    result: Result,
    *,
    as_json: bool,
    is_timed: bool = True,
    output: Path | None = None,
    place: Path | None = None,
) -> None:
    """Print a result: its text, or the structured result as JSON; or write it to a file.

    `is_timed` is whether there was a time limit, so that more time may bring what is missing;
    `place` is the file or folder that the command was about.

    If stdout is a pipe or a file, it gets the binary content or the document of the result, if
    there is one; the text about a document then goes to stderr. A reader that has gone changes
    nothing about how the command ends.
    """
    why_nothing = result.nothing()
    if why_nothing and place is not None:
        why_nothing = f"{why_nothing}: {visible(str(place))}"
    if why_nothing and output is None and not (as_json or _is_for_programs(result)):
        raise InvalidPath(why_nothing, suggestion="Give a file or folder with code.")
    try:
        if output is None:
            _print(result, as_json=as_json)
        else:
            _write(result, output, as_json=as_json)
        _print_shortcomings(result, as_json=as_json, is_timed=is_timed)
        if why_nothing:
            click.echo(f"Error: {why_nothing}", err=True)
    except BrokenPipeError:
        drop_output()
    if why_nothing:
        sys.exit(ERROR)
    if status := result.exit_status() or (PARTIAL if result.partial else 0):
        sys.exit(status)


def drop_output() -> None:
    """Let what is left to print go nowhere, or flushing the buffer at exit fails again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _write(result: Result, output: Path, *, as_json: bool) -> None:
    """Write what stdout would get to a file, and say so.

    Raises:
        AccessDenied: when the file cannot be written.
    """
    document = result.document()
    if as_json:
        body: bytes | str = (
            json_text(result.model_dump(mode="json", by_alias=True), ensure_ascii=True) + "\n"
        )
    elif (made := result.written_file(output.suffix)) is not None:
        body = made.read_bytes()
    elif (binary := _binary(result)) is not None:
        body = binary
    else:
        body = result.text_style.finish(result.to_text()) if document is None else document
    content = body.encode("utf-8", "backslashreplace") if isinstance(body, str) else body
    try:
        output.write_bytes(content)
    except OSError as error:
        raise AccessDenied(
            f"{output} cannot be written: {error.strerror}",
            suggestion="Give --output a file in a folder that exists.",
        ) from error
    click.echo(f"Wrote {output} ({len(content):,} bytes).", err=True)


def _print(result: Result, *, as_json: bool) -> None:
    if as_json:
        print_json(result.model_dump(mode="json", by_alias=True))
    elif _is_piped() and (body := _binary(result)) is not None:
        click.echo(body, nl=False)
    elif _is_piped() and (document := result.document()) is not None:
        _echo(document, ends_line=bool(document) and not document.endswith("\n"))
        if about := result.beside_document():
            _echo(_shown(result, about), err=True)
    elif (picture := _picture(result)) is not None:
        _echo(picture, ends_line=False)
    else:
        text = result.to_text()
        text = result.text_style.finish(text) if _is_piped() else _shown(result, text)
        _echo(text, ends_line=not text.endswith("\n"))
        if note := result.closing_note():
            _echo(_shown(result, note), err=not Text("", result.text_type()).can_be_cut)


def _print_shortcomings(result: Result, *, as_json: bool, is_timed: bool) -> None:
    if result.is_failure() and (as_json or _is_for_programs(result)):
        _echo(_shown(result, result.failure_note()), err=True)
    if result.partial:
        missing = visible("; ".join(result.missing))
        hint = f" {CONTINUE_HINT}" if is_timed else ""
        echo_folded(f"Partial: left out {missing}.{hint}", err=True)


def width_of_terminal(stream: TextIO | None = None) -> int:
    """Return the columns of the terminal that a stream is, stdout by default; 0 if it is none."""
    stream = stream or sys.stdout
    is_terminal = stream is not None and stream.isatty()
    return shutil.get_terminal_size().columns if is_terminal else 0


def _shown(result: Result, text: str) -> str:
    """Return a text for a terminal: with our colours, and no other control characters."""
    shown = result.text_style.finish(visible(text))
    width = result.text_style.width
    return shown if not width or _is_kept(result) else folded(shown, width)


def _is_kept(result: Result) -> bool:
    """Whether lines are not folded: they are the content of something, or for programs."""
    form = result.format if isinstance(result, Report) else ""
    return result.is_verbatim() or form in {*MACHINE_FORMATS, "json", "markdown"}


def _is_for_programs(result: Result) -> bool:
    return isinstance(result, Report) and result.format in {*MACHINE_FORMATS, "json"}


def _is_piped() -> bool:
    """Whether stdout is a pipe or a file."""
    return sys.stdout is not None and not sys.stdout.isatty()


def _binary(result: Result) -> bytes | None:
    """Return the binary content of a result, if it has any."""
    if isinstance(result, Report):
        image = result.image()
        return None if image is None else image.data
    bodies = [it.body for it in result.to_content() if isinstance(it, EmbeddedResource)]
    return next((it for it in bodies if isinstance(it, bytes)), None)


def _picture(result: Result) -> str | None:
    """Return the image of a result with a line about it, if the terminal can show it."""
    protocol = protocol_of(os.environ)
    if protocol is None or not isinstance(result, Report) or result.format != "png":
        return None
    body = _binary(result)
    if body is None:
        return None
    return f"{in_terminal(body, protocol)}{_shown(result, result.chosen_picture().alt)}\n"


def _echo(text: str, *, ends_line: bool = True, err: bool = False) -> None:
    """Print a text unchanged; nothing if the stream is closed."""
    stream = sys.stderr if err else sys.stdout
    if stream is not None:
        click.echo(printable(text, stream), nl=ends_line, err=err, color=True)


def print_json(value: object, *, err: bool = False) -> None:
    """Print JSON, indented in a terminal and on one line otherwise."""
    stream = sys.stderr if err else sys.stdout
    if stream is None:
        return
    indent = 2 if stream.isatty() else None
    text = visible(json_text(value, indent=indent))
    if text != printable(text, stream):
        text = json_text(value, indent=indent, ensure_ascii=True)
    _echo(text, err=err)


def printable(text: str, stream: TextIO) -> str:
    """Escape what the stream cannot encode, such as file names that are not UTF-8."""
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
