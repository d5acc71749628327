from benchpin.core import Job
from benchpin.engines.metrics.graph import METRICS, study_graph
from made_sources import parsed, reader_of

TEXTS = {"a.ts": "import { b } from 'lib/b';\nb();\n", "src/b.ts": "export function b() {}\n"}
CONFIG = '{"compilerOptions": {"paths": {"lib/*": ["./src/*"]}}}'


def test_a_graph_is_not_built_again_while_nothing_changed() -> None:
    files, read = parsed(TEXTS), reader_of({"tsconfig.json": CONFIG})
    first = study_graph(files, read, "import-graph", Job())
    assert study_graph(list(files), read, "import-graph", Job()) is first
    assert study_graph(files, read, "call-graph", Job()) is not first
    assert len(first.graph.edges) == 1


def test_a_graph_is_built_anew_when_a_file_changed() -> None:
    files, read = parsed(TEXTS), reader_of({"tsconfig.json": CONFIG})
    first = study_graph(files, read, "import-graph", Job())
    changed = [files[0], *parsed({"src/b.ts": "import '../a';\n"})]
    second = study_graph(changed, read, "import-graph", Job())
    assert (len(first.graph.edges), len(second.graph.edges)) == (1, 2)


def test_a_graph_is_built_anew_when_a_manifest_changed() -> None:
    files = parsed(TEXTS)
    study_graph(files, reader_of({"tsconfig.json": CONFIG}), "import-graph", Job())
    assert not study_graph(files, reader_of({}), "import-graph", Job()).graph.edges


def test_a_graph_that_time_cut_short_is_not_kept() -> None:
    files, read = parsed(TEXTS), reader_of({"tsconfig.json": CONFIG})
    hurried = study_graph(files, read, "import-graph", Job(time_limit_s=0))
    assert not hurried.graph.edges
    assert len(study_graph(files, read, "import-graph", Job()).graph.edges) == 1


def test_the_same_measures_are_not_taken_twice() -> None:
    study = study_graph(parsed(TEXTS), reader_of({"tsconfig.json": CONFIG}), "import-graph", Job())
    first = study.measure(METRICS, Job(), seeds=(), damping=0.85)
    assert study.measure(METRICS, Job(), seeds=(), damping=0.85) is first
    other = study.measure(METRICS, Job(), seeds=(0,), damping=0.85)
    assert other.pageranks != first.pageranks
