"""The catalogue: all templates by URI; a user's template replaces a built-in one."""

import logging
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from heapq import nlargest
from pathlib import Path

from benchpin.core.calls import WorkspaceSession

from ._definitions import (
    definition_files,
    read_parameters,
    read_templates,
    read_text,
    read_toolchains,
    source_files,
)
from ._parameters import check_parameters
from ._rendering import ConfinedRenderer, Renderer
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
    words_of,
)

_DESCRIPTION_WEIGHT = 0.8
# Below it two words count as different.
_MIN_SIMILARITY = 0.7
_MIN_RELEVANCE = 0.5
_PREFIX_SCORE = 0.9
_MIN_PREFIX_CHARS = 3
_NOISE = frozenset({"a", "an", "and", "for", "of", "template", "the", "with"})


@dataclass(frozen=True, slots=True)
class TemplateHit:
    """A template and its relevance, from 0 to 1."""

    relevance: float
    template: Template


def search(templates: Sequence[Template], query: str) -> list[TemplateHit]:
    """Return the templates that match a query, best first.

    The relevance is the mean over the words of the query; each word scores by its most similar word
    in the template. Words of the description weigh less than those of the URI, name and tags.
    """
    words = words_of(query)
    wanted = [word for word in words if word not in _NOISE] or words
    if not wanted:
        return []
    hits = [TemplateHit(round(_relevance(wanted, it), 4), it) for it in templates]
    found = [hit for hit in hits if hit.relevance >= _MIN_RELEVANCE]
    return sorted(found, key=_rank)


def _rank(hit: TemplateHit) -> tuple[float, bool, str]:
    """Sort by relevance; whole projects come first among equals."""
    return -hit.relevance, hit.template.category != "project", hit.template.uri


def _relevance(wanted: Sequence[str], template: Template) -> float:
    best = (
        max(
            _similarity(word, template.name_words),
            _DESCRIPTION_WEIGHT * _similarity(word, template.description_words),
        )
        for word in wanted
    )
    return sum(best) / len(wanted)


def _similarity(word: str, words: frozenset[str]) -> float:
    if word in words:
        return 1.0
    return max((_word_similarity(word, other) for other in words), default=0.0)


@lru_cache(maxsize=20_000)  # pure; a query meets the same few hundred words in every template
def _word_similarity(word: str, other: str) -> float:
    if len(word) >= _MIN_PREFIX_CHARS and other.startswith(word):
        return _PREFIX_SCORE
    alike = similarity(word, other)
    return alike if alike >= _MIN_SIMILARITY else 0.0


# How much two texts have in common.


def common_length(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence.

    Hyyrö, "Bit-parallel LCS-length computation revisited" (2004): a bit for each element of the
    one, so that each element of the other costs a few operations on one integer.
    """
    places: dict[Hashable, int] = {}
    for at, element in enumerate(one):
        places[element] = places.get(element, 0) | 1 << at
    every = (1 << len(one)) - 1
    row = every
    for element in other:
        matches = row & places.get(element, 0)
        row = (row + matches | row - matches) & every
    return len(one) - row.bit_count()


def similarity(one: str, other: str) -> float:
    """Return twice the common length as a share of both lengths, from 0 to 1."""
    total = len(one) + len(other)
    return 1 - (total - 2 * common_length(one, other)) / total if total else 1.0


logger = logging.getLogger(__name__)
_HOME = Path(__file__).with_name("catalogue")
_URI = re.compile(r"template://([^/]+)/([^/]+)/([^/]+)")
_SEGMENT = re.compile(r"[A-Za-z0-9_+-]+(\.[A-Za-z0-9_+-]+)*")
_SHOWN_CHARS = 100
_NEAREST = 3


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
        return frozenset(it.name for each in self.templates.values() for it in each.parameters)

    @cached_property
    def toolchain_names(self) -> tuple[str, ...]:
        return tuple(sorted({it.toolchain for it in self.templates.values()}))

    @cached_property
    def categories(self) -> tuple[str, ...]:
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
