"""Make the commit that an agent has to review: `python plant.py CLONE plants/NAME.toml`.

The file has the message, `edits` ([path, old, new], the old text exactly once) and `copies`, each
the lines of a file from `first` up to the next line that is `last`, put before `before` in a file,
with `replace` made. So no code of the repository is kept here. The commit has a fixed author and
the date of its parent plus an hour: the same edits on the same commit give the same hash.
"""

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

AUTHOR = {"NAME": "Robin Vale", "EMAIL": "robin.vale@example.org"}


def git(clone: Path, *arguments: str, **variables: str) -> str:
    """Return what git prints."""
    environment = {**os.environ, **variables}
    command = ["git", "-C", str(clone), *arguments]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    if done.returncode:
        sys.exit(f"git {arguments[0]}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout.decode(errors="replace")


def replaced(text: str, old: str, new: str, where: str) -> str:
    """Return the text with one place changed; none or several are an error."""
    if (found := text.count(old)) != 1:
        sys.exit(f"{where}: {found} places instead of one with {old!r}")
    return text.replace(old, new)


def copied(clone: Path, copy: dict[str, Any]) -> str:
    """Return the text of a copy."""
    lines = (clone / copy["from"]).read_text(encoding="utf-8").splitlines(keepends=True)
    starts = [number for number, line in enumerate(lines) if line.startswith(copy["first"])]
    if len(starts) != 1:
        sys.exit(f"{copy['from']}: {len(starts)} lines instead of one start with {copy['first']!r}")
    ends = [
        number for number in range(starts[0], len(lines)) if lines[number].rstrip() == copy["last"]
    ]
    text = "".join(lines[starts[0] : ends[0] + 1])
    for old, new in copy["replace"]:
        if old not in text:
            sys.exit(f"{copy['from']}: no {old!r} in what is copied")
        text = text.replace(old, new)
    return text


def plant(clone: Path, described: dict[str, Any]) -> str:
    """Change the files of a clone, commit and return the hash."""
    texts: dict[str, str] = {}

    def change(path: str, old: str, new: str) -> None:
        text = texts.get(path) or (clone / path).read_text(encoding="utf-8")
        texts[path] = replaced(text, old, new, path)

    for copy in described.get("copies", []):
        change(copy["to"], copy["before"], copied(clone, copy) + "\n" + copy["before"])
    for path, old, new in described["edits"]:
        change(path, old, new)
    for path, text in texts.items():
        (clone / path).write_text(text, encoding="utf-8", newline="")
    seconds, zone = git(clone, "log", "-1", "--format=%cd", "--date=raw").split()
    date = f"{int(seconds) + 3600} {zone}"
    names = {
        f"GIT_{who}_{key}": value
        for who in ("AUTHOR", "COMMITTER")
        for key, value in AUTHOR.items()
    }
    names |= {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    git(clone, "add", "--", *texts)
    # Not `git commit`: it refuses a snapshot that lacks a few large files.
    tree = git(clone, "write-tree", "--missing-ok").strip()
    made = git(
        clone, "commit-tree", tree, "-p", "HEAD", "-m", described["message"].strip(), **names
    ).strip()
    git(clone, "update-ref", "HEAD", made)
    return made


if __name__ == "__main__":
    print(plant(Path(sys.argv[1]), tomllib.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))))
