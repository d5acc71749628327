"""Words that code has for those of a question: abbreviations, and what programs call a thing.

General words only, none of one project: each group has words of which one may stand
for another.
"""

from collections import defaultdict
from functools import lru_cache

from benchpin.measures.names import stem

_GROUPS = """
delete remove drop purge erase clean cleanup discard prune destroy unlink evict; refuse reject
deny forbid disallow revoke abort invalid raise forbidden; big large huge size max limit exceed;
small min; kind type format; wrong invalid unsupported bad; picture image photo img; folder
directory dir; address url uri addr; visitor request client; old age expire stale outdated; retry
again attempt tried backoff; wait delay backoff sleep countdown timeout; often interval period
frequency ticker; long duration interval timeout; load scale; stop kill terminate shutdown shrink
halt; start spawn launch boot grow begin; allow permit permission may grant; fetch retrieve
download load; read parse load; write written dump flush save; save store persist write; disk file
fs; database db; answer respond response reply serve; ask request query; decide determine choose
resolve select pick; enough sufficient insufficient available quantity; left remain available;
same duplicate equal unique; change modify update edit; send deliver dispatch emit publish;
receive handle accept; lock locked; leave exclude skip ignore omit; untouched ignore passthrough
raw; fail failure error exception; switch disable enable skip option; option setting config flag;
temporary temp tmp; connection conn; environment env; message msg; context ctx; argument arg param
parameter; number num count amount qty; length len; maximum max; minimum min; previous prev; login
authenticate auth credential; error err exception; initialize init setup; synchronize sync;
information info; destination dest dst target; source src; value val; document doc; execute exec
run; process proc; memory mem; administrator admin; repository repo; reference ref; language lang
locale; revision version; applied soft fake; win winner wins better newer; hide hidden visible
"""


@lru_cache(maxsize=1)
def _table() -> dict[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for written in _GROUPS.split(";"):
        group = {stem(it) for it in written.split()}
        for word in group:
            found[word] |= group - {word}
    return {word: frozenset(others) for word, others in found.items()}


def meaning_the_same(word: str) -> frozenset[str]:
    """Return the stems that may stand for one."""
    return _table().get(word, frozenset())
