"""The certificate: which verdict a change gets, and that nothing is left of the attempt."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from benchpin.app import Workbench, configure
from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, Cancelled, InvalidParams
from benchpin.run import sandbox as execution
from benchpin.run.sandbox import _calls as calls
from benchpin.toolsets.navigation._certificate import Certificate
from repositories import Tree
from sandboxes import survivors, working
from waiting import WAIT_S

pytestmark = pytest.mark.slow

# The packages of these tests are not in the sandbox when Benchpin runs from elsewhere.
PACKAGES = [Path(it) for it in sys.path if it.endswith("site-packages")]
CODE = "def fee(total, member):\n    if member:\n        return 0\n    return 5\n"
BETTER = CODE.replace("if member:", "if member or total >= 100:")
WRONG = CODE.replace("if member:", "if member or total <= 100:")
TESTS = (
    "from shop import fee\n\n\ndef test_members():\n    assert fee(1, True) == 0\n\n\n"
    "def test_others():\n    assert fee(1, False) == 5\n"
)
NEW_TEST = "\n\ndef test_large_orders():\n    assert fee(100, False) == 0\n"
NO_TEST = "\n\ndef test_large_orders():\n    assert fee(100, True) == 0\n"
MORE = b"\n\ndef test_more():\n    assert fee(1, True) == 0\n"
FILES = {
    "shop.py": CODE.encode(),
    "conftest.py": b"import sys\nsys.dont_write_bytecode = True\n",
    "tests/test_shop.py": TESTS.encode(),
    "pyproject.toml": b"[tool.pytest.ini_options]\n",
    ".gitignore": b"node_modules\n*.log\n",
}
Prove = Callable[..., Certificate]


@pytest.fixture
def tree(workspace: Path) -> Tree:
    made = Tree(workspace)
    made.commit(FILES)
    return made


@pytest.fixture
def prove(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Prove:
    """Return a function that proves a change, and checks that nothing of the attempt is left."""
    sandbox = working("bubblewrap")
    for module in (execution, calls):
        monkeypatch.setattr(module, "detect_sandbox", lambda _root: sandbox)
    environment = Path(sys.prefix)
    monkeypatch.setenv("VIRTUAL_ENV", str(environment))
    cache = tmp_path / "cache"

    def prove_it(job: Job | None = None, **given: object) -> Certificate:
        names = ("allow", "unconfined")
        settings = {"allow": ["execute"], **{it: given.pop(it) for it in names if it in given}}
        settings["toolchains"] = [environment, *PACKAGES]
        bench = Workbench(configure(root=tree.root, cache_dir=cache, **settings))
        before = state_of(tree)
        try:
            call = bench.prepare(bench.catalogue.find("prove_change"), given, job=job)
            return cast("Certificate", call.run())
        finally:
            bench.close()
            assert state_of(tree) == before
            assert not list((cache / "proofs").glob("*"))
            assert tree.git("worktree", "list").count(b"\n") == 0

    return prove_it


def state_of(tree: Tree) -> tuple[object, ...]:
    """Return all files of a workspace, with their contents, and what git has staged."""
    files = sorted(it for it in tree.root.rglob("*") if it.is_file() and ".git/" not in str(it))
    content = tuple((str(it), it.read_bytes(), it.stat().st_mtime_ns) for it in files)
    index = (tree.root / ".git" / "index").read_bytes()
    return (content, index, tree.git("stash", "list"), tree.git("rev-parse", "HEAD"))


def state_by_name(found: Certificate) -> dict[str, str]:
    return {it.name: it.state for it in found.checks}


def rules(found: Certificate) -> list[str]:
    return [it.rule for it in found.gaps]


def change(tree: Tree, code: str, tests: str = TESTS) -> None:
    tree.write({"shop.py": code.encode(), "tests/test_shop.py": tests.encode()})


def test_a_change_whose_new_test_fails_without_it_is_proven(tree: Tree, prove: Prove) -> None:
    change(tree, BETTER, TESTS + NEW_TEST)
    found = prove()
    assert found.verdict == "proven"
    assert found.exit_status() == 0
    states = state_by_name(found)
    assert states["tests"] == states["new tests without the change"] == "passed"
    assert states["mistakes"] == "passed"
    assert found.mistakes[0].noticed_by
    assert found.summary.startswith("**Benchpin: proven**")


def test_tests_of_the_same_file_do_not_prove_a_function_that_nothing_calls(
    tree: Tree, prove: Prove
) -> None:
    # Nothing in it has a mistake to try.
    change(tree, CODE + '\n\ndef copied(rows):\n    """Yield each row."""\n    yield from rows\n')
    found = prove()
    assert (found.verdict, rules(found)) == ("not proven", ["untested-change"])
    assert "No test reaches copied" in found.gaps[0].message


def test_a_test_that_passes_without_the_change_proves_nothing(tree: Tree, prove: Prove) -> None:
    change(tree, BETTER, TESTS + NO_TEST)
    found = prove()
    assert (found.verdict, found.exit_status()) == ("not proven", 3)
    assert "passes-without-change" in rules(found)


def test_a_test_that_fails_because_of_the_change_means_broken(tree: Tree, prove: Prove) -> None:
    change(tree, WRONG)
    found = prove(format="sarif")
    assert (found.verdict, found.exit_status()) == ("broken", 1)
    (gap,) = [it for it in found.gaps if it.level == "error"]
    assert (gap.rule, gap.file) == ("failing-test", "tests/test_shop.py")
    assert "passes without the change" in gap.message
    assert '"failing-test"' in found.to_text()


def test_a_test_that_failed_before_is_not_blamed_on_the_change(tree: Tree, prove: Prove) -> None:
    failing = TESTS + "\n\ndef test_old():\n    assert fee(1, False) == 7\n"
    tree.commit({"tests/test_shop.py": failing.encode()})
    change(tree, BETTER, failing + NEW_TEST)
    found = prove()
    assert found.verdict == "not proven"
    assert any("fails with and without the change" in it.message for it in found.gaps)


def test_a_mistake_that_no_test_notices_is_missing(tree: Tree, prove: Prove) -> None:
    weak = "from shop import fee\n\n\ndef test_runs():\n    fee(1, True)\n"
    tree.commit({"tests/test_shop.py": weak.encode()})
    change(tree, BETTER, weak)
    found = prove()
    assert found.verdict == "not proven"
    assert "unnoticed-mistake" in rules(found)


def test_code_that_no_test_reaches_is_missing_one(tree: Tree, prove: Prove) -> None:
    alone = "def other(a):\n    b = a + 1\n    return b\n"
    tree.write({"alone.py": alone.encode()})
    found = prove()
    assert found.verdict == "not proven"
    assert any("other" in it.message for it in found.gaps)


def test_two_commits_are_compared_whatever_is_on_the_disk(tree: Tree, prove: Prove) -> None:
    change(tree, BETTER, TESTS + NEW_TEST)
    tree.commit()
    tree.write({"shop.py": b"broken(\n"})
    assert prove(diff="HEAD~1..HEAD").verdict == "proven"


def test_a_branch_is_compared_with_where_it_parted(tree: Tree, prove: Prove) -> None:
    tree.git("checkout", "--quiet", "-b", "feature")
    change(tree, BETTER, TESTS + NEW_TEST)
    tree.commit()
    tree.git("checkout", "--quiet", "main")
    tree.commit({"other.py": b"a = 1\n"})
    tree.git("checkout", "--quiet", "feature")
    found = prove(diff="main")
    assert found.verdict == "proven"
    assert "merge base" in found.compared


def test_a_staged_change_is_judged_as_it_is_staged(tree: Tree, prove: Prove) -> None:
    change(tree, BETTER, TESTS + NEW_TEST)
    tree.git("add", "--all")
    change(tree, WRONG, TESTS + NEW_TEST)
    assert prove(diff="staged").verdict == "proven"
    assert prove().verdict == "broken"


def test_without_permission_nothing_runs_and_the_flag_is_named(tree: Tree, prove: Prove) -> None:
    change(tree, BETTER, TESTS + NEW_TEST)
    found = prove(allow=[])
    assert found.verdict == "not proven"
    assert any("--allow execute" in it.message for it in found.gaps)


def test_documents_alone_need_no_test(tree: Tree, prove: Prove) -> None:
    tree.write({"README.md": b"# A shop\n"})
    found = prove()
    assert found.verdict == "proven"
    assert state_by_name(found)["tests"] == "nothing to do"


def test_an_unchanged_workspace_has_nothing_to_prove(prove: Prove) -> None:
    found = prove()
    assert (found.verdict, found.exit_status()) == (None, 0)
    assert found.to_text().startswith("No uncommitted changes")
    assert found.summary.startswith("**Benchpin: nothing to prove**")


def test_a_revision_that_is_not_there_is_named(prove: Prove) -> None:
    with pytest.raises(InvalidParams, match="no revision 'nowhere'"):
        prove(diff="nowhere")


def test_a_merge_that_waits_for_the_user_is_named(tree: Tree, prove: Prove) -> None:
    (tree.root / ".git" / "MERGE_HEAD").write_bytes(tree.git("rev-parse", "HEAD") + b"\n")
    with pytest.raises(BenchpinError, match="middle of a merge") as error:
        prove()
    assert error.value.kind == "merge_in_progress"


def test_a_project_without_tests_is_said_to_have_none(tree: Tree, prove: Prove) -> None:
    tree.commit({"tests/test_shop.py": None, "conftest.py": None, "pyproject.toml": None})
    tree.write({"shop.py": BETTER.encode()})
    found = prove()
    assert found.verdict == "not proven"
    assert any("No test reaches fee" in it.message for it in found.gaps)


def test_tests_that_hang_are_ended_and_named(tree: Tree, prove: Prove) -> None:
    hanging = TESTS + "\n\ndef test_hangs():\n    import time\n    assert fee(1, True) == 0\n"
    change(tree, BETTER, f"{hanging}    time.sleep(4321)\n")
    found = prove(budget=12)
    assert found.verdict == "not proven"
    assert any("did not end in time" in it.message for it in found.gaps)
    assert not survivors("4321")


def test_a_test_that_needs_a_network_is_not_called_broken(tree: Tree, prove: Prove) -> None:
    reaching = TESTS + (
        "\n\ndef test_reaches_out():\n    import socket\n    assert fee(100, False) == 0\n"
        '    socket.create_connection(("example.org", 80))\n'
    )
    change(tree, BETTER, reaching + NEW_TEST)
    found = prove()
    assert found.verdict == "not proven"
    assert any("needs a network" in it.message for it in found.gaps)


def test_tests_write_into_a_copy_and_see_untracked_files(tree: Tree, prove: Prove) -> None:
    writing = TESTS + (
        "\n\ndef test_writes():\n    import pathlib\n    here = pathlib.Path(__file__).parent\n"
        '    assert (here / "data.txt").read_text() == "3"\n'
        '    (here / "data.txt").write_text("4")\n    (here.parent / "shop.py").write_text("")\n'
        '    closed = here / "closed"\n    closed.mkdir()\n    (closed / "a").write_text("a")\n'
        "    closed.chmod(0)\n    assert fee(100, False) == 0\n"
    )
    change(tree, BETTER, writing)
    tree.write({"tests/data.txt": b"3", "built.log": b"ignored"})
    found = prove()
    assert state_by_name(found)["tests"] == "passed"


def test_a_cancelled_call_leaves_nothing(tree: Tree, prove: Prove) -> None:
    hanging = TESTS + "\n\ndef test_hangs():\n    import time\n    time.sleep(8765)\n"
    change(tree, BETTER, hanging)
    job = Job()
    timer = threading.Timer(4.0, job.cancel)
    timer.start()
    try:
        with pytest.raises(Cancelled):
            prove(job=job)
    finally:
        timer.join(WAIT_S)
    assert not survivors("8765")


def test_a_package_that_is_not_installed_is_no_defect_of_the_change(
    tree: Tree, prove: Prove
) -> None:
    change(tree, BETTER, TESTS + NEW_TEST)
    tree.write({"tests/test_more.py": b"import not_here_at_all\nfrom shop import fee\n" + MORE})
    found = prove()
    assert found.verdict == "not proven"
    texts = [it.message for it in found.gaps]
    assert any("needs not_here_at_all, which is not installed here" in it for it in texts)


def test_a_module_of_the_workspace_that_is_gone_is_a_defect(tree: Tree, prove: Prove) -> None:
    change(tree, BETTER, TESTS + NEW_TEST)
    tree.write({"tests/test_more.py": b"import shop.prices\nfrom shop import fee\n" + MORE})
    assert prove().verdict == "broken"


def test_python_files_that_pytest_does_not_collect_are_not_run(tree: Tree, prove: Prove) -> None:
    change(tree, BETTER, TESTS + NEW_TEST)
    tree.write({"tests/typing/typing_fee.py": b"from shop import fee\n\nfee('1', 2, 3)\n"})
    named = b"import not_here\nfrom shop import fee\n\n\ndef test_fee():\n    fee('1', 2)\n"
    tree.commit({"tests/typing/typing_all.py": named})
    assert "not-checked" not in rules(prove())


def test_all_overloads_of_a_function_have_its_tests(tree: Tree, prove: Prove) -> None:
    stubs = "".join(
        f"\n\n@overload\ndef fee(\n    total: {it},\n    member: bool,\n) -> int: ...\n"
        for it in ("int", "float")
    )
    change(tree, f"from typing import overload\n{stubs}\n\n{BETTER}", TESTS + NEW_TEST)
    assert not [it for it in prove().gaps if "No test reaches" in it.message]


# A checker of the project: it names every line with a mistake, and ends badly as ruff does not.
CHECKER = b"""#!/bin/sh
grep -Hn odd shop.py | sed 's/^\\([^:]*\\):\\([0-9]*\\):\\(.*\\)/\\1:\\2: error:\\3  [odd]/'
"""


def test_a_checker_of_the_project_is_asked_for_what_is_new(tree: Tree, prove: Prove) -> None:
    old = CODE.replace("return 5", "return 5  # odd")
    tree.commit({"mypy.ini": b"[mypy]\n", "shop.py": old.encode(), ".gitignore": b".venv\n"})
    program = tree.root / ".venv" / "bin" / "mypy"
    program.parent.mkdir(parents=True)
    program.write_bytes(CHECKER)
    program.chmod(0o755)
    better = old.replace("if member:", "if member or total >= 100:")
    change(tree, better, TESTS + NEW_TEST)
    found = prove()
    assert state_by_name(found)["checkers"] == "passed"
    assert found.verdict == "proven"
    change(tree, better.replace("return 0", "return 0  # odd"), TESTS + NEW_TEST)
    found = prove()
    assert state_by_name(found)["checkers"] == "failed"
    (gap,) = [it for it in found.gaps if it.level == "error"]
    assert (gap.file, gap.line, gap.message) == ("shop.py", 3, "mypy odd: return 0  # odd")
    assert found.verdict == "broken"


def test_a_file_with_many_errors_of_a_kind_is_not_held_to_them(tree: Tree, prove: Prove) -> None:
    many = "".join(f"    old_{it} = {it}  # odd\n" for it in range(5))
    old = f"class Old:\n{many}\n\n{CODE}"
    tree.commit({"mypy.ini": b"[mypy]\n", "shop.py": old.encode(), ".gitignore": b".venv\n"})
    program = tree.root / ".venv" / "bin" / "mypy"
    program.parent.mkdir(parents=True)
    program.write_bytes(CHECKER)
    program.chmod(0o755)
    better = old.replace("if member:", "if member or total >= 100:  # odd")
    change(tree, better, TESTS + NEW_TEST)
    found = prove()
    assert [it.message for it in found.gaps] == []
    assert found.verdict == "proven"
    assert [it.level for it in found.findings if it.rule == "checker"] == ["warning"]


def test_checkers_are_asked_where_no_test_is_known(tree: Tree, prove: Prove) -> None:
    tree.commit({"more.py": b"def more(a):\n    return a\n"})
    tree.write({"more.py": b"def more(a):\n    return a + 1\n"})
    states = state_by_name(prove())
    assert (states["tests"], states["checkers"]) == ("not done", "nothing to do")


def test_tests_that_remove_the_project_are_named_and_nothing_after_them_counts(
    tree: Tree, prove: Prove
) -> None:
    removing = (
        "\n\ndef test_removes():\n    import pathlib, shutil\n    assert fee(100, False) == 0\n"
        "    shutil.rmtree(pathlib.Path(__file__).parents[1], ignore_errors=True)\n"
    )
    change(tree, BETTER, TESTS + removing)
    found = prove()
    assert found.verdict == "not proven"
    assert "The tests change or remove shop.py of the project" in found.gaps[0].message
    assert "mistakes" not in state_by_name(found)


def test_a_test_that_writes_more_than_the_sandbox_takes_is_not_called_broken(
    tree: Tree, prove: Prove
) -> None:
    writing = (
        "\n\ndef test_writes(tmp_path):\n    assert fee(100, False) == 0\n"
        "    (tmp_path / 'a').write_bytes(b'a' * (80 << 20))\n"
    )
    change(tree, BETTER, TESTS + writing)
    found = prove()
    assert found.verdict == "not proven"
    assert any("writes more than the sandbox takes" in it.message for it in found.gaps)


def test_a_function_of_one_line_without_a_test_is_not_proven(tree: Tree, prove: Prove) -> None:
    tree.write({"more.py": b"def more(a): return a\n"})
    found = prove()
    assert found.verdict == "not proven"
    assert [it.message for it in found.gaps] == ["No test reaches what changed"]
