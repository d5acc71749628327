"""Words that code has for those of a question: abbreviations, and what programs call a thing.

General words only, none of one project: each group has words of which one may stand
for another. A phrase of English stands for a word of code: `sign in` for `login`.
"""

import re
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
authenticate auth credential signin logon; error err exception; initialize init setup; synchronize
sync; information info; destination dest dst target; source src; value val; document doc; execute
exec run; process proc; memory mem; administrator admin; repository repo; reference ref; language
lang locale; revision version; applied soft fake; win winner wins better newer; hide hidden visible;
mfa 2fa otp totp multifactor twofactor; throttle ratelimit limiter; exempt skip exclude bypass
whitelist allowlist except ignore; copy clone duplicate; merge combine join; compare diff equal
match; import ingest; export dump; match equal dedup compare; backup snapshot archive; restore
recover rollback; undo revert rollback; encrypt cipher crypt encryption; decrypt decipher; sign
signature; verify validate check; password passphrase pwd secret; token jwt bearer; user account
principal; group team role; owner author creator; notify notification alert mail; email mail smtp;
schedule cron timer job; periodic cron interval; background worker queue async; thread worker pool;
concurrent parallel lock mutex; wait block await; cancel abort; pause suspend; resume continue;
order sort rank priority; first head; last tail latest; newest latest recent; filter exclude where;
search query lookup find; empty blank null; missing absent notfound; default fallback; guess detect
infer sniff; convert transform translate cast; split chunk separate; compress zip gzip deflate;
extract unpack unzip; upload put; move rename relocate; path filepath; name title label; identifier
id key uuid; link href url; page view; button click; menu dropdown; draw render paint; show display
render; print output log; log logger trace; warn warning; crash panic abort fatal; quit exit close;
open connect; disconnect close hangup; reconnect retry; proxy forward relay; redirect location;
route endpoint path; header headers; cookie session; permission acl access authorize policy;
outdated stale deprecated; reuse cache pool; cache memo memoize; hash checksum digest; unique
distinct dedup; round truncate floor; price cost amount; pay payment charge; discount coupon
voucher promotion; tax vat; money currency; date time day; today now; holiday weekend; language
locale i18n; plugin extension addon; hook callback listener; event signal; subscribe listen;
broadcast publish; leader primary master; replica follower secondary standby; node peer member;
cluster swarm; vote elect election; heartbeat ping keepalive; alive healthy health; dead unhealthy
lost; ready readiness; overload pressure busy; full capacity exceed; quota limit; compact vacuum
defrag; index indexing; schema migration ddl; column field; row record; table relation; transaction
tx commit; branch ref; tag label; commit revision; conflict clash collision; ancestor parent;
descendant child; root base; leaf terminal; tree hierarchy; attach mount bind; detach unmount
unbind; install setup; uninstall remove; upgrade update migrate; downgrade rollback; build compile
make; test spec; mock stub fake; draft unpublished; publish release; approve approval accept; review
moderate; comment note; question prompt; shortcut keybinding hotkey; key keyboard; mouse cursor;
scroll viewport; window pane; screen display; color colour theme style; font typeface; size width
height dimension; shape geometry; sound audio; video movie; subtitle caption; spell spelling;
"""

# A phrase, and the word that stands for it in a question; `+` keeps the words of the phrase too.
_PHRASES = """
sign(?:s|ed|ing)? in = login; log(?:s|ged|ging)? in = login; log(?:s|ged|ging)? on = login;
sign(?:s|ed|ing)? (?:out|off) = logout; log(?:s|ged|ging)? out = logout;
sign(?:s|ed|ing)? up = register; (?:second|two|multi|another)[- ]factors? = mfa;
(?:two|2)[- ]step (?:verification|login) = mfa; one[- ]time (?:password|code)s? = otp;
too many (?:requests|calls|attempts|logins) = +throttle; too (?:often|frequently|fast) = +throttle;
(?:turn|switch)(?:s|ed|ing)? off = disable; (?:turn|switch)(?:s|ed|ing)? on = enable;
shut(?:s|ting)? down = shutdown; tim(?:e|es|ed|ing) out = timeout; (?:set|sets|setting) up = setup;
(?:throw|throws|thrown|threw) away = discard; (?:left|leaves?|leaving) out = skip;
(?:run|runs|ran|running) out of = exceed; out of date = stale; up[- ]to[- ]date = stale;
at the same time = concurrent; at once = concurrent; in parallel = concurrent;
(?:kept|keeps?|keeping) alive = keepalive; (?:give|gives|gave|given) up = abort;
(?:look|looks|looked|looking) up = lookup; (?:clean|cleans|cleaned|cleaning) up = cleanup;
(?:roll|rolls|rolled|rolling) back = rollback; (?:back|backs|backed|backing) up = backup;
(?:already|been) (?:there|known|exists?) = +exist; (?:is|are) (?:already )?there = +exist;
"""


@lru_cache(maxsize=1)
def _table() -> dict[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for written in _GROUPS.split(";"):
        group = {stem(it) for it in written.split()}
        for word in group:
            found[word] |= group - {word}
    return {word: frozenset(others) for word, others in found.items()}


@lru_cache(maxsize=1)
def _phrases() -> tuple[tuple[re.Pattern[str], str], ...]:
    found = []
    for written in _PHRASES.split(";"):
        phrase, _, word = written.strip().partition(" = ")
        if phrase:
            by = rf"\g<0> {word[1:]}" if word.startswith("+") else word
            found.append((re.compile(rf"(?i)\b{phrase}\b"), by))
    return tuple(found)


def meaning_the_same(word: str) -> frozenset[str]:
    """Return the stems that may stand for one."""
    return _table().get(word, frozenset())


def in_words_of_code(question: str) -> str:
    """Return a question with the words of code for phrases such as `sign in`."""
    for phrase, word in _phrases():
        question = phrase.sub(word, question)
    return question
