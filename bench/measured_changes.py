"""Whether `measure_change` sees planted slowdowns, and stays silent where nothing changed.

    python bench/measured_changes.py [--part planted,unchanged] [--functions NAME,…] [--pairs 60]

Fifteen functions of libraries, none of which was used to choose the method. The program calls one
of them again and again; after the change, a share of the calls is made twice (5, 10 and 30 %). An
unchanged pair compares a program with itself. Each measurement is the script that
`measure_change` sends into its sandbox, run here without one, and stops by itself. Run it on a busy
machine: that is the test.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple, cast

from benchpin.performance.measuring import TurnTaking, measured_difference

PROGRAM = """
import sys
sys.path[:0] = {path!r}
import {module}
SHARE, COUNT = {share}, {count}
{setup}
holder, name = {holder}, {name!r}
original, owed = getattr(holder, name), 0.0

def planted(*given, **named):
    global owed
    owed += SHARE
    if owed >= 1:
        owed -= 1
        original(*given, **named)
    return original(*given, **named)

setattr(holder, name, planted)
for number in range(COUNT):
    {call}
"""
# Processor time of the calls in one run.
WORK_S = 0.05


class Function(NamedTuple):
    """A function of a library, and how to call it."""

    module: str
    holder: str
    name: str
    call: str
    setup: str = ""


FUNCTIONS = (
    Function("yaml", "yaml", "compose", "yaml.compose('a: [1, 2, {b: c}]')"),
    Function(
        "jinja2",
        "jinja2.Environment",
        "_parse",
        "env.parse('{% for x in y %}<b>{{ x }}</b>{% endfor %}')",
        "env = jinja2.Environment()",
    ),
    Function(
        "markdown_it",
        "markdown_it.MarkdownIt",
        "render",
        "parser.render('# A *title*\\n\\n- one\\n- `two`\\n')",
        "parser = markdown_it.MarkdownIt()",
    ),
    Function(
        "packaging.requirements",
        "packaging.requirements.Requirement",
        "__init__",
        "packaging.requirements.Requirement('name[extra]>=1.2,<3; python_version>=\"3.8\"')",
    ),
    Function(
        "email",
        "email",
        "message_from_string",
        "email.message_from_string(text)",
        "text = 'To: a@b.c\\nSubject: x\\n' * 4 + '\\nbody'",
    ),
    Function("html", "html", "unescape", "html.unescape('a &lt; b &amp;&eacute; c ' * 20)"),
    Function(
        "difflib",
        "difflib",
        "get_close_matches",
        "difflib.get_close_matches('appel', words)",
        "words = ['ape', 'apple', 'peach', 'puppy', 'applet', 'pale'] * 3",
    ),
    Function(
        "textwrap", "textwrap", "fill", "textwrap.fill('some words that are wrapped ' * 12, 40)"
    ),
    Function(
        "tomllib", "tomllib", "loads", "tomllib.loads('a = 1\\nb = [1, 2, 3]\\n[c]\\nd = \"e\"\\n')"
    ),
    Function(
        "shlex", "shlex", "split", "shlex.split('run \"some words\" --with=options and more')"
    ),
    Function(
        "ast",
        "ast",
        "unparse",
        "ast.unparse(tree)",
        "tree = ast.parse('def f(a, b=1):\\n    return [x + a for x in b]')",
    ),
    Function(
        "statistics",
        "statistics",
        "stdev",
        "statistics.stdev(values)",
        "values = [x / 7 for x in range(60)]",
    ),
    Function(
        "urllib.parse",
        "urllib.parse",
        "urlencode",
        "urllib.parse.urlencode(query)",
        "query = {f'key{x}': f'a value {x}/é' for x in range(12)}",
    ),
    Function(
        "click", "click", "unstyle", "click.unstyle(click.style('text', fg='red', bold=True) * 30)"
    ),
    Function("tomlkit", "tomlkit", "parse", "tomlkit.parse('a = 1\\nb = [1, 2]\\n')"),
)


def program(function: Function, share: float, count: int) -> str:
    """Return a program that calls a function, with a share of its calls made twice."""
    path = [it for it in sys.path if it.endswith("site-packages")]
    return PROGRAM.format(
        path=path,
        module=function.module,
        share=share,
        count=count,
        setup=function.setup,
        holder=function.holder,
        name=function.name,
        call=function.call,
    )


def calls_of(function: Function) -> int:
    """Return how many calls take about the wanted time."""
    count, taken = 5, 0.0
    while taken < WORK_S:
        count *= 2
        code = compile(program(function, 0.0, count), function.module, "exec")
        child = os.fork()
        if not child:
            exec(code, {})  # noqa: S102 - our own program; it imports
            started = time.process_time()
            exec(code, {})  # noqa: S102 - our own program
            Path(tempfile.gettempdir(), f"calls-{os.getpid()}").write_text(
                str(time.process_time() - started), encoding="ascii"
            )
            os._exit(0)
        os.waitpid(child, 0)
        place = Path(tempfile.gettempdir(), f"calls-{child}")
        taken = float(place.read_text(encoding="ascii"))
        place.unlink()
    return count


def measured(before: str, after: str, budget_s: float) -> tuple[str, float, int]:
    """Measure two programs; return the verdict, the change and the pairs of runs."""
    with tempfile.TemporaryDirectory(prefix="measured-") as folder:
        for side, text in (("before", before), ("after", after)):
            place = Path(folder, side)
            place.mkdir()
            (place / "program.py").write_text(text, encoding="utf-8")
        turns = TurnTaking.of(
            [sys.executable, "-I", "-S", "program.py"],
            prepare=(),
            folder=".",
            environment={},
            path=(),
            measure="cpu",
            min_share=0.02,
            limit_s=budget_s,
        )
        script = Path(folder, "main.py")
        script.write_text(turns.script, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(script)],
            cwd=folder,
            capture_output=True,
            check=False,
            text=True,
        )
        found = turns.outcome(done.stdout, done.stderr, is_stopped=False)
    difference = measured_difference(found, "cpu", 0.02)
    return difference.verdict, difference.change, len(found.runs.after)


def main() -> int:
    """Measure the chosen parts, and print what was found after each measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", default="planted,unchanged")
    parser.add_argument("--functions", default="")
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--budget", type=float, default=300)
    given = parser.parse_args()
    chosen = set(filter(None, given.functions.split(",")))
    functions = [it for it in FUNCTIONS if not chosen or it.module in chosen]
    counts = {it: calls_of(it) for it in functions}
    found: Counter[str] = Counter()
    cases: list[tuple[str, Function, float]] = []
    if "planted" in given.part:
        cases += [(f"{share:.0%}", it, share) for share in (0.05, 0.1, 0.3) for it in functions]
    if "unchanged" in given.part:
        cases += [("unchanged", functions[it % len(functions)], 0.0) for it in range(given.pairs)]
    for name, function, share in cases:
        before, after = (program(function, it, counts[function]) for it in (0.0, share))
        verdict, change, pairs = measured(before, after, given.budget)
        found[f"{name} {verdict}"] += 1
        row = {"case": name, "function": function.module, "verdict": verdict}
        load = os.getloadavg()[0]
        print(json.dumps({**row, "change": change, "pairs": pairs, "load": load}), flush=True)
    print(json.dumps(cast("dict[str, Any]", dict(sorted(found.items())))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
