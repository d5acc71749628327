"""What can be run in a repository: make targets, scripts, and the usual commands of ecosystems."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from benchpin.core.results import Item
from benchpin.repository.manifests import PackageManifest, RepositoryCommand
from benchpin.repository.packing import ShownText

from ._kinds import CountedPaths
from ._structure import NOT_THE_PRODUCT
from ._tree import RepositoryTree

Purpose = Literal["install", "build", "test", "lint", "format", "run", "docs"]

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_TARGET = re.compile(r"^(?P<names>[A-Za-z0-9_][\w./ -]*+)::?(?!=)[^=\n]*$", re.MULTILINE)
_PHONY = re.compile(r"^\.PHONY\s*+:\s*+(?P<names>(?:[^\\\n]|\\\n?)*+)", re.MULTILINE)
_PURPOSES: dict[Purpose, re.Pattern[str]] = {
    "install": re.compile(r"install|setup|bootstrap|init|prepare-dev"),
    "build": re.compile(r"build|compile|all|dist|bundle"),
    "test": re.compile(r"tests?|check|spec|unit|test[:-]unit"),
    "lint": re.compile(r"lint|typecheck|types?|vet|lint[:-]\w+"),
    "format": re.compile(r"format|fmt|fix"),
    "run": re.compile(r"start|dev|run|serve|watch"),
    "docs": re.compile(r"docs?|docs?[:-](?:build|dev)"),
}
_MAIN_FILES = re.compile(
    r"(?:^|/)(?:src/main\.rs|src/bin/[\w-]+(?:/main)?\.rs|main\.go|__main__\.py|manage\.py"
    r"|Program\.cs|src/main\.[jt]s|public/index\.php|artisan)$"
)
# Go programs are in folders below `cmd`.
_GO_COMMAND = re.compile(r"(?:^|/)cmd/[\w.-]+/[\w.-]+(?<!_test)\.go$")
_GO_MAIN = re.compile(rb"^func main\(", re.MULTILINE)
# Files that are read to find `func main`.
_MAX_GO_FILES = 500
# Ecosystems that name a class, not a file, as the program to run.
_CLASS_ECOSYSTEMS = frozenset({"java", "gradle"})
# What Kotlin and nested classes add to the name of a file.
_CLASS_SUFFIX = re.compile(r"(?s)(?:Kt)?(?:\$.*)?\Z")
_LOCKS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun"}


class NewcomerCommand(Item):
    """A command that a newcomer needs, and where it is declared."""

    purpose: Purpose
    command: ShownText
    evidence: ShownText
    """The file that declares or implies it, with the line if there is one."""


def make_targets(tree: RepositoryTree, folder: str) -> tuple[str, dict[str, int]] | None:
    """Return the Makefile of a folder and its targets with their lines; None without one."""
    for name in _MAKEFILES:
        path = folder + name
        if path in tree.by_path and (data := tree.read(path)) is not None:
            text = data.decode("utf-8", errors="replace")
            return path, _targets(text)
    return None


def _targets(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    line, counted = 1, 0
    for rule in _TARGET.finditer(text):
        line += text.count("\n", counted, rule.start())
        counted = rule.start()
        for name in rule["names"].split():
            found.setdefault(name, line)
    line, counted = 1, 0
    for phony in _PHONY.finditer(text):
        line += text.count("\n", counted, phony.start())
        counted = phony.start()
        for name in phony["names"].replace("\\\n", " ").partition("#")[0].split():
            found.setdefault(name, line)
    return found


def find_entry_points(
    tree: RepositoryTree, manifests: Sequence[PackageManifest]
) -> list[RepositoryCommand]:
    """Return the programs that manifests declare, and files that are programs by convention.

    Libraries count too; tests, examples and vendored code do not.
    """
    found = [
        it
        for manifest in manifests
        for it in manifest.commands
        if _is_entry_point(it, manifest, tree)
    ]
    declared = {posixpath.normpath(_folder(it.path) + it.runs) for it in found}
    for local, name in _by_convention(tree, manifests):
        if tree.base + local not in declared:
            path = tree.base + local
            found.append(
                RepositoryCommand(name=name, kind="main file", runs=local, path=path, line=1)
            )
    return sorted(
        found, key=lambda it: (it.kind == "library", it.path.count("/"), it.path, it.line, it.name)
    )


def _is_entry_point(
    command: RepositoryCommand, manifest: PackageManifest, tree: RepositoryTree
) -> bool:
    local = tree.local(command.path)
    if NOT_THE_PRODUCT.search(local) or not CountedPaths().has(local):
        return False
    if command.kind == "executable" and manifest.ecosystem in _CLASS_ECOSYSTEMS:
        return _CLASS_SUFFIX.sub("", command.name) in tree.stems
    return command.kind in {"executable", "target", "library"}


def _folder(path: str) -> str:
    head, slash, _ = path.rpartition("/")
    return head + slash


def _by_convention(
    tree: RepositoryTree, manifests: Sequence[PackageManifest]
) -> Iterator[tuple[str, str]]:
    """Yield files that are programs by convention, with the names of the programs."""
    gems = {f"{it.folder}exe/" for it in manifests if it.path.endswith(".gemspec")}
    names = {it.folder: it.name for it in manifests if it.name is not None}
    commands: set[str] = set()
    counted = CountedPaths()
    reads = 0
    for file in tree.files:
        local = tree.local(file.path)
        if NOT_THE_PRODUCT.search(local) or not counted.has(local):
            continue
        folder = _folder(file.path)
        if _MAIN_FILES.search(local):
            commands.add(folder)
            yield local, _program(local, names.get(folder.removesuffix("src/")))
        elif folder in gems:
            yield local, local.rpartition("/")[2]
        elif _GO_COMMAND.search(local) and folder not in commands and reads < _MAX_GO_FILES:
            reads += 1
            if _GO_MAIN.search(tree.read(file.path) or b""):
                commands.add(folder)
                yield local, folder.rstrip("/").rpartition("/")[2]


def _program(local: str, package: str | None) -> str:
    """Return the name of a program: that of its package, file or folder."""
    folder, _, name = local.rpartition("/")
    if folder.endswith("src/bin"):
        return name.rpartition(".")[0]
    if folder.rpartition("/")[2] == "src":
        return package or folder.removesuffix("src").rstrip("/").rpartition("/")[2] or local
    return folder.rpartition("/")[2] or package or local


def newcomer_commands(
    tree: RepositoryTree, manifests: Sequence[PackageManifest]
) -> list[NewcomerCommand]:
    """Return how to install, build, test and run a repository, by the files at its top."""
    root = {it.ecosystem: it for it in manifests if it.folder == tree.base}
    found: dict[tuple[Purpose, str], NewcomerCommand] = {}
    for command in (*_of_make(tree), *_of_scripts(tree, root), *_of_ecosystems(tree, root)):
        found.setdefault((command.purpose, command.command), command)
    order = list(_PURPOSES)
    return sorted(found.values(), key=lambda it: order.index(it.purpose))


def _of_make(tree: RepositoryTree) -> Iterator[NewcomerCommand]:
    makefile = make_targets(tree, tree.base)
    if makefile is not None:
        path, targets = makefile
        for name, line in targets.items():
            purpose = _purpose(name)
            if purpose is not None:
                yield _command(purpose, f"make {name}", f"{path}:{line}")


def _of_scripts(
    tree: RepositoryTree, root: Mapping[str, PackageManifest]
) -> Iterator[NewcomerCommand]:
    node = root.get("node")
    if node is not None:
        locks = [lock for lock in _LOCKS if tree.base + lock in tree.by_path]
        manager = _LOCKS[locks[0]] if locks else "npm"
        yield _command("install", f"{manager} install", locks[0] if locks else node.path)
        yield from _scripts(node.commands, "npm run" if manager == "npm" else f"{manager} run")
    php = root.get("php")
    if php is not None:
        yield _command("install", "composer install", php.path)
        yield from _scripts(php.commands, "composer run-script")


def _scripts(commands: Sequence[RepositoryCommand], runner: str) -> Iterator[NewcomerCommand]:
    for command in commands:
        purpose = _purpose(command.name) if command.kind == "script" else None
        if purpose is not None:
            yield _command(purpose, f"{runner} {command.name}", f"{command.path}:{command.line}")


def _of_ecosystems(
    tree: RepositoryTree, root: Mapping[str, PackageManifest]
) -> Iterator[NewcomerCommand]:
    def first(*locals_: str) -> str | None:
        return next((it.path for it in tree.named(*locals_)), None)

    if (rust := root.get("rust")) is not None:
        yield _command("build", "cargo build", rust.path)
        yield _command("test", "cargo test", rust.path)
    if (go := root.get("go")) is not None:
        yield _command("build", "go build ./...", go.path)
        yield _command("test", "go test ./...", go.path)
    if (java := root.get("java")) is not None:
        program = "./mvnw" if first("mvnw") else "mvn"
        yield _command("build", f"{program} package", java.path)
        yield _command("test", f"{program} test", java.path)
    gradle = first("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
    if gradle is not None:
        program = "./gradlew" if first("gradlew") else "gradle"
        yield _command("build", f"{program} build", gradle)
        yield _command("test", f"{program} test", gradle)
    if (cmake := root.get("cmake")) is not None:
        yield _command("build", "cmake -B build && cmake --build build", cmake.path)
    gemfile = first("Gemfile")
    if gemfile is not None:
        yield _command("install", "bundle install", gemfile)
    rakefile = first("Rakefile")
    if rakefile is not None:
        yield _command("test", "bundle exec rake", rakefile)
    yield from _of_python(tree, root.get("python"))


def _of_python(tree: RepositoryTree, python: PackageManifest | None) -> Iterator[NewcomerCommand]:
    if python is None:
        return
    lock = next(iter(tree.named("uv.lock", "poetry.lock", "pdm.lock")), None)
    name = "" if lock is None else lock.path.rpartition("/")[2]
    programs = {"uv.lock": "uv sync", "poetry.lock": "poetry install", "pdm.lock": "pdm install"}
    is_project = python.path.endswith("pyproject.toml")
    plain = "pip install -e ." if is_project else f"pip install -r {tree.local(python.path)}"
    yield _command("install", programs.get(name, plain), python.path if lock is None else lock.path)
    wanted = {it.name.lower(): it for it in python.dependencies}
    config = next(iter(tree.named("pytest.ini", "conftest.py", "tests/conftest.py")), None)
    if "pytest" in wanted:
        yield _command("test", "pytest", f"{python.path}:{wanted['pytest'].line}")
    elif config is not None:
        yield _command("test", "pytest", config.path)


def _purpose(name: str) -> Purpose | None:
    return next((it for it, pattern in _PURPOSES.items() if pattern.fullmatch(name)), None)


def _command(purpose: Purpose, command: str, evidence: str) -> NewcomerCommand:
    return NewcomerCommand(purpose=purpose, command=command, evidence=evidence)
