"""Families of everyday English words that people use for one another; general, the same for every project.

A word of the text may stand for its kin when it does not itself occur in the project. Kin count little: they can
find a place that would not be found at all, and hardly outweigh a word that is really there.
"""

from typing import Final

from adapters.manager.local.wider_families import WIDER
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
idea proposal suggestion concept
goal aim target objective
problem issue difficulty trouble obstacle
result outcome finding output
reason cause explanation
change modification adjustment edit revision
improve improvement enhance upgrade
check verify inspect inspection audit review
approve approval sign signature authorise
hire recruit recruitment job position vacancy applicant
salary wage payroll earnings
holiday vacation leave absence
visitor guest tourist attendee audience
ticket admission entry entrance
exhibition gallery museum artwork painting
music song concert choir orchestra band
record recorder recording tape microphone
singer voice singing vocal
theatre stage play performance rehearsal
game match tournament player score
club member membership association
child kid pupil toddler
parent mother father family
patient clinic ward nurse treatment therapy
drug medication pill dose
lab laboratory experiment chemistry
travel trip journey tour
hotel hostel accommodation lodging room
flight plane airport airline
train railway station rail
bicycle bike cycling
luggage suitcase bag backpack
map atlas gps location position coordinates
satellite aerial drone imagery orbit
village town city municipality
farm farmer agriculture field crop harvest
cow cattle livestock milk
soil earth ground compost fertiliser
seed sow planting seedling
flood drought climate temperature
waste rubbish garbage trash recycling disposal
clean cleaning wash tidy hygiene
fire smoke alarm extinguisher
key lock padlock
wall partition facade brick
window pane shutter blind
heating boiler radiator heater stove furnace
insulation draught draft thermal
shelf storage cellar basement shed garage
carpenter joiner wood timber
mason bricklayer concrete screed cement
painter paint decorator
electrician electric wiring socket switch
roofer roof slate tile
architect plan drawing blueprint
neighbour neighborhood resident
noise quiet silence decibel
developer programmer engineer coder
code source repository branch commit
bug crash exception error
interface screen button form page
user account profile
notification alert reminder message
upload import file attachment
export csv spreadsheet report
api endpoint integration webhook
query sql index database
cache memory buffer
container virtual machine cluster
encryption certificate key secret
privacy consent gdpr personal
release version update
automated automatic automation script
article post blog news press
competitor rival market
growth increase rise conversion
churn cancel cancellation leave quit
trial demo pilot
plan tier subscription
visit inspection check
egg clutch hatch hatching chick
predator fox hawk cat rat
parasite host infection disease
ring tag band mark
net trap catch capture
weigh balance scale
reserve park sanctuary conservation
phd doctoral thesis dissertation
figure table chapter section
reviewer editor referee
professor lecturer academic university
health medical doctor hospital medicine
sample specimen probe
analysis statistics model regression estimate
grant sponsor donation foundation crowdfunding
survey interview questionnaire poll feedback
meeting workshop standup conversation
"""


def _kin(families: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = {}
    for line in families.strip().splitlines():
        family = {stem(word) for word in line.split()}
        for form in family:
            found.setdefault(form, set()).update(family - {form})
    return {form: tuple(sorted(others)) for form, others in found.items()}


KIN: Final = _kin(_FAMILIES)
"""For a stem, the stems of the words people use for it."""
WIDER_KIN: Final = _kin(WIDER)
"""For a stem, the stems of words that are spoken of together with it."""
