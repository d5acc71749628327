"""The record of what a project was generated from, so that it can be compared and updated later.

`.benchpin/scaffold.toml` has the templates, the parameters and the hash of each file;
`.benchpin/scaffold.base.json` has the contents by their hashes, from which an update merges.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

import msgspec

from benchpin._version import __version__
from benchpin.system.formats import NotToml, parse_toml
from benchpin.templates import RenderedFile, rendered_file, toml_literal

from ._scaffolding import Scaffold

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
    """Return the file with the record."""
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
