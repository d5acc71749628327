"""Run programs: the sandbox, and the test runners of a project."""
