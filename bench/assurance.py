"""What it costs that answers say how whole, how fresh and how sure they are, in tokens.

`python bench/assurance.py [FOLDER]` calls every reading tool that needs no arguments.
"""

import json
import statistics
import sys
from pathlib import Path

from benchpin.app import Workbench, configure
from benchpin.core.content import Text
from benchpin.core.errors import BenchpinError
from benchpin.core.tools import Effect
from benchpin.repository.packing import count_tokens
from results import help_if_asked, write_section

HERE = Path(__file__).parent


def measured(folder: str) -> dict[str, tuple[int, int, int]]:
    """Return the tokens of each tool's text, of the line in it, and of what programs read."""
    bench = Workbench(configure(root=folder))
    found = {}
    for listing in bench.catalogue.enabled:
        if listing.tool.effect is not Effect.READ or listing.tool.needs_sandbox:
            continue
        try:
            result = bench.call(listing.name)
        except BenchpinError:  # it needs arguments
            continue
        texts = [it.text for it in result.to_content() if isinstance(it, Text)]
        fields = json.dumps(result.assurance().to_fields())
        line = count_tokens(result.assurance_line())
        found[listing.name] = (count_tokens("\n".join(texts)), line, count_tokens(fields))
    return found


def main(folder: str) -> None:
    """Measure, and write the section."""
    found = measured(folder)
    rows = [
        f"| {name} | {text:,} | {line} | {meta} |" for name, (text, line, meta) in found.items()
    ]
    share = sum(it[1] for it in found.values()) / sum(it[0] for it in found.values())
    write_section(
        "What answers say about themselves",
        f"{Path(folder).resolve().name}; tools without arguments; o200k tokens. The line takes "
        f"{share:.1%} of the texts, {statistics.median(it[1] for it in found.values()):g} tokens "
        "in the median answer. Programs read `_meta`, which models are not shown.\n\n"
        "| tool | text | line of it | `_meta` |\n| --- | --- | --- | --- |\n" + "\n".join(rows),
    )


if __name__ == "__main__":
    help_if_asked(__doc__)
    main(sys.argv[1] if len(sys.argv) > 1 else str(HERE.parent))
