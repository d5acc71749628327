"""How sure it is that something is in use, from 0 to 1; what is left of 1 is dead with confidence.

The numbers are an order more than a measurement: what is above 0.2 is never reported as dead with
a confidence of 0.8, and each step down has a weaker reason to believe that something is used.
"""

import msgspec

SURE = 1.0
"""Code that certainly runs uses it, or a tool finds it by its name."""
CONFIGURED = 0.8
"""Its name stands in a configuration or a template."""
REGISTERED = 0.7
"""Something that it is handed to may call it."""
MENTIONED = 0.6
"""A string is nothing but its name."""
POSSIBLE = 0.5
"""Code that is not in the workspace may well use it."""
TESTED = 0.4
"""Only tests use it."""
HINTED = 0.3
"""A text or a convention hints at a use."""
VISIBLE = 0.2
"""Everybody could use it, but nothing in the workspace does."""
HIDDEN = 0.05
"""Only a few places could use it, and none of them does."""


class Evidence(msgspec.Struct, frozen=True, gc=False):
    """How sure it is that something is used, and why."""

    score: float
    why: str


NOTHING = Evidence(0.0, "")
