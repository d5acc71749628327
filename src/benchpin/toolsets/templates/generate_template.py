"""Generate the files of one template."""

from benchpin.core.calls import Bench
from benchpin.core.results import Result
from benchpin.core.tools import Effect, Params, tool
from benchpin.templates import InvalidTemplateParameters, RenderedFile

from ._catalogue import Parameters, TemplateUri, catalogue_of, joined


class GenerateParams(Params):
    """Which template, and its parameters."""

    resource_uri: TemplateUri
    """Template URI, such as template://makefile/rust/cli; list_templates has them all."""
    parameters: Parameters
    """Such as {"project_name": "my-project"}."""


class GeneratedTemplate(Result):
    """The generated files."""

    content: str
    """The file; for several files, their contents, each under its path."""
    resource_uri: str
    mime_type: str
    files: list[RenderedFile]

    def to_text(self) -> str:
        """Return the content."""
        return self.content

    def is_verbatim(self) -> bool:
        """Return true: it is the content of files."""
        return True


@tool(
    title="Generate a template",
    effect=Effect.READ,
    also=(
        "make one file, Makefile, Dockerfile, README, gitignore, CI workflow, licence, "
        "boilerplate, render, I need a Makefile, one config file for a language"
    ),
)
def generate_template(params: GenerateParams, bench: Bench) -> GeneratedTemplate:
    """Generate a file from a template URI and parameters; nothing is written.

    Values are quoted for the language of the file. For several templates at once, or to write
    them, use scaffold_project.
    """
    catalogue = catalogue_of(bench)
    template = catalogue.find(params.resource_uri)
    values, problems = catalogue.check(template, params.parameters)
    if problems:
        raise InvalidTemplateParameters(problems)
    files = catalogue.render(template, values)
    is_single = len(files) == 1
    return GeneratedTemplate(
        content=files[0].content if is_single else joined((it.path, it.content) for it in files),
        resource_uri=template.uri,
        mime_type=template.mime_type,
        files=files,
    )
