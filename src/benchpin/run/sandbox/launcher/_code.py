"""The code of the launcher, compiled to be sent."""

import marshal
from functools import cache
from pathlib import Path

from benchpin.run.sandbox import LaunchRequest

# Each after those that it imports.
_MODULES = ("system_calls", "workspace", "namespaces", "memory", "supervisor")

BOOTSTRAP = """\
import marshal, sys
channel = int(sys.argv[1])
with open(channel, "rb", closefd=False) as incoming:
    modules, request = marshal.load(incoming)
for name, code in modules:
    module = sys.modules[f"launcher.{name}"] = type(sys)(f"launcher.{name}")
    module.__package__ = "launcher"
    exec(code, module.__dict__)
module.main(request, channel)
"""


def launch_message(request: LaunchRequest) -> bytes:
    """Return the code of the launcher and a request, as `BOOTSTRAP` reads them."""
    return marshal.dumps((_compiled(), {**request}))


@cache
def _compiled() -> list[tuple[str, object]]:
    folder = Path(__file__).parent
    return [
        (
            f"_{name}",
            compile((folder / f"_{name}.py").read_bytes(), f"<{name}>", "exec", optimize=2),
        )
        for name in _MODULES
    ]
