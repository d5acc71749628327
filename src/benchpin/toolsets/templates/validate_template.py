"""Check the parameters of a template."""

from benchpin.core.calls import Bench
from benchpin.core.results import Result
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Params, tool
from benchpin.templates import ParameterProblem, Value

from ._catalogue import Parameters, TemplateUri, catalogue_of


class ValidateTemplateParams(Params):
    """Which template, and its parameters."""

    resource_uri: TemplateUri
    """Template URI."""
    parameters: Parameters
    """Parameters to validate."""


class ParameterValidation(Result):
    """Whether the parameters are valid, and all problems."""

    valid: bool
    errors: list[ParameterProblem]
    parameters: dict[str, Value]
    """The values that would be used, defaults included."""

    def to_text(self) -> str:
        """Return the verdict, and a line for each problem."""
        if self.valid:
            return "Valid"
        lines = (f"{it.path}: {it.problem}. {it.suggestion}" for it in self.errors)
        return "\n".join((counted(len(self.errors), "problem"), *lines))

    def exit_status(self) -> int:
        """Return 1 if they are not valid."""
        return 0 if self.valid else 1


@tool(
    title="Validate template parameters",
    effect=Effect.READ,
    also="are my parameters right, required values of a template, check before generating",
)
def validate_template(params: ValidateTemplateParams, bench: Bench) -> ParameterValidation:
    """Check parameters against a template; all problems are reported at once."""
    catalogue = catalogue_of(bench)
    template = catalogue.find(params.resource_uri)
    values, problems = catalogue.check(template, params.parameters)
    return ParameterValidation(valid=not problems, errors=problems, parameters=values)
