"""Templates: catalogue, parameters, rendering, scaffolding, search and drift."""

from .collection import TemplateCatalogue, catalogue_of, load_catalogue
from .definitions import SCHEME
from .drift import Drift, DriftedFile, find_drift
from .errors import InvalidTemplateParameters, InvalidTemplateUri, TemplateNotFound
from .parameters import check_parameters
from .provenance import PROVENANCE_PATH, provenance
from .rendering import TemplateBroken
from .scaffolding import Scaffold, ScaffoldRequest, scaffold
from .search import TemplateHit, search
from .template import BUILT_IN, Parameter, ParameterProblem, RenderedFile, Template, Value
from .writing import WouldOverwrite, write_files

__all__ = [
    "BUILT_IN",
    "PROVENANCE_PATH",
    "SCHEME",
    "Drift",
    "DriftedFile",
    "InvalidTemplateParameters",
    "InvalidTemplateUri",
    "Parameter",
    "ParameterProblem",
    "RenderedFile",
    "Scaffold",
    "ScaffoldRequest",
    "Template",
    "TemplateBroken",
    "TemplateCatalogue",
    "TemplateHit",
    "TemplateNotFound",
    "Value",
    "WouldOverwrite",
    "catalogue_of",
    "check_parameters",
    "find_drift",
    "load_catalogue",
    "provenance",
    "scaffold",
    "search",
    "write_files",
]
