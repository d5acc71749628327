"""Make aider's maps of a repository, with its own Python: `aider_map.py PATH…`.

Each PATH is a folder with the modules of Benchpin, whose count of tokens both programs use. The
question comes on standard input, as JSON.
"""

import json
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path

sys.path += sys.argv[1:]

from benchpin.repository.packing import count_tokens

RepoMap = import_module("aider.repomap").RepoMap


class Quiet:
    """What aider reads files and complains with."""

    def read_text(self, path: str, silent: bool = False) -> str | None:  # noqa: FBT001, FBT002, ARG002 - aider's
        """Return the text of a file; None when it is not UTF-8."""
        try:
            return Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return None

    def tool_output(self, *_words: object, **_options: object) -> None:
        """Say nothing."""

    tool_warning = tool_error = tool_output


class Counting:
    """The model, of which aider wants only the number of tokens."""

    def token_count(self, text: str) -> int:
        """Count as Benchpin does."""
        return count_tokens(text)


def main() -> None:
    """Answer one question."""
    asked = json.load(sys.stdin)
    root = asked["root"]
    paths = [f"{root}/{path}" for path in asked["files"]]
    os.chdir(root)
    with tempfile.TemporaryDirectory() as cache:
        RepoMap.TAGS_CACHE_DIR = cache
        maps = {}
        for budget in asked["budgets"]:
            it = RepoMap(budget, root, Counting(), Quiet(), map_mul_no_files=1, refresh="always")
            maps[budget] = it.get_ranked_tags_map([], paths, budget, set(), set(), True) or ""
    json.dump(maps, sys.stdout)


if __name__ == "__main__":
    main()
