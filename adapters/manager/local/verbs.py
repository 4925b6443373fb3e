"""Everyday English verbs in their base form, and what a written form may be: base, third person, past or -ing.

A form that is no verb of the list says nothing. Many verbs are nouns too; the cues look at what stands beside them.
"""

from functools import lru_cache
from typing import Final

from adapters.manager.local.grammar import IRREGULAR_PAST, ORDERS, STRIVINGS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MORE: Final = _words(
    """
    abandon accompany admit adopt advise afford agree aim amount annoy appear appreciate approach argue arise arrive
    assume attend attract bark bear beat become beg behave belong bend bid bite blink bloom blow boil bother bounce bow
    break breathe breed brush burn burst care cause cease chat cheat cheer chew climb cling collapse come comment
    commit communicate complain concern conclude confuse consist construct consume contain continue contribute cook
    cost cough crack crash crawl cross cry damage dance dare deal debate decay decide decline dedicate defend delight
    demand deny depend deserve desire destroy detect differ diminish dip disagree disappear disappoint discover
    dislike dissolve disturb dive divide dominate doubt drag dream drift drink drip drop drown earn ease eat echo
    employ encourage end endure enjoy err escape evolve excite exist expect expire explode express face fade fail
    faint fall favour fear feel fight float flood flow fly fold forbid forget forgive freeze frighten frown gain
    gather glow govern grab greet grin grind grip grow guess guide happen harm hate hear heat help hesitate hit hold
    hop hope hum hunt hurry hurt ignore imagine impress increase indicate influence inherit injure insist intend
    interest interrupt involve itch join joke judge jump keep kick kill kiss kneel knock know lack last laugh lead lean
    leap leak leave lend let lie like live look lose love manage marry matter mean melt mention mind miss moan mourn
    murmur need neglect nest nod notice object occur offend operate overflow overheat overlap owe own park participate
    pass peel perform persuade pinch please point pop possess pour practise praise pray prefer pretend prevent
    proceed promise protest prosper punish puzzle qualify quarrel quit race rain raise reach react realise realize
    recall reckon recover refer reflect refuse regret reject rejoice relate relax rely remain remember reply
    represent resist respond rest result retreat ride ring rise risk roar roll rot rub ruin rule rush rust sail satisfy
    scare scatter scold scratch scream seem sell shake shape share shelter shine shiver shock shoot shop shout shrink
    sigh sing sink sit skate ski sleep slide slip smell smile smoke snore snow soak sound spare spark speak spell
    spill spin spit spoil spread squash squeak squeeze stain stall stand stare stay steal step stick sting stink
    stir strike struggle study succeed suffer suggest suit surprise surround survive suspect suspend swallow swear
    sweat swell swim swing talk tap taste tear tease tempt tend terrify thank think throw tie tire touch tour trace
    trade trap travel trick trouble trust tumble twist vanish vary vote wait wake wander want warm waste wear weaken
    weep whisper whistle win wipe wish wonder work worry wreck yawn yell yield
    """
)
VERBS: Final = ORDERS | STRIVINGS | _MORE
"""Base forms."""
_DOUBLING: Final = frozenset("bdgklmnprt")


@lru_cache(maxsize=16_384)
def is_base(word: str) -> bool:
    """Whether a word may be a verb in its base form."""
    return word in VERBS


@lru_cache(maxsize=16_384)
def is_third(word: str) -> bool:
    """Whether a word may be a verb in the third person: `drifts`, `carries`, `catches`."""
    if not word.endswith("s") or word.endswith("ss"):
        return False
    stems = [word[:-1]]
    if word.endswith("ies"):
        stems.append(word[:-3] + "y")
    if word.endswith("es"):
        stems.append(word[:-2])
    return any(stem in VERBS for stem in stems)


@lru_cache(maxsize=16_384)
def is_past(word: str) -> bool:
    """Whether a word may be a verb of the list in the past: `drifted`, `stopped`, `carried`, `lost`."""
    if word in IRREGULAR_PAST:
        return True
    return word.endswith("ed") and _from_ending(word, "ed")


@lru_cache(maxsize=16_384)
def is_ing(word: str) -> bool:
    """Whether a word may be a verb of the list in -ing: `nesting`, `running`, `making`."""
    return word.endswith("ing") and _from_ending(word, "ing")


def _from_ending(word: str, ending: str) -> bool:
    """Whether a word without its ending is a base form, with the changes of spelling that endings bring."""
    stem = word[: -len(ending)]
    found = [stem, stem + "e"]
    if ending == "ed" and stem.endswith("i"):
        found.append(stem[:-1] + "y")
    if len(stem) > 1 and stem[-1] == stem[-2] and stem[-1] in _DOUBLING:
        found.append(stem[:-1])
    return any(item in VERBS for item in found)
