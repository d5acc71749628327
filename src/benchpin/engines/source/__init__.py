"""Files of a workspace: walking, languages, parsing, facts and their cache, git history."""

from pathlib import Path

from .compiled import import_text, prefers_text

if prefers_text(_here := Path(__file__).parent):
    import_text(_here)
