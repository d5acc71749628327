"""Build the documentation site from `docs/` into `build/site`, offline, and check every link of it.

Pages of tools are made from the catalogue. Links that leave `docs/` lead to the repository instead.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

import yaml

from benchpin.app import Workbench
from benchpin.core.tools import Toolset
from benchpin.toolsets import own_toolsets
from built_pages import problems_of
from manifests import PROJECT, ROOT, SUMMARY
from reference import tool_page

DOCS = ROOT / "docs"
STAGED = ROOT / "build" / "docs"
SITE = ROOT / "build" / "site"
BIN = Path(sys.executable).parent
NAVIGATION: dict[str, str | list[str]] = {
    "Home": "index.md",
    "Five minutes": "tour.md",
    "Install": "install.md",
    "Recipes": [
        "recipes/review-a-pull-request.md",
        "recipes/first-day.md",
        "recipes/slow-test.md",
        "recipes/slow-php-page.md",
        "recipes/ci-gate.md",
    ],
    "Guides": [
        "command-line.md",
        "configuration.md",
        "ui.md",
        "languages.md",
        "navigation.md",
        "prove.md",
        "comments.md",
        "editors.md",
        "templates.md",
        "quality-gate.md",
        "ci.md",
        "fleet.md",
        "extending.md",
        "protocol.md",
    ],
    "Measures": ["metrics.md", "graphs.md", "how-sure.md", "scale.md", "soak.md"],
    "Operating": ["security.md", "platforms.md", "files.md"],
    "Inside": [
        "architecture.md",
        "glossary.md",
        "debugging.md",
        "profiling.md",
        "decisions/index.md",
        "decisions/facts-by-content.md",
        "decisions/one-memory.md",
        "decisions/lazy-doors.md",
        "decisions/measuring-changes.md",
        "decisions/tree-sitter-mypyc.md",
        "decisions/msgspec-sqlite.md",
        "decisions/git-confinement.md",
        "decisions/git-merge-file.md",
        "decisions/ignore-rules.md",
        "decisions/sandbox.md",
        "decisions/parquet-writer.md",
        "decisions/gpu-option.md",
    ],
}
"""The pages that people write, in order; others follow, and those of the tools before the last."""
_LINK = re.compile(r"(\]\(|^\[[^\]\n]+\]: )(?!\w+:)([^)\s#]+)(#[^)\s]*)?", re.MULTILINE)
_FENCED = re.compile(r"^(`{3,}).*?^\1`*$", re.MULTILINE | re.DOTALL)


class Broken(Exception):
    """A page cannot be published as it is."""


def main() -> int:
    """Stage the pages, check their links, build the site, check what was built."""
    for folder in (STAGED, SITE):
        shutil.rmtree(folder, ignore_errors=True)
    try:
        stage()
        check_staged()
    except Broken as error:
        print(error)
        return 1
    config = STAGED.with_name("mkdocs.yml")
    config.write_text(yaml.safe_dump(configuration(), sort_keys=False), encoding="utf-8")
    command = (BIN / "zensical", "build", "--clean", "--strict", "--config-file", config)
    done = subprocess.run(command, cwd=config.parent, capture_output=True, text=True, check=False)
    problems = problems_of(SITE)
    if done.returncode or problems:
        print(done.stdout + done.stderr, *problems, sep="\n")
        return 1
    print(f"{len(list(SITE.rglob('*.html')))} pages in {SITE.relative_to(ROOT)}: open index.html")
    return 0


def stage() -> None:
    """Copy the pages, with links that lead out of `docs/` turned to the repository.

    Raises:
        Broken: when such a link leads nowhere, or a page of the navigation is not there.
    """
    for place in sorted(DOCS.rglob("*")):
        path = place.relative_to(DOCS)
        if place.is_dir() or path.parts[0] == "examples":
            continue
        (STAGED / path).parent.mkdir(parents=True, exist_ok=True)
        if place.suffix == ".md":
            text = place.read_text(encoding="utf-8")
            (STAGED / path).write_text(with_links(text, PurePosixPath(path)), encoding="utf-8")
        else:
            shutil.copy(place, STAGED / path)
    (STAGED / "tools").mkdir()
    toolsets = own_toolsets()
    (STAGED / "tools" / "index.md").write_text(index_of(toolsets), encoding="utf-8")
    for toolset in toolsets:
        for name in toolset.tools:
            page = tool_page(toolset, toolset.load_tool(name))
            (STAGED / "tools" / f"{name}.md").write_text(page, encoding="utf-8")
    gone = [it for it in pages_of(navigation()) if not (STAGED / it).is_file()]
    if gone:
        raise Broken(f"In NAVIGATION of scripts/docs_site.py, but not in docs/: {gone}")


def with_links(text: str, page: PurePosixPath) -> str:
    """Return a page whose links to other parts of the repository are addresses.

    Raises:
        Broken: when one leads nowhere.
    """

    def turned(link: re.Match[str]) -> str:
        target = (DOCS / page.parent / link[2]).resolve()
        is_published = target.is_relative_to(DOCS) and not target.is_relative_to(DOCS / "examples")
        if is_published and not target.is_dir():
            return link[0]
        if not target.exists() or not target.is_relative_to(ROOT):
            raise Broken(f"docs/{page}: the link {link[2]} leads nowhere")
        kind = "tree" if target.is_dir() else "blob"
        address = f"{PROJECT['urls']['Repository']}/{kind}/main/{target.relative_to(ROOT)}"
        return f"{link[1]}{address}{link[3] or ''}"

    parts: list[str] = []
    end = 0
    for fenced in _FENCED.finditer(text):
        parts += (_LINK.sub(turned, text[end : fenced.start()]), fenced[0])
        end = fenced.end()
    return "".join((*parts, _LINK.sub(turned, text[end:])))


def index_of(toolsets: Sequence[Toolset]) -> str:
    """Return the page that lists all tools."""
    lines = ["# Tools", "", "Each is a tool of the server, a command and a Python call."]
    for toolset in toolsets:
        lines += ["", f"## {toolset.name}", "", toolset.description, ""]
        for name in toolset.tools:
            first = toolset.load_tool(name).description.partition(". ")[0].rstrip(".")
            lines.append(f"- [`{name}`]({name}.md): {first}.")
    return "\n".join(lines) + "\n"


def check_staged() -> None:
    """Have Benchpin check the links and anchors of the pages.

    Raises:
        Broken: with those that lead nowhere.
    """
    found = Workbench.open(STAGED).call("check_links", limit=1000)
    if found.exit_status():
        raise Broken(found.to_text())


def navigation() -> list[object]:
    """Return the pages in their sections, as the generator wants it."""
    tools: list[object] = ["tools/index.md"]
    for toolset in own_toolsets():
        listed = (f"toolsets/{toolset.name}.md", *(f"tools/{name}.md" for name in toolset.tools))
        tools.append({toolset.name: list(listed)})
    places = (it for it in DOCS.rglob("*.md") if it.parent.name != "toolsets")
    written = {it.relative_to(DOCS).as_posix() for it in places}
    others = sorted(written.difference(pages_of(NAVIGATION)))
    *sections, last = ({title: listed} for title, listed in NAVIGATION.items())
    more = [{"More": others}] if others else []
    return [*sections, *more, {"Tools": tools}, last]


def pages_of(sections: object) -> Iterator[str]:
    """Yield the pages of a navigation."""
    if isinstance(sections, str):
        yield sections
        return
    parts = sections.values() if isinstance(sections, dict) else sections
    if isinstance(parts, Iterable):
        for part in parts:
            yield from pages_of(part)


def configuration() -> dict[str, object]:
    """Return the settings of the generator; nothing that a page loads is on another server."""
    colours = (
        ("(prefers-color-scheme: light)", "default", "lucide/sun", "dark"),
        ("(prefers-color-scheme: dark)", "slate", "lucide/moon", "light"),
    )
    return {
        "site_name": "Benchpin",
        "site_description": SUMMARY,
        "docs_dir": STAGED.name,
        "site_dir": SITE.name,
        "use_directory_urls": False,  # so that it also works from the disk
        "plugins": ["search", "offline"],  # so that the search works from the disk too
        # Ours, or the generator has every page load one from another server.
        "extra": {"polyfills": [{"path": "assets/iframe-worker.js", "type": "text/javascript"}]},
        "nav": navigation(),
        "theme": {
            "language": "en",
            "font": False,
            "features": ["content.code.copy", "navigation.footer", "navigation.top"],
            "palette": [
                {
                    "media": media,
                    "scheme": scheme,
                    "toggle": {"icon": icon, "name": f"Switch to {other} mode"},
                }
                for media, scheme, icon, other in colours
            ],
        },
        "markdown_extensions": ["tables", {"toc": {"permalink": True}}, "pymdownx.superfences"],
    }


if __name__ == "__main__":
    sys.exit(main())
