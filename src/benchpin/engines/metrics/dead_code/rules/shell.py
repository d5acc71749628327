from .table import Rules

RULES = Rules(languages=frozenset({"xshell"}))
