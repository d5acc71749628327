"""Running programs: what can confine them on this machine."""

from .sandbox import Sandbox, detect_sandbox

__all__ = ["Sandbox", "detect_sandbox"]
