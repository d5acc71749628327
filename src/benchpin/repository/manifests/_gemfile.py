"""Gemfile and *.gemspec, line by line: they are programs, and none of them is run."""

import re

from ._manifest import DeclaredDependency, DependencyKind, ManifestText, PackageManifest

_GEM = re.compile(r"""^\s*+gem\s*+\(?+\s*+["'](?P<name>[\w.-]++)["'](?P<rest>.*)""")
_VERSIONS = re.compile(r"""(?<!\s)\s*+,\s*+["']([^"']++)["']""")
_GROUP = re.compile(r"^\s*+group\s++(?P<names>(?:(?!\sdo\b).)*+)\sdo\b")
_INLINE_GROUP = re.compile(
    r"""(?:group|groups):\s*+(?P<names>\[[^\]]*+(?:\]|\Z)|:\w+)|:groups?\s*+=>\s*+(\S+)"""
)
_OPENS = re.compile(
    r"(?:\bdo\b(?:\s*\|[^|]*\|)?\s*$)|^\s*(?:if|unless|case|begin|def|class|module)\b"
)
_CLOSES = re.compile(r"^\s*end\b")
_SPEC = re.compile(
    r"""\.add_(?P<kind>development_|runtime_)?dependency\s*+\(?+\s*+["'](?P<name>[\w.-]++)["'](?P<rest>.*)"""
)
_OF_A_GEM = re.compile(r"^gemspec\b", re.MULTILINE)
_EXECUTABLES = re.compile(r"^\s*\w+\.executables\s*(?:=|<<)\s*(?P<value>.*)")
_WORDS = re.compile(r"%w[(\[{]([^)\]}%]*+)[)\]}]|[\"']([\w.-]+)[\"']")
_FIELD = re.compile(
    r"""^\s*\w+\.(?P<field>name|license|version|bindir)\s*=\s*["'](?P<value>[^"']+)["']"""
)
_DEV = ("dev", "test", "lint", "doc", "ci")


def read_gemfile(path: str, text: str) -> PackageManifest:
    """Read a Gemfile; gems in a group for development or test are dev.

    With a gemspec all of them are: the gemspec declares what the gem itself needs.
    """
    source = ManifestText("ruby", path, text)
    groups: list[str] = []
    found = []
    is_of_a_gem = _OF_A_GEM.search(text) is not None
    for number, raw in source.numbered_lines():
        line = _without_comment(raw)
        gem = _GEM.match(line)
        if gem is not None:
            inline = _INLINE_GROUP.search(gem["rest"])
            names = " ".join((*groups, inline[0] if inline else ""))
            kind: DependencyKind = "dev" if is_of_a_gem else _kind(names)
            found.append(_gem(gem["name"], gem["rest"], kind, source, number))
        if (group := _GROUP.match(line)) is not None:
            groups.append(group["names"])
        elif _OPENS.search(line):
            groups.append("")
        elif _CLOSES.match(line) and groups:
            groups.pop()
    return PackageManifest(ecosystem="ruby", path=path, dependencies=tuple(found))


def read_gemspec(path: str, text: str) -> PackageManifest:
    source = ManifestText("ruby", path, text)
    fields: dict[str, str] = {}
    programs: dict[str, int] = {}
    found = []
    for number, raw in source.numbered_lines():
        line = _without_comment(raw)
        if (assigned := _FIELD.match(line)) is not None:
            fields.setdefault(assigned["field"], assigned["value"])
        if (gem := _SPEC.search(line)) is not None:
            kind: DependencyKind = "dev" if gem["kind"] == "development_" else "direct"
            found.append(_gem(gem["name"], gem["rest"], kind, source, number))
        if (named := _EXECUTABLES.match(line)) is not None:
            programs |= dict.fromkeys(_programs(named["value"]), number)
    folder = fields.get("bindir", "bin")
    return PackageManifest(
        ecosystem="ruby",
        path=path,
        name=fields.get("name"),
        version=fields.get("version"),
        licence=fields.get("license"),
        dependencies=tuple(found),
        commands=tuple(
            source.command(name, "executable", f"{folder}/{name}", line)
            for name, line in programs.items()
        ),
    )


def _programs(written: str) -> list[str]:
    """Return the named programs; nothing when the list is computed."""
    if not written.startswith(("[", "%w", "'", '"')):
        return []
    return [it for many, one in _WORDS.findall(written) for it in (many.split() or [one])]


def _without_comment(line: str) -> str:
    """Cut a comment; a `#` in a string is rare here, and cuts only the rest of the line."""
    return re.sub(r"(?:^|\s)#(?!\{).*", "", line)


def _gem(
    name: str, rest: str, kind: DependencyKind, source: ManifestText, line: int
) -> DeclaredDependency:
    versions, at = [], 0
    while (found := _VERSIONS.match(rest, at)) is not None:
        versions.append(found[1])
        at = found.end()
    return source.dependency(name, ", ".join(versions) or None, kind, line)


def _kind(groups: str) -> DependencyKind:
    return "dev" if any(word in groups.lower() for word in _DEV) else "direct"
