"""More families of English words, from work, home, nature and public life; `families` says what they are for.

They are general: no project's own names are in them. A word may stand in several, and a family is short, since every
word of it may be taken for every other. They were written with the misses of the tuned captures in view, so what they
should count cannot be tuned there: it is set low.
"""

from typing import Final

WIDER: Final = """
role permission privilege right access
invite invitation join teammate seat
receipt invoice voucher
dunning reminder overdue arrears unpaid
refund chargeback dispute payment
freeze hang stutter slow lag performance
throughput capacity scale load performance
pager duty incident outage monitoring operation
log logging trace metric monitoring
draft autosave editor typing
preview print printout pdf layout
column row cell spreadsheet
input form field validation
onboarding tour tutorial guide welcome
translation translate language locale localisation
browser firefox chrome safari tab
android iphone ios handset phone mobile
session token cookie login logout
admin administrator owner role
merge commit branch repository code
build compile pipeline integration
staging production environment deployment
region datacenter hosting cloud
disk cpu ram server hardware
migration schema database
sort filter order search
widget dashboard overview
forecast projection prediction outlook
seo ranking google search traffic visit
lead prospect funnel conversion signup
referral affiliate recommendation marketing
upsell upgrade tier pricing
helpdesk faq answer support
inbox mailbox mail
chat messenger message
calendar appointment booking reservation
dormer skylight loft attic roof
gutter downpipe ridge roof
bulb led lamp luminaire lighting
fridge freezer dishwasher appliance kitchen
island peninsula counter worktop kitchen
pan pot recipe cooking kitchen
drawer hinge handle cabinet
towel mirror basin bathroom
grout silicone sealant tile
thermostat boiler radiator heating
outlet socket breaker fuse
router ethernet wifi network internet
sill blind curtain window
fence hedge gate garden
deck patio terrace balcony
hose sprinkler watering garden
surcharge quote estimate offer price cost
buffer contingency cushion reserve margin
signature countersign approval contract
handover key move
lorry truck van removal
rubble skip container waste
scaffold scaffolding facade roof
mortar plaster render screed
primer varnish paint coat
hammer drill saw tool
bolt screw nail fastener
microphone mic recorder recording audio
spectrogram sonogram frequency song sound
ear hear listen sound
satellite landsat sentinel sensing imagery
orthophoto aerial drone imagery map
binoculars telescope observer sighting
feather wing beak plumage bird
nestling fledgling brood hatchling nest
blood tissue swab sample lab
humidity barometer thermometer weather
stem leaf root plant
abstract introduction discussion chapter thesis
committee defence supervisor thesis
funder sponsor grant funding donor
stipend scholarship salary funding
rota shift volunteer roster
oar paddle engine boat
ranger warden reserve park
welfare ethics consent
outlier missing cleaning data
variance covariate regression statistics model
notebook script code analysis
venue hall stage event
catering buffet drink food
speaker keynote talk programme
audience ticket seat visitor
poster flyer leaflet advertising
press journalist interview media
donation fundraising sponsor
treasurer accounting bookkeeping budget
minutes agenda meeting
statute bylaw rule board
election vote candidate board
onboarding training course
contract clause lawyer legal
court lawsuit claim legal
patent trademark licence
supplier vendor purchase procurement
stock inventory warehouse storage
parcel shipment courier delivery
customs export import shipping
recall defect quality complaint
assembly factory production manufacturing
prototype sketch model design
fabric cloth textile sewing
leather shoe clothing
oven dough bread bakery flour
beer brewery malt hop
wine grape vineyard
coffee tea beverage drink
menu dish recipe meal
waiter chef restaurant
guest booking room hotel
passport visa border travel
itinerary route trip travel
luggage baggage packing
museum exhibit gallery
choir rehearsal concert music
guitar piano violin instrument
lyrics melody song
coach training team sport
referee league match
injury physio health
diet nutrition food
allergy medicine symptom
nurse doctor ward hospital
vaccine injection dose
tooth dentist
lesson pupil teacher school
exam grade homework school
library loan reading book
author editor publisher book
chapter paragraph manuscript
camera lens photo
microscope slide specimen
pump valve pipe
turbine generator power electricity
solar photovoltaic panel
petrol diesel fuel
tyre brake wheel bicycle
bus tram train transport
parking garage car
road pavement street
bridge tunnel
sewer drain wastewater
flood dike river
forest tree timber
bee hive honey
sheep goat cow livestock
tractor plough field farm
greenhouse seedling vegetable
pest weed fungus
playground swing slide
nursery kindergarten toddler
wedding birthday party
gift present
cleaning mop vacuum
noise silence decibel
theft burglary alarm
insurance policy premium
pension retirement
tax audit accountant
verify confirm validate proof
summary overview abstract digest
glossary term definition vocabulary
chapter section appendix annex
footnote citation reference bibliography
typo spelling grammar proofreading text
headline caption title
paragraph sentence wording text
newspaper magazine journal press
podcast episode recording audio
subtitle caption transcript video
animation cartoon film
screenshot screencast recording screen
icon pictogram symbol logo
palette colour theme design
margin padding spacing layout
wireframe mockup prototype design
usability ux ergonomics design
contrast readability accessibility
dropdown checkbox menu button
shortcut hotkey keyboard
cursor mouse pointer
crash stacktrace exception bug
rollback revert release
hotfix patch bugfix release
dependency package library upgrade
firewall proxy vpn network
phishing spam fraud security
malware virus trojan security
penetration pentest audit security
retention deletion erasure privacy
subscriber newsletter mailing
discount sale bargain price
instalment rate deposit payment
iban sepa debit bank transfer payment
visa mastercard paypal card payment
cash till checkout payment
currency dollar franc exchange
profit margin loss earnings
asset liability balance accounting
inflation interest rate
lender borrower credit loan
collateral mortgage loan
donor patron benefactor sponsor
quota target limit
milestone deadline schedule
gantt roadmap timeline schedule
backlog sprint kanban planning
kickoff start launch
handover transition
retrospective review lesson
risk hazard threat
escalation emergency incident
stakeholder sponsor client
survey poll questionnaire
hypothesis experiment study
control treatment experiment
placebo trial study
sampling sample protocol
transect quadrat plot survey
calibration accuracy precision sensor
antenna receiver transmitter tag
collar tag tracker telemetry
trapping capture trap
roost colony nest
migration flyway bird
mating courtship breeding
incubation clutch egg
moult plumage feather
larva caterpillar insect
butterfly moth dragonfly insect
spider beetle ant insect
worm snail slug
frog toad newt amphibian
snake lizard reptile
fish trout carp
mammal mouse vole rodent
fungus mushroom mould
algae plankton water
pesticide herbicide chemical
erosion sediment soil
drainage ditch water
groundwater aquifer water
tide wave coast
glacier ice snow
hail sleet precipitation rain
gust gale storm wind
fog mist cloud weather
sunshine sunlight sun
dawn sunrise morning
dusk sunset evening
latitude longitude coordinates gps
contour terrain relief map
canoe kayak paddle boat
anchor mooring jetty
lifejacket vest safety
helmet harness glove safety
firstaid bandage injury
sunscreen hat clothing
tent sleeping camp
stove gas cooker
torch flashlight lamp
generator battery power
solder circuit electronics
resistor voltage current electric
wifi bluetooth wireless
sofa armchair couch furniture
wardrobe closet cupboard storage
mattress pillow duvet bed
curtain blind shade window
carpet rug floor
parquet laminate floorboard floor
wallpaper plaster wall
skirting moulding trim
threshold doorstep door
doorbell intercom door
letterbox mailbox post
hinge latch bolt lock
banister handrail staircase stairs
lift elevator stairs
cellar basement storage
garage carport parking
driveway pavement path
gravel paving stone path
wheelbarrow shovel spade garden
pruning shrub hedge garden
lawnmower mowing lawn
flowerbed border planting garden
compost manure fertiliser
rainwater barrel tank
cistern flush toilet
washer dryer laundry
detergent soap cleaning
vacuum broom dust cleaning
extractor hood ventilation kitchen
ventilation duct air
aircon conditioning cooling
chimney flue stove
pellet wood stove
insulation wool foam
condensation mould damp
asbestos hazardous
load bearing beam structure
joist girder beam
lintel arch beam
foundation footing concrete
brick block masonry wall
crane hoist lifting
surveyor engineer inspection
architect draughtsman drawing
tenant landlord rent
neighbour fence boundary
notary deed purchase
utility meter supply
invoice billing bill
"""
