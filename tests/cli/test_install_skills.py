"""`benchpin install --skills`: what is written where hosts read skills, and what is taken out."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from benchpin.cli.hosts import HOSTS
from benchpin.toolsets.server.skills import NAMES, read_skills

Run = Callable[..., Result]
SHARED, CLAUDE = ".agents/skills", ".claude/skills"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home, project):
        folder.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.chdir(project)
    return project


def files_of(folder: Path) -> list[str]:
    return sorted(str(it.relative_to(folder)) for it in folder.rglob("*") if it.is_file())


def skills_in(folder: str) -> list[str]:
    return [f"{folder}/{name}/SKILL.md" for name in NAMES]


def test_skills_are_written_as_they_are_shipped_only_when_asked_for(
    run: Run, project: Path
) -> None:
    run("install", "claude-code", "--yes")
    assert files_of(project) == [".mcp.json"]
    done = run("install", "claude-code", "--skills", "--yes")
    assert files_of(project) == sorted([".mcp.json", *skills_in(CLAUDE)])
    for skill in read_skills():
        file = project / CLAUDE / skill.name / "SKILL.md"
        assert file.read_bytes() == skill.content
        assert f"Wrote {file}." in done.stdout
        assert f"+name: {skill.name}" in done.stdout
    again = run("install", "claude-code", "--skills", "--yes")
    assert again.stdout.count("is up to date") == 1 + len(NAMES)


def test_the_user_has_them_at_home(run: Run, project: Path) -> None:
    run("install", "claude-code", "codex", "--scope", "user", "--skills", "--yes")
    assert set(files_of(project.parent / "home")) >= {*skills_in(CLAUDE), *skills_in(SHARED)}
    assert files_of(project) == []


def test_a_folder_that_many_hosts_read_is_written_once(run: Run, project: Path) -> None:
    done = run("install", *(host.name for host in HOSTS), "--skills", "--yes")
    assert done.exit_code == 0
    assert done.stdout.count(f"Wrote {project / SHARED}") == len(NAMES)
    assert "Cursor, VS Code, Codex, Gemini CLI, Zed, opencode:" in done.stdout
    for title in ("Claude Desktop", "Windsurf", "Goose"):
        assert f"{title} has no known folder for skills" in done.stdout
    assert run("uninstall", "--skills", "--yes").exit_code == 0
    assert files_of(project.parent) == []
    assert list((project / SHARED).iterdir()) == []


def test_a_no_writes_nothing(run: Run, project: Path) -> None:
    run("install", "claude-code", "--skills", stdin="n\n" * (1 + len(NAMES)))
    assert files_of(project) == []


def test_print_shows_them_and_writes_nothing(run: Run, project: Path) -> None:
    shown = run("install", "codex", "--skills", "--print").stdout
    assert f"Codex, in {project / SHARED / NAMES[0] / 'SKILL.md'}:\n---\nname: {NAMES[0]}" in shown
    assert files_of(project.parent) == []


def test_a_changed_file_is_kept_and_named(run: Run, project: Path) -> None:
    run("install", "claude-code", "--skills", "--yes")
    file = project / CLAUDE / NAMES[0] / "SKILL.md"
    shipped = file.read_bytes()
    file.write_bytes(b"mine")
    asked = run("install", "claude-code", "--skills", stdin="n\n")
    assert f"its content is kept in {file}.before-benchpin" in asked.stdout
    assert "-mine" in asked.stdout
    assert file.read_bytes() == b"mine"
    run("install", "claude-code", "--skills", "--yes")
    assert file.read_bytes() == shipped
    assert file.with_name("SKILL.md.before-benchpin").read_bytes() == b"mine"


def test_uninstall_removes_what_it_wrote_and_names_the_rest(run: Run, project: Path) -> None:
    run("install", "claude-code", "--skills", "--yes")
    changed, extended, *_ = (project / CLAUDE / name for name in NAMES)
    (changed / "SKILL.md").write_bytes(b"mine")
    (extended / "notes.md").write_bytes(b"mine")
    done = run("uninstall", "--skills", "--yes")
    assert f"{changed / 'SKILL.md'} stays" in done.stdout
    assert files_of(project) == [
        f"{CLAUDE}/{NAMES[0]}/SKILL.md",
        f"{CLAUDE}/{NAMES[1]}/notes.md",
    ]
    assert not any((project / CLAUDE / name).exists() for name in NAMES[2:])


def test_uninstall_without_skills_says_that_they_stay(run: Run, project: Path) -> None:
    run("install", "claude-code", "--skills", "--yes")
    done = run("uninstall", "--yes")
    assert f"Skills stay in {project / CLAUDE}; --skills removes them." in done.stdout
    assert files_of(project) == skills_in(CLAUDE)


def test_a_linked_folder_is_written_once_and_stays_a_link(run: Run, project: Path) -> None:
    (project / SHARED).mkdir(parents=True)
    (project / ".claude").mkdir()
    (project / CLAUDE).symlink_to(project / SHARED)
    done = run("install", "claude-code", "codex", "--skills", "--yes")
    assert "Claude Code, Codex:" in done.stdout
    assert (project / CLAUDE).is_symlink()
    assert set(files_of(project)) >= set(skills_in(SHARED))
    assert run("uninstall", "--skills", "--yes").exit_code == 0
    assert list((project / SHARED).iterdir()) == []
