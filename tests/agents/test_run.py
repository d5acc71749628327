"""The runner of `bench/agents`, with an agent that is a few lines of shell."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

RUNNER = Path(__file__).parents[2] / "bench" / "agents" / "run.py"
QUESTIONS = """
[[repository]]
name = "garden"
commit = "COMMIT"
language = "Python"
[[repository.question]]
id = "Q1"
ask = "Who calls `water`?"
truth = "tend"
"""
PLANT = """
message = "Water more"
edits = [["garden.py", "    return water()", "    return water() + 1"]]
[[copies]]
from = "garden.py"
first = "def water("
last = "    return litres"
to = "garden.py"
before = "def tend("
replace = [["water", "soak"]]
"""
GARDEN = "def water():\n    litres = 1\n    return litres\n\ndef tend():\n    return water()\n"
AGENT = r"""
cat > ../seen.md
logged=$(dirname {prompt})/logged
$logged 'grep -c water garden.py'
$logged <<'EOF'
echo 'two words'; bp tools | head -c 40
EOF
$logged "bp find_references '{\"symbol\": \"water\"}'"
echo; echo '## Q1'; echo tend
"""


def git(folder: Path, *arguments: str) -> str:
    who = {f"GIT_{it}_{key}": "a@b" for it in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
    command = ["git", "-C", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, check=True, env={**os.environ, **who})
    return done.stdout.decode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    source = tmp_path / "source"
    source.mkdir()
    (source / "garden.py").write_text(GARDEN)
    git(source, "init", "-q")
    git(source, "add", ".")
    git(source, "commit", "-qm", "A garden")
    written = QUESTIONS.replace("COMMIT", git(source, "rev-parse", "--short", "HEAD").strip())
    (tmp_path / "questions.toml").write_text(written)
    (tmp_path / "plants").mkdir()
    (tmp_path / "plants" / "garden.toml").write_text(PLANT)
    return tmp_path


def run(
    folder: Path, arm: str, *options: str, name: str = "garden"
) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, RUNNER, name, folder / "source", arm, folder / arm, *options]
    return subprocess.run(
        [*map(str, command), "--folder", str(folder)], capture_output=True, text=True, check=False
    )


def test_counts_what_the_shell_cost_an_agent(folder: Path) -> None:
    done = run(folder, "shell", "--agent", AGENT)

    assert done.returncode == 0, done.stderr
    out = folder / "shell"
    rows = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    result = json.loads((out / "result.json").read_text())
    assert result["calls"] == len(rows) == 3
    assert result["characters"] == sum(row["chars_in"] + row["chars_out"] for row in rows)
    answers = (out / "answers.md").read_text()
    assert answers.startswith("2\ntwo words\n")
    assert answers.endswith("## Q1\ntend\n")
    assert "bp: command not found" in answers


def test_prepares_the_planted_commit_and_leaves_the_clone_clean(folder: Path) -> None:
    run(folder, "shell", "--agent", "true")

    clone = folder / "shell" / "clone"
    assert git(clone, "log", "--format=%s") == "Water more\nA garden\n"
    assert not git(clone, "status", "--short")
    copy = "def soak():\n    litres = 1\n    return litres\n\n"
    planted = GARDEN.replace("def tend", f"{copy}def tend").replace("water()\n", "water() + 1\n")
    assert (clone / "garden.py").read_text() == planted


def test_plants_the_same_commit_twice(folder: Path) -> None:
    run(folder, "shell", "--agent", "true")
    (folder / "shell").rename(folder / "first")
    run(folder, "shell", "--agent", "true")

    first, second = (git(folder / it / "clone", "rev-parse", "HEAD") for it in ("first", "shell"))
    assert first == second


def test_refuses_an_edit_that_fits_nowhere(folder: Path) -> None:
    (folder / "plants" / "garden.toml").write_text(PLANT.replace("return water()", "return dig()"))

    done = run(folder, "shell", "--agent", "true")

    assert done.returncode
    assert "garden.py: 0 places instead of one" in done.stderr


def test_refuses_a_folder_that_exists(folder: Path) -> None:
    (folder / "shell").mkdir()

    assert "exists" in run(folder, "shell", "--agent", "true").stderr


def test_names_the_repositories_with_questions(folder: Path) -> None:
    done = run(folder, "shell", "--agent", "true", name="meadow")

    assert "No questions about 'meadow'" in done.stderr
    assert "garden" in done.stderr


def test_serves_the_tools_to_the_other_arm_with_the_same_words(folder: Path) -> None:
    done = run(folder, "benchpin", "--agent", AGENT)
    run(folder, "shell", "--agent", AGENT)

    assert done.returncode == 0, done.stderr
    out = folder / "benchpin"
    assert "garden.py" in (out / "answers.md").read_text()
    assert json.loads((out / "result.json").read_text())["calls with a tool"] == 1
    words = (out / "seen.md").read_text().replace(str(out), str(folder / "shell")).splitlines()
    others = (folder / "shell" / "seen.md").read_text().splitlines()
    assert [line for line in others if line not in words] == [
        "A command can call what the shell has: git, grep, rg, sed, awk, python3."
    ]
    assert "a server that reads this repository" in " ".join(words)
