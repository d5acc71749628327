"""A clone that borrows its objects: the error names the flag, and the flag works."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from benchpin.cli.main import cli
from repositories import Tree


@pytest.mark.slow
def test_a_shared_clone_is_read_with_the_flag_that_the_error_names(tmp_path: Path) -> None:
    lender, clone = tmp_path / "lender", tmp_path / "clone"
    lender.mkdir()
    Tree(lender).commit({"a.py": b"x = 1\n"}, "Begin")
    Tree(lender, is_new=False).git("clone", "-q", "--shared", ".", str(clone))
    refused = CliRunner().invoke(cli, ["--root", str(clone), "show", "history", "a.py"])
    assert refused.exit_code != 0
    assert "--git-folders DIR" in refused.output
    flags = ["--root", str(clone), "--git-folders", str(lender)]
    shown = CliRunner().invoke(cli, [*flags, "show", "history", "a.py"])
    assert (shown.exit_code, "Begin" in shown.output) == (0, True)
