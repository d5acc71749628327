"""Compare updates of generated projects with copier's, case by case.

COPIER=/path/to/copier python bench/template_updates.py

Each case has a template in two versions and what a user did in between. Both programs update the
same project; then their files are compared, with the labels of conflicts made equal.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from benchpin.core.calls import Job
from benchpin.templates import BUILT_IN, Parameter, Template, TemplateCatalogue
from benchpin.templates._template import TemplateFile
from benchpin.templates.projects import (
    GeneratedProject,
    ScaffoldRequest,
    base_file,
    plan_update,
    provenance,
    record_of,
    scaffold,
    write_files,
)
from benchpin.workspace.writing import apply_changes
from results import help_if_asked, machine, write_section

sys.path.append(str(Path(__file__).parents[1] / "tests"))

LINES = [f"line {it}" for it in range(12)]
BODY = "\n".join((*LINES, ""))
Sources = Mapping[str, str]
Edit = Callable[[Path], object]


def edited(at: int, text: str) -> str:
    """Return the body with another line."""
    return "\n".join((*LINES[:at], text, *LINES[at + 1 :], ""))


def put(path: str, text: str) -> Edit:
    """Return an edit that writes a file."""

    def write(folder: Path) -> None:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")

    return write


def moved(old: str, new: str) -> Edit:
    """Return an edit that moves a file."""

    def move(folder: Path) -> None:
        (folder / new).parent.mkdir(parents=True, exist_ok=True)
        (folder / old).rename(folder / new)

    return move


@dataclass(frozen=True)
class Case:
    """A template in two versions, and what happened in between."""

    name: str
    before: Sources
    after: Sources
    edits: tuple[Edit, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    difference: str = ""
    """What the two do, if they do not do the same."""


CASES = (
    Case("the user changed nothing", {"a.txt": BODY}, {"a.txt": edited(3, "new")}),
    Case(
        "both changed other lines",
        {"a.txt": BODY},
        {"a.txt": edited(9, "new")},
        (put("a.txt", edited(1, "mine")),),
    ),
    Case(
        "both changed the same line",
        {"a.txt": BODY},
        {"a.txt": edited(5, "new")},
        (put("a.txt", edited(5, "mine")),),
    ),
    Case(
        "both made the same change",
        {"a.txt": BODY},
        {"a.txt": edited(5, "new")},
        (put("a.txt", edited(5, "new")),),
    ),
    Case("a new file of the template", {"a.txt": BODY}, {"a.txt": BODY, "b/c.txt": "new\n"}),
    Case(
        "a new file where the user has one",
        {"a.txt": BODY},
        {"a.txt": BODY, "b.txt": "new\n"},
        (put("b.txt", "mine\n"),),
    ),
    Case("a file removed from the template", {"a.txt": BODY, "b.txt": "b\n"}, {"a.txt": BODY}),
    Case(
        "a removed file that the user changed",
        {"a.txt": BODY, "b.txt": BODY},
        {"a.txt": BODY},
        (put("b.txt", edited(1, "mine")),),
        difference="copier removes it with the user's changes, Benchpin keeps it",
    ),
    Case(
        "a file that the user deleted",
        {"a.txt": BODY, "b.txt": BODY},
        {"a.txt": BODY, "b.txt": edited(9, "new")},
        (lambda folder: (folder / "b.txt").unlink(),),
    ),
    Case(
        "a file that the user moved",
        {"a.txt": BODY},
        {"a.txt": edited(9, "new")},
        (moved("a.txt", "docs/a.txt"),),
        difference="copier leaves it as it was, Benchpin updates it where it is",
    ),
    Case(
        "a file renamed by the template, with changes of the user",
        {"old.txt": BODY},
        {"new.txt": edited(9, "new")},
        (put("old.txt", edited(1, "mine")),),
        difference="copier loses the user's changes, Benchpin keeps them",
    ),
    Case(
        "another answer",
        {"a.txt": "{{ name }}\n" + BODY},
        {"a.txt": "{{ name }}\n" + BODY},
        (put("a.txt", "star\n" + edited(9, "mine")),),
        {"name": "moon"},
    ),
    Case(
        "a file of the user that no template knows",
        {"a.txt": BODY},
        {"a.txt": edited(3, "new")},
        (put("own.txt", "own\n"),),
    ),
    Case(
        "repeated lines",
        {"a.txt": "{\n}\n\n" * 6},
        {"a.txt": "{\n}\n\n" * 3 + "{\n  new\n}\n\n" + "{\n}\n\n" * 3},
        (put("a.txt", "{\n  mine\n}\n\n" + "{\n}\n\n" * 5),),
    ),
)


def run(*command: str, folder: Path) -> None:
    """Run a program that must succeed."""
    environment = {
        **os.environ,
        **{
            f"GIT_{who}_{what}": "a"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        },
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, (command, done.stderr.decode())


def commit(folder: Path, tag: str = "") -> None:
    """Commit everything."""
    if not (folder / ".git").exists():
        run("git", "init", "--quiet", folder=folder)
    run("git", "add", "--all", folder=folder)
    run("git", "commit", "--quiet", "--allow-empty", "--message", "change", folder=folder)
    if tag:
        run("git", "tag", tag, folder=folder)


def by_copier(case: Case, home: Path) -> dict[str, str]:
    """Return the files after copier's update."""
    copier = os.environ.get("COPIER") or shutil.which("copier")
    assert copier, "install copier, or name it in COPIER"
    source, project = home / "template", home / "project"
    for version, files in (("v1.0.0", case.before), ("v2.0.0", case.after)):
        source.mkdir(exist_ok=True)
        for it in [it for it in source.iterdir() if it.name != ".git"]:
            shutil.rmtree(it) if it.is_dir() else it.unlink()
        put("copier.yml", "name:\n  type: str\n  default: star\n")(source)
        put("{{ _copier_conf.answers_file }}.jinja", "{{ _copier_answers|to_nice_yaml }}")(source)
        for path, text in files.items():
            put(f"{path}.jinja", text)(source)
        commit(source, version)
    first = ("copy", "--quiet", "--defaults", "--vcs-ref", "v1.0.0")
    run(copier, *first, str(source), str(project), folder=home)
    commit(project)
    for edit in case.edits:
        edit(project)
    commit(project)
    answers = [it for name, value in case.answers.items() for it in ("--data", f"{name}={value}")]
    update = ("update", "--quiet", "--defaults", "--conflict", "inline", "--vcs-ref", "v2.0.0")
    run(copier, *update, *answers, folder=project)
    return files_of(project)


def catalogue(sources: Sources, version: str) -> TemplateCatalogue:
    """Return a catalogue with one template."""
    # `word` writes the value without quotes, as copier does.
    texts = {
        path: text.replace("{{ name }}", "{{ name | word }}") for path, text in sources.items()
    }
    template = Template(
        uri="template://bench/any/cli",
        name="bench",
        description="bench",
        mime_type="text/plain",
        category="bench",
        toolchain="any",
        variant="cli",
        version=version,
        origin=BUILT_IN,
        parameters=(Parameter(name="name", description="Its name.", default="star"),),
        files=tuple(TemplateFile(source=path, path=path) for path in sources),
    )
    return TemplateCatalogue({template.uri: template}, {}, {BUILT_IN: texts})


def by_benchpin(case: Case, home: Path) -> dict[str, str]:
    """Return the files after our update."""
    project = home / "ours"
    old = catalogue(case.before, "1")
    made = scaffold(old, ScaffoldRequest("any", list(old.templates), {}))
    base = base_file(it.content.encode() for it in made.files)
    written = [*made.files, base, provenance(record_of(made))]
    write_files(home, PurePosixPath("ours"), written, Job(), home / "cache")
    for edit in case.edits:
        edit(project)
    files = GeneratedProject(project, PurePosixPath(), Job())
    plan = plan_update(files, catalogue(case.after, "2"), case.answers, Job())
    apply_changes(project, [*plan.changes, *plan.record], Job(), home / "cache")
    return files_of(project)


def files_of(project: Path) -> dict[str, str]:
    """Return the files of a project without records, the labels of conflicts made equal."""
    found = {}
    for it in sorted(project.rglob("*")):
        path = it.relative_to(project)
        if it.is_file() and path.parts[0] not in {".git", ".benchpin", ".copier-answers.yml"}:
            text = it.read_text(encoding="utf-8")
            text = text.replace("<<<<<<< before updating", "<<<<<<< yours")
            found[str(path)] = text.replace(">>>>>>> after updating", ">>>>>>> template")
    return found


def main() -> None:
    """Compare, print and write down."""
    rows = []
    for case in CASES:
        with TemporaryDirectory() as home:
            is_same = by_copier(case, Path(home)) == by_benchpin(case, Path(home))
        assert is_same is not bool(case.difference), case.name
        rows.append(f"| {case.name} | {'yes' if is_same else case.difference} |")
    same = sum(not it.difference for it in CASES)
    lines = [
        f"{machine()}; git 2.39.5, copier 9.19.1.\n",
        f"Updates beside copier's: {same} of {len(rows)} cases end with the same files.\n",
        "| case | same files |",
        "|---|---|",
        *rows,
    ]
    print(*lines, sep="\n")
    write_section("Template updates", "\n".join(lines))


if __name__ == "__main__":
    help_if_asked(__doc__)
    main()
