"""Word lists of general English that both ranking and kind cues lean on. No word here belongs to a project.

`STOP` words carry no place at all. `WEAK` words may stand in a title but seldom tell where a text belongs, so they
count a quarter. `IRREGULAR` brings forms to one base that a stemmer leaves apart.
"""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP: Final = _words(
    """
    a an the this that these those some any each every either neither both all half such same other another
    i me my mine we us our ours you your yours he him his she her hers it its they them their theirs one ones
    myself ourselves yourself himself herself itself themselves somebody someone something anybody anyone anything
    nobody noone nothing everybody everyone everything who whom whose which what where when why how
    be am is are was were been being do does did doing done have has had having will would shall should can could
    may might must ought cannot
    and or but nor so yet if then else than because since while although though unless until till as of at by for
    with about against between into through during before after above below to from up down in out on off over
    under again further once here there now too very just only own not no never always ever also even more most
    less least much many few several lot lots bit quite rather really almost nearly enough maybe perhaps please pls
    yes ok okay well oh hey hi hello thanks s t d ll m re ve don doesn didn isn aren wasn weren won wouldn shouldn
    couldn hasn haven hadn mustn needn ain dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt couldnt
    cant hasnt havent im ive id youre theyre weve whats thats lets let us let's around per via without within
    along across toward towards whether that's it's etc eg ie like upon among onto ago soon already
    """
)

WEAK: Final = _words(
    """
    add adds added get got gets getting make makes made making need needs needed want wants wanted go goes going went gone come
    comes came coming take takes took taken taking put puts give gives gave given use uses used using keep keeps
    kept say says said saying tell tells told ask asks asked see seen saw look looks looked looking know knows knew
    known think thinks thought find finds found try tries tried start starts started stop stops stopped seem seems
    happen happens happened agree agreed decide decided settled settle check checks checked
    new old good bad big small large little great nice best better worse next last first second third own able
    long short high low full whole main right wrong sure possible important different real different ready fine
    thing things stuff way ways people person man kind sort part parts place side case point end top back
    today tomorrow yesterday tonight now later early late morning evening night day days week weeks weekend month
    months year years hour hours minute minutes second seconds min mins time times monday tuesday wednesday
    thursday friday saturday sunday january february march april may june july august september october november
    december spring summer autumn winter
    still left far far away ahead two three four five six seven eight nine ten number amount total still open
    """
)

ABBREVIATIONS: Final = _words(
    "dr mr mrs ms prof st nr approx ca vs etc incl excl resp fig vol ch inc ltd dept est"
)

IRREGULAR: Final[dict[str, str]] = {
    form: base
    for form, _, base in (
        pair.partition(":")
        for pair in _words(
            """
            :
            paid:pay bought:buy sold:sell sent:send lost:lose built:build chose:choose chosen:choose broke:break
            broken:break wrote:write written:write drew:draw drawn:draw spoke:speak fell:fall fallen:fall grew:grow
            grown:grow flew:fly flown:fly sang:sing sung:sing swam:swim fed:feed held:hold led:lead left:leave
            meant:mean met:meet ran:run rose:rise shook:shake stole:steal taught:teach tore:tear torn:tear woke:wake
            wore:wear worn:wear won:win froze:freeze frozen:freeze hid:hide hidden:hide caught:catch brought:bring
            slept:sleep spent:spend stuck:stick swept:sweep bent:bend bit:bite bitten:bite blew:blow blown:blow
            drove:drive driven:drive ate:eat eaten:eat forgot:forget forgotten:forget laid:lay lit:light rode:ride
            ridden:ride shot:shoot sank:sink sunk:sink stood:stand threw:throw thrown:throw understood:understand
            men:man women:woman children:child mice:mouse geese:goose feet:foot teeth:tooth leaves:leaf knives:knife
            halves:half shelves:shelf roofs:roof lives:life wives:wife data:data criteria:criterion indices:index
            indexes:index analyses:analysis photos:photo euros:euro eur:euro emails:email mails:mail pics:picture
            pic:picture docs:document doc:document repo:repository db:database app:app apps:app
            """
        )
    )
}
