from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench
from benchpin.core.calls import Job
from benchpin.core.content import ResourceLink, Text
from benchpin.core.errors import InvalidParams, InvalidPath
from benchpin.measures.history import History, read_history
from benchpin.repository import RepositoryTree
from benchpin.repository.packing import count_tokens
from benchpin.toolsets.repository.analyze_repository import (
    RepositoryParams,
    RepositoryReport,
    analyze_repository,
)
from repositories import START, Tree
from repository_kit import NODE_MONOREPO, PYTHON_LIBRARY, write_files


def analyze(shop: Workbench, **params: object) -> RepositoryReport:
    return shop.run(analyze_repository, RepositoryParams.model_validate({"path": ".", **params}))


def test_quick_reads_no_file(
    shop: Workbench, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_tree: RepositoryTree, path: str, _max_bytes: int = 0) -> bytes:
        pytest.fail(f"{path} was read")

    monkeypatch.setattr(RepositoryTree, "read", refuse)
    write_files(workspace, PYTHON_LIBRARY)
    report = analyze(shop, depth="quick")
    assert report.structure.files == 14
    assert next(it.language for it in report.structure.languages or ()) == "Python"
    assert report.structure.lines is None
    assert report.dependencies is None
    assert report.not_measured["dependencies"] == "depth quick reads names only"


def test_deep_adds_what_the_commits_of_a_year_say(shop: Workbench, workspace: Path) -> None:
    shop.bench = replace(shop.bench, now=lambda: START + timedelta(days=365))
    tree = Tree(workspace)
    tree.commit(PYTHON_LIBRARY_BYTES)
    tree.commit({"src/parcel/cli.py": b"x = 1\n"})
    report = analyze(shop, depth="deep")
    assert report.history is not None
    assert (report.history.since, report.history.commits) == ("2026-01-01", 2)
    assert report.history.authors == 1
    assert report.history.most_changed is not None
    assert report.history.most_changed[0] == "src/parcel/cli.py: 2"


def test_a_clone_that_lacks_the_contents_of_files_knows_the_most_changed(
    shop: Workbench, workspace: Path
) -> None:
    shop.bench = replace(shop.bench, now=lambda: START + timedelta(days=365))
    tree = Tree(workspace)
    for number in range(3):
        tree.commit({"a.py": b"x = %d\n" % number})
    blob = tree.git("rev-parse", "HEAD~1:a.py").decode().strip()
    (workspace / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    report = analyze(shop, depth="deep")
    assert report.history is not None
    assert (report.history.commits, report.history.most_changed) == (3, ["a.py: 3"])


def test_a_clone_that_lacks_trees_says_so_and_counts_commits(
    shop: Workbench, workspace: Path
) -> None:
    shop.bench = replace(shop.bench, now=lambda: START + timedelta(days=365))
    tree = Tree(workspace)
    for number in range(3):
        tree.commit({"a.py": b"x = %d\n" % number})
    lost = tree.git("rev-parse", "HEAD~1^{tree}").decode().strip()
    (workspace / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    report = analyze(shop, depth="deep")
    assert report.history is not None
    assert (report.history.commits, report.history.most_changed) == (3, None)
    assert "git failed" in report.not_measured["most_changed"]
    assert not report.partial


def test_a_folder_has_the_commits_that_changed_it(shop: Workbench, workspace: Path) -> None:
    shop.bench = replace(shop.bench, now=lambda: START + timedelta(days=365))
    tree = Tree(workspace)
    tree.commit({"lib/a.py": b"x = 1\n", "lib2/b.py": b"x = 1\n"})
    tree.commit({"lib2/b.py": b"x = 2\n"})
    tree.commit({"lib/a.py": b"x = 2\n"})
    history = analyze(shop, path="lib", depth="deep").history
    assert history is not None
    assert (history.commits, history.most_changed) == (2, ["lib/a.py: 2"])
    whole = analyze(shop, depth="deep").history
    assert whole is not None
    assert whole.commits == 3


def test_a_repository_within_the_workspace_has_all_its_commits(
    shop: Workbench, workspace: Path
) -> None:
    shop.bench = replace(shop.bench, now=lambda: START + timedelta(days=365))
    (workspace / "sub").mkdir()
    tree = Tree(workspace / "sub")
    tree.commit({"a.py": b"x = 1\n"})
    tree.git("commit", "--quiet", "--allow-empty", "--message", "Nothing", "--date", "2026-02-01")
    history = analyze(shop, path="sub", depth="deep").history
    assert history is not None
    assert history.commits == 2


def test_of_a_clone_that_lacks_trees_no_folder_has_a_history(
    shop: Workbench, workspace: Path
) -> None:
    tree = Tree(workspace)
    for number in range(3):
        tree.commit({"lib/a.py": b"x = %d\n" % number})
    shop.bench = replace(shop.bench, now=lambda: START + timedelta(days=365))
    lost = tree.git("rev-parse", "HEAD~1^{tree}").decode().strip()
    (workspace / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    report = analyze(shop, path="lib", depth="deep")
    assert report.history is None
    assert "changed 'lib/' are unknown" in report.not_measured["history"]


def test_a_history_of_which_nothing_was_read_is_null(
    shop: Workbench, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.bench = replace(shop.bench, now=lambda: START + timedelta(days=365))
    Tree(workspace).commit({"lib/a.py": b"x = 1\n"})

    def late(_folder: Path, _root: Path, job: Job, **_options: Any) -> History:
        job.leave_out("all commits")
        return History((), frozenset())

    with monkeypatch.context() as patched:
        patched.setattr("benchpin.measures.history._recent_history.read_history", late)
        report = analyze(shop, depth="deep")
    assert (report.history, report.missing) == (None, ["all commits"])
    assert report.not_measured["history"] == "out of time"
    history = analyze(shop, depth="deep").history
    assert history is not None
    assert history.commits == 1


def test_the_history_is_read_once_for_each_commit(
    shop: Workbench, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.bench = replace(shop.bench, now=lambda: START + timedelta(days=365))
    tree = Tree(workspace)
    tree.commit({"lib/a.py": b"x = 1\n"})
    reads: list[Path] = []

    def reading(folder: Path, *args: Any, **options: Any) -> History:
        reads.append(folder)
        return read_history(folder, *args, **options)

    monkeypatch.setattr("benchpin.measures.history._recent_history.read_history", reading)
    first = analyze(shop, depth="deep").history
    assert analyze(shop, depth="deep").history == first
    analyze(shop, path="lib", depth="deep")
    assert len(reads) == 1
    tree.commit({"lib/a.py": b"x = 2\n"})
    history = analyze(shop, depth="deep").history
    assert history is not None
    assert (history.commits, len(reads)) == (2, 2)


PYTHON_LIBRARY_BYTES = {
    name: text if isinstance(text, bytes) else text.encode()
    for name, text in PYTHON_LIBRARY.items()
}


def test_without_a_repository_the_history_says_why(shop: Workbench, workspace: Path) -> None:
    write_files(workspace, {"a.py": "x = 1\n"})
    report = analyze(shop, depth="deep")
    assert report.history is None
    assert "history" in report.not_measured


def test_ignored_and_vendored_files_are_not_counted(shop: Workbench, workspace: Path) -> None:
    (workspace / ".git").mkdir()
    write_files(
        workspace,
        {".gitignore": "out/\n", "out/a.py": "1", "node_modules/x/i.js": "1", "a.py": "1\n"},
    )
    report = analyze(shop)
    assert [it.language for it in report.structure.languages or () if it.share] == ["Python"]
    assert report.structure.left_out == {"ignored": 1, "vendored": 1}


def test_a_folder_of_the_workspace_is_a_repository_of_its_own(
    shop: Workbench, workspace: Path
) -> None:
    write_files(workspace, {f"sub/{name}": text for name, text in NODE_MONOREPO.items()})
    write_files(workspace, {"other/package.json": '{"name": "other"}'})
    report = analyze(shop, path="sub")
    assert report.path == "sub"
    assert [it.path for it in report.structure.packages or ()] == ["sub", "sub/packages/kiln"]
    assert report.documentation.readme is not None
    assert report.documentation.readme.path == "sub/README.md"


@pytest.mark.slow
def test_a_big_repository_is_answered_within_8000_tokens_and_linked_whole(
    shop: Workbench, workspace: Path
) -> None:
    needed = ", ".join(f'"dependency-number-{at}": "^{at}.0.0"' for at in range(500))
    files: dict[str, str | bytes] = {
        f"packages/a-long-package-name-{at}/package.json": f'{{"name": "p{at}", '
        f'"bin": {{"b{at}": "x"}}, "scripts": {{"build": "x"}}, "dependencies": {{{needed}}}}}'
        for at in range(60)
    }
    files |= {f"docs/part-{at}.md": f"# Part {at}\n[gone](gone-{at}.md)\n" for at in range(100)}
    files["README.md"] = "".join(f"## Section number {at}\n\n" for at in range(200))
    write_files(workspace, files)
    report = analyze(shop, depth="deep")
    shown = report.to_text() + report.model_dump_json()
    assert count_tokens(shown) < 8_000
    *_, link = report.to_content()
    assert isinstance(link, ResourceLink)
    assert link.uri == report.stored
    whole = shop.bench.results.read(link.name, 0, 10_000_000).text
    assert whole.count('"ecosystem": "node"') == 60 * 500 + 60 + 1


def test_direct_dependencies_are_named_before_others(shop: Workbench, workspace: Path) -> None:
    dev = "".join(f"gem 'dev{at}', group: :test\n" for at in range(40))
    spec = "".join(f"s.add_dependency 'needed{at}'\n" for at in range(3))
    write_files(workspace, {"Gemfile": dev, "x.gemspec": spec})
    assert "  direct: needed0, needed1, needed2\n" in analyze(shop).to_text()


def test_a_small_repository_needs_no_link(shop: Workbench, workspace: Path) -> None:
    write_files(workspace, {"a.py": "x = 1\n"})
    report = analyze(shop)
    assert report.stored is None
    assert [type(it) for it in report.to_content()] == [Text]


def test_recommendations_name_their_evidence(shop: Workbench, workspace: Path) -> None:
    write_files(workspace, {"a.py": "x = 1\n", "package.json": "{ broken"})
    found = [(it.importance, it.action) for it in analyze(shop).recommendations]
    assert found == [
        ("high", "Add a licence: without one, others may not use the code."),
        ("high", "Repair package.json."),
        ("high", "Add tests."),
        ("high", "Add a README."),
    ]
    assert all(it.evidence for it in analyze(shop).recommendations)


def test_the_same_call_gives_the_same_bytes_until_something_changes(
    shop: Workbench, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchpin.repository._survey.RACY_NS", -(10**12))
    write_files(workspace, PYTHON_LIBRARY)
    first = analyze(shop)
    assert analyze(shop) == first
    write_files(workspace, {"pyproject.toml": '[project]\nname = "other"\n'})
    changed = analyze(shop)
    assert [it.name for it in changed.structure.packages or ()] == ["other"]


def test_a_file_is_no_repository(shop: Workbench, workspace: Path) -> None:
    write_files(workspace, {"a.py": "x = 1\n"})
    with pytest.raises(InvalidPath):
        analyze(shop, path="a.py")


def test_the_workspace_is_analyzed_by_default_and_an_unknown_depth_is_refused() -> None:
    assert RepositoryParams.parse({}).path == "."
    with pytest.raises(InvalidParams):
        RepositoryParams.parse({"path": ".", "depth": "deeper"})


def test_a_licence_that_tests_read_is_not_that_of_the_repository(
    shop: Workbench, workspace: Path
) -> None:
    write_files(workspace, {"LICENSE": "x\n", "tests/fixtures/dep/LICENSE": "y\n"})
    assert [it.path for it in analyze(shop).structure.licences if it.source == "text"] == [
        "LICENSE"
    ]


def test_manifests_that_are_not_read_are_named(shop: Workbench, workspace: Path) -> None:
    write_files(workspace, {"src/Podfile": "pod 'A'\n", "test/Podfile": "pod 'B'\n"})
    report = analyze(shop, depth="standard")
    assert report.not_measured["other_manifests"] == "not read here: src/Podfile and 1 more"
