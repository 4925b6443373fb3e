"""The cue table: which turns of phrase speak for which kind, and how strongly.

A pattern is a row of words. `a|b` is either; `<class>` is any word of a class; `...` skips up to three words. Marks
count as words. A cue with `OPENING` must stand at the opening of a sentence, after fillers; with `CLAUSE`, at the
opening of a clause inside a sentence. Weights are small integers: 5 decides alone, 1 only tips a balance. A negative
weight takes back what a wider cue gives.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from kernel.vocabulary import NodeKind


class Where(Enum):
    """Where in a sentence a cue must stand."""

    ANYWHERE = 0
    OPENING = 1
    CLAUSE = 2


@dataclass(frozen=True, slots=True)
class Cue:
    """One turn of phrase and what it says about the kind."""

    kind: NodeKind
    weight: float
    where: Where
    pattern: tuple[str, ...]


_OPENING: Final = Where.OPENING
_CLAUSE: Final = Where.CLAUSE
_ANYWHERE: Final = Where.ANYWHERE

_ROWS: Final[dict[NodeKind, tuple[tuple[float, Where, str], ...]]] = {
    NodeKind.OPEN_QUESTION: (
        (5, _ANYWHERE, "?"),
        (2.5, _OPENING, "who|which|how|why|what|whose|where"),
        (1, _OPENING, "when"),
        (2.5, _OPENING, "<aux> <subject>"),
        (-3, _OPENING, "what|how about"),
        (-3, _OPENING, "what if"),
        (-2.5, _OPENING, "what i|i'd|we|we'd|you|they|it"),
        (-3, _OPENING, "why not|don't"),
        (4, _ANYWHERE, "not|un sure|clear|known"),
        (4, _ANYWHERE, "unclear|undecided|unresolved|tbd|tbc"),
        (5, _ANYWHERE, "wonder|wonders|wondering if|whether|how|what|why"),
        (3, _ANYWHERE, "question is|remains|whether"),
        (4, _OPENING, "whether"),
        (3, _ANYWHERE, "is|are still open"),
        (5, _ANYWHERE, "can't|cannot|can not decide|agree|tell"),
        (5, _ANYWHERE, "can't|cannot decide|agree"),
        (3, _ANYWHERE, "no idea how|what|why|if|whether|who"),
        (2, _ANYWHERE, "don't|dont|do know if|whether|how|what|why|who"),
        (2, _CLAUSE, "how many|much|long|often|far"),
    ),
    NodeKind.IDEA: (
        (5.5, _OPENING, "what|how about"),
        (5.5, _OPENING, "what if"),
        (5.5, _OPENING, "why not|don't"),
        (3, _OPENING, "could|can|might we|i|you"),
        (3, _ANYWHERE, "maybe|perhaps"),
        (2.5, _ANYWHERE, "might|could"),
        (3, _ANYWHERE, "would be nice|great|good|cool|useful|lovely|fun"),
        (2, _ANYWHERE, "would|'d"),
        (2, _ANYWHERE, "i'd|we'd love|like"),
        (4, _ANYWHERE, "idea :"),
        (3, _ANYWHERE, "idea|brainstorm|thought"),
        (3, _ANYWHERE, "at some point"),
        (2.5, _ANYWHERE, "someday|eventually|one|some day"),
        (2.5, _ANYWHERE, "consider|considering|imagine|suppose"),
        (2.5, _ANYWHERE, "instead of"),
        (1.5, _OPENING, "we|you should|could"),
        (2.5, _OPENING, "try|offer|explore"),
        (1, _ANYWHERE, "option|alternative|possibility"),
    ),
    NodeKind.DECISION: (
        (5, _ANYWHERE, "we|i|have|has|was|were decided|agreed|settled|chose|chosen|picked|approved"),
        (4, _OPENING, "decided|agreed|settled|approved|decision"),
        (3, _ANYWHERE, "decided|settled|decision"),
        (2, _ANYWHERE, "agreed"),
        (3, _CLAUSE, "agreed|decided|settled|approved"),
        (3, _ANYWHERE, "as agreed|decided|discussed"),
        (2, _ANYWHERE, "is|are fine|ok|okay|enough"),
        (-4, _ANYWHERE, "if|when|unless|until|because|since|that we"),
        (3, _ANYWHERE, "final|finally decided"),
        (3, _ANYWHERE, "that's|thats it|final|decided|settled"),
        (5, _ANYWHERE, "we|we're|we'll|i'm|are|will go|going|goes with|for"),
        (4, _ANYWHERE, "we|i will|won't|wont|shall"),
        (4, _ANYWHERE, "we'll|we're only|not|never"),
        (3, _ANYWHERE, "we'll|i'll"),
        (3, _ANYWHERE, "we only|never|don't|dont|do|always|no"),
        (
            4,
            _ANYWHERE,
            "we use|take|keep|stick|stay|stop|drop|skip|choose|prefer|ship|postpone|do|leave|accept|say",
        ),
        (3, _ANYWHERE, "from now on"),
        (3, _ANYWHERE, "as of"),
        (3, _CLAUSE, "starting|effective <date>|next|from|immediately"),
        (3.5, _OPENING, "booked|done|confirmed|fixed ."),
        (3, _CLAUSE, "done|booked|confirmed|fixed ."),
        (3, _ANYWHERE, "talked it|this|that through|over"),
        (3, _OPENING, "stick with|to"),
        (4, _OPENING, "going with|for"),
        (4, _ANYWHERE, "voted|vote"),
        (1.5, _ANYWHERE, "move|moves|switch|switches|change|changes to"),
        (1.5, _ANYWHERE, "rather than"),
        (3, _OPENING, "we <order>"),
        (3.5, _OPENING, "we're|we <ing>"),
        (3.5, _OPENING, "we are <ing>"),
        (3, _ANYWHERE, "no longer"),
        (3, _ANYWHERE, "moved|postponed|shifted|delayed to|until <date>"),
        (4, _OPENING, "let's|lets leave|keep|stay|stick|drop|skip|not"),
        (-4, _ANYWHERE, "is|are <damaged>"),
        (2, _ANYWHERE, "stays|remains|goes|go|comes|come|happens|count|counts|restarts"),
        (2, _ANYWHERE, "is|are <past>"),
        (1, _ANYWHERE, "is|are <past> only|always|never|by|per|on|in"),
        (-4, _OPENING, "should|do|does|shall we|i"),
    ),
    NodeKind.CONSTRAINT: (
        (4, _ANYWHERE, "must|mustn't|shall"),
        (2, _ANYWHERE, "must|may|shall not|never|only"),
        (4, _ANYWHERE, "may not|never|only"),
        (2.5, _ANYWHERE, "cannot|can't|cant"),
        (3.5, _ANYWHERE, "shouldn't|shouldnt"),
        (3.5, _ANYWHERE, "should not|never|only"),
        (3, _ANYWHERE, "never"),
        (2.5, _ANYWHERE, "always"),
        (3, _ANYWHERE, "at most|least"),
        (3, _ANYWHERE, "no|not more|less|later|earlier|longer than"),
        (3, _ANYWHERE, "maximum|max|minimum|min|limit"),
        (4, _OPENING, "nobody|noone"),
        (4, _OPENING, "no one"),
        (4, _ANYWHERE, "not allowed|permitted|acceptable|exceed"),
        (2.5, _ANYWHERE, "not later|earlier|before|after|until|longer|more"),
        (4, _ANYWHERE, "forbidden|prohibited|banned|mandatory|compulsory"),
        (2, _ANYWHERE, "required|requirement|requires"),
        (3, _ANYWHERE, "has|have|needs to work|be|stay|remain|fit"),
        (2.5, _OPENING, "each|every|any|all"),
        (3, _OPENING, "no"),
        (3.5, _OPENING, "don't|dont|never"),
        (3.5, _OPENING, "do not"),
        (2, _ANYWHERE, "ever"),
        (2.5, _ANYWHERE, "should be"),
        (4, _ANYWHERE, "can|could only"),
        (4, _ANYWHERE, "need|needs to be <able>"),
        (3, _ANYWHERE, "no discussion|exception|exceptions|excuses"),
        (3.5, _ANYWHERE, "at the latest"),
        (3, _ANYWHERE, "you|visitors|members|guests have to"),
        (1.5, _ANYWHERE, "has|have to"),
        (3, _ANYWHERE, "closes|close|opens|open|starts|start|ends|end at"),
        (1.5, _ANYWHERE, "only in|on|at|with|after|before|during"),
        (2, _ANYWHERE, "if fewer|less|more than"),
        (2, _ANYWHERE, "are|is <past> if|unless|when"),
        (3, _ANYWHERE, "<number> sharp"),
        (2, _ANYWHERE, "only"),
        (1.5, _ANYWHERE, "within|exceed|exceeds"),
        (1, _ANYWHERE, "until|unless"),
        (1.5, _ANYWHERE, "above|below|under|over|than <number>"),
        (2, _ANYWHERE, "full stop|period"),
    ),
    NodeKind.TASK: (
        (4.5, _OPENING, "<order>"),
        (2, _OPENING, "<order> <determiner>"),
        (-5, _OPENING, "<order> <be>"),
        (-3, _OPENING, "<order> only"),
        (-5, _OPENING, "<order> <plain> <finite>"),
        (-5, _OPENING, "<order> <plain> <plain> <finite>"),
        (-3.5, _OPENING, "<order> :"),
        (3.5, _CLAUSE, "<order>"),
        (2, _CLAUSE, "<order> <determiner>"),
        (4.5, _CLAUSE, "so|and|then|please <order>"),
        (2, _ANYWHERE, "and|so|to|then <order>"),
        (4, _ANYWHERE, "please|pls|plz"),
        (-2, _OPENING, "no"),
        (3.5, _OPENING, "need|needs"),
        (3, _CLAUSE, "need|needs"),
        (2.5, _ANYWHERE, "need|needs to"),
        (2, _ANYWHERE, "need|needs|needed"),
        (4, _ANYWHERE, "todo|to-do"),
        (1.5, _ANYWHERE, "let's|lets"),
        (3, _ANYWHERE, "get|ask|tell someone|somebody|them|him|her"),
        (3, _ANYWHERE, "someone|somebody has|should|must|needs"),
        (6, _OPENING, "don't|dont|do|not forget"),
        (6, _OPENING, "remember|don't|dont to|forget"),
        (1.5, _ANYWHERE, "by|before|until|till|on <date>"),
        (2, _ANYWHERE, "asap|urgent|urgently|due"),
        (2, _ANYWHERE, "before|after we|anyone"),
        (1, _ANYWHERE, "should|early"),
        (-3, _OPENING, "should"),
    ),
    NodeKind.EVIDENCE: (
        (2.5, _ANYWHERE, "<past>"),
        (-2.5, _OPENING, "<participle>"),
        (2, _ANYWHERE, "<past> ... <number>"),
        (2.5, _ANYWHERE, "measured|observed|noticed|counted|reported|confirmed|showed|shows|discovered"),
        (3, _ANYWHERE, "says|said|told|phoned|wrote|reports|complained|complain"),
        (3, _ANYWHERE, "according to"),
        (1.5, _ANYWHERE, "yesterday|today|again|still"),
        (3, _ANYWHERE, "last morning|night|week|month|year|season|time|summer|winter|spring|autumn"),
        (2, _ANYWHERE, "this morning|week|month|year|season|time|summer|winter|spring|autumn"),
        (3, _ANYWHERE, "since last|this|the|we|monday|then|january|yesterday"),
        (2, _ANYWHERE, "so far"),
        (3, _ANYWHERE, "has|have|had no"),
        (2.5, _ANYWHERE, "there is|are|was|were no"),
        (3, _ANYWHERE, "needs|takes|weighs|costs|lasts|took|lasted <number>"),
        (
            2.5,
            _ANYWHERE,
            "is|are weak|strong|quiet|loud|low|high|empty|gone|dead|wrong|bad|cold|hot|dry|short|long",
        ),
        (-1.5, _ANYWHERE, "is|are <past>"),
        (3, _ANYWHERE, "is|are|was|were|got <damaged>"),
        (1.5, _ANYWHERE, "has|have a|an"),
        (2.5, _ANYWHERE, "on average"),
        (2.5, _ANYWHERE, "average|mean|median"),
        (1, _ANYWHERE, "<number> <unit>"),
        (1, _ANYWHERE, "<number> %"),
        (
            2.5,
            _ANYWHERE,
            "is|are too|still|off|full|broken|slow|slower|lower|higher|wet|damp|missing|down|late|closed",
        ),
        (2, _ANYWHERE, "keep|keeps <ing>"),
        (2.5, _ANYWHERE, "<trouble>"),
        (2, _ANYWHERE, "does|did not"),
        (2, _ANYWHERE, "doesn't|didn't|didnt|doesnt"),
        (2, _ANYWHERE, "<number> percent|% of"),
        (2, _ANYWHERE, "turned|turns out"),
        (2, _ANYWHERE, "fell|rose|dropped|climbed|grew from|to|by <number>"),
        (1.5, _ANYWHERE, "<third>"),
        (-2.5, _ANYWHERE, "we|i decided|agreed|settled|approved"),
        (-2.5, _OPENING, "decided|agreed|settled|approved"),
    ),
    NodeKind.GOAL: (
        (4, _ANYWHERE, "goal|aim|target|objective|ambition|vision"),
        (3.5, _ANYWHERE, "we|i want|wish|hope|aim"),
        (3, _ANYWHERE, "want|wants|like to be|have|open|see|know|reach|find|get|live|use|understand|feel"),
        (3, _ANYWHERE, "be able to"),
        (4.5, _OPENING, "<strive>"),
        (3, _ANYWHERE, "by the end of"),
        (3, _ANYWHERE, "by end of"),
        (4, _OPENING, "everything"),
        (2, _OPENING, "everybody|everyone"),
        (3, _ANYWHERE, "every|each|everybody|everyone|anyone|anybody ... can"),
        (1.5, _ANYWHERE, "at least <number>|two|three|half"),
        (2, _ANYWHERE, "fewer than"),
        (2.6, _OPENING, "more|fewer|less"),
        (3, _ANYWHERE, "by half|third|quarter"),
        (3, _ANYWHERE, "by a third|quarter|half"),
        (1.5, _ANYWHERE, "so that"),
        (2.5, _ANYWHERE, "should feel|tell|take|know|find|understand|learn|enjoy"),
        (1.5, _ANYWHERE, "finished|ready|complete|done before|by|in"),
        (2, _ANYWHERE, "at least half|twice|double"),
        (1, _ANYWHERE, "easy|easily|effortless|reproducible|independent|nobody loses"),
    ),
    NodeKind.ARTIFACT: (
        (2.5, _ANYWHERE, "<filetype>"),
        (5, _ANYWHERE, "attached|attachment|enclosed|appended"),
        (1.5, _OPENING, "revised|updated|signed|scanned|annotated|draft|final"),
        (
            2,
            _ANYWHERE,
            "mockup|sketch|drawing|blueprint|screenshot|wireframe|prototype|slides|datasheet|scan",
        ),
        (1, _ANYWHERE, "document|report|template|plan|photo|export|letter|map|diagram|certificate"),
        (
            2,
            _ANYWHERE,
            "spreadsheet|protocol|manual|checklist|contract|list|log|schematics|handout|brochure|transcript",
        ),
        (3, _ANYWHERE, "signed|scanned|printed copy|version|original"),
        (3, _ANYWHERE, "scan|copy|photo|printout of"),
        (3.5, _OPENING, "minutes|notes|recording|transcript|summary of"),
        (3, _ANYWHERE, "final|latest|first|second|third|new|old version|draft"),
        (3, _ANYWHERE, "version|draft|revision|rev <letter>"),
        (3, _ANYWHERE, "version|draft|revision|rev <number>"),
        (4, _ANYWHERE, "as|in spreadsheet|document|pdf|table|file"),
    ),
}

CUES: Final = tuple(
    Cue(kind, weight, where, tuple(pattern.split()))
    for kind, rows in _ROWS.items()
    for weight, where, pattern in rows
)
VERBLESS: Final[dict[NodeKind, float]] = {NodeKind.IDEA: 2.5, NodeKind.ARTIFACT: 1.0}
"""What a sentence without any verb the lists know speaks for: a thing named is a thought or an object."""
SPOKEN: Final[dict[NodeKind, str]] = {
    NodeKind.GOAL: "a goal",
    NodeKind.IDEA: "an idea",
    NodeKind.DECISION: "a decision",
    NodeKind.CONSTRAINT: "a constraint",
    NodeKind.OPEN_QUESTION: "an open question",
    NodeKind.TASK: "a task",
    NodeKind.ARTIFACT: "an artifact",
    NodeKind.EVIDENCE: "evidence",
}
"""How the kinds a text can have are called in a sentence."""
DEFAULT_KIND: Final = NodeKind.IDEA
