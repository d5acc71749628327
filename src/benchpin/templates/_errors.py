"""Errors in a request for a template."""

from collections.abc import Sequence
from dataclasses import asdict

from benchpin.core.errors import BenchpinError

from ._template import ParameterProblem


class TemplateNotFound(BenchpinError):
    """No template has that URI."""

    kind = "template_not_found"


class InvalidTemplateUri(BenchpinError):
    """The URI is malformed."""

    kind = "invalid_template_uri"


class InvalidTemplateParameters(BenchpinError):
    """The parameters do not fit the template."""

    kind = "invalid_template_parameters"

    def __init__(self, problems: Sequence[ParameterProblem]) -> None:
        """Name every problem at once."""
        listing = "; ".join(f"{it.path}: {it.problem}" for it in problems)
        super().__init__(
            f"Parameter validation failed: {listing}",
            suggestion=" ".join(dict.fromkeys(it.suggestion for it in problems)),
            data={"problems": [asdict(it) for it in problems]},
        )
