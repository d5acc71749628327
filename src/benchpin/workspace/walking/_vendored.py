"""Recognise folders with third-party code and generated files by their names.

The names are those on which GitHub Linguist and the usual ignore files agree. Names that are as
often first-party code (`external`, `deps`, `cache`, `build`) are left out.
"""

_VENDORED_FOLDERS = frozenset(
    """
    .bundle .eggs .gradle .nox .tox .venv .yarn Carthage Godeps Pods __pycache__ __pypackages__
    _vendor bower_components jspm_packages node_modules site-packages third-party third_party
    thirdparty vendor vendored venv
    """.split()  # noqa: SIM905 - easier to read as a table
)
_GENERATED_ENDINGS = tuple(
    """
    .min.js -min.js .min.mjs .bundle.js _pb2.py _pb2.pyi _pb2_grpc.py .pb.go _grpc.pb.go .pb.cc
    .pb.h .pb.swift _string.gen.go .g.cs .g.i.cs .designer.cs .Designer.cs .generated.cs
    """.split()  # noqa: SIM905 - easier to read as a table
)


def is_vendored_folder(name: str) -> bool:
    """Whether a folder of that name holds third-party code."""
    return name in _VENDORED_FOLDERS


def is_generated_file(name: str) -> bool:
    """Whether a file of that name is generated."""
    return name.endswith(_GENERATED_ENDINGS)
