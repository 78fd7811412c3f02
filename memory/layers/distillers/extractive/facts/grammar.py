"""Parts of the patterns that many of them share. All are to be used without regard to case, names excepted."""

ADVERBS = (
    r"(?:(?:really|just|also|still|always|absolutely|definitely|totally|truly|actually|currently|now|mostly|usually"
    r"|generally|typically|normally|much|strongly|simply|finally|recently|already|personally|genuinely|particularly"
    r"|very"
    r"|honestly|officially|mainly|primarily|often|regularly|daily|both|do) ){0,3}"
)
NOT = r"(?P<not>(?:do not|don['’]t|dont|no longer|never) )"
AM = r"(?:i am|i['’]m|im)"
ARE = r"(?:i am|i['’]m|im|we are|we['’]re)"
WE = r"(?:i|we)"
HAVE = r"(?:(?:have|['’]ve) )?"
# One capitalised word of a name, and a name of up to four, with small words inside.
CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w'’&.+-]{0,30}"
NAME = rf"{CAPITAL}(?: (?:(?:of|de|da|do|la|le|van|von|der|and the|the|&) ){{0,2}}{CAPITAL}){{0,3}}"
_PERSONAL = r"(?:[A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ]{1,20}(?:['’-][A-ZÀ-ÖØ-Þ]?[a-zà-öø-ÿ]{1,20}){0,2}|[A-Z]['’][A-Z][a-z]{1,20})"
PERSON = rf"{_PERSONAL}(?: {_PERSONAL})?"
END = r"(?=\s*(?:[.,!?;:)]|$|and\b|but\b|so\b|with\b|from\b|who\b|[-–—]))"
