"""Let an agent answer the questions about a repository, and count what it cost.

    python run.py gitea ~/gitea shell OUT --agent 'claude -p --allowedTools Bash'
    python run.py gitea ~/gitea benchpin OUT --agent 'codex exec - < {prompt}'

OUT/clone gets the commit of the questions with the planted commit on top. The prompt, in the same
words for both arms but for what commands can call, is the input of the agent, and `{prompt}` its
file. What the agent prints is kept in OUT/answers.md, what its commands cost in OUT/log.jsonl.
The list of the tools is in the prompt, as a host shows it: its characters count, and it is no call.
Without --agent, the arm is prepared and served until it is interrupted, for an agent by hand;
--count prints what it has cost so far.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from plant import git, plant

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from ports import free_port, wait_for  # noqa: E402 - of the folder above

_SHELL = "A command can call what the shell has: git, grep, rg, sed, awk, python3"
MEANS = {
    "shell": f"{_SHELL}.",
    "benchpin": f"{_SHELL};\nand, as `bp TOOL 'JSON'`, the tools of a server that reads this "
    "repository, which are listed at\nthe end. Use what answers best.",
}
_CALL = re.compile(r"\bbp\s+(?!tools\b)\w")


def described(name: str, folder: Path) -> dict[str, Any]:
    """Return what is written about a repository: its commit and questions."""
    known = tomllib.loads((folder / "questions.toml").read_text(encoding="utf-8"))["repository"]
    for repository in known:
        if repository["name"] == name:
            return dict(repository)
    sys.exit(
        f"No questions about {name!r}; there are some about "
        + ", ".join(it["name"] for it in known)
    )


def prepare(source: Path, commit: str, planted: Path, clone: Path) -> None:
    """Copy a clone, with the planted commit as its HEAD and nothing changed."""
    clone.parent.mkdir(parents=True)
    git(clone.parent, "clone", "-q", "--no-checkout", str(source), str(clone))
    git(clone, "update-ref", "--no-deref", "HEAD", git(clone, "rev-parse", commit).strip())
    git(clone, "read-tree", "HEAD")
    # A snapshot may lack a few large files.
    checkout = "git checkout-index -a -f 2> /dev/null"
    subprocess.run(["/bin/bash", "-c", checkout], cwd=clone, check=False)
    for path in git(clone, "ls-files", "-d").splitlines():
        git(clone, "update-index", "--skip-worktree", "--", path)
    if planted.is_file():
        plant(clone, tomllib.loads(planted.read_text(encoding="utf-8")))


def script(path: Path, line: str) -> Path:
    """Write a command that an agent can call."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def commands(out: Path, port: int | None) -> Path:
    """Write the command through which all others go, and in arm B the one that calls a tool."""
    # Copied, so that no path leads an agent to the truth.
    for name in ("logged.py", "call_tool.py"):
        shutil.copy(HERE / name, out)
    python, folder = shlex.quote(sys.executable), shlex.quote(str(out))
    if port is not None:
        script(out / "bin" / "bp", f'exec {python} {folder}/call_tool.py {port} "$@"')
    line = f'PATH={folder}/bin:"$PATH" exec {python} {folder}/logged.py {folder}/log.jsonl "$@"'
    return script(out / "logged", f"cd {folder}/clone && {line}")


@contextmanager
def server(out: Path, port: int | None) -> Iterator[None]:
    """Serve the clone to arm B; nothing is known of it when the server starts."""
    if port is None:
        yield
        return
    program = Path(sys.executable).with_name("benchpin")
    where = ["--root", str(out / "clone"), "--data-dir", str(out / "data")]
    with (out / "server.log").open("wb") as log:
        running = subprocess.Popen(
            [str(program), "serve", "--transport", "http", "--port", str(port), *where],
            stdout=log,
            stderr=log,
            env={**os.environ, "XDG_CACHE_HOME": str(out / "cache")},
        )
        try:
            wait_for(port, running)
            yield
        finally:
            running.terminate()
            running.wait(30)


def listed(out: Path, port: int | None) -> str:
    """Return the part of a prompt that a host adds: instructions and tools."""
    if port is None:
        return ""
    command = [sys.executable, str(out / "call_tool.py"), str(port), "tools"]
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
    (out / "tools.txt").write_text(done.stdout, encoding="utf-8")
    return f"\n# Tools: `bp TOOL 'JSON'`\n\n{done.stdout}"


def ask(command: str, prompt: Path, out: Path, limit_s: float) -> float:
    """Run an agent in the clone, keep what it prints, and return how long it took."""
    began = time.monotonic()
    with prompt.open("rb") as words, (out / "answers.md").open("wb") as answers:
        line = command.replace("{prompt}", shlex.quote(str(prompt)))
        agent = subprocess.Popen(
            ["/bin/bash", "-c", line],
            cwd=out / "clone",
            stdin=words,
            stdout=answers,
            start_new_session=True,
        )
        try:
            agent.wait(limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(agent.pid, signal.SIGKILL)
            agent.wait()
            print(f"The agent was ended after {limit_s:.0f} s.")
    if agent.returncode:
        print(f"The agent ended with {agent.returncode}; its answers may not be all.")
    return time.monotonic() - began


def counted(out: Path) -> dict[str, float]:
    """Return what the commands of an agent cost, and what of that went to the tools."""
    log, tools_listed = out / "log.jsonl", out / "tools.txt"
    text = log.read_text(encoding="utf-8") if log.is_file() else ""
    listing = len(tools_listed.read_text(encoding="utf-8")) if tools_listed.is_file() else 0
    rows = [json.loads(line) for line in text.splitlines()]
    tools = [row for row in rows if _CALL.search(row["command"])]
    return {
        "calls": len(rows),
        "characters": listing + sum(row["chars_in"] + row["chars_out"] for row in rows),
        "of that the list of tools": listing,
        "seconds": round(sum(row["seconds"] for row in rows), 1),
        "calls with a tool": len(tools),
        "their characters": sum(row["chars_in"] + row["chars_out"] for row in tools),
    }


def report(options: argparse.Namespace, out: Path, **more: float) -> None:
    """Print what an arm has cost, and keep it."""
    result = {"repository": options.name, "arm": options.arm, **counted(out), **more}
    (out / "result.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    for key, value in result.items():
        print(f"{key:26}{value:>12,}" if isinstance(value, int | float) else f"{key:26}{value:>12}")


def main(options: argparse.Namespace) -> None:
    """Prepare an arm, ask the agent and print the counts."""
    out = options.out.resolve()
    if options.count:
        report(options, out)
        return
    if out.exists():
        sys.exit(f"{out} exists; each run needs a folder of its own")
    about = described(options.name, options.folder)
    planted = options.folder / "plants" / f"{options.name}.toml"
    prepare(options.source.resolve(), about["commit"], planted, out / "clone")
    port = None if options.arm == "shell" else options.port or free_port()
    words = {
        "clone": out / "clone",
        "language": about["language"],
        "logged": commands(out, port),
        "means": MEANS[options.arm],
        "questions": "\n".join(
            f"## {it['id']}\n\n{it['ask']}\n" for it in about["question"]
        ).strip(),
    }
    prompt = out / "prompt.md"
    template = (HERE / "prompt.md").read_text(encoding="utf-8")
    with server(out, port):
        prompt.write_text(template.format(**words) + listed(out, port), encoding="utf-8")
        print(f"{options.name}, {options.arm}: {prompt}")
        if options.agent is None:
            print("Ready for an agent started by hand; interrupt to end.", flush=True)
            signal.pause()
        took = ask(options.agent, prompt, out, options.limit)
    report(options, out, **{"wall seconds": round(took, 1)})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("name", help="a repository of questions.toml")
    parser.add_argument("source", type=Path, help="a clone of it, which stays as it is")
    parser.add_argument("arm", choices=list(MEANS))
    parser.add_argument("out", type=Path, help="a folder that does not exist")
    parser.add_argument("--agent", help="the command line of an agent")
    parser.add_argument("--count", action="store_true", help="print what OUT has cost, and end")
    parser.add_argument("--port", type=int, help="of the server; any free one by default")
    parser.add_argument("--limit", type=float, default=3_600, help="seconds for the agent")
    parser.add_argument("--folder", type=Path, default=HERE, help="with questions.toml and plants/")
    main(parser.parse_args())
