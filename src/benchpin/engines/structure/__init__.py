"""Search and rewrite code by its structure: patterns of code with metavariables."""
