"""Print where every name of a Rust crate leads, as rustdoc links its sources.

    python rust_uses.py ROOT [OPTIONS OF RUSTDOC]

ROOT has the `Cargo.toml` of a library without dependencies; others need `--extern` for each.
One row a name: file, line, column, name, then the file and line of the declaration; no file for
what is declared outside of the crate. Names without a link have no row: those in macros, and those
that lead to another crate of the workspace.
"""

import html
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

_LINE = re.compile(r"^<a href=#(\d+) id=\1 data-nosnippet>\1</a>")
_TAG = re.compile(r"<(/?)(\w+)([^>]*)>")
_HREF = re.compile(r'href="([^"]*)"')
_NAME = re.compile(r"\w+$")


def document(root: Path, target: Path, more: list[str]) -> None:
    """Have rustdoc write the pages of the sources, with the default features of the package."""
    manifest = tomllib.loads((root / "Cargo.toml").read_text(encoding="utf-8"))
    features = manifest.get("features", {})
    missing = {it for it in manifest.get("dependencies", {}) if f"{it}=" not in " ".join(more)}
    wanted, chosen = ["default"], set[str]()
    while wanted:
        name = wanted.pop()
        parts = {it.removeprefix("dep:").partition("/")[0] for it in features.get(name, ())}
        if name in features and name not in chosen and parts.isdisjoint(missing):
            chosen.add(name)
            wanted += features[name]
    edition = manifest["package"].get("edition", "2015")
    command = ["rustdoc", "src/lib.rs", "--out-dir", str(target), "--cap-lints=allow"]
    command += ["--crate-name", manifest["package"]["name"].replace("-", "_"), *more]
    command += ["--edition", edition if isinstance(edition, str) else "2021"]
    command += [f'--cfg=feature="{it}"' for it in sorted(chosen)]
    command += ["-Zunstable-options", "--generate-link-to-definition", "--document-private-items"]
    environment = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
    subprocess.run(command, cwd=root, env=environment, check=True, stdout=sys.stderr)


def rows(page: Path, source: str, pages: Path) -> Iterator[tuple[int, int, str, str, int]]:
    """Yield the links of a page: line, column, name, file and line; no file for one outside."""
    text = page.read_text(encoding="utf-8")
    code = text[text.index("<code>") + 6 : text.rindex("</code>")]
    for piece in code.split("\n"):
        numbered = _LINE.match(piece)
        if numbered is None:
            continue
        line, column, href, at = int(numbered[1]), 1, "", numbered.end()
        for tag in (*_TAG.finditer(piece, at), None):
            shown = html.unescape(piece[at : tag.start() if tag else len(piece)])
            if href and _NAME.fullmatch(shown):
                place = _place(href, page, source, pages)
                if place is not None:
                    yield line, column, shown, *place
            column += len(shown)
            if tag is None:
                break
            at = tag.end()
            if tag[2] == "a":
                found = _HREF.search(tag[3])
                href = found[1] if found and not tag[1] else ""


def _place(href: str, page: Path, source: str, pages: Path) -> tuple[str, int] | None:
    """Return the file and line that a link leads to; None for one to a page without lines."""
    if href.startswith("https://doc.rust-lang.org"):
        return "", 0
    target, _, lines = href.partition("#")
    number = lines.partition("-")[0]
    if not number.isdigit() or (target and ".rs.html" not in target):
        return None
    if not target:
        return source, int(number)
    there = Path(os.path.normpath(page.parent / target))
    return source_of(there, pages), int(number)


def source_of(page: Path, pages: Path) -> str:
    """Return the path of a source below `src`, by that of its page."""
    return str(page.relative_to(pages)).removesuffix(".html")


def main() -> None:
    """Print the rows of a package."""
    root = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        document(root, Path(folder), sys.argv[2:])
        for pages in sorted((Path(folder) / "src").iterdir()):
            for page in sorted(pages.rglob("*.rs.html")):
                source = source_of(page, pages)
                for line, column, name, to, to_line in rows(page, source, pages):
                    place = f"src/{to}" if to else ""
                    print(f"src/{source}", line, column, name, place, to_line, sep="\t")


if __name__ == "__main__":
    main()
