"""The reduce step: the facts of one repository in, its tables out.

Tables are Parquet files with one row for each file, symbol, import, finding and dependency, and one
for the repository. They follow from the commit and the version of the engine alone: measured again,
here or elsewhere, they are the same bytes.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.facts import FileFacts, Outline
from benchpin.facts.imports import resolve_imports
from benchpin.facts.store import DECODERS, AnySection
from benchpin.facts.workers import WorkerPool
from benchpin.measures.churn import FileChurn, measure_churn
from benchpin.measures.complexity import Thresholds, find_violations, measure_file
from benchpin.measures.complexity import as_finding as complexity_finding
from benchpin.measures.debt import as_finding as debt_finding
from benchpin.measures.debt import find_debt
from benchpin.measures.debt_gradient import Coupling
from benchpin.measures.history import History
from benchpin.project.defects import ProjectDefects
from benchpin.repository import identify
from benchpin.repository.manifests import DamagedManifest, complete, is_unread, read_manifest
from benchpin.system.formats import Cell
from benchpin.workspace.git import Repository

from ._members import Member
from ._packs import DamagedPack, PackedSections, Where, read_facts
from ._place import Place, StoreFails, open_place
from ._risk import PERIOD, basis_of, coupling_of, fingerprints_of, predict_risk, read_changes
from ._schema import TABLES, TableWriter
from ._sources import Contents, MemberTree, TreeFile, open_source
from ._steps import BlobFacts

# Files whose facts are unpacked at the same time: of each about 100 kB, of some a megabyte.
_AT_ONCE = 100
_MAX_MANIFEST_BYTES = 1 << 20


class MemberOrder(msgspec.Struct, frozen=True):
    """One repository to reduce."""

    member: Member
    """The repository, which every worker finds under the same path."""
    commit: str
    place: str
    """The address of the place."""
    engine: str
    """The version of the engine that computed the facts."""
    tables: str
    """Where in the place its tables go."""
    where: tuple[Where, ...]
    """Where the facts of its blobs are."""


class Reduced(msgspec.Struct, frozen=True):
    """What became of an order."""

    name: str
    damaged: str = ""
    """A pack whose facts must be computed again, before this is tried again."""
    problem: str = ""
    """Why it has no tables; empty if it has."""


def reduce_member(order: MemberOrder, pool: WorkerPool) -> Reduced:
    """Write the tables of a repository.

    Raises:
        StoreFails: when the place cannot be read or written.
    """
    pool.rest()  # nothing is parsed here, and a process that has parsed holds 120 MB
    place = open_place(order.place)
    try:
        tables = _tables(order, place)
    except DamagedPack as error:
        return Reduced(order.member.name, damaged=str(error))
    except StoreFails:
        raise
    except BenchpinError as error:
        return Reduced(order.member.name, problem=error.message)
    for name, table in tables.items():
        place.put(f"{order.tables}{name}.parquet", table)
    return Reduced(order.member.name)


def _tables(order: MemberOrder, place: Place) -> dict[str, bytes]:
    job = Job()
    member = order.member
    source = open_source(member.path)
    tree = source.tree(order.commit, member.may_read, job)
    with source.opened(job) as contents:
        return _Reduction(order, tree, contents, source.repository).tables(place, job)


class _Reduction:
    """Computes the tables of one repository."""

    def __init__(
        self,
        order: MemberOrder,
        tree: MemberTree,
        contents: Contents,
        repository: Repository | None,
    ) -> None:
        self._name = order.member.name
        self._order = order
        self._tree = tree
        self._contents = contents
        self._repository = repository
        self._tables = {name: TableWriter(columns) for name, columns in TABLES.items()}
        self._files: dict[str, dict[str, Cell]] = {}
        """What is known of each file so far, by path."""
        self._totals: Counter[str] = Counter()

    def tables(self, place: Place, job: Job) -> dict[str, bytes]:
        """Return every table as a Parquet file."""
        history = read_changes(self._repository, job)
        head, churn = _changes(history)
        files = self._measure_files(place, churn, job)
        coupling = self._add_imports(files, job)
        paths = [it.path for it in self._tree.code]
        risk = predict_risk(files, coupling, history, self._repository, paths, job)
        self._add_risk(risk)
        head["risk_basis"] = basis_of(risk)
        self._add_dependencies()
        for cells in self._files.values():
            self._add("files", **cells)
        self._add_repository(head)
        return {name: table.finish() for name, table in self._tables.items()}

    def _add(self, table: str, **cells: Cell) -> None:
        self._tables[table].add({"repository": self._name, **cells})

    def _measure_files(
        self, place: Place, churn: Mapping[str, FileChurn], job: Job
    ) -> list[FileFacts]:
        """Add what follows from single files; return what is needed of all at once."""
        where = {it.key: it for it in self._order.where}
        kept: list[FileFacts] = []
        packed = PackedSections()
        code = self._tree.code
        for first in range(0, len(code), _AT_ONCE):
            some = code[first : first + _AT_ONCE]
            keys = {it.key for it in some}
            known = read_facts(place, self._order.engine, [where[key] for key in sorted(keys)])
            facts = [(it, known[it.key]) for it in some]
            decoded = {it.path: _decoded(it, found) for it, found in facts if not found.problem}
            for tree_file, found in facts:
                self._add_file(
                    tree_file, found, decoded.get(tree_file.path), churn.get(tree_file.path)
                )
            written = [it for it in decoded.values() if not it.outline.is_generated]
            self._add_findings(written, job)
            sections = {it.path: found.sections for it, found in facts}
            for file in written:
                self._add_symbols(file)
                self._count(file.outline)
                kept.append(packed.keep(file, sections[file.path]))
        return kept

    def _count(self, outline: Outline) -> None:
        self._totals["files"] += 1
        self._totals["code_lines"] += outline.code_lines
        self._totals["functions"] += len(outline.functions)

    def _add_file(
        self,
        tree_file: TreeFile,
        found: BlobFacts,
        file: FileFacts | None,
        changes: FileChurn | None,
    ) -> None:
        if found.problem and not found.language:
            return
        cells: dict[str, Cell] = {
            "path": tree_file.path,
            "blob": tree_file.blob,
            "language": found.language,
        }
        cells |= {"size_bytes": found.size_bytes, "problem": found.problem or None}
        if file is not None:
            outline = file.outline
            measures = measure_file(outline)
            functions = outline.functions
            cells |= {
                "lines": outline.lines,
                "code_lines": outline.code_lines,
                "comment_lines": outline.comment_lines,
                "functions": len(functions),
                "cyclomatic": measures.cyclomatic,
                "max_cyclomatic": max((it.cyclomatic for it in functions), default=0),
                "max_cognitive": max((it.cognitive for it in functions), default=0),
                "maintainability": round(measures.maintainability_index, 2),
                "problem": "generated" if outline.is_generated else None,
            }
        if changes is not None:
            cells |= {
                "commits": changes.commit_count,
                "authors": changes.unique_authors,
                "owner": changes.authors[0].name if changes.authors else None,
                "last_change": changes.last_modified,
            }
        self._totals["unmeasured"] += cells["problem"] is not None
        self._files[tree_file.path] = cells

    def _add_findings(self, files: Sequence[FileFacts], job: Job) -> None:
        found = [
            *map(complexity_finding, find_violations(files, Thresholds())),
            *map(debt_finding, find_debt(files, job).items),
        ]
        self._totals["findings"] += len(found)
        self._totals["errors"] += sum(it.level == "error" for it in found)
        for finding in sorted(found, key=lambda it: (it.path, it.line, it.rule, it.message)):
            self._add(
                "findings",
                path=finding.path,
                line=finding.line,
                rule=finding.rule,
                level=finding.level,
                message=finding.message,
            )

    def _add_symbols(self, file: FileFacts) -> None:
        outline = file.outline
        for function, print_ in zip(outline.functions, fingerprints_of(file), strict=True):
            self._add(
                "symbols",
                path=file.path,
                name=function.name,
                kind=function.kind,
                line=function.line,
                end_line=function.end_line,
                is_public=function.is_public,
                cyclomatic=function.cyclomatic,
                cognitive=function.cognitive,
                tokens=function.last_token - function.first_token,
                fingerprint=print_ or None,
            )
        for declared_type in outline.types:
            self._add(
                "symbols",
                path=file.path,
                name=declared_type.name,
                kind=declared_type.kind,
                line=declared_type.line,
                end_line=declared_type.end_line,
                is_public=declared_type.is_public,
            )

    def _add_imports(self, files: Sequence[FileFacts], job: Job) -> dict[str, Coupling]:
        """Add the imports; return how the files depend on one another."""
        resolved = resolve_imports(files, self._read, job)
        for file in files:
            pairs = zip(file.links.imports, resolved.get(file.path, ()), strict=False)
            for imported, resolution in pairs:
                targets = resolution.files or (None,)
                module = "." * imported.level + imported.module
                for name in imported.names or (None,):
                    self._add(
                        "imports",
                        path=file.path,
                        line=imported.line,
                        module=module,
                        name=name,
                        kind=imported.kind,
                        target=targets[0],
                    )
        return coupling_of(resolved)

    def _add_risk(self, found: ProjectDefects) -> None:
        """Add how likely files need a bug fix."""
        for risk in found.files:
            self._files[risk.file] |= {"defect_risk": risk.probability, "risk_reason": risk.reason}

    def _read(self, path: str) -> bytes | None:
        """Return the beginning of a file, or the names in a folder, for what resolves imports."""
        if path == "" or path.endswith("/"):
            return "\n".join(self._tree.names_in(path)).encode()
        if not path.isprintable() or not self._order.member.may_read(path):
            return None
        content = self._contents.read_path(self._tree.commit, path)
        return None if content is None else content[:_MAX_MANIFEST_BYTES]

    def _add_dependencies(self) -> None:
        manifests = []
        found = self._contents.read_each(self._tree.manifests)
        for tree_file, content in zip(self._tree.manifests, found, strict=True):
            read = read_manifest(tree_file.path, content[:_MAX_MANIFEST_BYTES]) if content else None
            if isinstance(read, DamagedManifest):
                self._add_unread(read.path, read.line or 1, read.reason)
            elif read is not None:
                manifests.append(read)
        for path in filter(is_unread, self._tree.paths):
            self._add_unread(path, 1, "manifests of this kind are not read")
        for manifest in complete(manifests):
            for declared in manifest.dependencies:
                self._add(
                    "dependencies",
                    path=declared.path,
                    line=declared.line,
                    ecosystem=declared.ecosystem,
                    name=declared.name,
                    version=declared.version,
                    kind=declared.kind,
                )

    def _add_unread(self, path: str, line: int, reason: str) -> None:
        """Name a manifest whose dependencies are not known: no rows would read as none."""
        message = f"Its dependencies are not known: {reason}"
        rule, level = "unread-manifest", "note"
        self._add("findings", path=path, line=line, rule=rule, level=level, message=message)

    def _add_repository(self, head: Mapping[str, Cell]) -> None:
        totals = ("files", "code_lines", "functions", "findings", "errors", "unmeasured")
        self._add(
            "repositories",
            commit=self._tree.commit,
            licence=next(self._licences(), None),
            **{name: self._totals[name] for name in totals},
            **head,
        )

    def _licences(self) -> Iterator[str]:
        licences = self._tree.licences
        for tree_file, content in zip(licences, self._contents.read_each(licences), strict=True):
            text = (content or b"").decode("utf-8", "replace")
            found = identify(tree_file.path, text[:_MAX_MANIFEST_BYTES]).spdx
            if found is not None:
                yield found


def _changes(history: History) -> tuple[dict[str, Cell], dict[str, FileChurn]]:
    """Return what is known of the year before the newest commit, and the changes of each file."""
    if not history.commits:
        return {}, {}
    newest = history.commits[0].time
    commits = tuple(it for it in history.commits if it.time >= newest - PERIOD)
    churn = measure_churn(replace(history, commits=commits), newest)
    head: dict[str, Cell] = {
        "committed_at": newest,
        "commits": len(commits),
        "authors": len({it.author for it in commits}),
    }
    return head, {it.path: it for it in churn.files}


def _decoded(tree_file: TreeFile, found: BlobFacts) -> FileFacts:
    sections: dict[str, AnySection] = {
        name: DECODERS[name](data) for name, data in found.sections.items()
    }
    return FileFacts(
        tree_file.path, found.language, found.size_bytes, sections, tree_file.key.encode()
    )
