"""Running programs: the sandbox, what a program can see in it, its limits and its output.

The package itself holds only what start-up needs; import `running` when a program runs.
"""

from .sandbox import UNCONFINED, Program, Sandbox, detect_sandbox

__all__ = ["UNCONFINED", "Program", "Sandbox", "detect_sandbox"]
