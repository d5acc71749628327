"""Keep pytest away from the tools whose names, given by the conformance suite, look like tests."""

collect_ignore_glob = ["test_*.py"]
