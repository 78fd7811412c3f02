"""Irregular English forms, which no stemmer joins: "bought" and "buy", "children" and "child"."""

# A base form and what it becomes. Left out: forms that are more often another word or a name (rose, lay, lives, wound).
_FORMS = """
arise arose arisen, bear bore borne, become became, begin began begun, bend bent, bind bound, bite bit bitten, bleed
bled, blow blew blown, break broke broken, breed bred, bring brought, build built, burn burnt, buy bought, catch
caught, choose chose chosen, cling clung, come came, creep crept, deal dealt, dig dug, draw drew drawn, dream dreamt,
drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought, find found,
flee fled, fly flew flown, forbid forbade forbidden, forget forgot forgotten, forgive forgave forgiven, freeze froze
frozen, get got gotten, give gave given, go goes went gone, grow grew grown, hang hung, hear heard, hide hid hidden,
hold held, keep kept, kneel knelt, know knew known, lead led, lean leant, leap leapt, learn learnt, leave left, lend
lent, light lit, lose lost, make made, mean meant, meet met, mistake mistook mistaken, overcome overcame, oversee
oversaw overseen, pay paid, prove proven, rebuild rebuilt, rewrite rewrote rewritten, ride rode ridden, ring rang
rung, rise risen, run ran, say said, see saw seen, seek sought, sell sold, send sent, sew sewn, shake shook shaken,
shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat, sleep slept, slide
slid, speak spoke spoken, speed sped, spell spelt, spend spent, spill spilt, spin spun, spoil spoilt, stand stood,
steal stole stolen, stick stuck, sting stung, strike struck, strive strove striven, swear swore sworn, sweep swept,
swim swam swum, swing swung, take took taken, teach taught, tear tore torn, tell told, think thought, throw threw
thrown, understand understood, undergo underwent undergone, undertake undertook undertaken, undo undid undone, wake
woke woken, wear wore worn, weave wove woven, weep wept, win won, withdraw withdrew withdrawn, write wrote written,
child children, foot feet, goose geese, half halves, knife knives, man men, mouse mice, person people, shelf shelves,
tooth teeth, wife wives, woman women, analysis analyses, crisis crises, criterion criteria, diagnosis diagnoses,
hypothesis hypotheses, thesis theses, datum data, medium media, bad worse worst, good better best, far farther
farthest
"""


def _bases() -> dict[str, str]:
    groups = [group.split() for group in _FORMS.split(",")]
    return {form: base for base, *forms in groups for form in forms}


_BASES = _bases()


def base_form(word: str) -> str:
    """Return the base form of a lower-case English word if it is irregular, else the word itself."""
    return _BASES.get(word, word)
