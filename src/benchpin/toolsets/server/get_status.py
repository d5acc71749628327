"""The state of the server."""

from textwrap import fill
from time import monotonic

from benchpin.core.calls import Bench
from benchpin.core.results import Item, Result
from benchpin.core.tools import Effect, Params, tool
from benchpin.run.sandbox import UNCONFINED, detect_sandbox
from benchpin.system.processes import folder_size


class StatusParams(Params):
    """No arguments."""


class SandboxStatus(Item):
    """The sandbox for programs that Benchpin runs."""

    name: str
    detail: str


class Status(Result):
    """The state of the server."""

    version: str
    workspace: str
    enabled_tools: list[str]
    sandbox: SandboxStatus
    cache_bytes: int
    uptime_s: float

    def to_text(self) -> str:
        """Return the state, one fact per line."""
        return "\n".join(
            (
                f"benchpin {self.version} on {self.workspace}, up {self.uptime_s:.0f} s",
                fill(
                    f"{len(self.enabled_tools)} tools: {', '.join(self.enabled_tools)}",
                    100,
                    subsequent_indent="  ",
                    break_long_words=False,
                ),
                f"sandbox: {self.sandbox.name} ({self.sandbox.detail})",
                f"cache: {self.cache_bytes:,} bytes",
            )
        )


@tool(
    title="Server status",
    effect=Effect.READ,
    also=(
        "health of this server, which version is running, is it working, sandbox state, memory, "
        "cache size, are you up, configuration of the server"
    ),
)
def get_status(_params: StatusParams, bench: Bench) -> Status:
    """Show the version, workspace, enabled tools, sandbox, cache size and uptime of this server."""
    name, detail = UNCONFINED, "the operator chose --unconfined"
    if not bench.is_unconfined:
        found = detect_sandbox(bench.workspace.root)
        name, detail = found.name, found.detail
    return Status(
        version=bench.installation.version,
        workspace=str(bench.workspace.root),
        enabled_tools=[it.name for it in bench.installation.tools.definitions()],
        sandbox=SandboxStatus(name=name, detail=detail),
        cache_bytes=folder_size(bench.cache_dir),
        uptime_s=round(monotonic() - bench.installation.started_s, 3),
    )
