"""Check what documents promise, and which documents are missing."""

import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from benchpin.core.calls import Job
from benchpin.core.results import Item
from benchpin.present import Level
from benchpin.repository import RepositoryTree, is_licence, make_targets, read_manifests
from benchpin.repository.manifests import PackageManifest
from benchpin.repository.packing import redact

from . import drift, links
from ._documentation import (
    ApiCoverage,
    DocumentationProblem,
    KindOfDocument,
    ReadmeFacts,
    describe_readme,
    find_documents,
    measure_api,
    sort_documents,
    written_by_people,
)
from ._documents import Document, Readme, is_markdown, read_document, read_readme
from ._mentions import SHELLS, typed_lines

_Problem = tuple[Literal["missing-file", "unknown-command"], str]

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=\S*")
_STARTS_ELSEWHERE = re.compile(
    r"\b(?:git clone|gh repo clone|npx|pnpm dlx|bunx|npm (?:create|init)|yarn create|pnpm create"
    r"|bun create|cargo (?:new|init|generate)|composer create-project|rails new|django-admin"
    r"|docker (?:run|exec)|ssh|mkdir|curl|wget|tar|unzip)\b"
)
_INTERPRETERS = {
    "python": ".py",
    "python3": ".py",
    "node": ".js .mjs .cjs .ts",
    "bash": ".sh .bash",
    "sh": ".sh",
    "zsh": ".zsh .sh",
    "ruby": ".rb",
    "php": ".php",
    "deno": ".ts .js",
}
_MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun"})
_NOT_A_PATH = re.compile(r"[<>{}$*?|\[\]…]|\.\.\.|^/|^~|://")
# Scripts that npm runs without an entry in package.json.
_BUILTIN_SCRIPTS = frozenset({"env", "start", "restart", "stop"})
_MAX_COMMAND_CHARS = 200
_MAX_SECTIONS = 20
RULES = (
    *links.RULES,
    *drift.RULES,
    *links.finding_rules(
        {
            "missing-file": "A README code block uses a missing file.",
            "unknown-command": "A README code block runs a command that does not exist.",
            "missing-readme": "There is no README.",
            "missing-section": "The README lacks a section that newcomers need.",
            "missing-kind": "There is no document of this kind.",
        }
    ),
)


class _Shell:
    """Follows one block of commands: its current folder, and what each command needs."""

    def __init__(
        self, tree: RepositoryTree, text: str, manifests: Mapping[str, PackageManifest]
    ) -> None:
        self._tree = tree
        self._text = text
        self._manifests = manifests
        self._folder: str | None = tree.base
        """None when it is unknown, after `cd` to a folder that is not in the repository."""

    def check(self, line: str) -> Iterator[tuple[str, _Problem]]:
        """Yield the commands of a line that need something missing."""
        for command in re.split(r"(?<!\s)\s*+(?:&&|\|\||;|\|)\s*+", line):
            words = _words(command)
            if not words or self._folder is None:
                continue
            if words[0] == "cd":
                self._enter(words[1] if len(words) > 1 else "~")
                continue
            problem = self._problem(words)
            if problem is not None:
                yield command, problem

    def _enter(self, target: str) -> None:
        folder = posixpath.normpath(f"{self._folder}{target}")
        is_known = not _NOT_A_PATH.search(target) and folder in self._tree.folders
        self._folder = f"{folder}/" if is_known else None

    def _problem(self, words: Sequence[str]) -> _Problem | None:
        program, rest = words[0], words[1:]
        if program == "make":
            return self._make(rest)
        if program in _MANAGERS and rest[:1] == ["run"]:
            return self._script(rest[1:], program)
        if program == "npm" and rest[:1] in (["test"], ["t"]):
            return self._script(["test"], program)
        if program in {"pip", "pip3", "uv"} and "install" in rest and "-r" in rest[:-1]:
            return self._file(rest[rest.index("-r") + 1])
        if program.startswith("./"):
            return self._file(program)
        if program in {"python", "python3"} and rest[:1] == ["-m"] and len(rest) > 1:
            return self._module(rest[1])
        endings = _INTERPRETERS.get(program, "").split()
        if endings and rest and rest[0].endswith(tuple(endings)):
            return self._file(rest[0])
        return self._own_program(program)

    def _make(self, rest: Sequence[str]) -> _Problem | None:
        if any(it.startswith("-") for it in rest):
            return None
        makefile = make_targets(self._tree, str(self._folder))
        wanted = [it for it in rest if not _ASSIGNMENT.fullmatch(it) and not _NOT_A_PATH.search(it)]
        if makefile is None:
            generated = (
                "CMakeLists.txt",
                "configure",
                "configure.ac",
                "Makefile.in",
                "Makefile.PL",
            )
            if any(f"{self._folder}{it}" in self._tree.by_path for it in generated):
                return None
            return "unknown-command", f"There is no Makefile in {self._folder or '.'}"
        path, targets = makefile
        data = self._tree.read(path) or b""
        if b"\ninclude " in data or b"%" in data:
            return None
        unknown = next((it for it in wanted if it not in targets), None)
        return None if unknown is None else ("unknown-command", f"{path} has no target {unknown}")

    def _script(self, rest: Sequence[str], program: str) -> _Problem | None:
        manifest = self._manifests.get(f"{self._folder}package.json")
        names = [it for it in rest if not it.startswith("-")]
        is_filtered = any(it.startswith(("-w", "--workspace", "-F", "--filter")) for it in rest)
        if manifest is None or not names or is_filtered or _NOT_A_PATH.search(names[0]):
            return None
        name = names[0]
        known = {it.name for it in manifest.commands if it.kind == "script"}
        if name in known | _BUILTIN_SCRIPTS or not known:
            return None
        return "unknown-command", f"{manifest.path} has no script {name} for {program}"

    def _module(self, name: str) -> _Problem | None:
        """Check `python -m` with a module of a package in the repository."""
        top, _, _ = name.partition(".")
        for start in (self._folder, f"{self._folder}src/"):
            if f"{start}{top}/__init__.py" in self._tree.by_path:
                place = f"{start}{name.replace('.', '/')}"
                is_package = f"{place}/__init__.py" in self._tree.by_path
                wanted = f"{place}/__main__.py" if is_package else f"{place}.py"
                is_there = wanted in self._tree.by_path
                return None if is_there else ("missing-file", f"{wanted} does not exist")
        return None

    def _own_program(self, name: str) -> _Problem | None:
        """Check a command with the name of the package itself."""
        for manifest, rival in (("pyproject.toml", "setup.py"), ("package.json", "bin")):
            declared = self._manifests.get(f"{self._tree.base}{manifest}")
            if declared is None or declared.name is None or declared.name.lower() != name:
                continue
            # A file of that name may be the program, and setup.py or bin/ may declare it.
            is_elsewhere = (
                name in self._tree.stems or f"{self._tree.base}{rival}" in self._tree.by_path
            )
            programs = {it.name for it in declared.commands if it.kind == "executable"}
            if name not in programs and not is_elsewhere:
                return "unknown-command", f"{declared.path} declares no command {name}"
        return None

    def _file(self, written: str) -> _Problem | None:
        if _NOT_A_PATH.search(written):
            return None
        path = posixpath.normpath(f"{self._folder}{written}")
        name = posixpath.basename(path)
        is_mentioned = self._text.count(name) > 1
        if path.startswith("..") or is_mentioned or self._tree.exists(path):
            return None
        return "missing-file", f"{path} does not exist"


def check_claims(
    tree: RepositoryTree,
    path: str,
    text: str,
    document: Document,
    manifests: Sequence[PackageManifest],
    job: Job,
) -> list[DocumentationProblem]:
    """Return the missing files and commands that a README uses, each once."""
    by_path = {it.path: it for it in manifests}
    found: dict[_Problem, DocumentationProblem] = {}
    for block in document.blocks:
        if block.language in SHELLS and not _STARTS_ELSEWHERE.search(block.text):
            shell = _Shell(tree, text, by_path)
            for number, line in job.each(list(typed_lines(block)), "commands of the README"):
                for command, problem in shell.check(line):
                    rule, message = problem
                    text_shown = redact(f"{message}: {command[:_MAX_COMMAND_CHARS]}", path)
                    found.setdefault(
                        problem,
                        DocumentationProblem(
                            rule=rule, level="warning", message=text_shown, file=path, line=number
                        ),
                    )
    return list(found.values())


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        return []
    while words and (_ASSIGNMENT.fullmatch(words[0]) or words[0] in {"sudo", "time", "exec"}):
        words = words[1:]
    return words


class DocumentationFacts(Item):
    """Which documents exist; null is what there was no time for."""

    readme: ReadmeFacts | None
    documents: int | None
    kinds: list[KindOfDocument] | None
    """Documents of the four kinds of Diátaxis, by path and title."""
    api: ApiCoverage | None
    """Public functions and types with a doc comment."""


def check_documentation(
    tree: RepositoryTree, job: Job
) -> tuple[list[DocumentationProblem], DocumentationFacts]:
    """Check links, anchors, and the files and commands in README code blocks."""
    manifests, _ = read_manifests(tree, job)
    readme = read_readme(tree, job)
    documents = written_by_people(tree, find_documents(tree))
    has_licence = any(is_licence(tree.local(it.path)) for it in tree.files)
    facts = describe_readme(tree, readme, has_licence=has_licence) if readme else None
    kinds = sort_documents(tree, documents, readme, job)
    is_complete = tree.is_whole and not job.is_expired
    claims = _claims(tree, readme, manifests, job) if readme else []
    problems = [
        *(
            _problem(it.rule, "warning", it.message, it.file, it.line)
            for it in links.check_links(tree, job).problems
        ),
        *(_gaps(tree, facts, kinds) if is_complete else ()),
    ]
    is_late = job.is_expired
    if is_late:
        job.leave_out("how much of the public API has a doc comment")
    api = None if is_late else measure_api(tree.read_sources(job).files, tree.base)
    drifted = drift.find_drift(tree, manifests, job) if is_complete else []
    known = {(it.file, it.line) for it in drifted}
    claimed = [it for it in claims if (it.file, it.line) not in known]
    return [*drifted, *claimed, *problems], DocumentationFacts(
        readme=facts and facts.with_sections(_MAX_SECTIONS),
        documents=len(documents) if tree.is_whole else None,
        kinds=kinds if is_complete else None,
        api=api,
    )


def _claims(
    tree: RepositoryTree, readme: Readme, manifests: list[PackageManifest], job: Job
) -> list[DocumentationProblem]:
    if not is_markdown(readme.path):
        return []
    document = read_document(tree, tree.by_path[readme.path], job)
    if document is None:
        return []
    return check_claims(tree, readme.path, readme.text, document, manifests, job)


def _gaps(
    tree: RepositoryTree, readme: ReadmeFacts | None, kinds: list[KindOfDocument]
) -> Iterator[DocumentationProblem]:
    file = f"{tree.base}README.md" if readme is None else readme.path
    if readme is None:
        yield _problem(
            "missing-readme", "warning", f"There is no README in {tree.base or '.'}", file
        )
    for section in () if readme is None else readme.missing_sections:
        yield _problem("missing-section", "note", f"No section and no file covers {section}", file)
    for kind in kinds:
        if not kind.total:
            message = f"There is no {kind.kind} document, judging by paths, titles and sections"
            yield _problem("missing-kind", "note", message, file)


def _problem(
    rule: str, level: Level, message: str, file: str, line: int = 1
) -> DocumentationProblem:
    return DocumentationProblem(rule=rule, level=level, message=message, file=file, line=line)
