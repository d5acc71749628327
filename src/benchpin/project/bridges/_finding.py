"""Find where code of one language references code of another."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from benchpin.core.calls import Job
from benchpin.facts import FileFacts
from benchpin.facts.imports import ReadFile

from ._bridge import Bridge, BridgeCount, Bridges
from ._c_abi import CSymbols, find_c_callers
from ._cgo import find_cgo
from ._jni import find_jni
from ._node_addons import find_node_addons
from ._python_libraries import find_library_uses
from ._python_modules import find_module_uses
from ._scan import Scan
from ._wasm import find_wasm

MAX_FINDINGS = 2_000
_FINDERS: tuple[Callable[[Scan, CSymbols], Iterator[Bridge]], ...] = (
    find_c_callers,
    find_cgo,
    lambda scan, _: find_jni(scan),
    find_library_uses,
    lambda scan, _: find_module_uses(scan),
    lambda scan, _: find_node_addons(scan),
    lambda scan, _: find_wasm(scan),
)


def find_bridges(
    files: Sequence[FileFacts], read: ReadFile, job: Job, *, most: int = MAX_FINDINGS
) -> Bridges:
    """Return the references between languages; each symbol once a file.

    The files need their sections `outline` and `links`. `read` is called for the few files that
    these point to, and for manifests.

    Raises:
        Cancelled: when the job was cancelled.
    """
    scan = Scan(files, read)
    symbols = CSymbols(scan)
    found: dict[tuple[object, ...], Bridge] = {}
    for finder in job.each(_FINDERS, "kinds of cross-language references"):
        for bridge in finder(scan, symbols):
            job.check()
            if job.is_expired:
                job.leave_out(f"the rest of the cross-language references by {bridge.kind}")
                break
            key = (
                bridge.kind,
                bridge.from_file,
                bridge.symbol,
                bridge.to_file,
                bridge.to_line,
                bridge.to_language,
            )
            before = found.get(key)
            if before is None or bridge.from_line < before.from_line:
                found[key] = bridge
    bridges = sorted(found.values(), key=_order)
    resolved = Counter(it.kind for it in bridges if it.to_file is not None)
    counts = Counter(it.kind for it in bridges)
    return Bridges(
        references=tuple(bridges[:most]),
        total=len(bridges),
        by_kind=tuple(
            BridgeCount(kind=kind, references=count, resolved=resolved[kind])
            for kind, count in sorted(counts.items())
        ),
    )


def _order(bridge: Bridge) -> tuple[bool, str, str, int, str, str]:
    return (
        bridge.to_file is None,
        bridge.kind,
        bridge.from_file,
        bridge.from_line,
        bridge.from_language,
        bridge.symbol,
    )
