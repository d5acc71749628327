"""Where measurements are written: one section a benchmark in `results.md`."""

import os
import platform
import re
import sys
from pathlib import Path

RESULTS = Path(__file__).with_name("results.md")
_TITLE = "# Benchmarks\n\nWritten by the programs here; ratios within one run are what counts.\n"


def help_if_asked(text: str | None) -> None:
    """End with what a program says of itself if it was started with `--help`."""
    if {"-h", "--help"}.intersection(sys.argv[1:]):
        print(text)
        sys.exit()


def machine() -> str:
    """Name the machine in general terms."""
    return f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def write_section(title: str, text: str) -> None:
    """Replace one section, print it, and leave the others as they are."""
    page = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else _TITLE
    section = f"\n## {title}\n\n{text}\n"
    pattern = re.compile(rf"\n## {re.escape(title)}\n.*?(?=\n## |\Z)", re.DOTALL)
    page = pattern.sub(lambda _old: section, page) if pattern.search(page) else page + section
    RESULTS.write_text(page, encoding="utf-8")
    print(section)
