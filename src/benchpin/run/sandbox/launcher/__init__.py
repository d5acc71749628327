"""The process around a program: stdlib only, sent over a socket as compiled code.

Its interpreter has neither Benchpin nor its folders, so everything it needs comes through the
socket: `launch_message` is what to send, `BOOTSTRAP` the program that receives it.
"""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._code import BOOTSTRAP, launch_message
    from ._namespaces import DEVICE_LINKS
    from ._system_calls import DEVICES, landlock_version

__all__ = ["BOOTSTRAP", "DEVICES", "DEVICE_LINKS", "landlock_version", "launch_message"]

__getattr__ = lazy(__name__)
