"""Measure templates: reading the catalogue, listing it, rendering the whole of it, searching it.

python bench/templates.py
"""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from benchpin.app import Workbench, configure
from benchpin.templates import search
from benchpin.templates._catalogue import load_catalogue
from results import help_if_asked, machine, write_section

ROUNDS = 20
MS = 1_000.0
COLD = """
import time
import benchpin.app
began = time.perf_counter()
from benchpin.templates._catalogue import load_catalogue
catalogue = load_catalogue()
read = time.perf_counter()
template = catalogue.find("template://makefile/rust/cli")
catalogue.render(template, {"project_name": "a", "has_tests": True})
print((read - began) * 1000, (time.perf_counter() - read) * 1000)
"""


def best(work: Callable[[], object]) -> float:
    """Return the best of many rounds, in milliseconds."""
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times) * MS


def cold() -> tuple[float, float]:
    """Return what a new process takes for the catalogue, and then for its first template."""
    command = [sys.executable, "-c", COLD]
    runs = [
        subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        for _ in range(3)
    ]
    return min(float(read) for read, _ in runs), min(float(first) for _, first in runs)


def main() -> None:
    """Measure, print and write down."""
    catalogue = load_catalogue()
    chosen = []
    for template in catalogue.templates.values():
        given = {it.name: it.example for it in template.parameters}
        values, problems = catalogue.check(template, given)
        assert not problems
        chosen.append((template, values))

    def render_all() -> int:
        return sum(len(catalogue.render(template, values)) for template, values in chosen)

    files = render_all()
    with TemporaryDirectory() as folder:
        shop = Workbench(configure(root=Path(folder)))
        listing = best(lambda: shop.call("list_templates"))
        generating = best(
            lambda: shop.call(
                "generate_template",
                resource_uri="template://makefile/rust/cli",
                parameters={"project_name": "a"},
            )
        )
    read, first = cold()
    every = list(catalogue.templates.values())
    rows = (
        (f"render the whole catalogue, {len(chosen)} templates, {files} files", best(render_all)),
        ("`generate_template` of one, as a call", generating),
        ("`list_templates`, a page of 50, as a call", listing),
        ("search for two words", best(lambda: search(every, "python web"))),
        ("a new process: the catalogue, from its files", read),
        ("a new process: the first template, with Jinja2's import", first),
    )
    lines = [f"{machine()}; the best of {ROUNDS} rounds.\n", "| what | ms |", "|---|--:|"]
    lines += [f"| {what} | {taken:.2f} |" for what, taken in rows]
    print(*lines, sep="\n")
    write_section("Templates", "\n".join(lines))


if __name__ == "__main__":
    help_if_asked(__doc__)
    main()
