"""Files that Benchpin wrote, known by how they begin: pages and packs.

They contain the names and texts of all other files, so in a project they are no evidence that
something is used, and no documentation.
"""

import re

# Every page has this in its head.
GENERATOR = '<meta name="generator" content="Benchpin">'
HEAD_BYTES = 4_096
# The heading and the list of files of `pack_repository`, as Markdown and as XML.
_PACK = re.compile(
    rb"# [^\n]*\n\n\d+ files\n\n- [^\n]* \(\d+ tokens\)\n"
    rb"|<\?xml [^\n]*\n<repository name=[^\n]* files=\"\d+\">\n<file path=[^\n]* tokens=\"\d+\">"
)


def is_own_output(content: bytes) -> bool:
    """Whether a file, of which the beginning is enough, is a page or a pack of ours."""
    head = content[:HEAD_BYTES]
    return GENERATOR.encode() in head or _PACK.match(head) is not None
