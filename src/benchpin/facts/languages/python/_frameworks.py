"""What test runners, Django and Sphinx find by name or path, and programs that load scripts."""

import re
from pathlib import PurePosixPath

from benchpin.facts.liveness import (
    HINTED,
    POSSIBLE,
    SURE,
    TESTED,
    Definition,
    ProgramView,
    Reason,
    Rule,
    SharedNames,
    TokenView,
)

_TEST_HOOKS = frozenset(
    """
    setUp tearDown setUpClass tearDownClass setUpModule tearDownModule setUpTestData asyncSetUp
    asyncTearDown setup teardown setup_method teardown_method setup_class teardown_class
    setup_module teardown_module setup_function teardown_function runTest load_tests
    """.split()  # noqa: SIM905 - easier to read than quoted names
)
_CALLED = re.compile(r"\b(\w+)\(")
_BENCHMARK_FOLDERS = frozenset({"bench", "benchmark", "benchmarks", "asv_bench"})
_TEST_NAME = re.compile(r"[Tt]est")
_DJANGO_FILES = frozenset({"models", "admin", "apps"})
_DJANGO_FOLDERS = frozenset({"migrations", "models"})

PACKAGE_FILE = "__init__.py"
# Classes inside a class that its base reads.
_BACKEND_METHODS = frozenset(
    {
        *("authenticate", "get_user", "has_perm", "has_module_perms", "get_user_permissions"),
        *("get_group_permissions", "get_all_permissions", "with_perm", "user_can_authenticate"),
    }
)
INNER_SETTINGS = frozenset({"Meta", "Config", "Media", "Params"})


def _tests(definition: Definition, program: ProgramView) -> Reason | None:
    if definition.name.startswith("pytest_"):
        return Reason(SURE, "pytest calls it")
    if definition.name.startswith("test_") and _names_pytest(definition, program):
        return Reason(SURE, "pytest finds it by its name")
    if not program.is_test[definition.file]:
        return None
    if _TEST_NAME.match(definition.name) or definition.name in _TEST_HOOKS:
        return Reason(SURE, "test runners call it")
    owner = program.owner(definition)
    is_case = definition.kind == "type" and any(
        _TEST_NAME.match(method) for method in program.methods_of(definition.id)
    )
    if is_case or (owner is not None and definition.name in INNER_SETTINGS):
        return Reason(SURE, "test runners find it")
    return None


def _names_pytest(definition: Definition, program: ProgramView) -> bool:
    """Whether a file has tests beside its code, as its use of pytest tells."""
    links = program.files[definition.file].links
    return "pytest" in links.references or "pytest" in links.mentions


def _django(definition: Definition, program: ProgramView) -> Reason | None:
    """Django finds classes in some modules, and calls the methods of backends."""
    around = program.owner(definition)
    is_backend = around is not None and around.name.endswith("Backend")
    if is_backend and definition.name in _BACKEND_METHODS:
        return Reason(POSSIBLE, "Django may call it")
    if definition.kind != "type" or program.owner(definition) is not None:
        return None
    folder, _, name = definition.path.rpartition("/")
    parent = folder.rpartition("/")[2]
    if parent == "commands" and definition.name == "Command":
        return Reason(SURE, "manage.py runs it")
    if not definition.bases:
        return None
    if parent in _DJANGO_FOLDERS or PurePosixPath(name).stem in _DJANGO_FILES:
        return Reason(POSSIBLE, f"Django may find it in {name}")
    return None


def _benchmarks(definition: Definition, _program: ProgramView) -> Reason | None:
    is_inside = not _BENCHMARK_FOLDERS.isdisjoint(definition.path.split("/"))
    if is_inside and definition.is_public:
        return Reason(POSSIBLE, "benchmark runners may find it")
    return None


def _doctest(definition: Definition, program: ProgramView) -> Reason | None:
    """Count a doctest example as a test."""
    is_run = definition.name in program.once_in_file(definition.file, _called_in_examples)
    return Reason(TESTED, "an example in a docstring calls it") if is_run else None


def _called_in_examples(view: TokenView) -> frozenset[str]:
    examples = (text.decode(errors="replace") for text in view.texts if b">>>" in text)
    return frozenset(name for text in examples for name in _CALLED.findall(text))


# What a docstring shows users: a decorator on a line of its own, or what they import.
_SHOWN_USE = re.compile(r"^ *+@([\w.]++)\(|^ *+from [\w.]++ import([\w,\\( \n]++)", re.MULTILINE)
_NAME = re.compile(r"\w+")


def _shown(definition: Definition, program: ProgramView) -> Reason | None:
    """An example in a docstring tells users to decorate with it, or to import it."""
    if definition.is_public and definition.name in program.shared(_SHOWN):
        return Reason(HINTED, "an example in a docstring shows it to users")
    return None


def _shown_in(view: TokenView) -> set[str]:
    texts = (it.decode(errors="replace") for it in view.texts if b'"""' in it or b"'''" in it)
    found = (it for text in texts for it in _SHOWN_USE.finditer(text))
    return {name for it in found for name in _NAME.findall((it[1] or it[2]).rpartition(".")[2])}


_SHOWN = SharedNames(_shown_in)


def _run_by_path(definition: Definition, program: ProgramView) -> Reason | None:
    """A program may load a script by its path, and look for subclasses of its own classes in it."""
    is_class = definition.kind == "type" and program.owner(definition) is None
    bases = {base.partition("[")[0] for base in definition.bases}
    if not is_class or not definition.is_public:
        return None
    if bases <= set(program.names_in(definition.file, _OWN_TYPES)):
        return None
    packages, place = program.shared(_PACKAGES), PurePosixPath(definition.path)
    is_script = str(place.parent) not in packages
    if is_script and place.stem not in program.shared(_IMPORTED_MODULES):
        return Reason(POSSIBLE, "nothing imports its file: a program may load it by its path")
    return None


def _package(view: TokenView) -> tuple[str, ...]:
    """Return the folder of a file that makes it a package."""
    folder, _, name = view.facts.path.rpartition("/")
    return (folder or ".",) if name.endswith(PACKAGE_FILE) else ()


def _imported_modules(view: TokenView) -> set[str]:
    """Return the last parts of imported modules, and the imported names, which may be modules."""
    return {
        name
        for it in view.facts.links.imports
        for name in (it.module.rpartition(".")[2], *it.names)
    }


_OWN_TYPES = SharedNames(lambda view: [it.name for it in view.facts.outline.types])
_PACKAGES = SharedNames(_package)
_IMPORTED_MODULES = SharedNames(_imported_modules)
SHARED = (_OWN_TYPES, _PACKAGES, _IMPORTED_MODULES, _SHOWN)


def _sphinx(definition: Definition, program: ProgramView) -> Reason | None:
    """Sphinx calls `setup` of extensions, and functions such as `linkcode_resolve` of conf.py."""
    if definition.kind != "function" or program.owner(definition) is not None:
        return None
    is_configuration = definition.path.rpartition("/")[2] == "conf.py" and definition.is_public
    if definition.name == "setup" or is_configuration:
        return Reason(SURE, "Sphinx calls it")
    return None


RULES: tuple[Rule, ...] = (_tests, _benchmarks, _doctest, _django, _shown, _run_by_path, _sphinx)
