"""JavaScript and TypeScript: modules, packages, components."""

import re
from pathlib import PurePosixPath

from benchpin.engines.metrics.dead_code.definitions import Definition
from benchpin.engines.metrics.dead_code.evidence import (
    HIDDEN,
    HINTED,
    MENTIONED,
    POSSIBLE,
    SURE,
    VISIBLE,
    Evidence,
)
from benchpin.engines.metrics.dead_code.project import Project

from .table import Rules, TokenView, braces_from

_SPECIAL = frozenset(
    """
    constructor toString toJSON valueOf then catch finally next return throw toLocaleString inspect
    asyncIterator iterator connectedCallback disconnectedCallback attributeChangedCallback
    adoptedCallback observedAttributes handleEvent ngOnInit ngOnDestroy ngOnChanges ngDoCheck
    ngAfterViewInit ngAfterViewChecked ngAfterContentInit ngAfterContentChecked transform
    canActivate intercept writeValue registerOnChange registerOnTouched setDisabledState validate
    render componentDidMount componentDidUpdate componentWillUnmount shouldComponentUpdate
    componentDidCatch getDerivedStateFromProps getDerivedStateFromError getSnapshotBeforeUpdate
    """.split()  # noqa: SIM905 - a table of names reads better so
)
_ROUTE_NAMES = frozenset(
    """
    DELETE GET HEAD OPTIONS PATCH POST PUT action clientAction clientLoader config generateMetadata
    generateStaticParams getInitialProps getServerSideProps getStaticPaths getStaticProps handle
    headers loader load meta metadata middleware
    """.split()  # noqa: SIM905 - a table of names reads better so
)
_FOUND_BY_TOOLS = re.compile(
    r"\.(?:config|stories|setup|d|rules|workspace)\.\w+$|(?:^|/)\.[\w-]+rc\.\w+$"
    r"|(?:^|/)(?:pages|routes|app|api|functions|migrations|seeds|scripts|fixtures|templates?"
    r"|playground|examples?|bench|benchmarks?|website|docs)/"
)
_ENDS_PATTERN = frozenset({b"{", b";"})
_LONGEST_PATTERN = 80
"""How many tokens a pattern that takes an object apart may have."""
_VALUES = re.compile(rb"[=(,:?\[!&|>+]$|^(?:return|default|await|new|void|typeof|of|in|yield|=>)$")


def _publishing(view: TokenView) -> set[int]:
    """Find the names in `export { … }` of files that are not where a package begins."""
    places: set[int] = set()
    for at in view.places_of(b"export"):
        start = at + 1 + (view.text(at + 1) == b"type")
        if view.text(start) == b"{":
            inner = start
            while view.text(inner) not in {b"}", b""}:
                places.add(inner)
                inner += 1
    return places


def _augmenting(view: TokenView) -> list[tuple[int, int]]:
    """Find what adds to types from elsewhere: `declare global { … }`."""
    return [
        braces_from(view, at)
        for at in view.places_of(b"declare")
        if view.text(at + 1) in {b"global", b"module", b"namespace"}
    ]


def _is_key(view: TokenView, at: int, _is_outside: bool) -> bool:  # noqa: FBT001 - a table
    """Whether a name is only the key of something, or a parameter's: `{ name: value }`."""
    return view.text(at + 1) in {b":", b"?"} and view.text(at - 1) in {b"{", b",", b"("}


def _is_taken_out(view: TokenView, at: int) -> bool:
    """Whether a name stands in a pattern such as `const { name, other: alias } = object`."""
    if view.text(at - 1) not in {b"{", b","} or view.text(at + 1) not in {b",", b"}", b":", b"="}:
        return False
    for place, number in enumerate(view.stream[at + 1 : at + _LONGEST_PATTERN], at + 1):
        text = view.texts[number]
        if text == b"}":
            return view.text(place + 1) == b"="
        if text in _ENDS_PATTERN:
            return False
    return False


def _value(definition: Definition, project: Project) -> Evidence | None:
    """A function that is a value is used where it stands: `run(function name() {})`."""
    if definition.kind == "type":
        return None
    before = project.views[definition.file].text(definition.first_token - 1)
    is_named = definition.name in definition.signature
    if is_named and "function" in definition.signature and _VALUES.search(before):
        return Evidence(SURE, "it is used where it stands")
    return None


def _member(definition: Definition, project: Project) -> Evidence | None:
    """A function in an object is a value that may be reached in ways that no name shows."""
    if definition.kind != "function":
        return None
    view = project.views[definition.file]
    is_short = not definition.signature.lstrip().startswith(("function", "async function", "("))
    has_own_name = definition.name in definition.signature.partition("(")[0]
    is_property = "." in definition.qualified.rpartition(" ")[2] and _is_assigned(view, definition)
    if (is_short and has_own_name) or is_property or _is_pair(view, definition):
        return Evidence(MENTIONED, "it is a property of an object")
    return None


def _is_pair(view: TokenView, definition: Definition) -> bool:
    before = definition.first_token - 1
    if view.text(before) == b"async":
        before -= 1
    return view.text(before) == b":" and view.text(before - 1).strip(b"'\"") == (
        definition.name.encode()
    )


def _is_assigned(view: TokenView, definition: Definition) -> bool:
    """Whether a function is given to a property: `object.name = function () {}`."""
    first = definition.first_token
    behind = range(first - 1, max(0, first - 8), -1)
    name = definition.name.encode()
    place = next((at for at in behind if view.text(at) == name), None)
    return place is not None and view.text(place - 1) == b"."


def _tests(definition: Definition, project: Project) -> Evidence | None:
    is_helper = project.is_test[definition.file] and definition.is_public
    return Evidence(POSSIBLE, "tests may load it") if is_helper else None


def _found_by_tools(definition: Definition, project: Project) -> Evidence | None:
    if project.owner(definition) is not None:
        return None
    if definition.path.endswith((".d.ts", ".d.mts", ".d.cts")):
        return Evidence(SURE, "it is a declaration")
    if definition.is_public and _FOUND_BY_TOOLS.search(definition.path):
        return Evidence(POSSIBLE, "a tool or framework may find it by its place")
    if definition.is_public and definition.name in _ROUTE_NAMES:
        return Evidence(POSSIBLE, "frameworks look for that name")
    return None


def _default(definition: Definition, project: Project) -> Evidence | None:
    """A default export is imported under any name."""
    view = project.views[definition.file]
    first = definition.first_token
    words = {view.text(at) for at in (first - 1, first - 2, first, first + 1)}
    if b"default" not in words or project.owner(definition) is not None:
        return None
    place = PurePosixPath(definition.path)
    known = {place.stem, place.name, place.parent.name if place.stem == "index" else place.stem}
    if not known.isdisjoint(project.default_imports):
        return Evidence(SURE, "its file is imported")
    return Evidence(POSSIBLE, "it is what its file offers")


def _exposure(definition: Definition, project: Project) -> Evidence:
    owner = project.owner(definition)
    file = project.files[definition.file]
    stem = definition.path.rpartition(".")[0]
    if owner is None and definition.name in file.links.exports:
        if stem in project.entry_stems:
            return Evidence(SURE, "its package offers it")
        return Evidence(VISIBLE, "it is exported, but nothing imports it")
    if not file.links.imports and not file.links.exports and owner is None:
        return Evidence(HINTED, "its file is no module: a page may use it")
    if owner is not None and owner.kind == "type" and not definition.name.startswith("#"):
        is_private = re.search(r"\bprivate\b", definition.signature) is not None
        if is_private:
            return Evidence(HIDDEN, "")
        is_offered = owner.name in file.links.exports and stem in project.entry_stems
        score = POSSIBLE if is_offered else VISIBLE
        return Evidence(score, "it is public: code outside the workspace could use it")
    return Evidence(HIDDEN, "")


RULES = Rules(
    languages=frozenset({"javascript", "typescript", "tsx"}),
    definition_words=frozenset({b"function", b"class", b"interface", b"enum"}),
    member_marks=frozenset({b".", b"?."}),
    has_modules=True,
    has_bare_members=False,
    hands_on_imports=True,
    reflective=frozenset({b"["}),
    own_lookups=((b"this", b"["),),
    is_declared=_is_key,
    is_taken_out=_is_taken_out,
    publishing=_publishing,
    fulfilling=_augmenting,
    is_special=lambda name: name in _SPECIAL,
    contract_words=frozenset({"override"}),
    exposure=_exposure,
    rules=(_default, _found_by_tools, _member, _tests, _value),
)
