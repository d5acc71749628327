"""A scaffolded project: the record of what it was generated from, and its files then and now.

`.benchpin/scaffold.toml` has the templates, the parameters and the hash of each file;
`.benchpin/scaffold.base.json` has the contents by their hashes, from which an update merges.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path, PurePosixPath

import msgspec

from benchpin._version import __version__
from benchpin.code.changes import MIN_SIMILARITY, similarity
from benchpin.core.calls import Job
from benchpin.core.errors import AccessDenied, BenchpinError, FileMissing, InvalidParams
from benchpin.system.formats import NotToml, parse_toml
from benchpin.templates import RenderedFile, rendered_file, toml_literal
from benchpin.workspace.files import opened
from benchpin.workspace.git import Repository, find_head, find_repository
from benchpin.workspace.git_objects import list_commits, open_objects
from benchpin.workspace.walking import SourceFile, WalkOptions, walk

from ._scaffolding import Scaffold

_MAX_BYTES = 16 << 20
# Files that are read to find one that was moved.
_MAX_COMPARED_FILES = 500
_LOG = ("--no-renames", "--no-merges", "--max-count=1000")
PROVENANCE_PATH = ".benchpin/scaffold.toml"
BASE_PATH = ".benchpin/scaffold.base.json"
MAX_FILES = 2_000
MAX_TEMPLATES = 100
MAX_RECORD_BYTES = 1 << 20
# More than the files of a few templates together, which may have 4 MiB each.
MAX_BASE_BYTES = 16 << 20
# Those that are read; the last one is written. Format 1 has no `source`, `moved_to` and
# `executable`, and no contents beside it.
FORMATS = (1, 2)
BASE_FORMAT = 1
_TITLE = "# What this project was generated from; Benchpin compares it with the current files."


class RecordedTemplate(msgspec.Struct, frozen=True):
    """A template, as it was when the project was generated."""

    uri: str
    version: str
    origin: str


class RecordedFile(msgspec.Struct, frozen=True):
    """A generated file."""

    path: str
    template: str
    sha256: str
    source: str = ""
    """The Jinja2 source: it tells a renamed file from a new one."""
    is_executable: bool = msgspec.field(default=False, name="executable")
    moved_to: str = ""
    """Where the user has moved it, as the last update found it."""

    @property
    def place(self) -> str:
        """Where the file is in the project."""
        return self.moved_to or self.path


class ProjectRecord(msgspec.Struct, frozen=True):
    """What a project was generated from."""

    format: int
    benchpin: str
    toolchain: str
    variant: str
    parameters: dict[str, str | int | bool]
    templates: list[RecordedTemplate]
    files: list[RecordedFile]


def record_of(project: Scaffold) -> ProjectRecord:
    """Return the record of a generated project."""
    return ProjectRecord(
        FORMATS[-1],
        __version__,
        project.toolchain,
        project.variant,
        {name: it for name, it in sorted(project.parameters.items()) if it is not None},
        [RecordedTemplate(it.uri, it.version, it.origin) for it in project.templates],
        [recorded(it) for it in project.files],
    )


def recorded(file: RenderedFile) -> RecordedFile:
    """Return what is recorded of a generated file."""
    return RecordedFile(file.path, file.template, file.sha256, file.source, file.is_executable)


def provenance(record: ProjectRecord) -> RenderedFile:
    lines = [
        _TITLE,
        f"format = {record.format}",
        f"benchpin = {toml_literal(record.benchpin)}",
        f"toolchain = {toml_literal(record.toolchain)}",
        f"variant = {toml_literal(record.variant)}",
        "",
        "[parameters]",
        *_table(record.parameters),
    ]
    for template in record.templates:
        lines += ["", "[[templates]]", *_table(msgspec.to_builtins(template))]
    for file in record.files:
        values = msgspec.to_builtins(file)
        lines += ["", "[[files]]", *_table({key: it for key, it in values.items() if it})]
    return rendered_file(PROVENANCE_PATH, "\n".join((*lines, "")), "")


def base_file(contents: Iterable[bytes]) -> RenderedFile:
    """Return the file with the generated contents; those that do not fit are left out."""
    left, kept = MAX_BASE_BYTES // 2, {}  # JSON may double them
    for content in contents:
        left -= len(content)
        if left >= 0:
            kept[hashlib.sha256(content).hexdigest()] = content.decode()
    written = json.dumps({"format": BASE_FORMAT, "contents": kept}, indent=0, sort_keys=True)
    return rendered_file(BASE_PATH, f"{written}\n", "")


def read_base(content: bytes | None) -> dict[str, bytes]:
    """Return the generated contents by hash; what is damaged or of a newer format is left out."""
    try:
        table = json.loads(content or b"{}")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(table, dict) or table.get("format") != BASE_FORMAT:
        return {}
    contents = table.get("contents")
    texts = contents.values() if isinstance(contents, dict) else ()
    found = (it.encode(errors="replace") for it in texts if isinstance(it, str))
    return {hashlib.sha256(it).hexdigest(): it for it in found}


def read_record(content: bytes) -> ProjectRecord | str:
    """Return the record, or why it cannot be used."""
    if len(content) > MAX_RECORD_BYTES:
        return f"it has more than {MAX_RECORD_BYTES} bytes"
    try:
        tables = parse_toml(content)
    except NotToml as error:
        return f"it is not TOML: {error}"
    written = tables.get("format")
    if written not in FORMATS:
        is_newer = isinstance(written, int) and written > FORMATS[-1]
        hint = "; a newer Benchpin wrote it: update this one" if is_newer else ""
        return f"its format is {written!r:.50}; this Benchpin reads up to {FORMATS[-1]}{hint}"
    try:
        record = msgspec.convert(tables, ProjectRecord)
    except msgspec.ValidationError as error:
        return f"it is incomplete or has wrong types: {error}"
    return _excess(record) or record


def _excess(record: ProjectRecord) -> str:
    """Return which limit the record exceeds, or what it lists twice; empty when neither."""
    if len(record.files) > MAX_FILES:
        return f"it names {len(record.files)} files, more than {MAX_FILES}"
    if len(record.templates) > MAX_TEMPLATES:
        return f"it names {len(record.templates)} templates, more than {MAX_TEMPLATES}"
    return _repeated([str(PurePosixPath(it.path)) for it in record.files]) or _repeated(
        [it.uri for it in record.templates]
    )


def _repeated(names: Sequence[str]) -> str:
    [(name, times)] = Counter(names).most_common(1) or [("", 1)]
    return f"it names {name!r:.200} {times} times" if times > 1 else ""


def _table(values: Mapping[str, str | int | bool]) -> list[str]:
    return [f"{name} = {_literal(value)}" for name, value in values.items()]


def _literal(value: str | int | bool) -> str:  # noqa: FBT001 - a value of any parameter
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else toml_literal(value)


class GeneratedProject:
    """Reads a project in a folder of a workspace.

    `may` says which paths of the workspace may be read; its history may also be in `git_folders`.
    """

    def __init__(
        self,
        root: Path,
        folder: PurePosixPath,
        job: Job,
        *,
        may: Callable[[str], bool] = lambda _path: True,
        git_folders: tuple[Path, ...] = (),
    ) -> None:
        self.root = root
        self._folder = folder
        self._job = job
        self._may = may
        self._git_folders = git_folders

    def path(self, name: str) -> str:
        """Return the path from the root of the workspace."""
        return str(self._folder / name)

    def read(self, name: str, most_bytes: int = _MAX_BYTES) -> bytes | None:
        """Return the content of a file; None when there is none.

        Raises:
            PathError: when it cannot be read, or is not a regular file.
        """
        path = self.path(name)
        if not self._may(path):
            raise AccessDenied(
                f"May not read {path!r}: the permissions deny it",
                suggestion="Allow it in resource_permissions, or move the file away.",
                data={"path": path},
            )
        try:
            with opened(self.root, self._folder / name, most_bytes) as file:
                return file.read(most_bytes)
        except FileMissing:
            return None

    def record(self) -> ProjectRecord:
        """Return what the project was generated from.

        Raises:
            InvalidParams: when there is no record, or it cannot be used.
        """
        content = self.read(PROVENANCE_PATH, MAX_RECORD_BYTES + 1)
        if content is None:
            raise InvalidParams(
                f"{self._folder} has no {PROVENANCE_PATH}, so what it comes from is not known",
                suggestion="Name a folder that scaffold_project has written.",
                data={"path": self.path(PROVENANCE_PATH)},
            )
        record = read_record(content)
        if isinstance(record, str):
            raise InvalidParams(
                f"{self.path(PROVENANCE_PATH)} cannot be used: {record}",
                suggestion="Restore it from version control, or update Benchpin.",
            )
        return record

    def generated(self, file: RecordedFile) -> bytes | None:
        """Return the content that was generated; None when it was not kept.

        Projects of the first format have no copy, but most have committed what was generated.
        """
        found = self._kept.get(file.sha256)
        return found if found is not None else self._committed(file)

    @cached_property
    def _kept(self) -> Mapping[str, bytes]:
        return read_base(self.read(BASE_PATH, MAX_BASE_BYTES))

    @cached_property
    def _repository(self) -> Repository | None:
        try:
            return find_repository(self.root / self._folder, self.root, self._git_folders)
        except BenchpinError:
            return None

    def _committed(self, file: RecordedFile) -> bytes | None:
        repository = self._repository
        if repository is None:
            return None
        inside = repository.prefix + self.path(file.path).removeprefix(repository.mount)
        try:
            head = find_head(repository, self._job)
            if head is None:
                return None
            commits = list_commits(repository, _LOG, (head,), (inside,), self._job)
            ids = [(it.old_id, it.id) for commit in commits for it in commit.raw]
            with open_objects(repository, self._job) as objects:
                names = dict.fromkeys(chain.from_iterable(ids))
                contents = (it for it in objects.read_each(names) if it is not None)
                return next(
                    (it for it in contents if hashlib.sha256(it).hexdigest() == file.sha256), None
                )
        except BenchpinError:  # no git, or a history that may not be read
            return None

    def find_moved(self, file: RecordedFile, known: frozenset[str]) -> str:
        """Return where a file is that is no longer at its path; empty when it is nowhere.

        It is the same content, or a similar one under the same name. Paths in `known` are other
        files of the templates.
        """
        base = self.generated(file)
        if base is None:
            return ""
        name = PurePosixPath(file.path).name
        alike: list[tuple[float, str]] = []
        candidates = [
            it
            for it in self._present
            if it.path not in known
            and (it.size_bytes == len(base) or PurePosixPath(it.path).name == name)
        ]
        for candidate in candidates[:_MAX_COMPARED_FILES]:
            self._job.check()
            try:
                content = self.read(candidate.path) or b""
            except BenchpinError:
                continue
            if content == base:
                return candidate.path
            if PurePosixPath(candidate.path).name == name:
                alike.append((similarity(base, content), candidate.path))
        score, path = max(alike, default=(0.0, ""))
        return path if score >= MIN_SIMILARITY else ""

    @cached_property
    def _present(self) -> list[SourceFile]:
        folder = self.root / self._folder
        return walk(folder, ".", WalkOptions(), self._job).files
