"""Split an identifier into words."""

import re
from functools import lru_cache

_WORD = re.compile(
    r"""
    [A-Z]{2,}+s(?![a-z])      # URLs
    | [A-Z]+(?=[A-Z][a-z])    # HTTP of HTTPServer
    | [A-Z]?[a-z]+            # Server, server
    | [A-Z]+                  # MAX
    | [0-9]+
    | [^\W\d_a-zA-Z]+         # letters of other alphabets
    """,
    re.VERBOSE,
)
# Enough for the distinct names of a big project.
_MAX_KNOWN = 1 << 17


@lru_cache(_MAX_KNOWN)
def split_identifier(name: str) -> tuple[str, ...]:
    """Return the words of an identifier in lower case, numbers among them.

    `parseHTTPRequest2` and `PARSE_HTTP_REQUEST_2` are both `parse http request 2`.
    """
    return tuple(word.lower() for word in _WORD.findall(name))
