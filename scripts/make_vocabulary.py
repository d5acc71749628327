"""Write the vocabulary with which tokens are counted, from the file that OpenAI publishes.

`python scripts/make_vocabulary.py o200k_base.tiktoken`: tiktoken's `tiktoken_ext/openai_public.py`
has the address of that file, its digest, and the pattern that splits a text.
"""

import base64
import hashlib
import struct
import sys
import zlib
from pathlib import Path
from unittest.mock import patch

from tiktoken_ext import openai_public

from benchpin.engines.repository.tokens import ENCODING, FILE


def published_definition() -> tuple[str, str]:
    """Return the pattern of the encoding, and the digest of its file, as tiktoken has them."""
    with patch.object(openai_public, "load_tiktoken_bpe") as load:
        pattern: str = getattr(openai_public, ENCODING)()["pat_str"]
    return pattern, load.call_args.kwargs["expected_hash"]


def main(published: Path) -> int:
    """Check the file and pack it: the pattern, the length of each token, the tokens."""
    pattern, digest = published_definition()
    raw = published.read_bytes()
    if hashlib.sha256(raw).hexdigest() != digest:
        print(f"{published} is not the file that tiktoken expects: its digest is not {digest}")
        return 1
    tokens = [base64.b64decode(line.split()[0]) for line in raw.splitlines()]
    parts = [
        pattern.encode() + b"\n",
        struct.pack("<I", len(tokens)),
        bytes(len(token) for token in tokens),
        *tokens,
    ]
    FILE.write_bytes(zlib.compress(b"".join(parts), 9))
    print(f"wrote {len(tokens):,} tokens to {FILE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
