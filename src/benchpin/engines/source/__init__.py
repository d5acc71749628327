"""Files of a workspace: walking, languages, parsing, facts and their cache, git history."""

from .compiled import find_folder

# The compiled modules shadow the Python ones of the same name.
if (_folder := find_folder()) is not None:
    __path__.insert(0, str(_folder))
