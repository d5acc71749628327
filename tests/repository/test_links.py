from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.repository import RepositoryTree
from benchpin.repository.documents.links import LinkReport, check_links
from repository_kit import tree_of


def check(root: Path, **files: str) -> LinkReport:
    named = {name.replace("__", "/").replace("_md", ".md"): text for name, text in files.items()}
    return check_links(tree_of(root, named), Job())


def found(report: LinkReport) -> list[tuple[str, str, int, str]]:
    return [(it.rule, it.file, it.line, it.message) for it in report.problems]


def gone(target: str, path: str) -> str:
    return f"{target} does not exist ({path})"


def test_links_to_files_and_folders_that_are_there_are_fine(tmp_path: Path) -> None:
    report = check(
        tmp_path,
        README_md="[a](docs/a.md) [d](docs) [d](./docs/) [r](/docs/a.md) [q](docs/a.md?raw=1)\n",
        docs__a_md="[up](../README.md) [self](#) [top](#top)\n",
    )
    assert found(report) == []
    assert (report.files, report.links, report.checked) == (2, 8, 8)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    report = check(tmp_path, docs__a_md="x\n\n[gone](../src/gone.py)\n")
    assert found(report) == [("broken-link", "docs/a.md", 3, gone("../src/gone.py", "src/gone.py"))]


@pytest.mark.parametrize(
    "target",
    [
        "docs/plan%20b.md",
        "<docs/plan b.md>",
        "./docs/plän.md",
        "docs/gone.md?raw=1#top",
        "/gone.md",
    ],
)
def test_a_broken_link_is_named_as_it_is_written(tmp_path: Path, target: str) -> None:
    (problem,) = check(tmp_path, README_md=f"[gone]({target})\n").problems
    written = target.strip("<>")
    assert problem.target == written
    assert problem.message.startswith(f"{written} ")


def test_an_anchor_must_be_that_of_a_heading(tmp_path: Path) -> None:
    report = check(
        tmp_path,
        README_md="# Top\n[a](#top) [b](#bottom) [c](other.md#part-one) [d](other.md#part-two)\n",
        other_md="# Part one\n",
    )
    assert found(report) == [
        ("broken-anchor", "README.md", 2, "#bottom matches no heading here"),
        ("broken-anchor", "README.md", 2, "other.md#part-two matches no heading in other.md"),
    ]


def test_another_spelling_is_distinguished_from_a_missing_file(tmp_path: Path) -> None:
    report = check(tmp_path, README_md="[a](DOCS/guide.md)\n", Docs__Guide_md="# G\n")
    assert found(report) == [
        ("wrong-case", "README.md", 1, "DOCS/guide.md is spelled Docs/Guide.md")
    ]


def test_what_leads_out_of_the_workspace_is_broken(tmp_path: Path) -> None:
    report = check(tmp_path, README_md="[a](../elsewhere.md)\n")
    assert [it.rule for it in report.problems] == ["broken-link"]


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        ("https://example.org", "external"),
        ("mailto:a@example.org", "external"),
        ("//example.org/x", "external"),
        ("{{ site.url }}/x", "with template placeholders"),
        ("../../issues/3", "a page of the hosting service"),
        ("$BRANCH_URL", "with template placeholders"),
    ],
)
def test_what_cannot_be_known_is_counted(tmp_path: Path, link: str, reason: str) -> None:
    report = check(tmp_path, README_md=f"[a](<{link}>)\n")
    assert report.problems == []
    assert report.unchecked == {reason: 1}


def test_a_site_generator_resolves_links_its_own_way(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path,
        {
            "docs/.vitepress/config.ts": "export default {}\n",
            "docs/index.md": "[a](/guide/) [b](./guide/start) [c](./guide/gone) [d](#made)\n",
            "docs/guide/start.md": "# Start\n",
            "README.md": "[e](./docs/guide/start)\n",
        },
    )
    report = check_links(tree, Job())
    assert found(report) == [
        ("broken-link", "docs/index.md", 1, gone("./guide/gone", "docs/guide/gone"))
    ]
    assert report.unchecked == {
        "from the root of a site": 1,
        "an anchor that a site generator creates": 1,
        "to documents without their ending": 1,
    }


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ("docs/_config.yml", "[a](../ubuntu/) [b](../img/x.png) [c](gone/gone.md)\n"),
        ("docs/docusaurus.config.js", "[a](./made-slug) [b](../x.html) [c](gone/gone.mdx)\n"),
    ],
)
def test_links_that_only_a_generator_can_resolve_are_not_checked(
    tmp_path: Path, config: str, text: str
) -> None:
    tree = tree_of(tmp_path, {config: "", "docs/a/b.md": f"{text}[d](beside.md)\n"})
    report = check_links(tree, Job())
    assert found(report) == [
        ("broken-link", "docs/a/b.md", 2, gone("beside.md", "docs/a/beside.md"))
    ]
    assert report.unchecked == {"that only a site generator can resolve": 3}


@pytest.mark.parametrize("mark", ["---\nid: a\n---\n", "See [[Other]].\n\n", "@@@ index\n\n"])
def test_documents_with_marks_of_a_generator_are_not_checked_against_files(
    tmp_path: Path, mark: str
) -> None:
    files: dict[str, str | bytes] = {
        f"manual/{at}.md": f"{mark}# Here\n[a](./gone.md) [b](#gone)\n" for at in "abc"
    }
    files |= {"manual/plain.md": "[a](./gone.md)\n", "README.md": "[a](gone.md)\n"}
    report = check_links(tree_of(tmp_path, files), Job())
    assert [(it.file, it.target) for it in report.problems] == [
        ("README.md", "gone.md"),
        ("manual/a.md", "#gone"),
        ("manual/b.md", "#gone"),
        ("manual/c.md", "#gone"),
    ]
    assert report.unchecked == {"that only a site generator can resolve": 4}


def test_tests_of_a_shell_are_no_links_of_a_generator(tmp_path: Path) -> None:
    text = "```bash\n[[ -f x ]]\n```\n\nUse `[[x]]`. [a](gone.md)\n"
    assert [it.target for it in check(tmp_path, a_md=text).problems] == ["gone.md"]


def test_mkdocs_reads_only_its_own_folder(tmp_path: Path) -> None:
    files = {
        "tools/mkdocs.yml": "docs_dir: ../doc\n",
        "doc/a.md": "[a](#made)\n",
        "README.md": "[a](#made)\n",
    }
    report = check_links(tree_of(tmp_path, files), Job())
    assert [it.file for it in report.problems] == ["README.md"]


def test_anchors_by_other_rules_than_githubs_are_not_checked(tmp_path: Path) -> None:
    text = "# install / i\n# COMPOSER_HOME\n[a](#install-i) [b](#composer-home) [c](#install)\n"
    report = check(tmp_path, a_md=f"{text}[d](#remove)\n")
    assert [it.target for it in report.problems] == ["#remove"]
    assert report.unchecked == {"an anchor by other rules than GitHub's": 3}


def test_files_that_git_ignores_may_be_created_by_a_build(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path,
        {
            "site/.gitignore": "/rules/*.md\nout/\n",
            "site/rules/_category_.json": "{}",
            "site/a.md": "[a](rules/b.md) [b](out/x/y.html) [c](rules/c.txt)\n",
        },
    )
    report = check_links(tree, Job())
    assert [it.target for it in report.problems] == ["rules/c.txt"]
    assert report.unchecked == {"to files that git ignores, as a build may make them": 2}


def test_an_ignored_file_that_is_there_is_no_broken_link(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    tree = tree_of(
        tmp_path, {".gitignore": "out/\n", "out/a.html": "x", "README.md": "[a](out/a.html)\n"}
    )
    assert check_links(tree, Job()).problems == []


def test_links_may_point_to_lines_of_source_files(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, {"a.py": "1\n", "README.md": "[a](a.py#L1-L2)\n"})
    assert check_links(tree, Job()).problems == []


def test_a_folder_may_link_to_what_is_beside_it_in_the_workspace(tmp_path: Path) -> None:
    whole = tree_of(
        tmp_path, {"docs/a.md": "[up](../b.md) [top](/b.md) [no](../c.md)\n", "b.md": ""}
    )
    inside = [it for it in whole.files if it.path.startswith("docs/")]
    report = check_links(RepositoryTree(whole.session, "docs/", inside, {}), Job())
    assert found(report) == [("broken-link", "docs/a.md", 1, gone("../c.md", "c.md"))]


def test_links_to_files_that_may_not_be_read_are_not_checked(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, {"a.md": "[e](.env.example)\n"})
    report = check_links(tree, Job())
    assert report.problems == []
    assert report.unchecked == {"to files that may not be read": 1}


def test_a_link_through_a_symbolic_link_does_not_reveal_what_is_outside(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "there.md").write_text("# Secret\n")
    root = tmp_path / "w"
    root.mkdir()
    (root / "ext").symlink_to(outside)
    (root / "there").symlink_to(outside / "there.md")
    (root / "gone").symlink_to(outside / "gone.md")
    text = "[a](ext/there.md)\n[b](ext/gone.md)\n[c](there)\n[d](gone)\n"
    report = check_links(tree_of(root, {"a.md": text}), Job())
    assert [it.message for it in report.problems] == [
        "ext/there.md leads out of the repository",
        "ext/gone.md leads out of the repository",
        "there leads out of the repository",
        "gone leads out of the repository",
    ]


def test_a_link_through_a_symbolic_link_within_is_followed(tmp_path: Path) -> None:
    root = tmp_path / "w"
    root.mkdir()
    (root / "alias").symlink_to("docs")
    files = {"a.md": "[a](alias/b.md)\n[b](alias/gone.md)\n", "docs/b.md": "# B\n"}
    report = check_links(tree_of(root, files), Job())
    assert [it.message for it in report.problems] == ["alias/gone.md does not exist"]


def test_a_link_with_a_null_byte_leads_nowhere(tmp_path: Path) -> None:
    report = check(tmp_path, a_md="[a](x%00y)\n[b](x%00/y)\n")
    assert [it.rule for it in report.problems] == ["broken-link", "broken-link"]


def test_brackets_in_prose_are_no_mark_of_a_generator(tmp_path: Path) -> None:
    report = check(tmp_path, README_md="[a](missing.md), see [[1]] and a[[0]] = 1\n")
    assert [it[0] for it in found(report)] == ["broken-link"]
