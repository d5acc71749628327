"""Prompts from files, in the workspace and in the operator's folders."""

from collections.abc import Iterable
from pathlib import Path

from benchpin.core.calls import Operation, Permissions
from benchpin.core.content import Prompt
from benchpin.core.errors import BenchpinError, ConfigError
from benchpin.core.own_files import open_own

WORKSPACE_FOLDER = Path(".benchpin") / "prompts"
_MAX_BYTES = 256 * 1024
_MAX_FILES = 500


def workspace_files(root: Path, permissions: Permissions) -> list[Path]:
    """Return the prompt files of a workspace, except denied ones; none behind a link."""
    folder = root / WORKSPACE_FOLDER
    if folder.resolve() != root.resolve() / WORKSPACE_FOLDER:
        return []
    return [
        place
        for place in files_in(folder)
        if permissions.may((WORKSPACE_FOLDER / place.name).as_posix(), Operation.READ)
    ]


def read_files(places: Iterable[Path]) -> tuple[list[Prompt], list[str]]:
    """Return the prompts in some files, and a note for each file that is not one.

    Of several prompts with the same name, the first is used.
    """
    prompts: dict[str, Prompt] = {}
    notes: list[str] = []
    for place in places:
        try:
            prompt = _read(place)
        except BenchpinError as error:
            notes.append(f"{place.name}: {error.message}. {error.suggestion}")
            continue
        if prompt.name in prompts:
            notes.append(f"{place.name}: another file has a prompt {prompt.name!r}")
        prompts.setdefault(prompt.name, prompt)
    return list(prompts.values()), notes


def files_in(folder: Path) -> list[Path]:
    """Return the Markdown files of a folder, at most 500; not links and unprintable names."""
    try:
        found = [place for place in folder.iterdir() if place.suffix == ".md"]
    except OSError:
        return []
    return sorted(place for place in found if _is_plain(place))[:_MAX_FILES]


def _is_plain(place: Path) -> bool:
    return place.is_file() and not place.is_symlink() and place.name.isprintable()


def _read(place: Path) -> Prompt:
    from benchpin.core.content import read_prompt  # noqa: PLC0415 - loaded when used

    return read_prompt(place.stem, _text(place))


def _text(place: Path) -> str:
    hint = "Prompts are UTF-8 text of at most 256 KiB."
    try:
        with open_own(place) as file:
            content = file.read(_MAX_BYTES + 1)
        text = content.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The file cannot be read: {error}", suggestion=hint) from error
    if len(content) > _MAX_BYTES:
        raise ConfigError("The file is too long for a prompt", suggestion=hint)
    return text
