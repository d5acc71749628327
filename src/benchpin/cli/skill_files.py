"""Benchpin's skills in the folders from which hosts read them.

Several hosts read the same folder, so a file is written once for all of them.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from benchpin.toolsets.server.skills import SKILL_FILE, Skill, read_skills

from .host_changes import Change, read, target_of
from .hosts import Host, Places, Scope

ScopedHost = tuple[Host, Scope]


def installed_skills(hosts: Sequence[ScopedHost], root: Path, places: Places) -> list[Change]:
    """Return what to write; hosts without a folder of skills are named."""
    for host, _ in hosts:
        if host.skills_folder is None:
            click.echo(f"{host.title} has no known folder for skills; it can get them over MCP.")
    return [
        Change(title, file, read(file), skill.content, has_own_folder=True)
        for title, file, skill in _files(hosts, root, places)
    ]


def removed_skills(hosts: Sequence[ScopedHost], root: Path, places: Places) -> list[Change]:
    """Return what to remove; a file that is not as it was written stays, and is named."""
    changes = []
    for title, file, skill in _files(hosts, root, places):
        before = read(file)
        if before == skill.content:
            changes.append(Change(title, file, before, None, has_own_folder=True))
        elif before is not None:
            click.echo(f"{file} stays: it is not what this version of Benchpin writes.")
    return changes


def _files(
    hosts: Sequence[ScopedHost], root: Path, places: Places
) -> Iterator[tuple[str, Path, Skill]]:
    readers: dict[Path, list[str]] = {}
    for host, scope in hosts:
        folder = host.skills(scope, root, places)
        if folder is not None:
            for skill in read_skills():
                target_of(folder / skill.name / SKILL_FILE, root if scope == "project" else None)
            readers.setdefault(folder.resolve(), []).append(host.title)
    for folder, titles in readers.items():
        for skill in read_skills():
            # A link, as managers of dotfiles make them, stays one: its target is written.
            file = (folder / skill.name / SKILL_FILE).resolve()
            yield ", ".join(titles), file, skill
