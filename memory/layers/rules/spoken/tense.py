"""Whether the words around a time speak of what was or of what will be."""

import re
from typing import Literal

Direction = Literal["past", "future"]

_FUTURE = (
    r"will|won['’]t|shall|going to|gonna|about to"
    r"|(?:plan|plans|planning|planned|hope|hopes|hoping|want|wants|wanna|need"
    r"|needs|have|has|expect|expects|intend|intends|aim|aims|like|love) to|gotta|can['’]t wait|looking forward|upcoming"
    r"|due|deadline|scheduled|booked|supposed|set for|must|should|let['’]s|remind|coming|planned|expires?|expected"
    r"|(?:am|is|are) (?:not )?[a-z]{2,20}ing|(?:remember|don['’]t forget) to"
)
_PAST = (
    r"was|were|wasn['’]t|weren['’]t|did|didn['’]t|had|have|has|went|got|saw|met|came|took|made|said|told|bought|found|left"
    r"|felt|thought|gave|began|became|ran|read|wrote|spoke|sent|lost|won|held|kept|knew|heard|ate|drank|drove|flew|grew"
    r"|hung|hurt|led|let|paid|put|quit|rode|sang|sat|sold|spent|stood|taught|threw|understood|woke|wore|broke|brought"
    r"|built|caught|chose|cut|fell|forgot|hit|set|shot|slept|swam|born|been|done"
    r"|(?!need|feed|speed|indeed|seed|bed|red|shed|hundred|excited|interested|tired|thrilled|married|based)[a-z]{2,20}ed"
)
_CUE = re.compile(
    rf"\b(?:(?P<future>{_FUTURE})|(?P<past>{_PAST}))\b"
    r"|['’](?:(?P<will>ll|(?:m|re|s) (?:not )?[a-z]{2,20}ing)|(?P<has>ve|d))\b"
)
_CLAUSE_END = re.compile(r"[.!?;\n]")
_AROUND = 200
_FORWARD = re.compile(r"\b(?:by|until|till|before|due|due on|due by|scheduled for|no later than)(?: the)? {0,2}$")
_BACKWARD = re.compile(r"\b(?:since|back in|back on)(?: the)? {0,2}$")


def direction(lowered: str, start: int, end: int) -> Direction | None:
    """Return which way the time at `start`–`end` of a lower-case text lies from when it was said, or None.

    "by", "until", "before" and "due" right before it point forward, "since" back; else the nearest verb before it in
    its sentence decides, else the first one after it.
    """
    before = lowered[max(0, start - _AROUND) : start]
    if _FORWARD.search(before[-20:]):
        return "future"
    if _BACKWARD.search(before[-20:]):
        return "past"
    opened = max((found.end() for found in _CLAUSE_END.finditer(before)), default=0)
    closed = _CLAUSE_END.search(lowered, end, end + _AROUND)
    after = lowered[end : closed.start() if closed else end + _AROUND]
    cue = None
    for found in _CUE.finditer(before, opened):
        cue = found
    cue = cue or _CUE.search(after)
    if cue is None:
        return None
    return "past" if cue["past"] or cue["has"] else "future"
