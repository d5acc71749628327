"""Running tests: which runner a project has, its command line, and its results."""
