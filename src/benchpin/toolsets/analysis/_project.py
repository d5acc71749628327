"""The project that a call means, whose measures all analyses share."""

from dataclasses import replace

from benchpin.core import Bench, Operation
from benchpin.engines.insight.project import Project, Site
from benchpin.engines.source.index import Section, SourceQuery, Sources, index_of
from benchpin.engines.source.path_filter import PathFilter
from benchpin.engines.source.walk import SourceFile, WalkOptions

from ._manifests import manifest_reader
from ._selection import SelectionParams, read_permitted, read_sources


def project_of(
    params: SelectionParams, bench: Bench, toolchain: str | None = None, *, hurries: bool = False
) -> Project:
    """Return the project that a call means; files that are to be measured anew are so now.

    A tool of many measures `hurries`: it begins none once the time is up.

    Raises:
        Cancelled: when the job was cancelled.
        InvalidParams: when there is no such toolchain.
        PathError: when the path is not there, or may not be read.
    """
    place, root = bench.existing(params.project_path), bench.workspace.root
    is_fresh = params.cache_strategy == "force-refresh"
    if is_fresh:
        read_sources(params, bench, toolchain=toolchain)
        params = params.model_copy(update={"cache_strategy": "normal"})
    start = "" if place == root else str(bench.workspace.relative(place))
    paths = PathFilter(start, params.include_patterns, params.exclude_patterns)

    def may(path: str) -> bool:
        return bench.may(path, Operation.READ)

    def choose(sections: tuple[Section, ...]) -> Sources:
        return read_sources(params, bench, sections, toolchain)

    def survey(sections: tuple[Section, ...]) -> Sources:
        found = _read_workspace(params, bench, sections)
        known = {file.path for file in found.files}
        is_whole = all(file.path in known for file in choose(("outline",)).files)
        return found if is_whole else _joined(found, choose(sections))

    def around() -> Project:
        everything = {"project_path": ".", "include_patterns": (), "max_depth": None}
        return project_of(params.model_copy(update=everything), bench, hurries=hurries)

    def others() -> list[SourceFile]:
        return index_of(root, bench.cache_dir).others(WalkOptions(), bench.job, may)

    return Project(
        Site(
            root=root,
            folder=place if place.is_dir() else place.parent,
            cache_dir=bench.cache_dir,
            choose=choose,
            survey=survey,
            around=around,
            others=others,
            accepts=lambda path: paths.accepts(path) and may(path),
            may=may,
            read=manifest_reader(bench),
            now=bench.now(),
            job=bench.job,
            is_fresh=is_fresh,
            hurries=hurries,
        )
    )


def _read_workspace(
    params: SelectionParams, bench: Bench, sections: tuple[Section, ...]
) -> Sources:
    """Return everything that could use something, whatever part of it is asked about."""
    query = SourceQuery(
        start=".",
        options=WalkOptions(include_vendored=params.include_generated),
        sections=sections,
        strategy=params.cache_strategy,
        workers=params.parallel,
    )
    return read_permitted(query, bench)


def _joined(sources: Sources, chosen: Sources) -> Sources:
    """Add files that no walk over the workspace finds, such as one in a vendor folder."""
    files = {file.path: file for file in (*sources.files, *chosen.files)}
    return replace(sources, files=[file for _, file in sorted(files.items())])
