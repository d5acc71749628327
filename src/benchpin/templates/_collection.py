"""The catalogue: all templates by URI; a user's template replaces a built-in one."""

import logging
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import nlargest
from pathlib import Path

import msgspec

from benchpin.core.calls import WorkspaceSession
from benchpin.system.processes import HelperProcess

from ._definitions import (
    definition_files,
    read_parameters,
    read_templates,
    read_text,
    read_toolchains,
    source_files,
)
from ._parameters import check_parameters
from ._render_worker import TIME_S, Origin, RenderAnswer, RenderRequest
from ._rendering import Renderer, TemplateBroken
from ._search import similarity
from ._template import (
    ANY,
    BUILT_IN,
    InvalidTemplateUri,
    Parameter,
    ParameterProblem,
    RenderedFile,
    Template,
    TemplateNotFound,
    Toolchain,
    Value,
)

logger = logging.getLogger(__name__)
_HOME = Path(__file__).with_name("catalogue")
_URI = re.compile(r"template://([^/]+)/([^/]+)/([^/]+)")
_SEGMENT = re.compile(r"[A-Za-z0-9_+-]+(\.[A-Za-z0-9_+-]+)*")
_SHOWN_CHARS = 100
_NEAREST = 3
_MODULE = "benchpin.templates._render_worker"


# Render templates that are not built in, which may ask for any amount of memory and time.


class ConfinedRenderer:
    """Renders the templates of one folder in a worker process, which it keeps between calls."""

    def __init__(self, sources: Mapping[str, str], toolchains: Mapping[str, Toolchain]) -> None:
        self._origin = msgspec.msgpack.encode(Origin(sources, toolchains))
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


@dataclass(frozen=True)
class TemplateCatalogue:
    """Templates in the order of their URIs, and the means to render them."""

    templates: Mapping[str, Template]
    toolchains: Mapping[str, Toolchain]
    sources: Mapping[str, Mapping[str, str]]
    """The Jinja2 sources by origin and name."""
    notes: tuple[str, ...] = ()
    """Templates that could not be read, and why."""
    _renderers: dict[str, Renderer | ConfinedRenderer] = field(default_factory=dict, compare=False)

    def find(self, uri: str) -> Template:
        """Return the template of a URI.

        Raises:
            InvalidTemplateUri: when the URI is malformed.
            TemplateNotFound: when no template has it; the error names the nearest ones.
        """
        found = self.templates.get(uri)
        if found is not None:
            return found
        parts = _URI.fullmatch(uri)
        if parts is None or not all(_SEGMENT.fullmatch(it) for it in parts.groups()):
            raise InvalidTemplateUri(
                f"Invalid template URI: {uri[:_SHOWN_CHARS]!r}",
                suggestion="Write template://category/toolchain/variant; list_templates has all.",
                data={"uri": uri[:_SHOWN_CHARS]},
            )
        raise self.not_found(f"Template not found: {uri[:_SHOWN_CHARS]}", uri)

    def not_found(self, message: str, uri: str) -> TemplateNotFound:
        """Return the error for a missing template; it suggests the most similar URIs."""
        wanted = uri[:_SHOWN_CHARS].lower()
        nearest = nlargest(_NEAREST, self.templates, lambda it: similarity(wanted, it))
        return TemplateNotFound(
            message,
            suggestion=f"Nearest: {', '.join(nearest)}. list_templates has all.",
            data={"uri": uri[:_SHOWN_CHARS], "nearest": nearest},
        )

    def select(
        self, *, category: str | None = None, toolchain: str | None = None
    ) -> list[Template]:
        """Return the templates of a category that suit a toolchain; None does not filter."""
        if toolchain is not None and toolchain not in self.toolchain_names:
            return []
        return [
            template
            for template in self.templates.values()
            if (category is None or template.category == category)
            and (toolchain is None or template.toolchain in {toolchain, ANY})
        ]

    def check(
        self, template: Template, given: Mapping[str, object]
    ) -> tuple[dict[str, Value], list[ParameterProblem]]:
        """Return the values to render a template with, and all problems.

        Parameters of other templates are accepted and ignored, because templates share them.
        """
        return check_parameters(template.parameters, given, known=self.parameter_names)

    @cached_property
    def parameter_names(self) -> frozenset[str]:
        """The names of the parameters of all templates."""
        return frozenset(it.name for each in self.templates.values() for it in each.parameters)

    @cached_property
    def toolchain_names(self) -> tuple[str, ...]:
        """The toolchains that have templates."""
        return tuple(sorted({it.toolchain for it in self.templates.values()}))

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The categories of all templates."""
        return tuple(sorted({it.category for it in self.templates.values()}))

    def sources_of(self, template: Template) -> list[tuple[str, str]]:
        """Return the target path and the Jinja2 source of each file of a template."""
        sources = self.sources[template.origin]
        return [(file.path, sources[file.source]) for file in template.files]

    def render(
        self,
        template: Template,
        values: Mapping[str, Value],
        categories: frozenset[str] = frozenset(),
    ) -> list[RenderedFile]:
        """Render the files of a template with checked values.

        `categories` are those of the templates rendered into the same project.

        Raises:
            TemplateBroken: when the template itself is wrong, or needs too much memory or time.
        """
        origin = template.origin
        if origin not in self._renderers:
            kind = Renderer if origin == BUILT_IN else ConfinedRenderer
            self._renderers[origin] = kind(self.sources[origin], self.toolchains)
        return self._renderers[origin].render(template, values, categories | {template.category})


def catalogue_of(session: WorkspaceSession, folders: tuple[Path, ...]) -> TemplateCatalogue:
    """Return the catalogue of a session; its files are read once."""
    return session.service(("templates", folders), lambda: load_catalogue(folders))


def load_catalogue(folders: Sequence[Path] = ()) -> TemplateCatalogue:
    """Read the built-in templates and those in `folders`; an earlier folder wins.

    A template that cannot be read is left out, with a note.
    """
    toolchains = read_toolchains(_HOME)
    shared = read_parameters(_HOME)
    templates: dict[str, Template] = {}
    sources: dict[str, Mapping[str, str]] = {}
    notes: list[str] = []
    # Last one wins, so the built-in templates come first and the first folder last.
    roots = [(_HOME, BUILT_IN), *reversed(list(zip(folders, _labels(folders), strict=True)))]
    for root, origin in roots:
        if not root.is_dir():
            notes.append(f"{origin}: there is no such folder")
            continue
        try:
            own = shared if root == _HOME else {**shared, **read_parameters(root)}
        except ValueError as error:
            notes.append(f"{origin}: {error}")
            continue
        texts, unreadable = _read_sources(root)
        notes += (f"{origin}: {note}" for note in unreadable)
        sources[origin] = {**sources.get(BUILT_IN, {}), **texts}
        found, wrong = _read_folder(root, origin, own, toolchains)
        notes += wrong
        for template in found:
            absent = [it.source for it in template.files if it.source not in sources[origin]]
            if absent:
                notes.append(f"{template.uri}: there is no source {', '.join(absent)}")
                continue
            before = templates.get(template.uri)
            shadows = None if before is None else before.origin
            templates[template.uri] = replace(template, shadows=shadows)
    for note in notes:
        logger.warning("template left out: %s", note)
    return TemplateCatalogue(dict(sorted(templates.items())), toolchains, sources, tuple(notes))


def _labels(folders: Sequence[Path]) -> list[str]:
    """Name folders by their last part: full paths would reveal the machine."""
    names = [BUILT_IN, *(folder.name for folder in folders)]
    alike = [names[:at].count(name) for at, name in enumerate(names)]
    labels = [
        f"{name} ({count + 1})" if count else name for name, count in zip(names, alike, strict=True)
    ]
    return labels[1:]


def _read_sources(root: Path) -> tuple[dict[str, str], list[str]]:
    texts: dict[str, str] = {}
    notes: list[str] = []
    for file in source_files(root):
        name = file.relative_to(root).as_posix()
        try:
            texts[name] = read_text(root, file)
        except ValueError as error:
            notes.append(f"{name}: {error}")
    return texts, notes


def _read_folder(
    root: Path, origin: str, shared: Mapping[str, Parameter], toolchains: Mapping[str, Toolchain]
) -> tuple[list[Template], list[str]]:
    templates: list[Template] = []
    notes: list[str] = []
    for file in definition_files(root):
        try:
            templates += read_templates(
                file, root, origin=origin, shared=shared, toolchains=toolchains
            )
        except ValueError as error:
            notes.append(f"{file.parent.relative_to(root)}: {error}")
    return templates, notes
