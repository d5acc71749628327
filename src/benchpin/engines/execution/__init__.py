"""Running programs: what confines them here, what they see, and how they end.

Only what is needed to start lies in the package itself; `running` and the rest are imported when
a program runs.
"""

from .program import Program
from .sandbox import UNCONFINED, Sandbox, detect_sandbox

__all__ = ["UNCONFINED", "Program", "Sandbox", "detect_sandbox"]
