"""Zstandard, from the standard library where Python has it (3.14) and from its backport before."""

import sys

if sys.version_info >= (3, 14):
    from compression.zstd import (
        DecompressionParameter,
        ZstdDecompressor,
        ZstdError,
        ZstdFile,
        compress,
        decompress,
    )
else:
    from backports.zstd import (
        DecompressionParameter,
        ZstdDecompressor,
        ZstdError,
        ZstdFile,
        compress,
        decompress,
    )

__all__ = [
    "DecompressionParameter",
    "ZstdDecompressor",
    "ZstdError",
    "ZstdFile",
    "compress",
    "decompress",
]
