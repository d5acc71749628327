"""The record of what a project was generated from, so that its drift can be measured later."""

from benchpin._version import __version__

from .quoting import toml_literal
from .scaffolding import Scaffold
from .template import RenderedFile, rendered_file

PROVENANCE_PATH = ".benchpin/scaffold.toml"
_TITLE = "# What this project was generated from; Benchpin compares it with the current files."


def provenance(project: Scaffold) -> RenderedFile:
    """Return the file that records templates, parameters and the hashes of the files."""
    lines = [
        _TITLE,
        "format = 1",
        f"benchpin = {toml_literal(__version__)}",
        f"toolchain = {toml_literal(project.toolchain)}",
        f"variant = {toml_literal(project.variant)}",
        "",
        "[parameters]",
        *(
            f"{name} = {_literal(value)}"
            for name, value in sorted(project.parameters.items())
            if value is not None
        ),
    ]
    for template in project.templates:
        lines += [
            "",
            "[[templates]]",
            f"uri = {toml_literal(template.uri)}",
            f"version = {toml_literal(template.version)}",
            f"origin = {toml_literal(template.origin)}",
        ]
    for file in project.files:
        lines += [
            "",
            "[[files]]",
            f"path = {toml_literal(file.path)}",
            f"template = {toml_literal(file.template)}",
            f"sha256 = {toml_literal(file.sha256)}",
        ]
    return rendered_file(PROVENANCE_PATH, "\n".join((*lines, "")), "")


def _literal(value: str | int | bool) -> str:  # noqa: FBT001 - a value of any parameter
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else toml_literal(value)
