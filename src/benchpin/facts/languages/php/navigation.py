"""How names of PHP are found."""

from benchpin.facts.code import Navigation


def _whole_import(module: str) -> tuple[str, str]:
    name = module.rpartition("\\")[2]
    return name, name


NAVIGATION = Navigation(whole_import=_whole_import)
