"""JavaScript and TypeScript: modules, packages, components."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath

from benchpin.facts.liveness import (
    HIDDEN,
    MENTIONED,
    POSSIBLE,
    SURE,
    VISIBLE,
    Definition,
    LivenessRules,
    NamesOutsideCode,
    ProgramView,
    Reason,
    SharedByName,
    SharedNames,
    TokenView,
    braces_from,
)

_SPECIAL = frozenset(
    """
    constructor toString toJSON valueOf then catch finally next return throw toLocaleString inspect
    asyncIterator iterator connectedCallback disconnectedCallback attributeChangedCallback
    adoptedCallback observedAttributes handleEvent ngOnInit ngOnDestroy ngOnChanges ngDoCheck
    ngAfterViewInit ngAfterViewChecked ngAfterContentInit ngAfterContentChecked transform
    canActivate intercept writeValue registerOnChange registerOnTouched setDisabledState validate
    render componentDidMount componentDidUpdate componentWillUnmount shouldComponentUpdate
    componentDidCatch getDerivedStateFromProps getDerivedStateFromError getSnapshotBeforeUpdate
    """.split()  # noqa: SIM905 - easier to read than quoted names
)
_ROUTE_NAMES = frozenset(
    """
    DELETE GET HEAD OPTIONS PATCH POST PUT action clientAction clientLoader config generateMetadata
    generateStaticParams getInitialProps getServerSideProps getStaticPaths getStaticProps handle
    headers loader load meta metadata middleware
    """.split()  # noqa: SIM905 - easier to read than quoted names
)
_FOUND_BY_TOOLS = re.compile(
    r"\.(?:config|stories|setup|d|rules|workspace)\.\w+$|(?:^|/)\.[\w-]+rc\.\w+$"
    r"|(?:^|/)(?:pages|routes|app|api|functions|migrations|seeds|scripts|fixtures|templates?"
    r"|playground|examples?|bench|benchmarks?|website|docs|contrib|plugins?|extensions?)/"
)
_EXTENSION = re.compile(r"\.(?:[cm]?[jt]s|[jt]sx)$")
_GLOBAL_OBJECTS = (b"window", b"globalThis", b"self")
_ENDS_PATTERN = frozenset({b"{", b";"})
# How many tokens a destructuring pattern may have.
_MAX_PATTERN_CHARS = 80
_VALUES = re.compile(rb"[=(,:?\[!&|>+]$|^(?:return|default|await|new|void|typeof|of|in|yield|=>)$")


def _export_positions(view: TokenView) -> set[int]:
    """Find the names in `export { … }`; one that is exported under another name is used."""
    places: set[int] = set()
    for at in view.positions_of(b"export"):
        start = at + 1 + (view.text(at + 1) == b"type")
        if view.text(start) == b"{":
            inner = start
            while view.text(inner) not in {b"}", b""}:
                if view.text(inner + 1) != b"as":
                    places.add(inner)
                inner += 1
    return places


def _augmenting(view: TokenView) -> list[tuple[int, int]]:
    """Find declarations that extend types from elsewhere: `declare global { … }`."""
    return [
        braces_from(view, at)
        for at in view.positions_of(b"declare")
        if view.text(at + 1) in {b"global", b"module", b"namespace"}
    ]


def _is_key(view: TokenView, at: int, _is_outside: bool) -> bool:  # noqa: FBT001 - a table
    """Whether a name is only a key or a typed parameter: `{ name: value }`, `(name: string)`."""
    return view.text(at + 1) in {b":", b"?"} and view.text(at - 1) in {b"{", b",", b"("}


def _is_destructured(view: TokenView, at: int) -> bool:
    """Whether a name is in a pattern such as `const { name, other: alias } = object`."""
    if view.text(at - 1) not in {b"{", b","} or view.text(at + 1) not in {b",", b"}", b":", b"="}:
        return False
    for place, number in enumerate(view.stream[at + 1 : at + _MAX_PATTERN_CHARS], at + 1):
        text = view.texts[number]
        if text == b"}":
            return view.text(place + 1) == b"="
        if text in _ENDS_PATTERN:
            return False
    return False


def _value(definition: Definition, program: ProgramView) -> Reason | None:
    """A function or class expression is used where it is defined: `run(function name() {})`."""
    before = program.views[definition.file].text(definition.first_token - 1)
    if definition.kind == "type":
        is_value = definition.label == "class" and _VALUES.search(before)
        return Reason(SURE, "it is used where it is defined") if is_value else None
    is_named = definition.name in definition.signature
    if _is_reassigned(program.views[definition.file], definition):
        return Reason(POSSIBLE, "it is assigned to a variable that is declared elsewhere")
    if is_named and "function" in definition.signature and _VALUES.search(before):
        return Reason(SURE, "it is used where it is defined")
    return None


def _made_for_others(definition: Definition, program: ProgramView) -> Reason | None:
    """Code elsewhere calls the methods of an object that stands for one of a platform or library.

    Its class replaces another (`window.Name = Name`), or has methods that do nothing.
    """
    owner, view = program.owner(definition), program.views[definition.file]
    if definition.kind != "method" or not definition.is_public or owner is None:
        return None
    name = owner.name.encode()
    for at in view.positions_of(name):
        if [view.text(at + step) for step in (-1, 1, 2)] == [b".", b"=", name]:
            return Reason(POSSIBLE, f"{owner.name} replaces a class from elsewhere")
    others = (
        it
        for it in program.files[definition.file].outline.functions
        if it.name.rpartition(".")[0] == owner.qualified
        # A constructor may be empty in order to be private or to have fields.
        and it.name.rpartition(".")[2] not in {definition.name, "constructor"}
    )
    ends = ((view.text(it.last_token - 2), view.text(it.last_token - 1)) for it in others)
    if (b"{", b"}") in ends:
        return Reason(POSSIBLE, f"{owner.name} has empty methods, which code elsewhere may expect")
    return None


def _is_reassigned(view: TokenView, definition: Definition) -> bool:
    """Whether a function is the new value of a variable: `name = function () {}`."""
    place = definition.first_token - 2
    is_value = view.text(place + 1) == b"=" and view.text(place) == definition.name.encode()
    is_new = view.text(place - 1) in {b"const", b"let", b"var", b",", b"."}
    return is_value and not is_new and definition.kind == "function"


def _member(definition: Definition, program: ProgramView) -> Reason | None:
    """A function in an object may be reached without its name."""
    if definition.kind != "function":
        return None
    view = program.views[definition.file]
    is_short = not definition.signature.lstrip().startswith(("function", "async function", "("))
    has_own_name = definition.name in definition.signature.partition("(")[0]
    is_property = "." in definition.qualified.rpartition(" ")[2] and _is_assigned(view, definition)
    if (is_short and has_own_name) or is_property or _is_property_value(view, definition):
        return Reason(MENTIONED, "it is a property of an object")
    return None


def _is_property_value(view: TokenView, definition: Definition) -> bool:
    before = definition.first_token - 1
    if view.text(before) == b"async":
        before -= 1
    return view.text(before) == b":" and view.text(before - 1).strip(b"'\"") == (
        definition.name.encode()
    )


def _is_assigned(view: TokenView, definition: Definition) -> bool:
    """Whether a function is assigned to a property: `object.name = function () {}`."""
    first = definition.first_token
    # `object.name = async function`: the name is a few tokens before the function.
    behind = range(first - 1, max(0, first - 8), -1)
    name = definition.name.encode()
    place = next((at for at in behind if view.text(at) == name), None)
    return place is not None and view.text(place - 1) == b"."


def _tests(definition: Definition, program: ProgramView) -> Reason | None:
    is_helper = program.is_test[definition.file] and definition.is_public
    return Reason(POSSIBLE, "tests may load it") if is_helper else None


def _found_by_tools(definition: Definition, program: ProgramView) -> Reason | None:
    if program.owner(definition) is not None:
        return None
    if definition.path.endswith((".d.ts", ".d.mts", ".d.cts")):
        return Reason(SURE, "it is a declaration")
    if definition.is_public and _FOUND_BY_TOOLS.search(definition.path):
        return Reason(POSSIBLE, "a tool or framework may find it by its path")
    if definition.is_public and definition.name in _ROUTE_NAMES:
        return Reason(POSSIBLE, "frameworks look for that name")
    return None


def _default(definition: Definition, program: ProgramView) -> Reason | None:
    """A default export can be imported under any name."""
    view = program.views[definition.file]
    first = definition.first_token
    words = {view.text(at) for at in (first - 1, first - 2, first, first + 1)}
    if b"default" not in words or program.owner(definition) is not None:
        return None
    place = PurePosixPath(definition.path)
    names = {place.stem, place.name, place.parent.name if place.stem == "index" else place.stem}
    if not names.isdisjoint(program.shared(_DEFAULT_IMPORTS).keys()):
        return Reason(SURE, "its file is imported")
    return Reason(POSSIBLE, "it is the default export of its file")


def _default_imports(view: TokenView) -> set[str]:
    """Return the last two parts of the modules whose default a file imports."""
    return {
        part
        for it in view.facts.links.imports
        if "default" in it.names or not it.names
        for part in it.module.split("/")[-2:]
    }


_DEFAULT_IMPORTS = SharedNames(_default_imports)


def _entry_stems(by_path: Mapping[str, Collection[str]], outside: NamesOutsideCode) -> SharedByName:
    """Return the entry files of packages and what they re-export, without extensions.

    `by_path` has the modules that each file re-exports.
    """
    paths = {path.rpartition(".")[0]: path for path in by_path}
    open_folders = tuple(it[:-1] for it in outside.entry_files if it.endswith("*"))
    found = set(outside.entry_files & paths.keys())
    found |= {path for path in paths if path.startswith(open_folders)}
    waiting = sorted(found)
    while waiting:
        stem = waiting.pop()
        for source in by_path[paths[stem]]:
            for place in _places_of(source, posixpath.dirname(stem)):
                bare = _EXTENSION.sub("", place)
                for stem_path in (place, bare, f"{bare}/index"):
                    if stem_path in paths and stem_path not in found:
                        found.add(stem_path)
                        waiting.append(stem_path)
    return dict.fromkeys(found, ())


def _places_of(source: str, folder: str) -> list[str]:
    """Return the paths that an import may mean; `@/` is the source folder of a package."""
    if not source.startswith(("@/", "~/")):
        return [posixpath.normpath(posixpath.join(folder, source))]
    parts = folder.split("/") if folder else []
    above = ["/".join(parts[:count]) for count in range(len(parts) + 1)]
    return [posixpath.join(it, inner, source[2:]) for it in above for inner in ("", "src")]


def _reexported_modules(view: TokenView) -> frozenset[str]:
    """Return the modules whose names a file exports as its own."""
    return frozenset(_find_reexported(view))


def _find_reexported(view: TokenView) -> Iterator[str]:
    for at in view.positions_of(b"from"):
        # `export * from "…"` and `export { … } from "…"`
        if view.text(at - 1) in {b"*", b"}"}:
            yield view.text(at + 1).decode(errors="replace").strip("'\"`")
    links = view.facts.links
    for imported in links.imports:
        if (
            not imported.names
            or "*" in imported.names
            or not set(links.exports).isdisjoint(imported.names)
        ):
            yield imported.module


_ENTRY_STEMS = SharedNames(_reexported_modules, _entry_stems)


def _reexported_names(view: TokenView) -> set[str]:
    """Return the names that a module imports only to export them again.

    Bundlers may build an entry of the package from any of them.
    """
    links = view.facts.links
    exports = set(links.exports)
    return {
        name
        for it in links.imports
        for name, alias in zip(it.names, it.aliases or it.names, strict=False)
        if alias in exports
    }


_REEXPORTED_NAMES = SharedNames(_reexported_names)


def _gives_to_page(view: TokenView) -> bool:
    """Whether a file sets what every script of a page can see: `window.shop.cart = cart`."""
    for name in _GLOBAL_OBJECTS:
        for at in view.positions_of(name):
            end = at + 1
            while view.text(end) == b".":
                end += 2
            if end > at + 1 and view.text(end) == b"=":
                return True
    return False


_EXPORTS = SharedNames(lambda view: view.facts.links.exports)


def _exposure(definition: Definition, program: ProgramView) -> Reason:
    owner = program.owner(definition)
    exports = program.names_in(definition.file, _EXPORTS)
    stem = definition.path.rpartition(".")[0]
    # A member of a namespace is exported with it.
    outermost = definition.qualified.partition(".")[0] if definition.is_public else ""
    if owner is None and {definition.name, outermost} & set(exports):
        if stem in program.shared(_ENTRY_STEMS):
            return Reason(SURE, "its package exports it")
        if program.outside.entry_files and definition.name in program.shared(_REEXPORTED_NAMES):
            return Reason(POSSIBLE, "another module exports it as its own")
        return Reason(VISIBLE, "it is exported, but nothing imports it")
    if not exports and not program.files[definition.file].links.imports:
        if owner is None:
            return Reason(POSSIBLE, "its file is not a module: a page may use it")
        if owner.kind == "type" and program.once_in_file(definition.file, _gives_to_page):
            return Reason(POSSIBLE, "its file gives objects to the page")
    if owner is not None and owner.kind == "type" and not definition.name.startswith("#"):
        is_private = re.search(r"\bprivate\b", definition.signature) is not None
        if is_private:
            return Reason(HIDDEN, "")
        is_exported = owner.name in exports and stem in program.shared(_ENTRY_STEMS)
        score = POSSIBLE if is_exported else VISIBLE
        return Reason(score, "it is public: code outside the workspace could use it")
    return Reason(HIDDEN, "")


RULES = LivenessRules(
    definition_words=frozenset({b"function", b"class", b"interface", b"enum"}),
    member_marks=frozenset({b".", b"?."}),
    has_modules=True,
    has_bare_members=False,
    exports_imports=True,
    reflection_words=frozenset({b"["}),
    self_lookups=((b"this", b"["),),
    is_declaration=_is_key,
    is_destructured=_is_destructured,
    export_positions=_export_positions,
    contract_spans=_augmenting,
    is_special=lambda name: name in _SPECIAL,
    contract_words=frozenset({"override"}),
    exposure=_exposure,
    rules=(_default, _found_by_tools, _made_for_others, _member, _tests, _value),
    shared=(_EXPORTS, _DEFAULT_IMPORTS, _ENTRY_STEMS, _REEXPORTED_NAMES),
)
