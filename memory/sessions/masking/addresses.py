"""Secrets in addresses: passwords before the host, tokens and signatures in the query, links that are keys."""

import re
from collections.abc import Iterator

from memory.sessions.masking.listed import listed
from memory.sessions.masking.readings import Reading
from memory.sessions.masking.spans import Span
from memory.sessions.masking.values import is_about_secrets, is_code, is_placeholder, is_plain, looks_random

_USER_INFO = re.compile(r"://(?P<user>[^\s:@/?#\"'<>]{0,200})(?::(?P<password>[^\s\"'<>\ufffc]{1,300}))?@(?=[\w\[*.-])")
_PORT = re.compile(r"[0-9]{2,5}[/?#]")
_PARAMETER = re.compile(
    r"[?&;#](?:amp;)?(?P<name>[A-Za-z][\w.-]{0,40}|x-[\w-]{1,40})=(?P<value>[^\s&\"'<>#`)\]},;\ufffc]{4,4096})"
)
_REST = re.compile(r"[^\s&\"'<>#`)\]},;\ufffc]{1,4096}")
_SIGNATURES = frozenset(
    listed(
        "x-amz-signature x-amz-security-token x-goog-signature x-oss-signature x-ms-signature signature sig sign hmac"
        " policy"
        " hash verify expires_sig se_sig __token__ st_sig md5 q-signature x-tos-signature"
    )
)
_TOKENS = frozenset(
    listed(
        "token access_token id_token refresh_token auth_token authtoken auth apikey api_key api-key appkey app_key"
        " appid key secret"
        " client_secret jwt session sessionid session_id sid ticket otp code nonce oauth_token oauth_verifier"
        " samlresponse assertion"
        " magic invite reset_token resetkey confirmation_token private_token job_token subscription-key"
        " ocp-apim-subscription-key"
        " x-amz-credential awsaccesskeyid accesskey access_key authorization bearer tk t u_token login_token sso"
        " hapikey state_token"
    )
)
_PASSWORDS = frozenset(listed("password passwd pwd pass pw passcode psw userpass user_password new_password"))
_SHORTEST_TOKEN = 10
_SHORTEST_SIGNATURE = 8
_SHORTEST_IN_PATH = 16

_WEBHOOK = re.compile(
    r"(?:hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/"
    r"|discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{5,25}/"
    r"|webhook\.office\.com/webhookb2/|outlook\.office\.com/webhook/|hooks\.zapier\.com/hooks/catch/"
    r"|maker\.ifttt\.com/trigger/[\w-]{1,60}/(?:json/)?with/key/|hook\.(?:[a-z]{2}[0-9]\.)?(?:make|integromat)\.com/"
    r"|api\.telegram\.org/(?:file/)?bot|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/|hc-ping\.com/"
    r"|events\.pagerduty\.com/integration/|hooks\.[\w.-]{1,60}/hooks/|chat\.[\w.-]{1,60}/hooks/|webhook\.site/"
    r"|api\.opsgenie\.com/[\w/]{1,40}/|alchemy\.com/v2/|infura\.io/v3/|quiknode\.pro/|notify\.run/"
    r"|prod-[0-9]{1,3}\.[\w.-]{1,60}/workflows/)(?P<value>[A-Za-z0-9_/:@.=-]{8,400})"
)
_WEBHOOK_CUES = listed(
    "hooks. /hooks/ /webhook /hook/ hook. api.telegram ifttt hc-ping pagerduty alchemy. infura. quiknode. /workflows/"
    " opsgenie notify.run"
)
_SECRET_PATH = re.compile(
    r"/(?:reset|reset[-_]?password|password[-_/]?reset|password/edit|magic|magic[-_]?link|verify|verify-email"
    r"|confirm|activate|activation|invite|invitation|login|auth|session|sso|token|onetime|one-time|secret|private"
    r"|calendar/ical/[^/\s]{1,80})[/=](?P<value>[A-Za-z0-9_.-]{16,400})"
)
_ONE_TIME_ADDRESS = re.compile(r"(?:otpauth(?:-migration)?://|otpauth://)[^\s\"'<>\ufffc]{1,2000}", re.IGNORECASE)
_WIFI = re.compile(r"WIFI:(?:[A-Z]:[^;\n]{0,80};){0,4}?P:(?P<value>(?:\\.|[^;\n\\]){1,120})")
_NAMES = ("password", "pwd", "accountkey", "accesskey", "sharedsecret", "sharedaccess")
_CONNECTION = re.compile(
    r"(?:^|[;\"'])[ \t]{0,3}(?:password|pwd|accountkey|sharedaccesskey|sharedsecret|sharedaccesssignature"
    r"|accesskey)[ \t]{0,2}=[ \t]{0,2}"
    r"(?P<value>\"[^\"\n]{1,300}\"|'[^'\n]{1,300}'|[^;\"'\s]{1,600})",
    re.IGNORECASE | re.MULTILINE,
)


def find(reading: Reading) -> Iterator[Span]:
    """Yield secrets within addresses and connection strings."""
    text = reading.text
    if "otpauth" in reading.lower:
        for found in _ONE_TIME_ADDRESS.finditer(text):
            yield Span(*found.span(), "one-time code")
    if "://" in text and "@" in text:
        yield from _before_the_host(text)
    if "=" in text:
        yield from _in_queries(text)
        if ";" in text and any(name in reading.lower for name in _NAMES):
            yield from _in_connection_strings(text)
    if "/" in text and reading.long_words:
        yield from _in_paths(text)
    if "WIFI:" in text:
        for found in _WIFI.finditer(text):
            yield Span(*found.span("value"), "password")


def _in_paths(text: str) -> Iterator[Span]:
    if any(cue in text for cue in _WEBHOOK_CUES):
        for found in _WEBHOOK.finditer(text):
            yield Span(*found.span("value"), "signed link")
    for found in _SECRET_PATH.finditer(text):
        if looks_random(found["value"], _SHORTEST_IN_PATH):
            yield Span(*found.span("value"), "signed link")


def _before_the_host(text: str) -> Iterator[Span]:
    for found in _USER_INFO.finditer(text):
        password = found["password"]
        if password and "://" not in password and not _PORT.match(password) and not _is_an_example(password):
            yield Span(*found.span("password"), "password")
        if looks_random(found["user"], 16):
            yield Span(*found.span("user"), "token")


def _is_an_example(password: str) -> bool:
    return is_placeholder(password) or (is_about_secrets(password) and is_plain(password))


def _in_queries(text: str) -> Iterator[Span]:
    for found in _PARAMETER.finditer(text):
        kind = _kind_of_parameter(found["name"].lower(), found["value"])
        if kind and not is_placeholder(found["value"]):
            end = found.end()
            while more := _REST.match(text, end):
                end = more.end()
            yield Span(found.start("value"), end, kind)


def _kind_of_parameter(name: str, value: str) -> str | None:
    if name in _PASSWORDS:
        return None if is_code(value) else "password"
    if name in _SIGNATURES and len(value) >= _SHORTEST_SIGNATURE and any(map(str.isdigit, value)):
        return "signed link"
    if name in _TOKENS and looks_random(value, _SHORTEST_TOKEN):
        return "token"
    return None


def _in_connection_strings(text: str) -> Iterator[Span]:
    for found in _CONNECTION.finditer(text):
        inside = found["value"].strip("\"'")
        if not is_placeholder(inside) and not is_code(inside):
            yield Span(*found.span("value"), "password" if found[0].lstrip(" \t;\"'")[:1] in "pP" else "key")
