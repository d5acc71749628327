"""The files of a workspace: walking, reading, searching and writing them, git, differences."""
