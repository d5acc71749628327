"""Templates: catalogue, parameters, rendering, scaffolding, search, drift and updates."""

from .collection import TemplateCatalogue, catalogue_of, load_catalogue
from .definitions import SCHEME
from .drift import Drift, DriftedFile, find_drift
from .errors import InvalidTemplateParameters, InvalidTemplateUri, TemplateNotFound
from .parameters import check_parameters
from .project_files import ProjectFiles
from .provenance import BASE_PATH, PROVENANCE_PATH, base_file, provenance, record_of
from .rendering import TemplateBroken
from .scaffolding import Scaffold, ScaffoldRequest, scaffold
from .search import TemplateHit, search
from .template import BUILT_IN, Parameter, ParameterProblem, RenderedFile, Template, Value
from .updating import UpdatedFile, UpdatedTemplate, UpdatePlan, plan_update
from .writing import WouldOverwrite, write_files

__all__ = [
    "BASE_PATH",
    "BUILT_IN",
    "PROVENANCE_PATH",
    "SCHEME",
    "Drift",
    "DriftedFile",
    "InvalidTemplateParameters",
    "InvalidTemplateUri",
    "Parameter",
    "ParameterProblem",
    "ProjectFiles",
    "RenderedFile",
    "Scaffold",
    "ScaffoldRequest",
    "Template",
    "TemplateBroken",
    "TemplateCatalogue",
    "TemplateHit",
    "TemplateNotFound",
    "UpdatePlan",
    "UpdatedFile",
    "UpdatedTemplate",
    "Value",
    "WouldOverwrite",
    "base_file",
    "catalogue_of",
    "check_parameters",
    "find_drift",
    "load_catalogue",
    "plan_update",
    "provenance",
    "record_of",
    "scaffold",
    "search",
    "write_files",
]
