"""New imports of what is not there, that lead nowhere, or that nothing uses."""

from collections.abc import Iterator

from benchpin.code.names import Module
from benchpin.facts import FileFacts, Import
from benchpin.facts.code import navigation_of
from benchpin.facts.imports import Resolution

from ._names import broken, is_described, is_open_module, makes_names, names_of
from ._state import ReviewFinding, ReviewState, finding_at


def check_new_imports(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name new imports of what is not there."""
    for file in state.files:
        if file.after is None or not navigation_of(file.after.language).takes_named:
            continue
        known = _imported(file.before)
        for at, imported in enumerate(file.after.links.imports):
            names = [
                it for it in imported.names if (imported.module, imported.level, it) not in known
            ]
            module = state.index.symbols.modules.get(file.delta.path) if names else None
            lead = None if module is None else module.leads[at]
            if lead is None or imported.kind != "runtime":
                continue
            for name in names:
                if _lacks(state, lead, name):
                    text = f"{name} is imported from {lead.files[0]}, which does not have it"
                    yield broken(file.delta.path, imported.line, text, name, lead.files[0])


def _imported(file: FileFacts | None) -> set[tuple[str, int, str]]:
    imports = () if file is None else file.links.imports
    return {(it.module, it.level, name) for it in imports for name in it.names}


def _lacks(state: ReviewState, lead: Resolution, name: str) -> bool:
    """Whether the one file that an import leads to certainly has no such name."""
    if lead.status != "file" or len(lead.files) != 1 or name in {"*", "default"}:
        return False
    if name in dict(lead.modules):
        return False
    modules = state.index.symbols.modules
    target = modules.get(lead.files[0])
    return target is not None and not is_described(modules, target) and _is_without(target, name)


def _is_without(module: Module, name: str) -> bool:
    """Whether a file certainly has no name, and no way to come by it."""
    if any(it.brings_all for it in module.facts.links.imports):
        return False
    if makes_names(module):
        return False
    return name not in names_of(module.facts) and not module.facts.outline.error_line


def bound_names(module: Module, imported: Import) -> tuple[str, ...]:
    if imported.names or imported.aliases:
        return imported.aliases or imported.names
    return (module.navigation.whole_import(imported.module)[0].partition(".")[0],)


_DATA = (".json", ".css", ".scss", ".svg", ".png", ".txt", ".md", ".graphql", ".wasm", ".yaml")
# An import that others can import from.
_OFFERING = ("pub use", "pub(crate) use", "pub(super) use", "pub(in ", "export ")


def describes(module: Module) -> bool:
    """Whether a file says what a module or package of Java is: its names are no code."""
    name = module.path.rpartition("/")[2].partition(".")[0]
    return module.navigation.names_file_by_type and name in {"module-info", "package-info"}


# What classes are made from when a project is built.
_SOURCES_OF_CODE = (
    ".proto",
    ".g4",
    ".thrift",
    ".avsc",
    ".avdl",
    ".xsd",
    ".wsdl",
    ".jj",
    ".graphqls",
)


def check_unused_imports(state: ReviewState) -> Iterator[ReviewFinding]:
    """Name new imports that lead nowhere, and those that nothing in their file uses."""
    for file in state.files:
        if file.after is None or file.after.outline.error_line:
            continue
        before = () if file.before is None else file.before.links.imports
        known = {(it.module, it.level) for it in before}
        had = {(it.module, it.level, name) for it in before for name in it.names or ("",)}
        if all((it.module, it.level) in known for it in file.after.links.imports) and not any(
            (it.module, it.level, name) not in had
            for it in file.after.links.imports
            for name in it.names
        ):
            continue
        module = state.index.symbols.modules.get(file.delta.path)
        if module is None or module.code is None or module.code.reader is None:
            continue
        if describes(module):
            continue
        for imported, lead in module.imports:
            is_new = (imported.module, imported.level) not in known
            if is_new and _leads_nowhere(state, module, imported, lead):
                text = f"{imported.module} is imported, and there is no such file or package"
                finding = broken(module.path, imported.line, text, imported.module)
                # A file of data may be made when the project is built.
                is_data = imported.module.endswith(_DATA)
                yield finding.model_copy(update={"level": "warning"}) if is_data else finding
            new = [
                it
                for it in zip(imported.names or ("",), bound_names(module, imported), strict=False)
                if (imported.module, imported.level, it[0]) not in had
            ]
            for _, bound in new:
                if _is_unused(state, module, imported, lead, bound):
                    text = f"{bound} is imported, and nothing here uses it; remove the import"
                    yield finding_at(
                        "unused-code", module.path, imported.line, text, bound, level="warning"
                    )


def _leads_nowhere(state: ReviewState, module: Module, imported: Import, lead: Resolution) -> bool:
    """Whether an import is of this project, and there is nothing that it names."""
    if lead.status == "unresolved":
        return True
    if module.navigation.has_paths and lead.files:
        # `crate::a::b` leads to the file of the crate when there is no `a`.
        first, _, rest = imported.module.partition("::")
        named = rest.partition("::")[0]
        root = state.index.symbols.modules.get(lead.files[0])
        wanted, place = rest.split("::"), lead.files[0].rpartition(".")[0].split("/")
        if wanted in (place[-len(wanted) :], place[-len(wanted) - 1 : -1]):
            return False  # the file of `a::b` itself: `a/b.rs`, `a/b/mod.rs`
        is_own = module.navigation.path_words.get(first) == "root" and len(lead.files) == 1
        if (
            not is_own
            or not rest
            or root is None
            or root is not state.index.values.tree.root_of(module)
        ):
            return False
        known = {*root.top, *root.namespaces, *root.bindings, *root.facts.links.references}
        return named not in known and not is_open_module(root)
    # A package beneath one that is here, in a language whose packages are folders.
    outer = imported.module.rpartition(".")[0]
    is_package = module.navigation.names_file_by_type and lead.status == "external" and outer
    own = {it.rpartition("/")[0] for it in state.index.symbols.modules} if is_package else set()
    folder = imported.module.replace(".", "/")
    return (
        any(it.endswith(outer.replace(".", "/")) for it in own)
        and not any(it.endswith(folder) for it in own)
        and outer.count(".") > 1
        and not any(it.path.endswith(_SOURCES_OF_CODE) for it in state.selection.workspace().walk())
    )


def _is_unused(
    state: ReviewState, module: Module, imported: Import, lead: Resolution, name: str
) -> bool:
    """Whether nothing in a file uses what an import binds."""
    rules, facts = module.navigation, module.facts
    is_bare = rules.has_default_exports and not imported.names and not imported.aliases
    # `import "./register"` is there for what it does.
    if (
        is_bare
        or name in {"", "*", "_", "."}
        or imported.kind == "containment"
        or imported.level < 0
    ):
        return False
    is_package = rules.package_file and module.path.endswith(rules.package_file)
    if is_package or name in facts.links.exports or _is_used(module, imported, name):
        return False
    if name in facts.links.mentions or module.mentions(name) or imported.module == "__future__":
        return False
    words = [] if module.code is None else module.code.stream.words
    if name in rules.used_by_tags and ("</" in words or "/>" in words):
        return False
    if not imported.names and not imported.aliases and "." in imported.module.partition("/")[0]:
        return bool(lead.files)  # the name of a package elsewhere is a guess
    text = state.text_of(module.path).split("\n")[imported.line - 1 : imported.line + 1]
    is_marked = any(it in line for line in text for it in (*rules.silencers, *_OFFERING))
    if is_marked or _may_be_trait(state, module, lead, name):
        return False
    if not rules.reexports_imports:
        return True
    # `import p; p.name()` elsewhere uses what p imports.
    symbols = state.index.symbols
    others = (symbols.modules.leads(it) for it in symbols.names.using(name) if it != module.path)
    return not any(module.path in it.files for leads in others for it in leads)


def _is_used(module: Module, imported: Import, name: str) -> bool:
    """Whether a file has a name, other than where `const { name } = require(…)` binds it."""
    if name not in module.facts.links.references or module.code is None:
        return name in module.facts.links.references
    stream = module.code.stream
    places = stream.positions(name)
    return len(places) != 1 or stream.line(places[0]) != imported.line


def _may_be_trait(state: ReviewState, module: Module, lead: Resolution, name: str) -> bool:
    """Whether a name may be of a trait, whose methods are used without it."""
    if not module.navigation.has_traits:
        return False
    known = [state.index.symbols.exported(it, name) for it in lead.files]
    kinds = {getattr(it, "kind", "") for it in known if it is not None}
    return name not in module.navigation.library_types and (not kinds or "trait" in kinds)
