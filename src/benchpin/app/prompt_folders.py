"""Prompts from folders: the workspace's own, and those that the operator names."""

from collections.abc import Iterable
from pathlib import Path

from benchpin.core import BenchpinError, ConfigError, Prompt
from benchpin.core.prompt_file import read_prompt

WORKSPACE_FOLDER = Path(".benchpin") / "prompts"
_MAX_BYTES = 256 * 1024
_MOST_FILES = 500


def read_folders(folders: Iterable[Path]) -> tuple[list[Prompt], list[str]]:
    """Return the prompts of some folders, and a note for each file that is none.

    The first of several prompts with one name counts.
    """
    prompts: dict[str, Prompt] = {}
    notes: list[str] = []
    for place in (place for folder in folders for place in _files(folder)):
        try:
            prompt = read_prompt(place.stem, _text(place))
        except BenchpinError as error:
            notes.append(f"{place.name}: {error.message}. {error.suggestion}")
            continue
        if prompt.name in prompts:
            notes.append(f"{place.name}: there is a prompt {prompt.name!r} already")
        prompts.setdefault(prompt.name, prompt)
    return list(prompts.values()), notes


def _files(folder: Path) -> list[Path]:
    try:
        found = [place for place in folder.iterdir() if place.suffix == ".md"]
    except OSError:
        return []
    return sorted(place for place in found if place.is_file() and not place.is_symlink())[
        :_MOST_FILES
    ]


def _text(place: Path) -> str:
    hint = "Prompts are UTF-8 text of at most 256 KiB."
    try:
        if place.stat().st_size > _MAX_BYTES:
            raise ConfigError("The file is too long for a prompt", suggestion=hint)
        return place.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The file cannot be read: {error}", suggestion=hint) from error
