"""A project with long names, and what each command is given in it."""

from pathlib import Path

from benchpin.cli.groups import GROUPS, words_of
from repositories import Tree

FOLDER = "packages/administration_interface/internationalisation_of_messages"
FILE = f"{FOLDER}/translation_of_plural_forms.py"
OTHER = f"{FOLDER}/conversion_of_measurements_and_currencies.py"
BRANCHES = "".join(f"    if number_of_things == {it}:\n        return {it}\n" for it in range(25))
CODE = f'''\
"""Choose plural forms."""


class PluralFormSelectionStrategy:
    def choose_the_plural_form_for_language(self, number_of_things: int, language_code: str):
        # TODO: this is a hack that ought to be replaced by the rules of the Unicode consortium
    {BRANCHES.replace(chr(10), chr(10) + "    ")}
        return self.choose_the_plural_form_for_language(0, language_code)
'''
# What a command is given, where it needs anything; the others run without arguments.
GIVEN = {
    "analyze impact": [FILE],
    "analyze name-similarity": ["choose_plural_form"],
    "comments add": [FILE, "3", "Why are there so many of these branches in here?", "QUESTION"],
    "comments show": [FILE],
    "edit rename": ["choose_the_plural_form_for_language", "choose"],
    "edit rewrite": ["return $X", "return ($X)", "--language", "python"],
    "explore": ["which plural form is chosen for a language"],
    "find calls": ["choose_the_plural_form_for_language"],
    "find implementations": ["PluralFormSelectionStrategy"],
    "find references": ["choose_the_plural_form_for_language"],
    "find structure": ["return $X"],
    "find symbol": ["choose"],
    "find tests": [FILE],
    "find text": ["plural"],
    "find tools": ["rename a function"],
    "perf ingest": ["stacks.txt"],
    "perf validate": ["stacks.txt"],
    "perf flamegraph": ["--format", "collapsed"],
    "run tests": ["--list"],
    "show history": [FILE],
    "show directory": [FOLDER],
    "show outline": [FOLDER],
    "template generate": ["template://makefile/rust/cli", "--parameters", '{"project_name": "a"}'],
    "template search": ["rust"],
}
# These run until they are ended, or reach for the network.
ENDLESS = {"perf record", "perf collect"}


def every_command() -> list[str]:
    """Return the commands in groups; what others show is made first."""
    words = {group: words_of(group) for group in GROUPS}
    names = [f"{group} {word}" for group, it in words.items() if it for word in it.listed]
    names.sort(key=lambda it: it not in {"perf ingest", "comments add"})
    return [it for it in names if it not in ENDLESS]


def wide_project(root: Path) -> Path:
    """Make a project whose paths and names are long, with a change that is not committed."""
    tree = Tree(root)
    (root / FOLDER).mkdir(parents=True)
    (root / "tests").mkdir()
    (root / FILE).write_text(CODE, encoding="utf-8")
    (root / OTHER).write_text(CODE.replace("Plural", "Currency"), encoding="utf-8")
    test = f"from {FILE.removesuffix('.py').replace('/', '.')} import PluralFormSelectionStrategy\n"
    test += "\ndef test_the_plural_form_of_nothing():\n    assert PluralFormSelectionStrategy()\n"
    (root / "tests" / "test_translation_of_plural_forms.py").write_text(test, encoding="utf-8")
    (root / "README.md").write_text("# Wide\n\n[gone](docs/that/is/not/there.md)\n", "utf-8")
    (root / "stacks.txt").write_text(
        f"main;{FILE}:choose_the_plural_form_for_language 90\nmain;{OTHER}:convert 10\n", "utf-8"
    )
    tree.git("add", "--all")
    tree.git("commit", "--quiet", "-m", "Choose the plural form of a message by its language")
    (root / OTHER).write_text(CODE, encoding="utf-8")
    return root
