"""The vocabulary that comes with the package is the one that OpenAI publishes."""

import base64
import hashlib

from benchpin.engines.repository.tokens import count_tokens
from benchpin.engines.repository.vocabulary import read_vocabulary
from make_vocabulary import published_definition


def test_the_vocabulary_is_the_published_one() -> None:
    pattern, ranks = read_vocabulary()
    lines = (b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ranks.items())
    digest = hashlib.sha256(b"".join(lines)).hexdigest()
    assert (pattern, digest) == published_definition()


def test_a_special_token_in_a_text_counts_as_plain_text() -> None:
    assert count_tokens("<|endoftext|>") > 1
