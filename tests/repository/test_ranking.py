from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams
from benchpin.facts import FileFacts, SourceIndex, SourceQuery
from benchpin.facts.imports import ReadFile
from benchpin.repository import RepositoryTree, draw, find_focus, rank_symbols
from benchpin.repository._ranking import Focus
from benchpin.repository.packing import count_tokens
from repository_kit import tree_of, write_files

FILES: dict[str, str | bytes] = {
    "core/engine.py": (
        "class SteamEngine:\n    def start_boiler(self):\n        return 1\n\n\n"
        "def build_engine():\n    return SteamEngine()\n"
    ),
    "core/unused.py": "def never_called():\n    return 1\n",
    "app/train.py": (
        "from core.engine import build_engine, SteamEngine\n\n\n"
        "def run_train():\n    build_engine().start_boiler()\n    return SteamEngine()\n"
    ),
    "app/ship.py": "from core.engine import SteamEngine\n\n\ndef run_ship():\n    SteamEngine()\n",
    "app/main.py": (
        "from app.train import run_train\nfrom app.ship import run_ship\n\n\n"
        "def main():\n    run_train()\n    run_ship()\n"
    ),
    "tests/test_train.py": "from app.train import run_train\n\n\ndef test_it():\n    run_train()\n",
}
EVERYTHING = Focus(frozenset(), frozenset())


@pytest.fixture
def facts(tmp_path: Path) -> Iterator[list[FileFacts]]:
    write_files(tmp_path / "w", FILES)
    index = SourceIndex(tmp_path / "w", tmp_path / "cache")
    yield index.read(SourceQuery(sections=("outline", "links"), workers=1), Job()).files
    index.close()


@pytest.fixture
def tree(tmp_path: Path) -> RepositoryTree:
    return tree_of(tmp_path / "w", FILES)


def ranked(tree: RepositoryTree, facts: list[FileFacts], focus: Focus = EVERYTHING) -> list[str]:
    return [it.name for it in rank_symbols(facts, tree, focus, Job())]


def test_what_much_depends_on_comes_first(facts: list[FileFacts], tree: RepositoryTree) -> None:
    order = ranked(tree, facts)
    assert order[0] == "SteamEngine"
    assert order.index("run_train") < order.index("never_called")


def test_focus_raises_what_it_uses(facts: list[FileFacts], tree: RepositoryTree) -> None:
    plain, focused = ranked(tree, facts), ranked(tree, facts, find_focus(facts, ["ship.py"]))
    assert focused.index("run_ship") < plain.index("run_ship")
    by_name = ranked(tree, facts, find_focus(facts, ["never_called"]))
    assert by_name.index("never_called") <= plain.index("never_called")


def test_focus_finds_files_folders_or_symbols(facts: list[FileFacts]) -> None:
    focus = find_focus(facts, ["app", "./core/engine.py", "SteamEngine.start_boiler"])
    assert focus.files == {"app/main.py", "app/ship.py", "app/train.py", "core/engine.py"}
    assert focus.names == {"start_boiler"}


def test_an_unknown_focus_suggests_the_nearest(facts: list[FileFacts]) -> None:
    with pytest.raises(InvalidParams) as caught:
        find_focus(facts, ["run_trian"])
    assert "'run_train'" in caught.value.suggestion


def test_the_same_files_give_the_same_map(facts: list[FileFacts], tree: RepositoryTree) -> None:
    maps = {draw(rank_symbols(facts, tree, EVERYTHING, Job()), 500).text for _ in "123"}
    assert len(maps) == 1


@pytest.mark.parametrize("budget", [10, 30, 60, 1000])
def test_a_map_keeps_to_its_budget(
    facts: list[FileFacts], tree: RepositoryTree, budget: int
) -> None:
    symbols = rank_symbols(facts, tree, EVERYTHING, Job())
    drawn = draw(symbols, budget)
    assert drawn.tokens == count_tokens(drawn.text) <= budget
    assert drawn.symbols == (len(symbols) if budget == 1000 else drawn.symbols)


def test_a_map_has_symbols_in_the_order_of_lines(
    facts: list[FileFacts], tree: RepositoryTree
) -> None:
    drawn = draw(rank_symbols(facts, tree, EVERYTHING, Job()), 1000)
    assert drawn.text.startswith(
        "core/engine.py:\n"
        "  1: class SteamEngine\n"
        "    2: def start_boiler(self)\n"
        "  6: def build_engine()\n"
    )


def test_out_of_time_symbols_are_not_ranked_and_this_is_reported(
    facts: list[FileFacts], tree: RepositoryTree
) -> None:
    job = Job(time_limit_s=0)
    symbols = rank_symbols(facts, tree, EVERYTHING, job)
    assert len(symbols) == 8
    assert job.missing == ["the ranking of symbols"]


def test_what_a_language_sees_without_an_import_counts_as_imported(tmp_path: Path) -> None:
    tree = tree_of(
        tmp_path / "w",
        {
            "go.mod": "module example.org/m\n",
            "context.go": "package m\n\ntype BigContext struct{}\n",
            "a.go": "package m\n\nfunc UseFirst(c *BigContext) {}\n",
            "b.go": "package m\n\nfunc UseSecond(c *BigContext) {}\n",
        },
    )
    index = SourceIndex(tmp_path / "w", tmp_path / "cache")
    files = index.read(SourceQuery(sections=("outline", "links"), workers=1), Job()).files
    index.close()
    symbols = rank_symbols(files, tree, EVERYTHING, Job())
    assert symbols[0].name == "BigContext"
    assert symbols[0].rank > 0.1


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("export const packFiles = (n: number) => n\n", "packFiles (n: number) =>"),
        ("export const url = (url: string): boolean => !url\n", "url (url: string): boolean =>"),
        ("export const is = async (isIt: string) => isIt\n", "is async (isIt: string) =>"),
        ("export const n = n => n\n", "n n =>"),
        ("export function url(a: string) { return a }\n", "function url(a: string)"),
    ],
)
def test_a_function_without_a_name_of_its_own_is_shown_with_its_variable(
    tmp_path: Path, code: str, shown: str
) -> None:
    tree = tree_of(tmp_path / "w", {"a.ts": code})
    index = SourceIndex(tmp_path / "w", tmp_path / "cache")
    files = index.read(SourceQuery(sections=("outline", "links"), workers=1), Job()).files
    index.close()
    drawn = draw(rank_symbols(files, tree, EVERYTHING, Job()), 100)
    assert drawn.text == f"a.ts:\n  1: {shown}"


def short_job(steps: int) -> Job:
    """Return a job whose clock advances by a second whenever it is read."""
    ticks = count()
    return Job(time_limit_s=steps, monotonic=lambda: float(next(ticks)))


def test_calls_that_are_too_short_finish_the_ranking_together(
    facts: list[FileFacts], tree: RepositoryTree
) -> None:
    focus = find_focus(facts, ["ship.py"])
    partial = 0
    for _ in range(10):
        job = short_job(11)
        found = rank_symbols(facts, tree, focus, job)
        if not job.missing:
            break
        partial += 1
    assert 0 < partial < 10
    other = ranked(tree, facts)
    assert [it.name for it in found] == ranked(tree, facts, focus) != other


def test_a_ranking_is_not_made_again_while_nothing_changes(
    facts: list[FileFacts], tree: RepositoryTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ranked(tree, facts)
    with monkeypatch.context() as patched:
        patched.setattr(
            "benchpin.repository._references.resolve_imports",
            lambda *_: pytest.fail("The imports were resolved again"),
        )
        patched.setattr(
            "benchpin.repository._ranking._page_rank",
            lambda *_: pytest.fail("The files were ranked again"),
        )
        assert ranked(tree, facts) == first
    fewer = [it for it in facts if it.path != "app/ship.py"]
    assert ranked(tree, fewer) == [it for it in ranked(tree, fewer) if it != "run_ship"]


def test_a_changed_manifest_causes_a_new_ranking(
    facts: list[FileFacts], tree: RepositoryTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up: list[str] = []

    def resolving(_files: list[FileFacts], read: ReadFile, _job: Job) -> dict[str, tuple[()]]:
        looked_up.append(str(read("pyproject.toml")))
        return {it.path: () for it in facts}

    monkeypatch.setattr("benchpin.repository._references.resolve_imports", resolving)
    write_files(tree.root, {"pyproject.toml": "a"})
    for _ in range(2):
        rank_symbols(facts, tree, EVERYTHING, Job())
    write_files(tree.root, {"pyproject.toml": "b"})
    rank_symbols(facts, tree, EVERYTHING, Job())
    assert looked_up == ["b'a'", "b'b'"]


def ranked_files(place: Path, files: dict[str, str | bytes]) -> list[str]:
    """Return the symbols of a repository as `path name`, the most important first."""
    tree = tree_of(place / "w", files)
    index = SourceIndex(place / "w", place / "cache")
    facts = index.read(SourceQuery(sections=("outline", "links"), workers=1), Job()).files
    index.close()
    return [f"{it.file} {it.name}" for it in rank_symbols(facts, tree, EVERYTHING, Job())]


def test_a_name_of_the_language_is_not_the_definition_of_that_name(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "Cargo.toml": '[package]\nname = "area"\n',
        "src/task.rs": "pub type Result = u8;\npub fn spawn_task() {}\n",
        "src/c.rs": "use crate::task::spawn_task;\npub fn run_c() { spawn_task() }\n",
    }
    for name in "defghijklmnopqrs":
        text = f"pub fn run_{name}() -> Result<(), ()> {{ Ok(()) }}\n" * 9
        files[f"src/{name}.rs"] = text
    files["src/lib.rs"] = "pub mod task;\n" + "".join(
        f"pub mod {it};\n" for it in "cdefghijklmnopqrs"
    )
    order = ranked_files(tmp_path, files)
    assert order.index("src/task.rs spawn_task") < order.index("src/task.rs Result")


def test_a_name_from_another_package_is_not_the_definition_of_that_name(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "app/__init__.py": "",
        "app/local.py": "class Session:\n    pass\n\n\nclass Basket:\n    pass\n",
        "app/main.py": "from app.local import Basket\n\nBasket()\n",
    }
    for number in range(20):
        files[f"app/a{number}.py"] = f"from requests import Session\n\n{'Session()' * 9}\n"
    assert ranked_files(tmp_path, files)[0] == "app/local.py Basket"


def test_one_of_several_variants_stands_for_all(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        f"app/{name}.py": f"class {name.title()}:\n    def marshal_all(self):\n        pass\n"
        for name in ("json", "toml", "yaml")
    }
    files["app/main.py"] = (
        "from app.json import Json\nfrom app.toml import Toml\nfrom app.yaml import Yaml\n\n\n"
        "def run_all():\n    for it in (Json(), Toml(), Yaml()):\n        it.marshal_all()\n"
    )
    names = [it.partition(" ")[2] for it in ranked_files(tmp_path, files)]
    assert sum("marshal_all" in it for it in names[:4]) == 1


def test_what_other_crates_can_use_comes_before_what_is_for_the_crate(tmp_path: Path) -> None:
    order = ranked_files(
        tmp_path,
        {
            "Cargo.toml": '[package]\nname = "area"\n',
            "src/lib.rs": "mod size;\nmod a;\n",
            "src/size.rs": "pub(crate) fn inner_size() {}\npub fn outer_size() {}\n",
            "src/a.rs": "use crate::size::{inner_size, outer_size};\n"
            "fn run_a() { outer_size(); " + "inner_size(); " * 9 + "}\n",
        },
    )
    assert order.index("src/size.rs outer_size") < order.index("src/size.rs inner_size")
