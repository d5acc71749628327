"""Survey a repository, check its documents, rank its symbols and pack it for a model."""
