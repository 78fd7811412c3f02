"""PINs, codes of doors and one-time codes."""

import re
from collections.abc import Iterator

from memory.sessions.masking.listed import listed
from memory.sessions.masking.readings import Reading
from memory.sessions.masking.spans import Span

_NOUN = re.compile(
    r"code de (?:vérification|sécurité|confirmation)|codes?|pin(?:[ -]?(?:codes?|number|nummer))?s?|puk"
    r"|authenticator(?: app)?|otp|totp|2fa"
    r"|mfa|tan|one[- ]time (?:password|passcode|pin)|passcode|combinations?|combo"
    r"|geheimzahl|geheimnummer|türcode|zugangscode|einmal(?:code|passwort|kennwort)|bestätigungscode|sicherheitscode"
    r"|verifizierungscode"
    r"|c[óo]digo(?: de (?:verificaci[óo]n|seguridad|acceso|verificação|segurança))?|codice(?: di verifica)?"
    r"|verificatiecode|engångskod|kod weryfikacyjny|код(?: подтверждения)?|пин(?:-код)?"
    r"|验证码|驗證碼|認証コード|確認コード|인증번호|인증 코드|動態碼|ワンタイムパスワード|暗証番号"
)
_SECRET_BEFORE_CODE = tuple(
    f"{word} "
    for word in listed(
        "verification,verify,security,authentication,auth,authenticator,confirmation,login,log-in,sign-in,signin,access,sms"
        ",text,activation,pairing,unlock,two-factor,2fa,mfa,2-step,six-digit,6-digit,4-digit,four-digit,5-digit,8-digit"
        ",google,whatsapp,telegram,signal,apple id,steam guard,one-time,one time,otp",
        ",",
    )
)
_PLACE_BEFORE_CODE = tuple(
    f"{word} "
    for word in listed(
        "door,gate,alarm,garage,keypad,lockbox,lock,safe,key"
        " box,keybox,entry,entrance,gym,locker,elevator,voicemail,phone,card"
        ",sim,tür,haus,security system,bike lock,luggage,briefcase,vault,padlock,building,lobby,parking,tablet,ipad",
        ",",
    )
)
_OTHER_BEFORE_CODE = tuple(
    f"{word}{joint}"
    for word in listed(
        "error,status,exit,return,response,http,zip,postal,post,area,country,promo,discount,coupon,voucher,product,bar,qr,dial"
        ",dialing,source,airport,color,colour,hex,item,model,part,article,referral,offer,gift,dress,legal,civil,penal,tax,swift"
        ",bank,sort,branch,course,class,department,currency,language,locale,reason,result,state,event,char,character,ascii"
        ",unicode,stop,op,byte,machine,vs,studio,of,city,station,icd,cpt,diagnosis,billing,procedure,sku,order"
        ",tracking,booking,reservation,flight,train,rfc,trouble,fault,dtc,obd,blink,morse,game,cheat,unit,test,legacy,python"
        ",java,following,naics,sic,hs,tariff,iso,region,plus,no,write,writing,read,run,wmo,weather,key,scan,vin,rate,cost,fare",
        ",",
    )
    for joint in (" ", "-", "_")
)
_LINK = re.compile(
    r"(?:(?:['’]s)?(?:[ \t]{1,3}(?:for|to|of|on|at|from|in|i got|you sent|they sent|that came|für|zum|zur|para|pour"
    r"|per|voor|för"
    r"|do|dla|на|для)(?:[ \t]{1,3}[^\s:=]{1,30}){0,6}?)?(?:[ \t]{0,3}\([^()\n]{1,50}\))?"
    r"(?:[\"'*_`”]{0,3}[ \t]{0,3}(?P<sign>[:：=]|[,;.]?[ \t](?:it['’]?s|it is|c['’]est|which is|that['’]s)(?=[ \t])|->"
    r"|→|[ \t]-[ \t]|—|–)[ \t]{0,3}\n?"
    r"|[ \t]{1,3}(?P<verb>is|are|was|ist|lautet|war|es|est|è|é|är|er|to|jest|reads|says|shows|be|=|(?:was |has been "
    r"|got "
    r"|is |been )?(?:changed|set|reset|updated) to)"
    r"(?:[ \t]{1,3}(?:now|still|just|currently|set to|changed to|jetzt|ahora))?:?[ \t\n]{1,3}"
    r"|[ \t]{0,2}(?:は|是|为|為|는|은)[:：]?[ \t]{0,2})|(?P<beside>['’]s[ \t]{1,3}|[ \t]{1,3}#?))[\"'`“*_]{0,3}",
    re.IGNORECASE,
)
_DIGITS = r"(?:[A-Z]{1,2}-)?[0-9]{4,10}#?|[0-9]{2,4}[ -][0-9]{2,4}(?:[ -][0-9]{2,4}){0,3}#?|[0-9](?:[ -][0-9]){3,9}"
_CODE = re.compile(
    rf"\*?(?P<code>{_DIGITS})(?![\w-]|[.,:/][0-9]|[ \t]?(?:%|px|ms|lines|items|errors|people|times|users|files|bytes"
    rf"|characters|years|hours|minutes|days))"
)
_MIXED_CODE = re.compile(
    r"(?P<code>(?=[A-Z0-9-]{0,11}[0-9])(?=[A-Z0-9-]{0,11}[A-Z])[A-Z0-9]{2,8}(?:-[A-Z0-9]{2,6}){0,3}"
    r"|(?=[a-z0-9]{0,9}[0-9])(?=[a-z0-9]{0,9}[a-z])[a-z0-9]{6,10})(?![\w-]|\.[a-z0-9])"
)
_UPPER_CODE = re.compile(
    r"(?P<code>(?=[A-Z0-9]{0,7}[0-9][A-Z0-9]{0,6}[0-9])(?=[A-Z0-9]{0,7}[A-Z])[A-Z0-9]{6,8})(?![\w-])"
)
_SIX_DIGITS = re.compile(r"[0-9]{6}(?![\w-])")
_BANK = re.compile(r"(?:card|atm|bank|sim|debit|phone) $", re.IGNORECASE)
_COMBINATION = re.compile(r"(?P<code>[0-9]{1,2}(?:[ ]?-[ ]?[0-9]{1,2}){2,5}|[0-9]{3,8})(?![\w-])")
_NEXT = re.compile(
    r"[\"'`”*_]{0,3}(?:[ \t]{0,2}[,;/][ \t]{0,2}|[ \t]{1,3})(?:(?:and|or|then|und|y|et|oder)[ \t]{1,3})?[\"'`“*_]{0,3}"
)
_NAMED_AFTER = re.compile(
    r"(?:is|ist|es|est|är|як|as|for)[ \t]{1,3}(?:your|my|the|our|dein|ihr|tu|su|votre|ton|a|his|her|their)[ \t]{1,3}"
    r"(?:[\w-]{1,20}[ \t]{1,3}){0,5}?(?P<noun>pin|otp|tan|code|passcode|código|verification|one-time password|password"
    r"|bestätigungscode|combination)(?![\w-])"
)
_CODE_BEFORE = re.compile(rf"(?<![^\s\"'`“”*_(>])(?P<code>{_DIGITS})[\"'`”*_]{{0,3}}[ \t]{{1,3}}\(?$", re.IGNORECASE)
_LOOK_BACK = 32
_USED = re.compile(
    rf"(?:enter|use|type(?: in)?|punch in|press|dial|key in|input)[ \t]{{1,3}}(?:the (?:code|pin"
    rf"|number)[ \t]{{1,3}})?[\"'`“*_]{{0,3}}(?P<code>{_DIGITS})[\"'`”*_]{{0,3}}(?:[ \t]{{1,3}}(?:to|as"
    rf"|for)[ \t]{{1,3}}"
    r"(?:verify|confirm|log|sign|complete|authenticate|access|unlock|open|get in|activate|pair|your (?:code|pin"
    r"|login)|the (?:code|pin))|[ \t]{1,3}(?:at|on|in|into)[ \t]{1,3}(?:the )?(?:\w{1,12} )?(?P<place>keypad|door"
    r"|gate|alarm|lock|safe|lockbox|panel))",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"[0-9]")
_STEMS = (
    "code",
    "digo",
    "codice",
    "pin",
    "puk",
    "otp",
    "tan",
    "2fa",
    "mfa",
    "authenticator",
    "time pass",
    "combination",
    "combo",
    "geheim",
    "einmal",
)
_USES = ("enter ", "use ", "type ", "punch in ", "press ", "dial ", "key in ", "input ")


def find(reading: Reading) -> Iterator[Span]:
    """Yield PINs and codes behind or before their noun: digits, for a one-time code letters and digits too."""
    text, lower = reading.text, reading.lower
    if not _DIGIT.search(text):
        return
    if reading.is_foreign or any(stem in lower for stem in _STEMS):
        for noun in _NOUN.finditer(lower):
            yield from _behind(noun, text, lower)
        for naming in _NAMED_AFTER.finditer(lower):
            if found := _CODE_BEFORE.search(lower, max(0, naming.start() - _LOOK_BACK), naming.start()):
                yield Span(*found.span("code"), "PIN" if naming["noun"] == "pin" else "one-time code")
    if any(use in lower for use in _USES):
        for found in _USED.finditer(lower):
            yield Span(*found.span("code"), "PIN" if found["place"] else "one-time code")


def _behind(noun: re.Match[str], text: str, lower: str) -> Iterator[Span]:
    sort = _sort_of(noun, lower)
    link = _LINK.match(text, noun.end()) if sort else None
    if not link:
        return
    if (link["verb"] or "").lower() == "to" and sort != "PIN":
        return
    if (link["beside"] or "").isspace() and not _can_stand_beside(noun, str(sort), text, link.end()):
        return
    kind = "one-time code" if sort == "bare" else str(sort)
    place = link.end()
    while code := _code_at(str(sort), noun[0] == "pin", text, place):
        yield Span(*code.span("code"), kind)
        following = _NEXT.match(text, code.end())
        place = following.end() if following else len(text)


def _can_stand_beside(noun: re.Match[str], sort: str, text: str, place: int) -> bool:
    """Tell nouns that need no "is": "PIN 4711", "card pin 4711", "code 839201"; but not "pin 13", "code 7"."""
    if sort == "bare":
        return _SIX_DIGITS.match(text, place) is not None
    is_bank = _BANK.search(text, max(0, noun.start() - 8), noun.start()) is not None
    return noun[0] != "pin" or text[noun.start()].isupper() or is_bank


def _sort_of(noun: re.Match[str], lower: str) -> str | None:
    """Return "PIN", "one-time code" or "bare" (of no kind said); nothing for other codes and parts of words."""
    start, end, word = noun.start(), noun.end(), noun[0]
    if word[-1] > "\u3000":
        return "one-time code"
    if lower[start - 1 : start].isalnum() or lower[end : end + 1].isalnum() or lower[end : end + 1] in ("_", "-"):
        return None
    before = lower[max(0, start - 24) : start]
    if word.startswith(("pin", "puk", "geheim", "tür", "пин")) or (
        before.endswith(_PLACE_BEFORE_CODE) and word != "otp"
    ):
        return "PIN"
    if not word.startswith(("code", "comb")) or " " in word or before.endswith(_SECRET_BEFORE_CODE):
        return "one-time code"
    if word.startswith("comb"):
        return "PIN" if word.startswith("combination") else None
    return None if before.endswith(_OTHER_BEFORE_CODE) else "bare"


def _code_at(sort: str, is_pin: bool, text: str, place: int) -> re.Match[str] | None:
    if code := _CODE.match(text, place):
        return code
    if sort == "PIN" and not is_pin and (combination := _COMBINATION.match(text, place)):
        return combination
    return (_MIXED_CODE if sort == "one-time code" else _UPPER_CODE).match(text, place) if sort != "PIN" else None
