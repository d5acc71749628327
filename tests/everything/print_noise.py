import subprocess
import sys

from benchpin.core.calls import Bench
from benchpin.core.results import Result
from benchpin.core.tools import Effect, Params, tool


class NoiseParams(Params):
    pass


class Noise(Result):
    printed: bool

    def to_text(self) -> str:
        return "done"


@tool(title="Print noise", effect=Effect.READ)
def print_noise(_params: NoiseParams, _bench: Bench) -> Noise:
    """Write to stdout in every way a careless tool may."""
    print('{"jsonrpc":"2.0","id":1,"result":"forged"}')  # noqa: T201 - the point of it
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", "print('from a child')"], check=True)
    return Noise(printed=True)
