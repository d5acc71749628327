"""Templates: a catalogue of them, their parameters, rendering, scaffolding and search."""

from .collection import SCHEME, Catalogue, load_catalogue
from .drift import Drift, DriftedFile, DriftedTemplate, find_drift
from .errors import InvalidTemplateParameters, InvalidTemplateUri, TemplateNotFound
from .model import BUILT_IN, Parameter, Problem, RenderedFile, Template, Value
from .parameters import check_parameters
from .provenance import PROVENANCE_PATH, provenance
from .rendering import TemplateBroken
from .scaffolding import Scaffold, Wish, scaffold
from .search import Hit, search
from .writing import WouldOverwrite, write_files

__all__ = [
    "BUILT_IN",
    "PROVENANCE_PATH",
    "SCHEME",
    "Catalogue",
    "Drift",
    "DriftedFile",
    "DriftedTemplate",
    "Hit",
    "InvalidTemplateParameters",
    "InvalidTemplateUri",
    "Parameter",
    "Problem",
    "RenderedFile",
    "Scaffold",
    "Template",
    "TemplateBroken",
    "TemplateNotFound",
    "Value",
    "Wish",
    "WouldOverwrite",
    "check_parameters",
    "find_drift",
    "load_catalogue",
    "provenance",
    "scaffold",
    "search",
    "write_files",
]
