"""What a repository is made of, which documentation it needs, and what to hand a model of it."""
