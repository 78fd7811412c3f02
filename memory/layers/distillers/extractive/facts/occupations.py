"""What people are by trade."""

import re

_HEADS = (
    "accountant|actor|actress|administrator|analyst|anesthetist|animator|apprentice|archaeologist|architect|archivist"
    "|artist|astronaut|attorney|auditor|author|baker|banker|barber|barista|bartender|biologist|bookkeeper|bookseller"
    "|bricklayer|builder|butcher|carpenter|carer|cashier|chef|chemist|choreographer|cleaner|clerk|composer|conductor"
    "|consultant|contractor|copywriter|counsellor|counselor|curator|dancer|dentist|designer|developer|dietitian"
    "|director"
    "|doctor|economist|editor|electrician|engineer|farmer|filmmaker|firefighter|fisherman|florist|freelancer|gardener"
    "|geologist|goldsmith|hairdresser|historian|illustrator|inspector|instructor|interpreter|investor|jeweller|jeweler"
    "|journalist|judge|landscaper|lawyer|lecturer|librarian|locksmith|machinist|manager|masseur|mathematician|mechanic"
    "|midwife|miller|miner|musician|nanny|neurologist|notary|novelist|nurse|nutritionist|officer|optician|optometrist"
    "|painter|paralegal|paramedic|pastor|pediatrician|pharmacist|photographer|physician|physicist|physiotherapist|pilot"
    "|planner|plumber|podcaster|policeman|policewoman|postdoc|potter|priest|principal|producer|professor|programmer"
    "|psychiatrist|psychologist|publisher|radiologist|receptionist|recruiter|reporter|researcher|roofer|sailor"
    "|salesperson"
    "|scientist|sculptor|secretary|shepherd|shopkeeper|singer|social worker|sociologist|soldier|solicitor|statistician"
    "|steward|stewardess|student|surgeon|surveyor|tailor|teacher|technician|technologist|tester|therapist|trader"
    "|trainee"
    "|trainer|translator|tutor|undergraduate|veterinarian|vet|videographer|waiter|waitress|watchmaker|welder|writer"
    "|zoologist|CEO|CTO|CFO|COO|CIO|founder|co-founder|cofounder|owner|product owner|scrum master|team lead|tech lead"
    "|sysadmin|SRE|DBA|retiree|homemaker|housewife|caregiver"
)
_OCCUPATION = re.compile(
    rf"(?P<role>(?:[\w/-]{{2,20}} ){{0,3}}?(?:{_HEADS}))(?P<of> of (?-i:[A-Z])[\w'’&.-]{{1,30}}(?:"
    rf" [A-Z][\w'’&.-]{{1,30}}){{0,2}})?"
    r"(?! (?:in training|at heart|too|of sorts|by accident|today|for (?:a day|halloween)))(?= ?(?:[.,;!:()–—-]|$|(?:at"
    r"|for|in|from|with|by|and|but|working|based|who|living|specializing|specialising|on|here|since|these days|now"
    r"|myself)\b))",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"(?P<role>[a-z][\w/-]{1,20}(?: [a-z][\w/-]{1,20}){0,3}?)(?= ?(?:[.,;!:]|$|(?:at|for|in|from|with|and|but)\b))",
    re.IGNORECASE,
)
_NO_TRADE = re.compile(
    r"\b(?:bad|good|terrible|great|slow|fast|big|huge|lousy|decent|horrible|better|worse|happy|proud|nervous|believer"
    r"|fan|team|result|whole|matter|amateur|hobby|aspiring|wannabe|former|ex|retired|would-be|future|natural|born"
    r"|lifelong|life-long|avid|keen|passionate|real|true|such|so-called|fake|model|only|first|last|best|worst|proud"
    r"|dog|cat|pet|home|house|car|boat|mental|kitchen|night|bathroom|tough|harsh|strict|poor|excellent|quick|visual)\b",
    re.IGNORECASE,
)


def occupation(words: str, *, any_work: bool = False) -> str | None:
    """Return the trade that words begin with ("data engineer at …"), or None.

    With `any_work`, after "I work as a", any short noun is taken to be one.
    """
    found = _OCCUPATION.match(words) or (_PLAIN.match(words) if any_work else None)
    if found is None or _NO_TRADE.search(found["role"]):
        return None
    return found[0].strip(" .")
