"""Word classes that the kind cues are written in: verbs that open an order, past forms, units, fillers."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FILLERS: Final = _words(
    "so and but ok okay well basically also hey hi hello oh anyway actually then just really please pls plz now yes "
    "yeah um uh ah right honestly fyi btw note nb reminder team guys folks all"
)
"""Words a sentence may begin with before it says anything."""

ORDERS: Final = _words(
    """
    accept add adjust advertise align allow analyse analyze announce answer apply appoint archive arrange ask assemble
    assess assign attach audit automate avoid backup bake balance begin bleed block book borrow bring brief build bundle buy cache
    calculate calibrate call cancel capture carry catalogue catch change charge chase check choose cite clarify clean
    clear close code collect combine compare compile complete configure confirm connect consolidate contact convert
    coordinate copy correct count cover create cut deactivate decorate define delay delegate delete deliver demolish
    deploy describe design determine develop discuss dig disable dispose document download draft drain draw drill drive dry dust empty enable encrypt
    enter establish estimate evaluate examine expand explain export extend extract fasten feed fell fetch file fill
    filter find finalize finalise finish fit fix follow forward free fund gather generate get give go grease guard handle
    hand hang harvest hide hire host identify implement import improve include inform insert inspect install insulate
    integrate interview introduce investigate invite invoice isolate issue label launch lay learn level lift link list
    load log look lower mail make map mark match measure meet mend merge migrate mix modify monitor mount move mow
    negotiate notify obtain offer oil open optimise optimize order organise organize outline pack paint patch pay phone
    photograph pick place plan plant plaster plot polish post practise prepare present print prioritise proofread
    propose protect prove provide prune publish pull purchase push put rebuild recalculate record recruit redesign redo
    refactor refill refund register reinstall release remind remove rename renew rent repaint repair repeat replace
    replant reply report request research reserve reset resolve restore restrict retire return review revise rewrite
    ring run sample sand save scan schedule screen seal search select sell send separate serve set settle shift ship
    show shorten simplify sketch solve sort split spray start stop store strip submit summarise summarize survey swap
    sweep switch sync take talk teach tell test throttle tidy tighten track train transcribe transfer translate treat trim try tune turn
    type unblock uninstall unload unpack update upgrade upload validate ventilate verify visit waterproof wait walk warn wash watch water
    weigh wire wrap write
    """
)
"""Base verbs that, at the opening of a sentence, ask somebody to act."""

STRIVINGS: Final = _words(
    "achieve attain be become cut decrease earn eliminate enable ensure gain grow halve have improve increase "
    "keep know live lose maximise maximize minimise minimize own reach recognise recognize reduce save secure see speed "
    "strengthen understand win"
)
"""Base verbs that, at the opening of a sentence, name a state to reach rather than a step."""

BE: Final = _words(
    "is are was were be been being am 's 're isn't aren't wasn't weren't it's that's he's she's there's"
)
AUXILIARIES: Final = _words(
    "do does did can could should shall will would may might must has have had is are was were"
)
PRONOUNS: Final = _words("i we you he she they it")
DETERMINERS: Final = _words(
    "the a an all each every any this that these those our my your their his her its both some another more if whether "
    "up out down off in on for with who what which how when where why to at it them him us me everyone someone"
)
"""What follows a verb rather than a noun: after one of these, an opening verb is surely an order."""
OBSERVED: Final = _words(
    "measured observed noticed counted reported confirmed showed discovered recorded checked tested tried talked "
    "received visited watched caught seen heard"
)
SUBJECTS: Final = _words(
    "i we you he she it they this that these those there the a an our my your their his her its any anyone anybody "
    "someone somebody all every each visitors people users customers"
)
NEGATIONS: Final = _words(
    "no not never none nobody nothing neither nor without cannot can't don't doesn't didn't won't isn't aren't wasn't "
    "weren't shouldn't wouldn't couldn't mustn't hasn't haven't hadn't dont doesnt didnt wont isnt arent wasnt cant "
    "shouldnt noone unless except"
)

IRREGULAR_PAST: Final = _words(
    "was were had did said saw found took came went got gave lost left fell rose broke froze ran sang flew grew felt "
    "told thought knew brought bought caught built sent spent stood held kept met won paid sold wrote drew spoke stole "
    "tore woke wore blew drove ate forgot hid bit began sank swam shook chose became quit heard made meant slept struck"
)
NOT_PAST: Final = _words(
    "need needed feed seed speed reed bed red shed weed bleed breed indeed exceed proceed succeed hundred embed shared "
    "limited related detailed advanced supposed"
)
"""Words in -ed that are no past form, or seldom used as one."""

UNITS: Final = _words(
    "mm cm m km kg g mg l ml kw kwh kwp w v a db hz khz mhz gb mb kb tb ms s sec secs second seconds min mins minute "
    "minutes h hour hours day days week weeks month months year years percent degree degrees euro euros eur dollar "
    "dollars usd gbp litre litres liter liters metre metres meter meters bar bft ppm rows tickets"
)
DATES: Final = _words(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december tomorrow tonight noon weekend easter christmas spring summer autumn winter "
    "mon tue wed thu fri jan feb mar apr jun jul aug sep sept oct nov dec"
)
FILE_TYPES: Final = _words(
    "pdf xls xlsx doc docx odt ods csv tsv png jpg jpeg svg gif zip dwg dxf ppt pptx txt md json yaml html mp3 mp4 wav"
)
TROUBLES: Final = _words(
    "crashes fails leaks stalls whistles breaks freezes hangs drips rattles sticks smells squeaks stops blinks loses "
    "drops rejects covers takes costs weighs arrives overheats loads"
)
"""Verbs that say what a thing does by itself: an observation."""
THIRD: Final = _words(
    "gets makes works runs stands lies sits means looks feels sounds carries holds grows falls rises turns shows brings "
    "leaves returns eats sleeps sings reads writes uses wants likes thinks knows sees hears finds gives"
)
"""Common verbs in the third person: a plain statement of how things are."""
QUESTION_WORDS: Final = _words("who which what how when where why whose whether")
SUBORDINATORS: Final = _words(
    "because since although though while unless until if when whenever that which who where so but"
)
"""Words that open a clause that only explains or limits the one before."""
DAMAGED: Final = _words(
    "cracked broken closed damaged worn torn stuck blocked flooded lost stolen gone rotten bent burnt burned soaked "
    "jammed clogged leaking missing loose rusty dead"
)
"""States that somebody found, not that somebody chose."""
NEEDS: Final = _words(
    "need needs want wants wish wishes lack lacks miss misses stay stays remain remains "
    "says shows tells asks reports writes covers"
)
"""Verbs of the present that say a state; with one of them a sentence says something."""
DOCUMENTS: Final = _words(
    "agreement brochure certificate chart checklist contract copy datasheet diagram document drawing form handout invoice "
    "letter list log manual map mockup notes photo photos protocol recording report results scan schedule "
    "schematics screenshot sheet sketch slides spreadsheet table template transcript wireframe"
)
"""Nouns of things that are files or papers."""
NUMBERS: Final = _words(
    "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty hundred thousand"
)
LINKS: Final = _words(
    "about above after against along among around as at before behind below beside besides between beyond by during "
    "from inside into like near of only over per perhaps maybe since than through throughout till too toward towards "
    "under until upon via within without also again always still just even half such same other let lets"
)
"""Prepositions and adverbs that no verb could be."""
