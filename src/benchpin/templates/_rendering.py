"""Render templates in Jinja2's sandbox; every value is quoted for the format of its file."""

import re
import sys
import threading
from collections.abc import Callable, Mapping
from types import BuiltinMethodType
from typing import TYPE_CHECKING

import msgspec

from benchpin.core.errors import BenchpinError
from benchpin.system.processes import (
    READY,
    HelperProcess,
    limit_memory,
    read_message,
    set_alarm,
    write_message,
)

from ._quoting import (
    FILTERS,
    LITERALS,
    Bare,
    comment,
    format_of,
    kebab,
    require_no_quotes_around,
    word,
)
from ._template import RenderedFile, Template, TemplateFile, Toolchain, Value, rendered_file

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2 import Template as JinjaTemplate


# What the code of a template can raise, besides the errors of Jinja2.
_FAULTS = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)
MEMORY_BYTES = 512 << 20
# The limit on all files of one template; the largest built-in one makes 30 KB.
RENDERED_BYTES = 4 << 20
TIME_S = 5
_MODULE = "benchpin.templates._rendering"
_PATH = "path"
_PLAIN_PATH = re.compile(r"[A-Za-z0-9._+-]+(/[A-Za-z0-9._+-]+)*")


class TemplateBroken(BenchpinError):
    """A template that cannot be rendered with any parameters."""

    kind = "template_broken"
    is_server_fault = True


class Renderer:
    """Renders the templates of one origin, with one Jinja2 environment per format."""

    def __init__(self, sources: Mapping[str, str], toolchains: Mapping[str, Toolchain]) -> None:
        self._sources = sources
        self._toolchains = toolchains
        self._toolchain_variables = {
            name: _toolchain_variables(known) for name, known in toolchains.items()
        }
        self._environments: dict[str, Environment] = {}
        self._paths: dict[str, JinjaTemplate] = {}
        self._checked: set[tuple[str, str, str]] = set()

    def render(
        self, template: Template, values: Mapping[str, Value], categories: frozenset[str]
    ) -> list[RenderedFile]:
        """Render the files of a template with checked values.

        Raises:
            TemplateBroken: when the template itself is wrong.
        """
        context = {
            **values,
            "category": template.category,
            "variant": template.variant,
            "categories": categories,
            "toolchain": self._toolchain_variables.get(template.toolchain),
            "commands": self._commands(template, values),
        }
        return [self._file(template, file, context) for file in template.files]

    def _commands(
        self, template: Template, values: Mapping[str, Value]
    ) -> dict[str, tuple[Bare, ...]]:
        known = self._toolchains.get(template.toolchain)
        if known is None:
            return {}
        name = kebab(str(values.get("project_name") or ""))
        commands: dict[str, tuple[Bare, ...]] = {}
        for key, lines in known.commands.items():
            task, _, variant = key.partition(":")
            if variant in {"", template.variant}:
                commands[task] = tuple(Bare(line.replace("{name}", name)) for line in lines)
        return {task: lines for task, lines in commands.items() if lines}

    def _file(
        self, template: Template, file: TemplateFile, context: Mapping[str, object]
    ) -> RenderedFile:
        from jinja2 import TemplateError

        try:
            path = self._path(file.path, context)
            loaded = self._template(template, file, file.format or format_of(path))
            content = loaded.render(context)
        except (TemplateError, *_FAULTS) as error:
            raise TemplateBroken(
                f"{file.source} of {template.uri} cannot be rendered: {error}",
                suggestion=f"Correct the template in {template.origin}.",
                data={"uri": template.uri, "source": file.source},
            ) from error
        return rendered_file(
            path, content, template.uri, source=file.source, is_executable=file.is_executable
        )

    def _template(self, template: Template, file: TemplateFile, name: str) -> "JinjaTemplate":
        """Return a compiled source; its first use checks it."""
        environment = self._environment(name)
        if (template.uri, file.source, name) not in self._checked:
            texts = [it.name for it in template.parameters if it.type == "string"]
            require_no_quotes_around(environment, name, self._sources[file.source], texts)
            self._checked.add((template.uri, file.source, name))
        return environment.get_template(file.source)

    def _path(self, source: str, context: Mapping[str, object]) -> str:
        if source not in self._paths:
            self._paths[source] = self._environment(_PATH).from_string(source)
        path = self._paths[source].render(context)
        if not _PLAIN_PATH.fullmatch(path) or ".." in path.split("/"):
            message = f"{path!r} is not a path within the project"
            raise ValueError(message)
        return path

    def _environment(self, name: str) -> "Environment":
        if name not in self._environments:
            self._environments[name] = _environment(name, self._sources)
        return self._environments[name]


def _toolchain_variables(toolchain: Toolchain) -> dict[str, Bare]:
    """Return a toolchain for templates; its texts are built in and need no quotes."""
    return {
        "name": Bare(toolchain.name),
        "title": Bare(toolchain.title),
        "language": Bare(toolchain.language),
        "needs": Bare(toolchain.needs),
    }


def _environment(name: str, sources: Mapping[str, str]) -> "Environment":
    from jinja2 import DictLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class BareSandbox(ImmutableSandboxedEnvironment):
        """Keeps `str.format` from turning a value into Bare text; only our filters may."""

        def wrap_str_format(self, value: object) -> Callable[..., str] | None:
            text = getattr(value, "__self__", None)
            if isinstance(text, Bare) and isinstance(value, BuiltinMethodType):
                value = getattr(str(text), value.__name__)
            return super().wrap_str_format(value)

    environment = BareSandbox(
        undefined=StrictUndefined,
        finalize=_finalizer(name),
        loader=DictLoader(dict(sources)),
        autoescape=False,  # finalize quotes for the language of the file
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        cache_size=-1,
    )
    environment.filters.update(LITERALS)
    environment.filters.update(FILTERS)
    environment.filters["comment"] = lambda text: comment(text, name)
    return environment


def _finalizer(name: str) -> Callable[[object], object]:
    """Return the function that writes the value of every `{{ … }}` in a file."""
    literal: Callable[[str], str] = LITERALS.get(name, word)
    words = ("True", "False") if name == "python" else ("true", "false")

    def finalize(value: object) -> object:
        if isinstance(value, Bare):
            return value
        if isinstance(value, str):
            return literal(str(value))  # str(): Markup would escape what is inserted
        if isinstance(value, bool):
            return words[not value]
        if isinstance(value, int):
            return str(value)
        if _is_undefined(value):
            return value
        message = f"a value of the type {type(value).__name__} cannot be written"
        raise TypeError(message)

    return finalize


def _is_undefined(value: object) -> bool:
    from jinja2 import Undefined

    return isinstance(value, Undefined)


# Templates that are not built in are rendered in a process of its own, with little memory and time:
# one can ask for any amount of either: `{{ 'a' * 10**9 }}`, loops within loops, a macro that
# calls itself twice. `python -m benchpin.templates._rendering` reads `TemplateSources` from stdin,
# then answers requests.


class TemplateSources(msgspec.Struct, frozen=True):
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


class ConfinedRenderer:
    """Renders the templates of one folder in a worker process, which it keeps between calls."""

    def __init__(self, sources: Mapping[str, str], toolchains: Mapping[str, Toolchain]) -> None:
        self._origin = msgspec.msgpack.encode(TemplateSources(sources, toolchains))
        self._lock = threading.Lock()
        self._worker: HelperProcess | None = None

    def render(
        self, template: Template, values: Mapping[str, Value], categories: frozenset[str]
    ) -> list[RenderedFile]:
        """Render the files of a template with checked values.

        Raises:
            TemplateBroken: when the template itself is wrong, or exceeds a limit.
        """
        request = RenderRequest(template, dict(values), categories)
        with self._lock:
            answer = self._ask(msgspec.msgpack.encode(request), template)
        if answer.problem:
            raise TemplateBroken(
                answer.problem,
                suggestion=f"Correct the template in {template.origin}.",
                data={"uri": template.uri},
            )
        return answer.files

    def _ask(self, request: bytes, template: Template) -> RenderAnswer:
        worker = self._worker
        if worker is None or not worker.is_alive:
            worker = self._worker = self._start()
        worker.send(request)
        answer = worker.receive(TIME_S)
        if answer:
            return msgspec.msgpack.decode(answer, type=RenderAnswer)
        worker.close()
        reason = f"takes longer than {TIME_S} s" if answer is None else "crashes the renderer"
        return RenderAnswer(problem=f"{template.uri} {reason}")

    def _start(self) -> HelperProcess:
        worker = HelperProcess(_MODULE)
        worker.send(self._origin)
        worker.wait_ready()
        return worker


def main() -> None:
    """Answer requests until the pipe ends."""
    import jinja2.sandbox  # noqa: F401 - before the limit on memory, and once

    limit_memory(MEMORY_BYTES)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    origin = msgspec.msgpack.decode(read_message(requests), type=TemplateSources)
    renderer = Renderer(origin.sources, origin.toolchains)
    decode = msgspec.msgpack.Decoder(RenderRequest).decode
    write_message(answers, READY)
    while message := read_message(requests):
        set_alarm(2 * TIME_S)
        write_message(answers, msgspec.msgpack.encode(render(renderer, decode(message))))
        set_alarm(0)


if __name__ == "__main__":
    main()
