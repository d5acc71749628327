"""Templates: catalogue, parameters, rendering, scaffolding, search, drift and updates."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._catalogue import TemplateCatalogue, TemplateHit, catalogue_of, common_length, search
    from ._definitions import SCHEME
    from ._quoting import toml_literal
    from ._rendering import TemplateBroken
    from ._template import (
        ANY,
        BUILT_IN,
        InvalidTemplateParameters,
        Parameter,
        ParameterProblem,
        RenderedFile,
        Template,
        Value,
        rendered_file,
    )

__all__ = [
    "ANY",
    "BUILT_IN",
    "SCHEME",
    "InvalidTemplateParameters",
    "Parameter",
    "ParameterProblem",
    "RenderedFile",
    "Template",
    "TemplateBroken",
    "TemplateCatalogue",
    "TemplateHit",
    "Value",
    "catalogue_of",
    "common_length",
    "rendered_file",
    "search",
    "toml_literal",
]

__getattr__ = lazy(__name__)
