"""Render the templates of one folder in a process of its own, with little memory and time.

A template can ask for any amount of either: `{{ 'a' * 10**9 }}`, loops within loops, a macro that
calls itself twice. `python -m benchpin.templates._render_worker` reads an `Origin` from
stdin, then answers requests.
"""

import sys
from collections.abc import Mapping

import msgspec

from benchpin.system.processes import READY, limit_memory, read_message, set_alarm, write_message

from ._rendering import Renderer, TemplateBroken
from ._template import RenderedFile, Template, Toolchain, Value

MEMORY_BYTES = 512 << 20
# The limit on all files of one template; the largest built-in one makes 30 KB.
RENDERED_BYTES = 4 << 20
TIME_S = 5


class Origin(msgspec.Struct, frozen=True):
    """What the templates of one folder have in common."""

    sources: Mapping[str, str]
    toolchains: Mapping[str, Toolchain]


class RenderRequest(msgspec.Struct, frozen=True):
    """One template to render, with checked values."""

    template: Template
    values: dict[str, Value]
    categories: frozenset[str]


class RenderAnswer(msgspec.Struct, frozen=True):
    """The files, or the error that the parent process raises."""

    files: list[RenderedFile] = []
    problem: str = ""


def render(renderer: Renderer, request: RenderRequest) -> RenderAnswer:
    """Render one template within the limits."""
    template = request.template
    try:
        files = renderer.render(template, request.values, request.categories)
    except TemplateBroken as error:
        return RenderAnswer(problem=error.message)
    except MemoryError:
        return RenderAnswer(problem=f"{template.uri} needs more than {MEMORY_BYTES >> 20} MiB")
    size = sum(it.size_bytes for it in files)
    if size > RENDERED_BYTES:
        limit = f"{RENDERED_BYTES >> 20} MiB"
        return RenderAnswer(problem=f"{template.uri} makes {size:,} bytes, more than {limit}")
    return RenderAnswer(files)


def main() -> None:
    """Answer requests until the pipe ends."""
    import jinja2.sandbox  # noqa: F401 - before the limit on memory, and once

    limit_memory(MEMORY_BYTES)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    origin = msgspec.msgpack.decode(read_message(requests), type=Origin)
    renderer = Renderer(origin.sources, origin.toolchains)
    decode = msgspec.msgpack.Decoder(RenderRequest).decode
    write_message(answers, READY)
    while message := read_message(requests):
        set_alarm(2 * TIME_S)
        write_message(answers, msgspec.msgpack.encode(render(renderer, decode(message))))
        set_alarm(0)


if __name__ == "__main__":
    main()
