"""Where measurements are written: one section a benchmark in `results.md`."""

import os
import platform
import re
from pathlib import Path

RESULTS = Path(__file__).with_name("results.md")
_TITLE = "# Benchmarks\n\nWritten by the programs here; ratios within one run are what counts.\n"


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
