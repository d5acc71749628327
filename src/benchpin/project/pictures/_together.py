"""Files that change together, as a matrix: those with the most shared commits."""

from collections.abc import Sequence

from benchpin.core.text import utf8
from benchpin.facts.languages import detect_language
from benchpin.measures.churn import CoupledFiles
from benchpin.present.pictures import PictureRow

from ._dependencies import short_names

_MAX_FILES = 24
# Pairs of code that are worth a picture.
_ENOUGH = 3


def _is_code(path: str) -> bool:
    return detect_language(path, bytes) is not None


def together_rows(pairs: Sequence[CoupledFiles]) -> list[PictureRow]:
    """Return each pair twice, once for either side of the diagonal; the strongest first.

    Lock files and manifests always change together, so code goes first where there is some.
    """
    code = [it for it in pairs if _is_code(it.first) and _is_code(it.second)]
    pairs = code if len(code) >= _ENOUGH else pairs
    chosen: list[CoupledFiles] = []
    files: dict[str, None] = {}
    for pair in pairs:
        if len({*files, pair.first, pair.second}) > _MAX_FILES:
            continue
        chosen.append(pair)
        files |= {pair.first: None, pair.second: None}
    names = short_names([utf8(it) for it in files])
    order = {path: at for at, path in enumerate(files)}
    return [
        {
            "first": utf8(one),
            "second": utf8(two),
            "pair": f"{names[utf8(one)]} + {names[utf8(two)]}",
            "row": names[utf8(one)],
            "column": names[utf8(two)],
            "row_order": order[one],
            "column_order": order[two],
            "commits": it.shared_commits,
            "degree": round(it.degree, 4),
        }
        for it in chosen
        for one, two in ((it.first, it.second), (it.second, it.first))
    ]
