"""Recognise what a bundler, minifier or compiler wrote: nobody reads, fixes or counts it.

Names and comments say so only sometimes: an action of GitHub has its bundle in `dist/index.js`.
Only marks that a program writes at the beginning of a line count, so that the source of a bundler,
which has them in strings, does not.
"""

import re

# Average length of lines above which GitHub Linguist takes a script for minified.
_MINIFIED_LINE_BYTES = 110
# A short file may consist of one long line that a person wrote.
_MIN_MINIFIED_BYTES = 4_096
# esbuild, webpack (which ncc uses), Rollup's CommonJS plugin, Browserify, Parcel.
_BUNDLED = re.compile(
    rb"""
    ^(?: var[ ]__commonJS[ ]=[ ]\(cb,[ ]mod\)[ ]=>
       | var[ ]__esm[ ]=[ ]\(fn,[ ]res\)[ ]=>
       | /\*{6}/[ ]*(?:\(|var[ ]__webpack_modules__|module\.exports[ ]=|!?function|"use[ ]strict")
       | //[ ]node_modules/[^\s*]+\.[cm]?[jt]sx?$
       | \(function[ ]e\(t,n,r\)\{function[ ]s\(o,u\)
       | \(function\(\)\{function[ ]r\(e,n,t\)\{function[ ]o\(i,f\)
       | parcelRequire[ ]?=
       | var[ ]commonjsGlobal[ ]=[ ]typeof[ ]globalThis
    )""",
    re.MULTILINE | re.VERBOSE,
)
# The helpers of a bundle come before its modules, but after banners and imports of the platform.
_HEAD_BYTES = 65_536
_SOURCE_MAP = re.compile(rb"^//[#@] sourceMappingURL=", re.MULTILINE)
_TAIL_BYTES = 2_000


def is_built(source: bytes) -> bool:
    """Whether a program wrote a script, by its text."""
    lines = source.count(b"\n") + 1
    is_minified = len(source) > _MINIFIED_LINE_BYTES * lines
    if is_minified and len(source) >= _MIN_MINIFIED_BYTES:
        return True
    if _BUNDLED.search(source[:_HEAD_BYTES]):
        return True
    # Inlined maps are longer than the tail, but then so are the lines.
    return _SOURCE_MAP.search(source, max(0, len(source) - _TAIL_BYTES)) is not None
