"""The search for candidates on a CUDA device, with CuPy: the same windows and pairs as on the CPU.

Hashes of all windows, their sorting, and the bands of near-duplicates are computed there; what is
found is copied back, and verified and grouped as always. The kernels are our own, because CuPy has
no powers modulo 2⁶⁴ by position and no minimum over segments.
"""

from functools import cached_property
from typing import TYPE_CHECKING, Any

from ._hashing import BASE, FIRST_FACTOR, INVERSE, SECOND_FACTOR
from ._minhash import NEIGHBOURS, NUMBER_BITS, SHUFFLES, Neighbours, salts
from ._repeats import Windows

if TYPE_CHECKING:
    from ._corpus import Hashes, Ids, Places
    from ._minhash import Signatures

    Array = Any
    """An array on the device: CuPy has no types."""

_KERNELS = r"""
typedef unsigned long long u64;

__device__ u64 mixed(u64 z) {
    z += BASE;
    z = (z ^ (z >> 30)) * FIRST;
    z = (z ^ (z >> 27)) * SECOND;
    return z ^ (z >> 31);
}

__device__ u64 power(u64 base, u64 exponent) {
    u64 result = 1;
    for (; exponent; exponent >>= 1, base *= base)
        if (exponent & 1) result *= base;
    return result;
}

extern "C" __global__ void mix(u64* values, long long size) {
    long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (at < size) values[at] = mixed(values[at]);
}

extern "C" __global__ void scale(u64* values, const long long* places, u64 base, long long size) {
    long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (at < size) values[at] *= power(base, places ? (u64)places[at] : (u64)at);
}

// One block for each set: the lower bits of the first of its elements in every order.
extern "C" __global__ void firsts(
    const u64* elements, const long long* starts, const u64* salts, unsigned short* found,
    long long sets, long long size, int orders
) {
    long long set = blockIdx.x;
    long long begin = starts[set], end = set + 1 < sets ? starts[set + 1] : size;
    for (int order = threadIdx.x; order < orders; order += blockDim.x) {
        u64 salt = salts[order], least = ~0ULL;
        for (long long at = begin; at < end; at++) {
            u64 shuffled = elements[at] * salt;
            shuffled ^= shuffled >> 29;
            least = min(least, shuffled);
        }
        found[set * orders + order] = (unsigned short)least;
    }
}
"""
_THREADS = 256
_ORDERS_AT_ONCE = 64


class NoDevice(Exception):
    """There is no CUDA device that can be used; the message says why."""


class Device:
    """A CUDA device."""

    def __init__(self) -> None:
        """Open the device.

        Raises:
            NoDevice: when CuPy is not installed, or finds none.
        """
        try:
            import cupy  # type: ignore[import-not-found]  # noqa: PLC0415 - rarely there
        except ImportError as error:
            raise NoDevice("CuPy is not installed") from error
        try:
            properties = cupy.cuda.runtime.getDeviceProperties(0)
            cupy.zeros(1)
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise NoDevice(f"CUDA finds no device: {error}") from error
        self._cupy = cupy
        self.name = properties["name"].decode()

    @cached_property
    def _kernels(self) -> Any:
        constants = {"BASE": BASE, "FIRST": FIRST_FACTOR, "SECOND": SECOND_FACTOR}
        options = tuple(f"-D{name}={value}ULL" for name, value in constants.items())
        return self._cupy.RawModule(code=_KERNELS, options=options)

    def windows(self, row: "Ids", width: int) -> Windows:
        """Return the windows of a width that occur more than once."""
        return self._repeated(self._scaled(self._differences(self._terms(row), width)))

    def renamed_windows(self, shapes: "Ids", distances: "Ids", width: int) -> Windows:
        """Return the windows that occur more than once up to names."""
        cupy = self._cupy
        shown, gaps = cupy.asarray(shapes), cupy.asarray(distances)
        near = cupy.flatnonzero((gaps > 0) & (gaps < width))
        excess = self._mixed(-1 - gaps[near].astype(cupy.int64)) - self._mixed(shown[near])
        self._scale(excess, BASE, near)
        terms = self._terms(shapes)
        terms[near + 1] += excess
        windows = self._differences(terms, width)
        changes = cupy.zeros(len(shapes) + 1, cupy.uint64)
        changes[near - gaps[near] + 1] += excess
        changes[near + 1] -= excess
        windows -= cupy.cumsum(changes)[: len(windows)]
        return self._repeated(self._scaled(windows))

    def signatures(self, elements: "Hashes", starts: "Places") -> "Signatures":
        """Return the signatures of sets."""
        cupy = self._cupy
        sets, size = len(starts), len(elements)
        found = cupy.zeros((sets, SHUFFLES), cupy.uint16)
        given = cupy.asarray(elements), cupy.asarray(starts), cupy.asarray(salts())
        arguments = (*given, found, sets, size, SHUFFLES)
        if sets:
            self._kernels.get_function("firsts")((sets,), (_ORDERS_AT_ONCE,), arguments)
        rows: Signatures = cupy.asnumpy(found)
        return rows

    def neighbours(self, key: "Hashes") -> Neighbours:
        """Return pairs with the same key: of each set with the next ones in its bucket."""
        cupy = self._cupy
        keys = cupy.asarray(key)
        index = cupy.arange(len(keys), dtype=cupy.uint64)
        order = cupy.lexsort(cupy.stack((index, keys))).astype(cupy.int64)
        ordered = keys[order]
        found: list[Array] = [cupy.zeros(0, cupy.int64)]
        for step in range(1, min(NEIGHBOURS, len(keys) - 1) + 1):
            is_alike = ordered[:-step] == ordered[step:]
            if not bool(is_alike.any()):
                break
            found.append((order[:-step][is_alike] << NUMBER_BITS) | order[step:][is_alike])
        is_last = cupy.ones(len(ordered), cupy.bool_)
        is_last[:-1] = ordered[1:] != ordered[:-1]
        ends = cupy.concatenate((cupy.asarray([-1]), cupy.flatnonzero(is_last)))
        sizes = cupy.diff(ends)
        pairs = cupy.asnumpy(cupy.concatenate(found))
        return Neighbours(pairs, int((sizes * (sizes - 1) // 2).sum()) - len(pairs))

    def _terms(self, row: "Ids") -> "Array":
        cupy = self._cupy
        terms = cupy.zeros(len(row) + 1, cupy.uint64)
        body = self._mixed(cupy.asarray(row))
        self._scale(body, BASE)
        terms[1:] = body
        return terms

    def _differences(self, terms: "Array", width: int) -> "Array":
        sums = self._cupy.cumsum(terms)
        return sums[width:] - sums[: max(0, len(sums) - width)]

    def _scaled(self, windows: "Array") -> "Array":
        self._scale(windows, INVERSE)
        return windows

    def _mixed(self, numbers: "Array") -> "Array":
        cupy = self._cupy
        mixed = cupy.ascontiguousarray(numbers.astype(cupy.int64).view(cupy.uint64))
        self._run("mix", len(mixed), (mixed, len(mixed)))
        return mixed

    def _scale(self, values: "Array", base: int, places: "Array | None" = None) -> None:
        cupy = self._cupy
        at = cupy.uint64(0) if places is None else cupy.ascontiguousarray(places)
        self._run("scale", len(values), (values, at, cupy.uint64(base), len(values)))

    def _run(self, name: str, size: int, arguments: tuple[object, ...]) -> None:
        if size:
            blocks = (size + _THREADS - 1) // _THREADS
            self._kernels.get_function(name)((blocks,), (_THREADS,), arguments)

    def _repeated(self, hashes: "Array") -> Windows:
        """Return the windows with the hash of another one, by hash and then by place."""
        cupy = self._cupy
        places = cupy.arange(len(hashes), dtype=cupy.int64)
        order = cupy.lexsort(cupy.stack((places.view(cupy.uint64), hashes)))
        ordered = hashes[order]
        is_again = cupy.zeros(len(ordered), cupy.bool_)
        is_again[1:] = ordered[1:] == ordered[:-1]
        is_again[:-1] |= is_again[1:].copy()
        order, ordered = order[is_again], ordered[is_again]
        groups = cupy.zeros(len(order), cupy.int64)
        groups[1:] = cupy.cumsum(ordered[1:] != ordered[:-1])
        return Windows(cupy.asnumpy(order.astype(cupy.int64)), cupy.asnumpy(groups))
