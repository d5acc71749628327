"""The documentation site: every page is listed, links lead somewhere, all is of the site."""

from pathlib import Path, PurePosixPath

import pytest

import docs_site
from benchpin.toolsets import load_toolsets
from browsers import opened
from built_pages import problems_of

PAGE = PurePosixPath("recipes/ci-gate.md")


def test_a_link_to_another_part_of_the_repository_becomes_an_address() -> None:
    text = "[code](../../src/benchpin/present/_view.py#L1) [page](../ci.md)\n\n[all]: ../../src\n"
    found = docs_site.with_links(text, PAGE)
    address = "https://github.com/benchpin/benchpin"
    assert f"[code]({address}/blob/main/src/benchpin/present/_view.py#L1) [page](../ci.md)" in found
    assert f"[all]: {address}/tree/main/src\n" in found


def test_a_link_that_leads_nowhere_fails_the_build() -> None:
    with pytest.raises(docs_site.Broken, match=r"gone\.py leads nowhere"):
        docs_site.with_links("[a](../../gone.py)", PAGE)


def test_what_looks_like_a_link_in_code_is_left_alone() -> None:
    text = "```text\n[a](../../gone.py)\n```\n"
    assert docs_site.with_links(text, PAGE) == text


def test_every_page_and_every_tool_is_in_the_navigation() -> None:
    written = {str(it.relative_to(docs_site.DOCS)) for it in docs_site.DOCS.rglob("*.md")}
    made = {f"tools/{name}.md" for it in load_toolsets() for name in it.tools}
    listed = list(docs_site.pages_of(docs_site.navigation()))
    assert set(listed) == written | made | {"tools/index.md"}
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ('<a href="gone.html">', "index.html: gone.html leads nowhere"),
        ('<a href="#gone">', "index.html: #gone has no such anchor"),
        ('<script src="https://cdn.test/a.js">', "index.html: loads https://cdn.test/a.js"),
        ('<link rel="stylesheet" href="//cdn.test/a.css">', "index.html: loads //cdn.test/a.css"),
        ('<img src="gone.png">', "index.html: gone.png leads nowhere"),
    ],
)
def test_a_problem_of_a_built_page_is_named(tmp_path: Path, page: str, problem: str) -> None:
    (tmp_path / "index.html").write_text(page, encoding="utf-8")
    assert problems_of(tmp_path) == [problem]


def test_addresses_that_are_only_linked_and_anchors_that_exist_are_fine(tmp_path: Path) -> None:
    page = '<a href="https://example.com">a</a><a href="/index.html#here">b</a><p id="here">c</p>'
    (tmp_path / "index.html").write_text(page, encoding="utf-8")
    (tmp_path / "a.css").write_text("a { background: url(https://cdn.test/b.png) }")
    assert problems_of(tmp_path) == ["a.css: loads url(https://cdn.test/b.png"]


@pytest.mark.slow
def test_the_search_of_the_site_has_its_worker_from_the_disk_too(tmp_path: Path) -> None:
    shim = (docs_site.DOCS / "assets" / "iframe-worker.js").read_text(encoding="utf-8")
    worker = "self.onmessage = (it) => self.postMessage(['found', ...it.data]);"
    (tmp_path / "worker.js").write_text(worker, encoding="utf-8")
    start = "const w = new Worker('worker.js'); w.onmessage = (it) => { window.got = it.data; };"
    page = f"<body><script>{shim}</script><script>{start} w.postMessage(['flame']);</script>"
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    with opened(tmp_path / "page.html") as tab:
        assert tab.wait_for_function("window.got").json_value() == ["found", "flame"]
