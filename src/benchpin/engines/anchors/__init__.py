"""Comments that follow the code: what a line is known by, and where it is now."""

from .anchor import Anchor, make_anchor
from .document import Document, Symbol, open_document, symbols_of
from .history import read_trail
from .moves import ChangedFile
from .placement import Layer, Orphan, Outcome, Placement, Suggestion
from .reanchor import reanchor
from .sketch import Sketch, SketchedBase, draw_sketch
from .trail import FileChange, Step, Trail

__all__ = [
    "Anchor",
    "ChangedFile",
    "Document",
    "FileChange",
    "Layer",
    "Orphan",
    "Outcome",
    "Placement",
    "Sketch",
    "SketchedBase",
    "Step",
    "Suggestion",
    "Symbol",
    "Trail",
    "draw_sketch",
    "make_anchor",
    "open_document",
    "read_trail",
    "reanchor",
    "symbols_of",
]
