"""What others use in CI: the action's steps, the GitLab job and the hooks, run as far as possible.

GitHub is a server on loopback, and the repository has names that a shell would execute.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from benchpin.cli.main import cli
from repositories import Tree

HERE = Path(__file__).parents[1]
ACTION: dict[str, Any] = yaml.safe_load((HERE / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
GITLAB: dict[str, Any] = yaml.safe_load((HERE / "ci" / "gitlab.yml").read_text(encoding="utf-8"))
HOOKS: list[dict[str, Any]] = yaml.safe_load(
    (HERE / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
)
ODD = "$(touch pwned);`touch pwned`,::error::x.py"
# Not UTF-8, with a line of its own and a character that turns the text round.
UNREADABLE = os.fsdecode("src/\n::error::x\u202e\x1b[2J".encode() + b"\xff.py")
BASH = shutil.which("bash") or "bash"
BRANCH = "x$(touch${IFS}pwned)"
TANGLED = "def f(a):\n" + "".join(f"    if a == {it}:\n        return {it}\n" for it in range(12))


def test_no_script_of_the_action_contains_an_expression() -> None:
    scripts = [it["run"] for it in STEPS if "run" in it]
    assert len(scripts) == 3
    assert [it for it in scripts if "${{" in it] == []
    assert {it["shell"] for it in STEPS if "run" in it} == {"bash"}


def test_untrusted_values_are_not_even_in_the_environment() -> None:
    given = json.dumps([it.get("env", {}) for it in STEPS])
    assert re.findall(r"github\.(?!action_path|sha|token)\w+", given) == []


def test_python_is_isolated_from_the_checkout() -> None:
    for it in STEPS:
        for line in str(it.get("run", "")).splitlines():
            assert "-I" in shlex.split(line)


@dataclass
class Comments:
    """The comments of a pull request, as GitHub would keep them."""

    bodies: list[str] = field(default_factory=lambda: ["Nice.", "<!-- benchpin --> not ours"])
    authors: list[str] = field(default_factory=lambda: ["ada", "eve"])
    requests: list[str] = field(default_factory=list)
    refuses: bool = False


@pytest.fixture
def comments() -> Comments:
    return Comments()


@pytest.fixture
def api(comments: Comments) -> Iterator[str]:
    """Serve GitHub's API for comments on loopback, and return its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            both = zip(comments.bodies, comments.authors, strict=True)
            listed = [
                {"id": at, "body": body, "user": {"login": author}}
                for at, (body, author) in enumerate(both)
            ]
            self.answer([] if "page=1" not in self.path else listed)

        def do_POST(self) -> None:
            if self.path == "/graphql":
                assert self.sent() == {"query": "{viewer{login}}"}
                self.answer({"data": {"viewer": {"login": "github-actions[bot]"}}})
                return
            comments.bodies.append(self.sent()["body"])
            comments.authors.append("github-actions[bot]")
            self.answer({})

        def do_PATCH(self) -> None:
            comments.bodies[int(self.path.rpartition("/")[2])] = self.sent()["body"]
            self.answer({})

        def sent(self) -> dict[str, str]:
            sent: dict[str, str] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert self.headers["Authorization"] == "Bearer secret-token"
            return sent

        def answer(self, value: object) -> None:
            comments.requests.append(f"{self.command} {self.path.partition('?')[0]}")
            self.send_response(403 if comments.refuses else 200)
            self.end_headers()
            self.wfile.write(json.dumps(value).encode())

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Return a checkout of a pull request that adds a function over the threshold."""
    made = Tree(tmp_path / "checkout")
    made.commit({"a.py": b"def used():\n    return 1\n", "README.md": b"# A\n"})
    made.git("checkout", "-q", "-b", BRANCH)
    made.commit(
        {
            ODD: TANGLED.encode(),
            UNREADABLE: TANGLED.encode(),
            "README.md": b"# A\n\n[gone](gone.md)\n",
        }
    )
    return made


@dataclass(frozen=True)
class Ran:
    """How a step ended."""

    code: int
    log: str
    outputs: Mapping[str, str]
    summary: str


def run_step(name: str, tree: Tree, api: str, **variables: str) -> Ran:
    """Run a step of the action as GitHub would, with the event of the pull request."""
    home = tree.root.parent
    base = tree.git("rev-parse", "HEAD~1").decode()
    event = {
        "pull_request": {
            "number": 7,
            "title": "$(touch pwned)",
            "base": {"sha": base, "ref": "main"},
            "head": {"ref": BRANCH},
        }
    }
    (home / "event.json").write_text(json.dumps(event), encoding="utf-8")
    for it in ("output", "summary"):
        (home / it).unlink(missing_ok=True)
    python = home / "temp" / "benchpin" / "bin" / "python"
    python.parent.mkdir(parents=True, exist_ok=True)
    if not python.exists():
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
        python.chmod(0o755)
    script = next(it["run"] for it in STEPS if it.get("name") == name)
    done = subprocess.run(
        (BASH, "--noprofile", "--norc", "-eo", "pipefail", "-c", script),
        cwd=tree.root,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "GITHUB_ACTION_PATH": str(HERE),
            "GITHUB_API_URL": api,
            "GITHUB_GRAPHQL_URL": f"{api}/graphql",
            "GITHUB_EVENT_PATH": str(home / "event.json"),
            "GITHUB_HEAD_REF": BRANCH,
            "GITHUB_OUTPUT": str(home / "output"),
            "GITHUB_REPOSITORY": "ada/star-chart",
            "GITHUB_STEP_SUMMARY": str(home / "summary"),
            "GITHUB_WORKSPACE": str(tree.root),
            "RUNNER_TEMP": str(home / "temp"),
            "BENCHPIN_CACHE_DIR": str(home / "cache"),
            "CHECK_TOKEN": "secret-token",
            **variables,
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    read = {
        it: (home / it).read_text(encoding="utf-8")
        for it in ("output", "summary")
        if (home / it).exists()
    }
    lines = [it.partition("=") for it in read.get("output", "").splitlines()]
    assert not (tree.root / "pwned").exists()
    outputs = {key: value for key, _, value in lines}
    return Ran(done.returncode, done.stdout + done.stderr, outputs, read.get("summary", ""))


@pytest.mark.slow
def test_the_action_reports_a_pull_request_and_updates_its_one_comment(
    tree: Tree, api: str, comments: Comments
) -> None:
    ran = run_step("Check", tree, api)
    assert ran.code == 1, ran.log
    assert ran.outputs["gate"] == "failed", ran.log
    assert ran.outputs["review"] in {"passed", "failed"}
    assert {it.name for it in Path(ran.outputs["sarif_folder"]).iterdir()} == {
        "gate.sarif",
        "prove.sarif",
        "review.sarif",
    }
    assert ran.outputs["prove"] == "not proven"
    assert "### Certificate: not proven" in ran.summary
    uploaded = sorted(Path(ran.outputs["sarif_folder"]).iterdir())
    runs = {it.stem: json.loads(it.read_bytes())["runs"][0] for it in uploaded}
    # GitHub refuses two runs of one tool in one category.
    assert len({it["automationDetails"]["id"] for it in runs.values()}) == len(runs)
    run = runs["prove"]
    assert {it["ruleId"] for it in run["results"]}
    annotations = [it for it in ran.log.splitlines() if it.startswith(("::error ", "::warning "))]
    assert any(
        "file=$(touch pwned);`touch pwned`%2C%3A%3Aerror%3A%3Ax.py,line=1," in it
        for it in annotations
    ), annotations
    stopped = re.findall(r"^::stop-commands::(\w{32})$", ran.log, re.MULTILINE)
    assert all(f"::{it}::" in ran.log for it in stopped)
    assert "### Quality gate: failed" in ran.summary
    assert comments.bodies[:2] == ["Nice.", "<!-- benchpin --> not ours"]
    assert comments.bodies[2] == ran.summary.removesuffix("\n")
    assert comments.requests[-1] == "POST /repos/ada/star-chart/issues/7/comments"
    assert "secret-token" not in ran.log

    tree.commit({ODD: b"def f(a):\n    return a\n"})
    tree.git("reset", "-q", "--soft", "HEAD~1")
    again = run_step("Check", tree, api, CHECK_REVIEW="false", CHECK_PROVE="false")
    assert (again.code, again.outputs["gate"]) == (0, "passed"), again.log
    assert comments.requests[-1] == "PATCH /repos/ada/star-chart/issues/comments/2"
    assert len(comments.bodies) == 3
    assert "### Quality gate: passed" in comments.bodies[2]


@pytest.mark.slow
def test_a_mistyped_path_fails_the_step_and_a_fork_that_may_not_comment_does_not(
    tree: Tree, api: str, comments: Comments
) -> None:
    comments.refuses = True
    given = {
        "CHECK_REVIEW": "false",
        "CHECK_PROVE": "false",
        "CHECK_PATH": "--no-such; touch pwned",
    }
    ran = run_step("Check", tree, api, **given)
    assert ran.code == 1
    assert ran.outputs == {"gate": "not done", "sarif_folder": ""}
    assert "no-such; touch pwned" in ran.log
    assert "::notice::No comment was written: HTTP Error 403" in ran.log
    assert run_step("Check", tree, api, CHECK_FAIL="false", **given).code == 0


@pytest.mark.slow
def test_the_key_of_the_cache_is_the_version_of_the_facts(tree: Tree) -> None:
    ran = run_step("Find the version of the facts", tree, "")
    assert re.fullmatch(r"[0-9a-f]{16}", ran.outputs["version"])


@pytest.mark.slow
def test_the_gitlab_job_fails_with_two_reports(tree: Tree, benchpin: str) -> None:
    lines = [
        it.replace("/opt/benchpin/bin/benchpin", benchpin).replace(
            "/opt/benchpin/bin/python", sys.executable
        )
        for it in GITLAB["benchpin"]["script"]
    ]
    assert all(it in " ".join(lines) for it in GITLAB["benchpin"]["artifacts"]["reports"]["junit"])
    base = tree.git("rev-parse", "HEAD~1").decode()
    done = subprocess.run(
        (BASH, "-e", "-c", "\n".join(lines)),
        cwd=tree.root,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tree.root.parent),
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": base,
            "CI_COMMIT_REF_NAME": BRANCH,
        },
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    for name in ("gate.xml", "review.xml"):
        assert (tree.root / name).read_bytes().startswith(b"<?xml")
    assert not (tree.root / "pwned").exists()
    found = json.loads((tree.root / "codequality.json").read_text(encoding="utf-8"))
    gaps = json.loads((tree.root / "certificate.json").read_text(encoding="utf-8"))["gaps"]
    assert [it["location"]["path"] for it in found] == [it["file"] for it in gaps]
    assert len({it["fingerprint"] for it in found}) == len(found) > 0
    assert {it["severity"] for it in found} <= {"critical", "minor", "info"}
    assert "Benchpin: " in (tree.root / "certificate.md").read_text(encoding="utf-8")


def test_every_hook_finds_what_is_wrong_with_a_commit(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.git("reset", "-q", "--soft", "HEAD~1")
    monkeypatch.chdir(tree.root)
    ended = {}
    for hook in HOOKS:
        program, *arguments = shlex.split(hook["entry"])
        assert (program, hook["language"], hook["pass_filenames"]) == ("benchpin", "python", False)
        ended[hook["id"]] = CliRunner().invoke(cli, arguments).exit_code
    assert ended == {"benchpin-gate": 1, "benchpin-review": 0, "benchpin-links": 1}
