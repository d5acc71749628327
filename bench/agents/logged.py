"""Run one shell command for an agent, and log what it cost: `python logged.py LOG 'COMMAND'`.

Without a command, it is read from the input.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

# What a host shows an agent of one command.
MAX_CHARS = 30_000


def main(log: Path, command: str) -> None:
    """Run the command, print what an agent would see, and add a line to the log."""
    began = time.monotonic()
    done = subprocess.run(
        ["/bin/bash", "-c", command],
        stdin=subprocess.DEVNULL,  # from a pipe, `rg` without a path would search that
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    output = done.stdout + done.stderr
    row = {
        "command": command[:2_000],
        "chars_in": len(command),
        "chars_out": min(len(output), MAX_CHARS),
        "seconds": round(time.monotonic() - began, 2),
    }
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    sys.stdout.write(output[:MAX_CHARS])
    if len(output) > MAX_CHARS:
        sys.stdout.write(f"\n[cut at {MAX_CHARS} of {len(output)} characters]\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), " ".join(sys.argv[2:]) or sys.stdin.read())
