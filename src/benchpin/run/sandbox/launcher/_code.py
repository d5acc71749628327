"""The process around a program: stdlib only, sent over a socket as compiled code.

Its interpreter has neither Benchpin nor its folders, so everything it needs comes through the
socket: `launch_message` is what to send, `BOOTSTRAP` the program that receives it.
"""

import marshal
from functools import cache
from pathlib import Path

from benchpin.run.sandbox import LaunchRequest

# Each after those that it imports.
_MODULES = ("libc", "mounts", "workspace", "namespaces", "restrictions", "memory", "supervisor")

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
