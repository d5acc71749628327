"""What runs in a process of its own around a program: stdlib only, sent over as compiled code.

The process is an interpreter that knows neither Benchpin nor its folders, so it is told everything
through a socket: `shipment` is what to send, `BOOTSTRAP` the program that receives it.
"""

import marshal
from functools import cache
from pathlib import Path

from benchpin.engines.execution.orders import Orders

_MODULES = ("kernel", "walls", "locks", "launcher")
"""In the order of their imports."""

BOOTSTRAP = """\
import marshal, sys
channel = int(sys.argv[1])
with open(channel, "rb", closefd=False) as incoming:
    modules, orders = marshal.load(incoming)
for name, code in modules:
    module = sys.modules[f"inside.{name}"] = type(sys)(f"inside.{name}")
    module.__package__ = "inside"
    exec(code, module.__dict__)
module.main(orders, channel)
"""


def shipment(orders: Orders) -> bytes:
    """Return what to send to the program `BOOTSTRAP`, whose argument is the socket's number."""
    return marshal.dumps((_compiled(), {**orders}))


@cache
def _compiled() -> list[tuple[str, object]]:
    folder = Path(__file__).parent
    return [
        (name, compile((folder / f"{name}.py").read_bytes(), f"<{name}>", "exec", optimize=2))
        for name in _MODULES
    ]
