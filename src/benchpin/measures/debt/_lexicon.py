"""The phrases by which authors admit debt, one a line; `_phrases` explains the notation.

The strength of a phrase was chosen by hand, the weight of a strength was learned.
"""

from ._cues import Group

GROUPS = (
    Group(
        "a rarer tag for work left over",
        strong="""
        <kludge>|<kluge>|<bodge>|<workaround>|<smell>|<wtf>|<debt>|<bug>
        <tbd>|<undone>|<nyi>|<nocommit>
        <refactor>|<cleanup>|<optimize>|<optimise>|<perf>|<security>
        """,
    ),
    Group(
        "a detour around something that is broken",
        strong="workaround|workarounds",
        clear="work|works|working|worked around",
        can_be_denied=True,
    ),
    Group(
        "a trick that should not last",
        strong="""
        hack|hacks|hacky|hackish|hackery|hacked
        kludge|kludges|kludgy|kludgey|kluge|kluges|bodge|bodged|cludge
        quick and dirty
        quick|dirty|cheap fix|hack|trick
        """,
        clear="""
        bandaid|stopgap|makeshift
        cheat|cheating|fudge|fudging|fudged
        """,
        can_be_denied=True,
    ),
    Group(
        "the author dislikes the code",
        strong="""
        ugly|uglier|ugliness
        yuck|yucky|ick|icky|ugh|blech|bleh|eww|yikes|argh|grr|grrr
        """,
        clear="""
        nasty|horrible|horrid|awful|terrible|hideous|atrocious|disgusting|evil|gross|dreadful
        stupid|dumb|silly|idiotic|lame|ridiculous|insane|crazy
        crap|crappy|cruft|crufty|shit|shitty|wtf
        mess|messy|spaghetti|hairy|convoluted
        smell|smells|smelly
        inelegant|clumsy|clunky|awkward|awkwardly|crude|brittle|fragile|suboptimal
        """,
        can_be_denied=True,
    ),
    Group(
        "the author is sorry about the code",
        clear="""
        i|we hate|dislike
        unhappy|annoying|irritating|frustrating|embarrassing|shame|sigh|sorry|:(
        unfortunately|sadly|alas|regrettably
        paranoid|paranoia|overkill
        """,
    ),
    Group(
        "not as good as the author wants",
        clear="""
        not (very|really|so|too|exactly|quite) elegant|pretty|nice|clean|ideal|optimal|perfect
        not (very|really|so|too|exactly|quite) beautiful|great|efficient|robust|good
        not the best|cleanest|nicest|prettiest|right|correct|proper (way|place|solution|choice)
        less than ideal|optimal|perfect|elegant
        far from ideal|optimal|perfect
        less elegant
        good enough
        best we|i can|could
        live with
        will do (the|for) (job|now)
        will have to do
        """,
    ),
    Group(
        "a better way is known or wanted",
        strong="""
        better|cleaner|nicer|simpler|smarter|neater|saner|elegant|easier way|solution
        better|cleaner|nicer|simpler|smarter|neater|saner|elegant|easier approach
        better|cleaner|nicer|simpler|smarter|neater|saner idea|design|api|implementation
        """,
        clear="""
        proper way|solution|fix|approach|implementation
        more elegant|elegantly|generic|generically|sensible|intelligent|intelligently
        could|would|might|may|should|can (probably|also|perhaps) be better|nicer|cleaner|simpler
        could|would|might|may|should|can (probably|also|perhaps) be improved|optimized|optimised
        could|would|might|may|should|can (probably|also|perhaps) be simplified|easier|faster|smarter
        would be nice|good|great|useful (to|if)
        there must|should|has (to) be (a|an|some)
        no|any|another other|better way
        """,
        faint="""
        more efficient|efficiently|robust|flexible|general|consistent
        better|best to
        """,
    ),
    Group(
        "the code should be changed",
        strong="""
        needs|need (a|some|more|much|further|better) work|thought|love|refactoring|rework
        needs|need (a|some|more|much|further|better) improvement|fixing|attention|review
        needs|need (a|some|more|much|further|better) optimization|investigation|thinking|rewrite
        needs|need|ought to be refactored|cleaned|rewritten|improved|reworked|revisited
        should|could|must|ought (really|probably|eventually|to) be refactored|rewritten|reworked
        """,
        clear="""
        needs|need (a|some|more|much|further|better) cleanup|cleaning
        should|could|must|ought (really|probably|eventually|to) be (_) moved|removed
        should|could|must|ought (really|probably|eventually|to) be replaced|renamed|deprecated
        should|could|must|ought (really|probably|eventually|to) be cleaned|eliminated
        should|could|must|ought (really|probably|eventually|to) be extracted|unified
        can|may|might (probably|also|eventually) be|get removed|deleted|dropped when|once|after|if
        needs|need|has|have|ought to be|get moved|removed|replaced|renamed|fixed
        needs|need|has|have|ought to be|get reviewed|tested|documented|optimized|implemented
        needs|need|has|have|ought to be|get completed|finished|investigated|addressed|verified
        to be removed|moved|refactored|replaced|deleted|determined|decided|fixed|completed|improved
        to be revisited|implemented|finished
        will|would be removed|replaced|refactored|improved|deprecated|fixed|implemented
        refactor|refactored|refactoring
        redesign|rework|reengineer|rethink|restructure|reimplement (this|it)
        rewrite this|me
        revisit|reconsider|reexamine|reevaluate
        should|could|must (really|probably|eventually|just) move|refactor|rename|deprecate|rewrite
        should|could|must (really|probably|eventually|just) improve|fix|rethink|revisit|reconsider
        get rid of
        remove|delete this|me|it when|once|after|later|soon|asap
        should|could|would|ought really|probably|ideally|actually|eventually|perhaps|maybe|rather
        really|probably|ideally|eventually|perhaps|maybe should|ought|needs|need|want
        ideally
        would like|love|prefer (to)
        consider|considering using|moving|removing|making|adding|replacing|whether
        """,
        faint="""
        rewrite
        will|may|might be removed|dropped in a|the future|later|next release|version
        move|rename|change|improve|clean this|these|that (to|into|out|up|later)
        ought (to)
        we|i should|could|might
        """,
        can_be_denied=True,
    ),
    Group(
        "meant to last only for a while",
        strong="""
        just|only|purely temporary
        temporary solution|fix|hack|measure|workaround|code|implementation|wrapper|kludge|until
        work in progress
        """,
        clear="""
        for now
        for the moment|meantime|present
        for the time being
        is|are|was|this temporary
        until we|i|someone find|figure
        interim|provisional|provisionally
        future|later|next release|releases|version|versions|enhancement|improvement
        someday
        some|one day
        at some point|stage
        fix|do|change|improve|handle|implement (this|it|that) later|soon
        come back to
        """,
        faint="""
        go|goes|going away
        until we|it|this|they|there|i|someone (_) can|is|are|has|have|gets|get|fixed|implemented
        until then|that
        experimental
        in the|a|some (near) future|later (release|version)
        temporary|temporarily
        eventually
        """,
    ),
    Group(
        "something is not there yet",
        clear="""
        not (been) (yet) implemented (yet)
        not (be|been) yet supported|handled|done|working|complete|completed|available|tested
        not supported|handled yet
        unimplemented|unfinished|halfbaked
        implement me|this
        missing feature|functionality|implementation|ability|check|support|test|tests
        still to|needs|need|has|have (to) (be) done|implemented|fixed|handled|implement|fix
        not (really|quite|fully|completely|properly|correctly) handled|finished|complete|tested
        autogenerated method|constructor|catch|function stub|block
        method stub
        tbd|tba|nyi
        hardcoded|hardcode|hardcoding
        hard coded|code
        magic number|numbers|value|values|constant|constants|string|strings
        make this|it configurable|generic|static|private|public|final|abstract|protected
        could make
        """,
        faint="""
        incomplete
        is|are|still missing
        only partial|partially|partly
        empty implementation
        stub|placeholder|dummy
        i18n|localize|localise|internationalize|internationalise|externalize
        ^ add|implement support|more|handling|better|some|proper
        more work
        """,
    ),
    Group(
        "it does not work, or not always",
        clear="""
        do|does|did|will|would|is|are|can not (really|actually|currently|yet) work|working|compile
        do|does|did|will|would not seem|appear to work
        not work|working
        can not possibly
        is|does|will not robust|reliable|sufficient
        appears|seems|seem not to
        something (is) (very|really|terribly) wrong|fishy|odd|strange|weird|funny
        not (really|quite|entirely|completely|strictly|exactly|always) correct|right|true|accurate
        race condition|conditions
        known bug|issue|problem|limitation
        fix|fixing this|it|that|these|me
        ^ fix (the|for)
        must|should|needs|need fix
        cause|causes|causing|caused|gives|creates|leads|has (to) (a|some|many) problem|problems
        cause|causes|causing|caused|gives|creates|leads|has (to) (a|some|many) trouble|issues
        screwed|screws|messed|borked|hosed
        """,
        faint="""
        limitation|limitations|shortcoming|drawback|downside
        but it|this|that|they does|do|did|is not
        for some|unknown|whatever|strange|unclear reason
        not threadsafe
        not thread safe
        memory|resource leak|leaks
        problem|problems|trouble
        should not|never happen|occur
        does|do|will|can not handle|support|cover|account|consider|deal|cope
        """,
    ),
    Group(
        "something is wrong",
        clear="""
        broken|buggy|flawed
        bug|bugs
        suspicious|dubious|questionable|fishy
        """,
        faint="""
        weird|wierd|strange|oddly|strangely|bizarre|quirk|quirky|mysterious|mysteriously
        bogus
        wrong|incorrect|incorrectly|wrongly
        bad|badly
        dangerous|risky|unsafe|insecure|unreliable|flaky|errorprone
        """,
        can_be_denied=True,
    ),
    Group(
        "the author is not sure",
        clear="""
        not (really|quite|entirely|so|completely|very|too) sure|certain|clear|convinced
        unsure|unclear
        do|does|did not (really|quite|yet|even) know|understand why|how|what|if|whether|where
        i do not (really|quite|yet) know|understand|like|think|see|believe|trust
        no idea|clue
        no one|nobody knows
        i|we guess|suppose|suspect|doubt|wonder|presume
        i think|believe|hope|assume|know|am|was|have|would|had|do
        perhaps|maybe
        hopefully|hope|pray
        somehow|kinda|sorta|dunno|afaik|afaict|iirc|imho
        need|have a|some|another (better) way|place to|for
        find a|another|some (better|nicer|cleaner|other) way to
        """,
        faint="""
        what|how|where to do|handle|deal|put|proceed|go
        think|thought|thinking about|of
        guess|guessing|wonder|wondering
        i
        probably
        possibly|presumably|supposedly|apparently|evidently|seemingly
        seems|seem|appears|appear to work|be
        figure out
        """,
    ),
    Group(
        "the author asks a question",
        clear="""
        why is|are|do|does|did|not|would|was|were|should|can|on|in|the|this|it
        why (_) ?|??
        ^ what|how|where|who|when|which (_) (_) (_) ?|??
        do|does|did we|i|this|it|you (really|still|even|actually|ever) need|want|make (to)
        should|can|could|would|shall|must we|i|this|that|it|these|they|there (really|even) need
        should|can|could|would|shall|must we|i|this|that|it|these|they|there (really|not) be|use
        ^ is|are|was this|that|it|these|they (still|really|even|actually) needed|necessary|required
        ^ is|are|was this|that|it|these|they (still|really|even|actually) used|ok|okay|correct|right
        ^ is|are|was this|that|it|these|they (still|really|even|actually) safe|useful|true|enough
        is|are this|that|it|these really|actually|still|even|ever
        ok|okay|right|correct|needed|necessary|required|possible|appropriate|useful|relevant ?|??
        used|safe|intended|sense|better|enough|anyway|anymore ?|??
        this|here|it|that|these ?|??
        ??
        what about|if
        how about
        """,
        faint="""
        really|strictly|absolutely|actually|still necessary|needed|required|need|appropriate
        why
        ?
        should|can|could|would|shall we|i|this|that|it|these|they|there
        """,
    ),
    Group(
        "the code is a double, or dead",
        strong="""
        ^ (this|code|was|is|mostly|shamelessly) copied|stolen|borrowed|lifted|cloned|cribbed from
        stolen|cribbed|ripped|pasted from
        copy|cut and paste|pasted
        copy paste
        """,
        clear="""
        copied (straight|directly|mostly|shamelessly) from
        code|logic duplication|clone
        duplicate|duplicated|duplicates|duplicating (of|the|this|some) code|logic|functionality
        dead code
        sideeffect|sideeffects
        """,
        faint="""
        unused|obsolete
        never|not (actually|currently|really) used|called|referenced|invoked
        redundant|superfluous|useless|pointless
        deprecated|legacy
        backward|backwards compatibility|compatible|compat
        side effect|effects
        """,
    ),
    Group(
        "a test is not what it should be",
        clear="""
        test|tests|testcase (is|are|was|has|been|currently|temporarily) disabled|skipped|failing
        test|tests|testcase (is|are|was|has|been|currently|temporarily) commented|broken
        disabled|skipped|disable|turned|commented (off|out) because|since|until|due|as|temporarily
        untested
        not (been|really|yet|properly|fully) tested
        needs|need|missing|write|add|more|lacks (a|more|some|better|unit) test|tests|testing
        """,
    ),
    Group(
        "documentation is missing",
        clear="""
        document this|me
        needs|need|missing|write|lacks (a|more|some|better) documentation|doc|docs|javadoc|docstring
        """,
        faint="undocumented",
    ),
    Group(
        "too slow, or too much of something",
        clear="""
        inefficient|inefficiently|inefficiency|wasteful|expensive|costly
        performance|memory issue|issues|problem|problems|hog|bottleneck|killer|penalty|nightmare
        bottleneck
        too|overly|unnecessarily|way complex|complicated|simplistic|restrictive|convoluted|clever
        way too|to (_) complex|complicated|slow|big|long|many|much
        """,
        faint="""
        slow|slower|slows|slowly
        optimize|optimise (this|me|it)
        little|bit|much|way|could|be faster|quicker
        """,
    ),
    Group(
        "open to attack",
        clear="""
        security hole|holes|issue|risk|problem|vulnerability|flaw|concern|concerns
        vulnerable|exploitable|exploit
        """,
        faint="sql|code|command|script injection",
    ),
    Group(
        "technical debt by name",
        strong="""
        technical|tech debt
        code smell|smells
        """,
        clear="antipattern",
    ),
)
