"""How many planted defects the review sees, by kind and language: `python bench/plants.py`.

Each language has a small project (`plants/*.txtar`: files after lines `-- path --`) and defects
(`plants/*.toml`), which were written down before the rules that look for them. Every defect is made
alone, as uncommitted work in a fresh repository. It is seen when a finding is at one of its places,
or is about one of its files and names its word. Defects of judgement are counted apart: no rule of
form can be sure of them.

With `--held-back`, the defects of `plants/held_back/*.toml` are made in projects of others, which
are downloaded into `--projects`. No rule is tuned on those. `--held-back held_back_2` takes the
second such set, in other projects, which was written when the first had been read.
"""

import argparse
import fnmatch
import os
import re
import subprocess
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchpin.app import Workbench
from results import machine, write_section
from review import git

FOLDER = Path(__file__).parent / "plants"
_FILE = re.compile(r"^-- (.+) --$", re.MULTILINE)


@dataclass(frozen=True)
class Plant:
    """One defect, and the files of its project after the change."""

    language: str
    kind: str
    is_judgement: bool
    before: Mapping[str, str]
    after: Mapping[str, str]
    places: frozenset[tuple[str, int]]
    word: str

    @property
    def files(self) -> set[str]:
        """The files that a finding may be about."""
        changed = {path for path in self.after if self.after[path] != self.before.get(path)}
        return changed | {path for path, _ in self.places}


def project_of(language: str) -> dict[str, str]:
    """Return the files of the sample project of a language."""
    text = (FOLDER / f"{language}.txtar").read_text(encoding="utf-8")
    _, *parts = _FILE.split(text)
    return {path: body[1:] for path, body in zip(parts[::2], parts[1::2], strict=True)}


def downloaded(folder: Path, described: Mapping[str, Any]) -> dict[str, str]:
    """Return the files of a project of others, downloaded into a folder by name and version."""
    if not folder.is_dir():
        folder.mkdir(parents=True)
        if "manifest" in described:
            (folder / "Cargo.toml").write_text(described["manifest"], encoding="utf-8")
        variables = {**os.environ, "GOPATH": str(folder)}
        subprocess.run(described["fetch"], cwd=folder, check=True, env=variables)
    wanted = described.get("only", "*")
    found: dict[str, str] = {}
    for archive, start, target in described["unpack"]:
        for path, body in members(folder / archive):
            if path.startswith(start) and fnmatch.fnmatch(path, wanted):
                found[target + path.removeprefix(start)] = body.decode(errors="replace")
    return found


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a folder or an archive."""
    if archive.is_dir():
        for path in sorted(archive.rglob("*")):
            if path.is_file():
                yield path.relative_to(archive).as_posix(), path.read_bytes()
    elif archive.suffix in {".zip", ".jar"}:
        with zipfile.ZipFile(archive) as opened:
            yield from ((it, opened.read(it)) for it in opened.namelist() if it[-1] != "/")
    else:
        with tarfile.open(archive) as packed:
            for member in packed.getmembers():
                body = packed.extractfile(member) if member.isfile() else None
                if body is not None:
                    yield member.name, body.read()


def plants_of(
    language: str, projects: Path | None = None, held_back: str = "held_back"
) -> Iterator[Plant]:
    """Yield the defects of a language; those that are held back, with a folder for downloads.

    Raises:
        ValueError: when the project does not have what a defect changes, or is about.
    """
    folder = FOLDER if projects is None else FOLDER / held_back
    described = tomllib.loads((folder / f"{language}.toml").read_text(encoding="utf-8"))
    before = (
        project_of(language) if projects is None else downloaded(projects / language, described)
    )
    for entry in described["plant"]:
        after = dict(before)
        for path, old, new in entry["edits"]:
            if old not in after[path]:
                message = f"{language}, {entry['kind']}: {path} does not have {old!r}"
                raise ValueError(message)
            after[path] = after[path].replace(old, new, 1)
        absent = [f"{path}: {part!r}" for path, part in entry["at"] if part not in after[path]]
        if absent:
            message = f"{language}, {entry['kind']}: nothing to find at {', '.join(absent)}"
            raise ValueError(message)
        places = frozenset(
            (path, after[path][: after[path].index(part)].count("\n") + 1)
            for path, part in entry["at"]
        )
        is_judgement = entry.get("is_judgement", False)
        yield Plant(language, entry["kind"], is_judgement, before, after, places, entry["word"])


def findings_of(plant: Plant, scratch: Path) -> list[dict[str, Any]]:
    """Return what the review says about the change."""
    root = Path(tempfile.mkdtemp(dir=scratch))
    write(root, plant.before)
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    who = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
    git(root, *who, "commit", "--quiet", "--message=before")
    write(root, plant.after)
    bench = Workbench.open(root, cache_dir=scratch / "cache")
    try:
        found = bench.call("review_change", limit=200).model_dump()
    finally:
        bench.close()
    findings: list[dict[str, Any]] = found["findings"]
    return findings


def write(root: Path, files: Mapping[str, str]) -> None:
    """Write the files of a project."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def is_seen(plant: Plant, finding: Mapping[str, Any]) -> bool:
    """Whether a finding is about the defect."""
    if (finding["file"], finding["line"]) in plant.places:
        return True
    return finding["file"] in plant.files and plant.word in finding["message"]


def main() -> None:
    """Plant every defect, and print who was seen."""
    languages = sorted(path.stem for path in FOLDER.glob("*.toml"))
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("languages", nargs="*", default=languages, metavar="LANGUAGE")
    parser.add_argument("--kind", help="only this kind, with all findings")
    parser.add_argument("--record", action="store_true", help="write the table to bench/results.md")
    parser.add_argument(
        "--held-back",
        nargs="?",
        const="held_back",
        choices=("held_back", "held_back_2"),
        help="the defects of no rule's tuning",
    )
    parser.add_argument("--projects", type=Path, help="keep what is downloaded in this folder")
    asked = parser.parse_args()
    seen: dict[tuple[str, str], bool] = {}
    judged: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        projects = None
        if asked.held_back:
            projects = (asked.projects or Path(folder) / "projects") / asked.held_back
        for language in asked.languages:
            for plant in plants_of(language, projects, asked.held_back or ""):
                if asked.kind not in {None, plant.kind}:
                    continue
                findings = findings_of(plant, Path(folder))
                seen[plant.kind, language] = any(is_seen(plant, it) for it in findings)
                judged |= {plant.kind} if plant.is_judgement else set()
                for it in findings if asked.kind else []:
                    print(f"  {it['level']} {it['rule']} {it['file']}:{it['line']} {it['message']}")
    table = table_of(seen, judged, asked.languages)
    print(table)
    if asked.record:
        about = {"held_back": ", held back", "held_back_2": ", held back again"}.get(
            asked.held_back, ""
        )
        title = f"Planted defects{about}, by kind and language"
        write_section(title, f"{machine()}.\n\n{table}")


def table_of(seen: Mapping[tuple[str, str], bool], judged: set[str], languages: list[str]) -> str:
    """Return the kinds, mechanical ones first, and the totals."""
    kinds = sorted({kind for kind, _ in seen}, key=lambda kind: (kind in judged, kind))
    rows = [f"| kind | {' | '.join(languages)} |", "| --- |" + " --- |" * len(languages)]
    marks = {True: "seen", False: "–", None: ""}
    for kind in kinds:
        cells = [marks[seen.get((kind, language))] for language in languages]
        rows.append(f"| {kind}{' (judgement)' if kind in judged else ''} | {' | '.join(cells)} |")
    for name, wanted in (("mechanical", set(kinds) - judged), ("all", set(kinds))):
        cells = []
        for language in languages:
            own = [it for (kind, one), it in seen.items() if one == language and kind in wanted]
            cells.append(f"{sum(own)} of {len(own)}")
        every = [it for (kind, _), it in seen.items() if kind in wanted]
        rows.append(f"| **{name}**: {sum(every)} of {len(every)} | {' | '.join(cells)} |")
    return "\n".join(rows)


if __name__ == "__main__":
    main()
