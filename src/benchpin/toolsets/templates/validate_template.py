"""Check the parameters of a template."""

from benchpin.core import Bench, Effect, Item, Params, Result, tool
from benchpin.engines.templates import Value

from ._catalogue import Parameters, TemplateUri, catalogue_of


class ValidateParams(Params):
    """Which template, and what would be filled in."""

    resource_uri: TemplateUri
    """Template URI, such as template://makefile/rust/cli."""
    parameters: Parameters
    """Parameters to validate."""


class ParameterProblem(Item):
    """One thing that is wrong."""

    path: str
    problem: str
    suggestion: str


class Validation(Result):
    """Whether the parameters fit, and everything that does not."""

    valid: bool
    errors: list[ParameterProblem]
    parameters: dict[str, Value]
    """What would be rendered with, defaults included."""

    def to_text(self) -> str:
        """Return the verdict, and a line for each problem."""
        if self.valid:
            return "Valid"
        lines = (f"{it.path}: {it.problem}. {it.suggestion}" for it in self.errors)
        return "\n".join((f"{len(self.errors)} problems", *lines))


@tool(title="Validate template parameters", effect=Effect.READ)
def validate_template(params: ValidateParams, bench: Bench) -> Validation:
    """Check parameters against a template without generating; every problem is named at once."""
    catalogue = catalogue_of(bench)
    template = catalogue.find(params.resource_uri)
    values, problems = catalogue.check(template, params.parameters)
    return Validation(
        valid=not problems,
        errors=[ParameterProblem(**problem.as_dict()) for problem in problems],
        parameters=values,
    )
