"""The steps of the GitHub Action: run the gate, the review and the proof, and report on them.

It needs only the standard library and an installed Benchpin. The event, the settings and the token
come from variables; nothing that a pull request can choose becomes part of a script, or of a
workflow command.
"""

import io
import json
import os
import re
import secrets
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchpin.facts.store import engine_version

MARK = "<!-- benchpin -->"
"""Begins our comment, so that the next run finds it."""
MAX_ANNOTATIONS = 10  # of a kind; GitHub shows no more from one step
MAX_COMMENT_CHARS = 60_000  # GitHub accepts 65,536
MAX_PAGES = 10
TIMEOUT_S = 30
OUTCOMES = {0: "passed", 1: "failed", 3: "incomplete"}
VERDICTS = {0: "proven", 1: "broken", 3: "not proven"}
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_KINDS = {"error": "error", "warning": "warning", "note": "notice"}
_LOGIN_OF_RUNNER = "github-actions[bot]"
_FENCE = re.compile(r"`{3,}")


class Check(NamedTuple):
    """One of our checks, as it ended."""

    title: str
    outcome: str
    text: str
    is_wrong: bool = False
    """Whether it could not be done because of how it was asked for."""


def main() -> int:
    """Run one step."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    if sys.argv[1:] == ["facts"]:
        write_output("version", engine_version())
        return 0
    return check()


def check() -> int:
    """Run the checks that are switched on, report them, and return the exit code."""
    base = find_base(read_event())
    folder = Path(os.environ["RUNNER_TEMP"]) / "benchpin-sarif"
    folder.mkdir(exist_ok=True)
    since = ("--diff", base) if base else ()
    checks = []
    if is_on("CHECK_GATE"):
        checks.append(run_check("gate", "Quality gate", ("quality", "gate"), since, folder))
    if is_on("CHECK_REVIEW") and base:
        checks.append(run_check("review", "Review", ("review",), since, folder))
    if is_on("CHECK_PROVE") and base:
        checks.append(run_proof(since, folder))
    write_output("sarif_folder", str(folder) if any(folder.iterdir()) else "")
    report(checks)
    is_failed = any(it.outcome in {"failed", "broken"} or it.is_wrong for it in checks)
    return 1 if is_failed and is_on("CHECK_FAIL") else 0


def run_check(
    name: str, title: str, words: tuple[str, ...], since: tuple[str, ...], folder: Path
) -> Check:
    """Run a command twice: for people, and as SARIF. The second one answers from the cache."""
    path = os.environ.get("CHECK_PATH") or "."
    # `=`: a value that begins with a dash is still a value.
    command = (*words, *(f"{since[0]}={since[1]}",) * bool(since))
    shown = benchpin(*command, "--color=never", "--", path)
    outcome = OUTCOMES.get(shown.returncode, "not done")
    with commands_stopped():
        print(f"{title}: {outcome}\n{shown.stdout}{shown.stderr}")
    if outcome != "not done":
        found = benchpin(*command, "--format=sarif", "--", path)
        try:
            keep_sarif(json.loads(found.stdout), folder, name)
        except ValueError:  # it was ended, or has failed: what was shown is no result then
            outcome, shown = "not done", found
            print(escaped(found.stderr))
    write_output(name, outcome)
    return Check(title, outcome, shown.stdout or shown.stderr, is_wrong=outcome == "not done")


def run_proof(since: tuple[str, ...], folder: Path) -> Check:
    """Run `prove` once, as it runs tests. A runner on which it cannot run them fails nothing."""
    path = os.environ.get("CHECK_PATH") or "."
    budget = os.environ.get("CHECK_BUDGET") or "120"
    command = ("prove", f"{since[0]}={since[1]}", f"--budget={budget}", "--format=json", "--json")
    done = benchpin(*command, "--", path)
    outcome = VERDICTS.get(done.returncode, "not done")
    text = done.stderr
    if outcome != "not done":
        found = json.loads(done.stdout)
        text = found["summary"]
        keep_sarif(as_sarif(found["gaps"]), folder, "prove")
    with commands_stopped():
        print(f"Certificate: {outcome}\n{text}")
    write_output("prove", outcome)
    return Check("Certificate", outcome, text)


def keep_sarif(sarif: dict[str, Any], folder: Path, name: str) -> None:
    """Keep findings for the upload, and print them.

    GitHub refuses an upload in which two runs have the same tool and the same category.
    """
    for run in sarif["runs"]:
        run["automationDetails"] = {"id": f"benchpin-{name}/"}
    (folder / f"{name}.sarif").write_text(json.dumps(sarif), encoding="utf-8")
    annotate(sarif)


def as_sarif(gaps: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what is broken or missing as SARIF."""
    results = [
        {
            "ruleId": it["rule"],
            "level": it["level"],
            "message": {"text": it["message"]},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": quoted(it["file"])},
                        "region": {"startLine": max(1, it["line"])},
                    }
                }
            ],
        }
        for it in gaps
    ]
    run = {"tool": {"driver": {"name": "Benchpin"}}, "results": results}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return {"$schema": schema, "version": "2.1.0", "runs": [run]}


def quoted(path: str) -> str:
    """Return a path as a URI; names that are not UTF-8 have surrogates."""
    return urllib.parse.quote(path, errors="surrogateescape")


def benchpin(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run Benchpin in the checkout; -I keeps modules of the checkout from being imported."""
    return subprocess.run(
        (sys.executable, "-I", "-m", "benchpin", *arguments),
        cwd=os.environ.get("GITHUB_WORKSPACE"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def read_event() -> Mapping[str, Any]:
    """Return what GitHub says about the event."""
    place = os.environ.get("GITHUB_EVENT_PATH")
    if not place:
        return {}
    event: Mapping[str, Any] = json.loads(Path(place).read_text(encoding="utf-8"))
    return event


def find_base(event: Mapping[str, Any]) -> str:
    """Return the commit that a change is compared with; empty if there is none.

    A shallow checkout lacks it: then it is fetched, alone.
    """
    base = event.get("pull_request", {}).get("base", {}).get("sha") or event.get("before") or ""
    if not _COMMIT.fullmatch(base) or not base.strip("0"):
        return ""
    if not git("cat-file", "-e", f"{base}^{{commit}}"):
        git("fetch", "--quiet", "--no-tags", "--depth=1", "origin", base)
    return base


def git(*arguments: str) -> bool:
    """Run git in the checkout, and return whether it succeeded."""
    folder = os.environ.get("GITHUB_WORKSPACE")
    command = ("git", *arguments)  # the one of the runner: PATH has no folder of the checkout
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0


def annotate(sarif: Mapping[str, Any]) -> None:
    """Print findings as workflow commands, the worst first, as many as GitHub shows."""
    results = [it for run in sarif["runs"] for it in run.get("results", ())]
    for level, kind in _KINDS.items():
        of_level = (it for it in results if it.get("level", "warning") == level)
        for _, it in zip(range(MAX_ANNOTATIONS), of_level, strict=False):
            message = escaped(it["message"]["text"])
            print(f"::{kind} {place_of(it)}title={escaped_value(it['ruleId'])}::{message}")


def place_of(result: Mapping[str, Any]) -> str:
    """Return the file and line of a finding, as a workflow command names them."""
    for it in result.get("locations", ()):
        physical = it["physicalLocation"]
        uri = urllib.parse.unquote(physical["artifactLocation"]["uri"])
        line = physical.get("region", {}).get("startLine", 1)
        return f"file={escaped_value(uri)},line={int(line)},"
    return ""


def escaped(text: str) -> str:
    """Return a text that stays in the message of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escaped_value(text: str) -> str:
    """Return a text that stays in one property of a workflow command."""
    return escaped(text).replace(":", "%3A").replace(",", "%2C")


class commands_stopped:  # noqa: N801 - used as a statement
    """While it is open, GitHub reads no workflow commands from the log."""

    def __enter__(self) -> None:
        """Stop, until a word that nobody can guess."""
        self._word = secrets.token_hex(16)
        print(f"::stop-commands::{self._word}", flush=True)

    def __exit__(self, *_: object) -> None:
        """Go on."""
        print(f"::{self._word}::", flush=True)


def report(checks: list[Check]) -> None:
    """Write the summary of the step and, on a pull request, the comment."""
    body = "\n\n".join((MARK, *(section(it) for it in checks)))[:MAX_COMMENT_CHARS]
    body = body.encode(errors="replace").decode()  # GitHub refuses what is not UTF-8
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(body + "\n")
    number = read_event().get("pull_request", {}).get("number")
    if checks and isinstance(number, int) and is_on("CHECK_COMMENT"):
        try:
            write_comment(number, body)
        except OSError as error:  # a fork has no right to comment: that fails nothing
            print(f"::notice::No comment was written: {escaped(str(error))}")


def section(done: Check) -> str:
    """Return a check as Markdown; its text is fenced, so that it cannot format or mention."""
    ticks = max((len(it) for it in _FENCE.findall(done.text)), default=2) + 1
    fence = "`" * ticks
    text = done.text[: MAX_COMMENT_CHARS // 3].rstrip()
    return f"### {done.title}: {done.outcome}\n\n{fence}text\n{text}\n{fence}"


def write_comment(number: int, body: str) -> None:
    """Update our comment, or write it if there is none.

    A comment of somebody else is left alone, whatever it begins with.

    Raises:
        OSError: when GitHub refuses.
    """
    api = os.environ.get("GITHUB_API_URL", "https://api.github.com")
    repository = f"{api}/repos/{os.environ['GITHUB_REPOSITORY']}"
    comments = f"{repository}/issues/{number}/comments"
    marked = [it for it in each_comment(comments) if str(it.get("body", "")).startswith(MARK)]
    author = own_login() if marked else ""
    for it in marked:
        if it.get("user", {}).get("login") in {author, f"{author}[bot]"}:
            ask("PATCH", f"{repository}/issues/comments/{int(it['id'])}", {"body": body})
            return
    ask("POST", comments, {"body": body})


def own_login() -> str:
    """Return the name that the token comments with; that of the runner's token if none is told."""
    address = os.environ.get("GITHUB_GRAPHQL_URL", "https://api.github.com/graphql")
    try:
        answer = ask("POST", address, {"query": "{viewer{login}}"})
        return str(answer["data"]["viewer"]["login"])
    except (OSError, LookupError, TypeError):
        return _LOGIN_OF_RUNNER


def each_comment(comments: str) -> Iterator[Mapping[str, Any]]:
    """Yield the comments of a pull request, oldest first."""
    for page in range(1, MAX_PAGES + 1):
        found = ask("GET", f"{comments}?per_page=100&page={page}")
        yield from found
        if len(found) < 100:  # noqa: PLR2004 - a page that is not full is the last
            return


def ask(method: str, address: str, sent: Mapping[str, str] | None = None) -> Any:
    """Send a request to GitHub's API, and return the answer.

    Raises:
        OSError: when it cannot be reached, or refuses.
    """
    request = urllib.request.Request(  # noqa: S310 - the address comes from the runner
        address,
        data=None if sent is None else json.dumps(sent).encode(),
        method=method,
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ.get('CHECK_TOKEN', '')}",
            "Content-Type": "application/json",
            "User-Agent": "benchpin-action",
        },
    )
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - likewise
        return json.load(answer)


def is_on(name: str) -> bool:
    """Whether a setting of the action is on."""
    return os.environ.get(name, "true").strip().lower() not in {"false", "no", "0", "off"}


def write_output(name: str, value: str) -> None:
    """Set an output of the step; the values are ours, and have one line."""
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as file:
        file.write(f"{name}={value}\n")


if __name__ == "__main__":
    sys.exit(main())
