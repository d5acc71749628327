"""Files of a workspace: walking, languages, parsing, facts and their cache, git history."""
