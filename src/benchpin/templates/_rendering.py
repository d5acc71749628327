"""Render templates in Jinja2's sandbox; every value is quoted for the format of its file."""

import re
from collections.abc import Callable, Mapping
from types import BuiltinMethodType
from typing import TYPE_CHECKING

from benchpin.core.errors import BenchpinError

from ._parameters import FILTERS, comment, kebab, word
from ._quoting import LITERALS, Bare, format_of, require_no_quotes_around
from ._template import RenderedFile, Template, TemplateFile, Toolchain, Value, rendered_file

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2 import Template as JinjaTemplate

# What the code of a template can raise, besides the errors of Jinja2.
_FAULTS = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)
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

    class Sandbox(ImmutableSandboxedEnvironment):
        """Keeps `str.format` from turning a value into Bare text; only our filters may."""

        def wrap_str_format(self, value: object) -> Callable[..., str] | None:
            text = getattr(value, "__self__", None)
            if isinstance(text, Bare) and isinstance(value, BuiltinMethodType):
                value = getattr(str(text), value.__name__)
            return super().wrap_str_format(value)

    environment = Sandbox(
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
