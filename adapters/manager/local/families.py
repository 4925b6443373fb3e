"""Families of everyday English words that people use for one another; general, the same for every project.

A word of the text may stand for its kin when it does not itself occur in the project. Kin count little: they can
find a place that would not be found at all, and hardly outweigh a word that is really there.
"""

from typing import Final

from adapters.manager.local.words import stem

_FAMILIES: Final = """
money cost costs price budget spend spending expense expenses euro dollar pound fund funding cash finance financial
pay payment bill charge fee invoice transfer
loan credit mortgage bank debt interest
buy order purchase procure acquire shop
sell sale sales revenue income turnover
customer client user buyer subscriber
colleague team staff crew employee member coworker
worker craftsman builder contractor tradesman trades
volunteer assistant helper intern student
boss manager supervisor lead owner
authority council office agency ministry government
permit licence license permission approval consent
law legal regulation rule rules compliance
contract agreement lease rent tenancy landlord
insurance liability claim warranty guarantee
tax vat duty customs
schedule calendar date deadline timeline plan planning appointment
finish finished complete completion done ready deliver
begin start launch kickoff commence
delay late overdue postpone behind
move moving relocation removal
repair fix mend restore maintenance broken
error bug fault defect failure crash exception
slow slowness lag latency performance speed fast
safety danger hazard risk accident injury emergency
security attack breach vulnerability hacker
password login signin credential passkey authentication account
email mail message newsletter letter
phone telephone mobile smartphone tablet call
photo picture image photograph camera snapshot
video film movie recording clip
sound audio noise loud acoustic voice
text document paper report file
book chapter manuscript thesis publication journal article
talk presentation slides lecture poster conference congress
table sheet spreadsheet csv excel
chart graph diagram plot figure
database storage table record dataset
backup copy archive snapshot
server host machine hosting cloud
outage downtime uptime availability
deploy deployment release rollout publish ship
test tests testing trial experiment
measure measurement gauge reading sensor logger
count census number tally
weight weigh mass heavy balance
temperature heat heating warm cold cool thermal
rain storm weather wind snow frost
water flood leak damp wet moisture humidity
river lake pond stream sea shore
boat ship vessel canoe ferry
car vehicle van truck transport drive
road street path way route
tree wood timber forest branch
plant grass reed vegetation flower herb
bird nest egg chick feather
insect fly midge beetle bug
animal wildlife species pet
food eat meal diet prey meat
cook cooking kitchen stove oven hob
bath bathroom shower toilet sink washbasin
bed bedroom sleep mattress
stairs staircase landing step
door window glass glazing frame lock
roof attic rafter chimney gutter
wall ceiling plaster paint painter
floor parquet carpet tile tiles screed
lamp light lighting bulb dimmer
cable wire wiring socket plug electric electrician electricity fuse
pipe plumbing plumber drain tap
garden yard lawn terrace patio outdoor
house home building flat apartment
furniture chair table sofa cabinet cupboard shelf wardrobe pantry
tool equipment gear instrument device
battery power energy charger
sun solar panel photovoltaic
school class course lesson training teach
learn tutorial guide manual documentation instruction
help support assistance helpdesk
question ticket request inquiry
website homepage page landing headline site
search find lookup query
advert advertising marketing campaign promotion
discount coupon voucher offer rebate
colour color paint shade hue
logo brand branding design layout style template
currency exchange rate money
letter font typeface typography
health medical doctor hospital medicine
sample specimen probe
analysis statistics model regression estimate
grant sponsor donation foundation crowdfunding
survey interview questionnaire poll feedback
meeting workshop standup conversation
"""


def _kin() -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = {}
    for line in _FAMILIES.strip().splitlines():
        family = {stem(word) for word in line.split()}
        for form in family:
            found.setdefault(form, set()).update(family - {form})
    return {form: tuple(sorted(others)) for form, others in found.items()}


KIN: Final = _kin()
"""For a stem, the stems of the words people use for it."""
