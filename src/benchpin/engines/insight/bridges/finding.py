"""Find where code of one language reaches code of another."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from benchpin.core import Job
from benchpin.engines.source.imports import ReadFile
from benchpin.engines.source.index import FileFacts

from .c_callers import find_c_callers
from .c_symbols import CSymbols
from .cgo import find_cgo
from .jni import find_jni
from .model import Bridge, BridgeCount, Bridges, Place, Reach
from .node_addons import find_node_addons
from .python_libraries import find_library_uses
from .python_modules import find_module_uses
from .scan import Scan
from .wasm import find_wasm

MOST = 2_000


def find_bridges(
    files: Sequence[FileFacts], read: ReadFile, job: Job, *, most: int = MOST
) -> Bridges:
    """Return the references between languages; each symbol once a file.

    The files need their sections `outline` and `links`. `read` is asked for the few files that
    these point to, and for manifests.

    Raises:
        Cancelled: when the job was cancelled.
    """
    scan = Scan(files, read)
    symbols = CSymbols(scan)
    finders: tuple[Callable[[], Iterator[Reach]], ...] = (
        partial(find_c_callers, scan, symbols),
        partial(find_cgo, scan, symbols),
        partial(find_jni, scan),
        partial(find_library_uses, scan, symbols),
        partial(find_module_uses, scan),
        partial(find_node_addons, scan),
        partial(find_wasm, scan),
    )
    found: dict[tuple[str, str, str, Place | None], Reach] = {}
    for finder in job.each(finders, "kinds of cross-language references"):
        for reach in finder():
            job.check()
            if job.is_expired:
                job.leave_out(f"the rest of the cross-language references by {reach.kind}")
                break
            key = (reach.kind, reach.source.path, reach.symbol, reach.target)
            before = found.get(key)
            if before is None or reach.source.line < before.source.line:
                found[key] = reach
    reaches = sorted(found.values(), key=_order)
    resolved = Counter(it.kind for it in reaches if it.target is not None)
    counts = Counter(it.kind for it in reaches)
    return Bridges(
        references=tuple(map(_bridge, reaches[:most])),
        total=len(reaches),
        by_kind=tuple(
            BridgeCount(kind=kind, references=count, resolved=resolved[kind])
            for kind, count in sorted(counts.items())
        ),
    )


def _order(reach: Reach) -> tuple[bool, str, Place, str]:
    return reach.target is None, reach.kind, reach.source, reach.symbol


def _bridge(reach: Reach) -> Bridge:
    source, target = reach.source, reach.target
    return Bridge(
        kind=reach.kind,
        symbol=reach.symbol,
        from_file=source.path,
        from_line=source.line,
        from_language=source.language,
        to_file=target.path if target else None,
        to_line=target.line if target else None,
        to_language=target.language if target else None,
        reason=reach.reason,
        evidence=reach.evidence,
    )
