"""What is fuzzed: every reader of foreign text, as a function of bytes.

A reader may refuse its input with an error of its own; anything else that it raises is a bug. The
first line of the input chooses where a reader reads several formats.
"""

import tempfile
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPException
from io import BytesIO
from pathlib import Path, PurePosixPath

from artifact_kit import read_artifact_as, version_of
from benchpin.comments import _sidecar as sidecar
from benchpin.core.calls import Job, Permissions, covers
from benchpin.core.calls._permissions import matches
from benchpin.core.content import read_prompt
from benchpin.core.content._prompt import render
from benchpin.core.errors import BenchpinError
from benchpin.core.results import decode_cursor
from benchpin.core.text import path_of
from benchpin.facts import Import, languages
from benchpin.facts.imports import resolve_imports
from benchpin.facts.languages import detect_language
from benchpin.facts.parsing import extract
from benchpin.facts.preprocessor import mask
from benchpin.fleet._packs import DamagedPack
from benchpin.measures.coverage._contents import DamagedReport, LineBudget, read_lcov, read_xml
from benchpin.measures.coverage._database import read_database
from benchpin.measures.debt._sentences import read_sentences
from benchpin.measures.names import split_identifier
from benchpin.performance.collector._exchange import Failure
from benchpin.performance.findings._advice import first_step_for_plan
from benchpin.performance.formats import Plans
from benchpin.performance.reading import validate
from benchpin.performance.slowlog import digest_chunks, fingerprint, redact_log, redact_sql
from benchpin.project.bridges._scan import FileText
from benchpin.project.gate import baseline
from benchpin.repository import identify, is_generated, survey
from benchpin.repository._tree import Attributes
from benchpin.repository.documents._documents import parse, slug
from benchpin.repository.documents.documentation_check import check_documentation
from benchpin.repository.documents.links import check_links
from benchpin.repository.manifests import is_manifest, read_manifest
from benchpin.repository.packing import find_secrets, redact
from benchpin.run.checkers._checkers import UnreadableOutput
from benchpin.run.tests import ProjectView, RunnerOutput, UnreadableReport
from benchpin.run.tests._runners import RUNNERS, find_runners
from benchpin.system.formats import NotToml, parse_object, parse_toml
from benchpin.templates._parameters import compile_pattern as compile_parameter
from benchpin.templates.projects import read_record
from benchpin.templates.projects._provenance import read_base
from benchpin.toolsets.workspace._texts import Edit, changed
from benchpin.workspace.diffs import apply_patch, read_patch, unified_diff
from benchpin.workspace.git import read_settings
from benchpin.workspace.search import compile_line_pattern, compile_pattern
from benchpin.workspace.walking import IgnoreRules, byte_key, read_rules
from benchpin.workspace.walking._ignore import read_globs
from made_sources import made
from repository_kit import tree_of
from spx_kit import read_spx

from . import own_targets, project_targets, wire_targets
from .own_targets import named

NOW = datetime(2026, 1, 1, tzinfo=UTC)
_NAMES = ("a", "a.py", "src", "b c", "é", ".x", "A", "[")


@dataclass(frozen=True, slots=True)
class Target:
    """A reader, and the errors with which it may refuse its input."""

    read: Callable[[bytes], object]
    refusals: tuple[type[Exception], ...] = (BenchpinError,)

    def try_once(self, data: bytes) -> None:
        """Read an input; raises what is a bug."""
        with suppress(*self.refusals):
            self.read(data)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _match(rules: IgnoreRules) -> None:
    for name in _NAMES:
        inner = rules.enter(name)
        for each in (rules, inner):
            each.match_file(name)
            each.match_folder(name)


def _ignore(data: bytes) -> None:
    _match(IgnoreRules(byte_key).joined_by(read_rules(data)))
    _match(IgnoreRules().joined_by(read_globs(_text(data).split("\n"))))


def _permissions(data: bytes) -> None:
    pattern, rest = named(data)
    path = PurePosixPath(_text(rest).strip("/") or "a")
    matches(pattern, path)
    covers(pattern, path)


def _patterns(data: bytes) -> None:
    pattern, rest = named(data)
    compiled: Iterable[Callable[..., object]] = (compile_pattern, compile_line_pattern)
    for compile_ in compiled:
        for ignore_case in (False, True):
            found = compile_(pattern, ignore_case=ignore_case)
            list(found.finditer(rest))  # type: ignore[attr-defined]  # both return a pattern
    compile_parameter(pattern).fullmatch(_text(rest))


def _manifest(data: bytes) -> None:
    name, rest = named(data)
    if is_manifest(name):
        read_manifest(name, rest)


def _prompt(data: bytes) -> None:
    prompt = read_prompt("stem", _text(data))
    render(_text(data), {it.name: "x" for it in prompt.arguments})


def _sql(data: bytes) -> None:
    fingerprint(data)
    redact_sql(data)


def _databases(data: bytes) -> None:
    for kind in ("pg_stat_statements", "mysql_digests", "query_plan", "postgresql_log"):
        if version := version_of(data, kind):
            found = read_artifact_as(version, data)
            if isinstance(found, Plans):
                list(map(first_step_for_plan, found.plans))


def _slow_log(data: bytes) -> None:
    whole = digest_chunks([data], Job())
    pieces = [data[at : at + 7] for at in range(0, len(data), 7)]
    assert digest_chunks(pieces, Job()) == whole, "the chunks decide what is read"
    b"".join(redact_log(pieces))


def _spx(data: bytes) -> None:
    metadata, rest = named(data)
    read_spx(metadata.encode() or None, BytesIO(rest))


def _timings(data: bytes) -> None:
    if version := version_of(data, "ttfb_timings"):
        read_artifact_as(version, data)


def _profile(data: bytes) -> None:
    if version := version_of(data):
        read_artifact_as(version, data)


def _coverage(data: bytes) -> None:
    name, rest = named(data)
    read = {"xml": read_xml, "lcov": read_lcov}.get(name, read_database)
    read(rest, LineBudget(Job()))


def _secrets(data: bytes) -> None:
    text = _text(data)
    for path in ("a.py", "a.env"):
        find_secrets(text, path)
        redact(text, path)


def _markdown(data: bytes) -> None:
    document = parse(_text(data))
    for heading in document.headings:
        slug(heading.text)


def _code(data: bytes) -> None:
    language, rest = named(data)
    detect_language(f"a.{language}", lambda: rest)
    detect_language("a", lambda: rest)
    is_generated("a.js", rest)
    mask(rest)
    for known in ("c", "java", "javascript", "python", "go"):
        text = FileText("a", known, rest)
        assert len(text.bare) == len(text.code) == len(text.raw), "blanks keep the length"
    read_sentences(_text(rest))
    split_identifier(_text(rest))


def _repository(data: bytes) -> None:
    """Read one file of a repository by all that read repositories."""
    name, rest = named(data)
    parts = PurePosixPath(name).parts
    if not parts or ".." in parts or parts[0] == "/" or "\0" in name or max(map(len, parts)) > 99:
        return
    with tempfile.TemporaryDirectory() as folder:
        tree = tree_of(Path(folder) / "w", {"README.md": "# A\n\n[b](b.md)\n", name: rest})
        with closing(tree.session):
            survey(tree, "standard", Job(), NOW)
            check_links(tree, Job())
            check_documentation(tree, Job())


def _test_runs(data: bytes) -> None:
    """Read what a runner printed, and after a NUL its report; or a manifest, for its command."""
    name, rest = named(data)
    printed, _, report = rest.partition(b"\0")
    with tempfile.TemporaryDirectory() as folder:
        project = ProjectView(Path(folder), PurePosixPath(), Permissions())
        if name == "package.json":
            (Path(folder) / name).write_bytes(rest)
            for runner in find_runners(project):
                runner.command(project, ("a.test.js", "a b"))
        for runner in RUNNERS:
            if runner.name == name:
                outcome = RunnerOutput(_text(printed), _text(printed), 1, [("a", _text(report))])
                runner.read(outcome, project)


def _imports(data: bytes) -> None:
    """Resolve imports with a manifest of any content."""
    line, manifest = named(data)
    language, _, module = line.partition(" ")
    if language not in languages.NAMES:
        return
    paths = ("src/a.x", "src/b/c.x", "a/b.x")
    files = [made(path, language, Import(module, ("a",), 1, 0), types=["a"]) for path in paths]
    for resolutions in resolve_imports(files, lambda _path: manifest, Job()).values():
        for it in resolutions:
            assert set(it.files) <= set(paths), "an import leads to files that are there"


def _sources(data: bytes) -> None:
    language, rest = named(data)
    # The grammar of Kotlin hangs on some inputs, where nothing in this process can end it. Benchpin
    # parses in workers, which it kills after 20 s (docs/security.md, known limits).
    if language in languages.NAMES and language != "kotlin":
        extract(rest, language)


def _edits(data: bytes) -> None:
    """Edit a file: the old text is the second part, the new text the third."""
    content, _, rest = data.partition(b"\0")
    old, _, new = _text(rest).partition("\0")
    if old:
        edit = Edit(old_text=old, new_text=new)
        after = changed(content, [edit], "a.txt", Job())
        diff = unified_diff(_text(content), _text(after), "a.txt")
        assert bool(diff) == (_text(content) != _text(after)), "a change has a diff"


def _patches(data: bytes) -> None:
    """Read a patch, and apply it to the text before its first NUL."""
    content, _, patch = data.partition(b"\0")
    for part in read_patch(_text(patch)):
        apply_patch(content, part)


TARGETS: dict[str, Target] = {
    "anchors": Target(project_targets.anchors),
    "attributes": Target(lambda it: Attributes([("", _text(it))]).of("a/b.py")),
    "baseline": Target(lambda it: baseline.load(it, "a.json")),
    "bundles": Target(own_targets.bundle),
    "caches": Target(own_targets.cache),
    "checkers": Target(project_targets.checkers, (UnreadableOutput,)),
    "code": Target(_code),
    "coverage": Target(_coverage, (DamagedReport, BenchpinError)),
    "cursors": Target(lambda it: decode_cursor("list", _text(it))),
    "databases": Target(_databases),
    "detection": Target(lambda it: validate(BytesIO(it), "a")),
    "edge": Target(wire_targets.edge),
    "edits": Target(_edits),
    "fleet": Target(own_targets.fleet, (DamagedPack, BenchpinError)),
    "git_config": Target(lambda it: list(read_settings(it))),
    "git_objects": Target(project_targets.git_objects),
    "hook_events": Target(project_targets.hook_events),
    "host_configurations": Target(own_targets.host_configuration),
    "http": Target(wire_targets.http),
    "ignore_rules": Target(_ignore),
    "imports": Target(_imports),
    "journal": Target(own_targets.journal),
    "jsonc": Target(parse_object),
    "licences": Target(lambda it: identify("LICENSE", _text(it))),
    "lines": Target(wire_targets.lines),
    "manifests": Target(_manifest),
    "markdown": Target(_markdown),
    "patches": Target(_patches),
    "patterns": Target(_patterns),
    "permissions": Target(_permissions),
    "prompts": Target(_prompt),
    "provenance": Target(read_record),
    "references": Target(project_targets.references),
    "repository": Target(_repository),
    "responses": Target(wire_targets.responses, (Failure, HTTPException, OSError)),
    "scaffold_base": Target(read_base),
    "secrets": Target(_secrets),
    "settings": Target(own_targets.settings),
    "sidecars": Target(lambda it: sidecar.parse(it).comments),
    "slow_logs": Target(_slow_log),
    "snapshots": Target(own_targets.snapshots),
    "sources": Target(_sources),
    "profile": Target(_profile, (BenchpinError,)),
    "spx": Target(_spx),
    "statements": Target(_sql),
    "structure": Target(project_targets.structure),
    "templates": Target(own_targets.templates),
    "test_runs": Target(_test_runs, (UnreadableReport, BenchpinError)),
    "timings": Target(_timings),
    "toml": Target(parse_toml, (NotToml,)),
    "uris": Target(lambda it: path_of(_text(it))),
    "websocket": Target(wire_targets.websocket),
}
"""By name; the corpus of each is a folder of that name."""


def try_any(data: bytes) -> None:
    """Give the target that the first line names the rest of the input."""
    name, rest = named(data)
    if name in TARGETS:
        TARGETS[name].try_once(rest)
