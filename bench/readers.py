"""Attack the readers of a running server, and measure how long it answers nothing.

    python bench/readers.py [WORD …]     only the attacks with one of these words in their names

For each call: how long it took, the longest wait for a ping while it ran, and the most CPU time
that the server used between a ping and its answer, which hardly depends on how busy the machine is.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from argument_attacks import ARGUMENTS
from pinging import Called, Frozen, pinged_server, place
from reader_attacks import ATTACKS, Attack
from results import help_if_asked

LIMIT_S = 10
"""The time limit of each tool."""
GRACE_S = 3
"""For what a call does after its limit, on a busy machine."""
PROMISED_S = 0.25
"""The longest that the server may be held."""


def main(words: list[str]) -> None:
    """Run the attacks, print each call that breaks a promise, and the worst at the end."""
    chosen = [
        it for it in (*ATTACKS, *ARGUMENTS) if not words or any(word in it.name for word in words)
    ]
    worst: list[tuple[float, str]] = []
    for attack in chosen:
        with tempfile.TemporaryDirectory() as folder:
            for called in _attacked(attack, Path(folder)):
                line = _line(attack, called)
                worst.append((called.most_cpu_s, line))
                if called.most_cpu_s > PROMISED_S or called.seconds > LIMIT_S + GRACE_S:
                    print(line, flush=True)
    print(f"\n{len(chosen)} attacks, {len(worst)} calls; what held the server longest:")
    for _, line in sorted(worst, reverse=True)[:20]:
        print(line)


def _attacked(attack: Attack, folder: Path) -> list[Called]:
    root, home = folder / "workspace", folder / "home"
    root.mkdir()
    home.mkdir()
    place(attack, root)
    found: list[Called] = []
    flags = ("--tool-timeout", str(LIMIT_S), "--allow", "write")
    with pinged_server(root, home, *flags) as server:
        for tool, arguments in attack.calls:
            try:
                found.append(server.call(tool, arguments))
            except Frozen:
                print(f"FROZEN  {attack.name}: {tool}", flush=True)
                break
    return found


def _line(attack: Attack, called: Called) -> str:
    return (
        f"{called.longest_wait_s:7.2f} s wait {called.most_cpu_s:7.2f} s CPU"
        f" {called.seconds:7.1f} s  {attack.name}: {called.tool}"
    )


if __name__ == "__main__":
    help_if_asked(__doc__)
    main(sys.argv[1:])
