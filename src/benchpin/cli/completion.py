"""`benchpin completion`: the script that completes commands in a shell."""

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from .flags import FlaggedCommand

_SHELLS: dict[str, type[ShellComplete]] = {
    "bash": BashComplete,
    "zsh": ZshComplete,
    "fish": FishComplete,
}


@click.command(cls=FlaggedCommand)
@click.argument("shell", type=click.Choice(list(_SHELLS)), help="The shell to complete in.")
@click.pass_context
def completion(ctx: click.Context, /, shell: str) -> None:
    r"""Print the script that completes commands, options and paths in a shell.

    \b
    bash: benchpin completion bash > ~/.local/share/bash-completion/completions/benchpin
    zsh:  benchpin completion zsh > "${fpath[1]}/_benchpin"
    fish: benchpin completion fish > ~/.config/fish/completions/benchpin.fish
    """
    name = ctx.find_root().info_name or "benchpin"
    variable = f"_{name}_COMPLETE".replace("-", "_").upper()
    made = _SHELLS[shell](ctx.find_root().command, {}, name, variable)
    # Not BashComplete.source, which runs bash to learn its version.
    click.echo(ShellComplete.source(made), nl=False)
