"""Write what is derived from the code: the README's table, reference pages, manifests, snapshots.

With `--check`, write nothing and fail when something is out of date.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from pydantic_core import PydanticUndefined

from benchpin.cli.groups import screen
from benchpin.cli.main import INDEX, OWN
from benchpin.core.tools import Toolset
from benchpin.core.tools._toolset import DEFINITIONS
from benchpin.toolsets import own_toolsets
from manifests import bundle_manifest, bundle_project, server_entry
from reference import (
    host_table,
    language_table,
    settings_table,
    short_language_table,
    tool_table,
    toolset_reference,
)

ROOT = Path(__file__).parent.parent
SNAPSHOTS = ROOT / "tests" / "snapshots" / "tools"
BEGIN = "<!-- generated: {name} -->"
END = "<!-- end of generated: {name} -->"


def main(arguments: list[str]) -> int:
    """Write, or check, every generated file."""
    wanted = dict(outputs())
    stale = sorted(place for place, text in wanted.items() if read(place) != text)
    orphans = sorted(set(SNAPSHOTS.glob("*.json")) - set(wanted))
    if "--check" in arguments:
        for place in (*stale, *orphans):
            print(f"{place.relative_to(ROOT)} is out of date; run `make generate`")
        return 1 if stale or orphans else 0
    for place in stale:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(wanted[place], encoding="utf-8")
        print(f"wrote {place.relative_to(ROOT)}")
    for place in orphans:
        place.unlink()
        print(f"removed {place.relative_to(ROOT)}")
    return 0


def outputs() -> Iterator[tuple[Path, str]]:
    """Give every file and the text that it should have."""
    toolsets = own_toolsets()
    readme = ROOT / "README.md"
    tables = {"hosts": host_table(), "languages": short_language_table()}
    yield readme, spliced(readme, **tables, tools=tool_table(toolsets))
    yield ROOT / "src" / "benchpin" / "cli" / INDEX, commands()
    yield ROOT / "server.json", server_entry()
    yield ROOT / "bundle" / "manifest.json", bundle_manifest()
    yield ROOT / "bundle" / "pyproject.toml", bundle_project()
    configuration = ROOT / "docs" / "configuration.md"
    yield configuration, spliced(configuration, settings=settings_table())
    page = ROOT / "docs" / "languages.md"
    yield page, spliced(page, languages=language_table())
    for toolset in toolsets:
        page = ROOT / "docs" / "toolsets" / f"{toolset.name}.md"
        yield page, spliced(page, reference=toolset_reference(toolset))
        yield ROOT / "src" / Path(*toolset.package.split(".")) / DEFINITIONS, definitions(toolset)
        yield from snapshots(toolset)


def definitions(toolset: Toolset) -> str:
    """Return what `tools/list` says of the tools, for a server that has not imported them."""
    tools = [toolset.load_tool(name).definition for name in toolset.tools]
    lines = [
        f"  {json.dumps(it.name)}: {json.dumps(it.to_json(), ensure_ascii=False)}" for it in tools
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def commands() -> str:
    """Return what the help of the command line says of each command."""
    return json.dumps(screen([*OWN, "tool"]), indent=2, ensure_ascii=False) + "\n"


def snapshots(toolset: Toolset) -> Iterator[tuple[Path, str]]:
    """Give what `tools/list` says of each tool, so that a change of it shows in review."""
    for name in toolset.tools:
        tool = toolset.load_tool(name)
        published = {
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "effect": tool.effect.value,
            "inputSchema": tool.input_schema,
            "outputSchema": tool.output_schema,
        }
        text = json.dumps(published, indent=2, ensure_ascii=False, default=_plain) + "\n"
        yield SNAPSHOTS / f"{name}.json", text


def _plain(value: object) -> object:
    return None if value is PydanticUndefined else str(value)


def spliced(place: Path, **parts: str) -> str:
    """Return a page with the generated parts between their markers replaced."""
    page = read(place)
    for name, text in parts.items():
        begin, end = BEGIN.format(name=name), END.format(name=name)
        page = page or f"# {place.stem}\n\n{begin}\n{end}\n"
        head, found, rest = page.partition(begin)
        tail = rest.partition(end)[2]
        if not found:
            message = f"{place.relative_to(ROOT)} has no marker {begin}"
            raise SystemExit(message)
        page = f"{head}{begin}\n\n{text.strip()}\n\n{end}{tail}"
    return page


def read(place: Path) -> str:
    """Return the text of a file, empty when there is none."""
    return place.read_text(encoding="utf-8") if place.is_file() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
