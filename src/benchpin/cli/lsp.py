"""`benchpin lsp`: a language server for editors."""

from pathlib import Path

import click

from benchpin.system.processes import require_extra

from .flags import FlaggedCommand, Flags
from .running import end_process


@click.command(cls=FlaggedCommand)
@click.argument(
    "path", required=False, type=click.Path(path_type=Path), help="A folder; the current one."
)
@click.option("--stdio", is_flag=True, help="Accepted: editors add it, and it is always so.")
@click.pass_obj
def lsp(flags: Flags, /, path: Path | None, *, stdio: bool) -> None:
    """Serve an editor over stdio: notes on code, and review findings as you type.

    docs/editors.md has the configuration of Neovim, Helix, Zed and Emacs.

    Example: benchpin lsp
    """
    del stdio
    require_extra("lsp", "The language server")
    workbench = flags.over({"root": path}).workbench()
    from benchpin.lsp import serve_editor  # noqa: PLC0415 - needs pygls

    end_process(serve_editor(workbench))
