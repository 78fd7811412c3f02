"""Secrets given to commands: behind a flag, glued to one, or before a pipe."""

import re
from collections.abc import Iterator

from memory.sessions.masking.readings import Reading
from memory.sessions.masking.spans import Span
from memory.sessions.masking.values import is_code, is_placeholder, looks_secret

_ARGUMENT = r"(?P<value>\"[^\"\n]{1,300}\"|'[^'\n]{1,300}'|[^\s\"'|;\ufffc-][^\s|;\ufffc]{0,400})"
_LONG_FLAG = re.compile(
    r"[-/](?<!\S[-/])[-/]?(?:[a-z0-9]{1,20}[-_]){0,3}?(?:password|passwd|passphrase|passcode|pass|pwd|pw|token|secret"
    r"|secretkey|apikey|key|psk|pin|auth|credential|passin|passout)(?:[ \t]{1,3}|=|:)" + _ARGUMENT,
    re.IGNORECASE,
)
_WEAK_FLAG = re.compile(r"(?:key|auth|credential|pin)(?:[ \t]|=|:)", re.IGNORECASE)
_USER_FLAG = re.compile(
    r"-(?<!\S-)(?:u|U|-user|-proxy-user|-username|-auth|a|-http-user)(?:[ \t]{1,3}"
    r"|=)?[\"']?(?P<user>[\w.@+\\-]{0,80})[:%](?P<value>\"[^\"\n]{1,200}\"|[^\s\"'\ufffc]{1,200})"
)
# Words one of which is there, the command, the flag before the value.
_FLAGS_OF_COMMANDS: tuple[tuple[str, str, str], ...] = (
    ("mysql,mariadb,mycli,percona", r"mysql\w{0,10}|mariadb\w{0,10}|mycli|percona\w{0,20}", r"-p(?!\s)"),
    (
        (
            "sshpass,mongo,cqlsh,clickhouse,influx,twine,nxc,crackmapexec,couchbase,arangosh,kinit,psexec,ipmitool,xfreerdp"
            ",rdesktop,vncviewer,evil-winrm,wpscan"
        ),
        (
            r"sshpass|mongo\w{0,10}|cqlsh|clickhouse-client|influx|twine upload|nxc|crackmapexec|couchbase-cli|arangosh"
            r"|kinit"
            r"|psexec|ipmitool|xfreerdp|rdesktop|vncviewer|evil-winrm|wpscan"
        ),
        r"-p[ \t]{0,3}",
    ),
    (
        " login",
        r"(?:docker|podman|az|az acr|helm registry|oc|skopeo|tsh|crane|oras|buildah|cf|nerdctl) login",
        r"-p[ \t]{0,3}",
    ),
    (
        "vault login,doppler,ngrok",
        r"vault login|ngrok authtoken|ngrok config add-authtoken|doppler configure set token",
        r"(?<=\s)",
    ),
    ("redis-cli,keydb-cli,valkey-cli", r"redis-cli|keydb-cli|valkey-cli", r"-a[ \t]{1,3}"),
    ("7z,rar ", r"7za?|7zz|rar|unrar", r"-(?:p|hp)"),
    ("zip ,sqlcmd,bcp,sqlplus,tsql,ipmitool", r"zip|unzip|sqlcmd|bcp|sqlplus|tsql|ipmitool", r"-P[ \t]{0,3}"),
    ("ldap", r"ldap\w{1,10}", r"-w[ \t]{0,3}"),
    ("freerdp,cmdkey,net use,runas,schtasks", r"xfreerdp|cmdkey|net use|runas|schtasks", r"/(?:p|pass|rp):"),
    ("nmcli", r"nmcli", r"password[ \t]{1,3}"),
    ("wpa_passphrase", r"wpa_passphrase[ \t]{1,3}\S{1,40}", r""),
    ("htpasswd", r"htpasswd[ \t]{1,3}-\w{0,4}b\w{0,4}[ \t]{1,3}\S{1,120}[ \t]{1,3}\S{1,60}", r""),
    (
        "net user,net use",
        r"net user[ \t]{1,3}\S{1,40}|net use(?:[ \t]{1,3}\S{1,80}){0,3}?[ \t]{1,3}/user:\S{1,80}",
        r"",
    ),
    ("openssl", r"openssl", r"(?:-pass(?:in|out)?[ \t]{1,3}pass:|-k[ \t]{1,3})"),
    ("authtoken", r"(?:npm|pnpm|yarn) config set[ \t]{1,3}\S{0,120}_?authToken", r""),
)
_COMMANDS = [
    (
        tuple(words.split(",")),
        re.compile(
            rf"(?<![\w.-])(?:{command})(?![\w-])(?:[ \t]{{1,3}}[^\s|;]{{1,120}}){{0,12}}?[ \t]{{1,3}}"
            rf"(?:{flag}){_ARGUMENT}"
        ),
    )
    for words, command, flag in _FLAGS_OF_COMMANDS
]
# Hardly a line of talk has one of them.
_SIGNS_OF_A_COMMAND = (" -", " /", " login ", "authtoken", "authToken", "nmcli", "wpa_", "net user")
_FLAG_WORDS = ("pass", "pwd", "pw", "token", "secret", "key", "psk", "pin", "auth", "credential")
_GLUED = re.compile(r"-p(?<!\S-p)(?P<value>[A-Za-z][^\s:/|;\ufffc]{4,80})(?!\S)")
_HARMLESS_GLUED = re.compile(
    r"-p(?:rint|arallel|ort|rofile|ython|roxy|age|art|ath|thread|edantic|ipe|g|hp|refix|roject|id|ie|attern)\w{0,20}"
)
_PIPED = re.compile(
    r"(?:echo|printf|<<<)[ \t]{1,3}(?:-\w{1,3}[ \t]{1,3})?(?P<quote>[\"']?)"
    r"(?:[\w.-]{1,40}:(?=[^|\n]{1,200}chpasswd))?(?P<value>[^\"'|\n\ufffc]{3,200}?)(?P=quote)[ \t]{0,3}\|[ \t]{0,3}"
    r"(?:sudo (?:-\w{1,3} ){0,3}?-\w{0,3}S|sudo chpasswd|chpasswd|passwd|docker login|podman login|cryptsetup|gh auth"
    r"|helm registry|npm login|base64 \| kubectl)"
)


def find(reading: Reading) -> Iterator[Span]:
    """Yield the values of flags for passwords and tokens of any command, and of short flags of known ones."""
    text, lower = reading.text, reading.lower
    if ("-" in text or "/" in text) and any(word in lower for word in _FLAG_WORDS):
        yield from _long_flags(text)
    if "-" in text:
        yield from _short_flags(text)
    if any(sign in text for sign in _SIGNS_OF_A_COMMAND):
        for words, command in _COMMANDS:
            if any(word in lower for word in words):
                yield from _values_of(command, text)
    if "|" in text and ("echo" in text or "printf" in text):
        for found in _PIPED.finditer(text):
            if not is_placeholder(found["value"]):
                yield Span(*found.span("value"), "password")


def _values_of(command: re.Pattern[str], text: str) -> Iterator[Span]:
    for found in command.finditer(text):
        if not is_placeholder(found["value"].strip("\"'")) and any(map(str.isalnum, found["value"])):
            yield Span(*_inside(found), "password")


def _long_flags(text: str) -> Iterator[Span]:
    for found in _LONG_FLAG.finditer(text):
        value = found["value"].strip("\"'")
        weak = _WEAK_FLAG.search(found[0][: found.start("value") - found.start()])
        if is_placeholder(value) or is_code(value) or (weak and (not looks_secret(value) or "/" in value)):
            continue
        token = any(
            word in found[0].lower()[: found.start("value") - found.start()] for word in ("token", "key", "secret")
        )
        yield Span(*_inside(found), "token" if token else "password")


def _short_flags(text: str) -> Iterator[Span]:
    for found in _USER_FLAG.finditer(text) if ":" in text or "%" in text else ():
        value = found["value"].strip('"')
        if not is_placeholder(value) and not value.isdecimal():
            yield Span(*found.span("value"), "password")
    for found in _GLUED.finditer(text) if "-p" in text else ():
        if _has_digit_and_letter(found["value"]) and not _HARMLESS_GLUED.match(found[0]):
            yield Span(*found.span("value"), "password")


def _inside(found: re.Match[str]) -> tuple[int, int]:
    start, end = found.span("value")
    if found["value"][0] in "\"'" and found["value"][-1] == found["value"][0]:
        return start + 1, end - 1
    while end > start + 1 and found.string[end - 1] in "`).,\"'":
        end -= 1
    return start, end


def _has_digit_and_letter(value: str) -> bool:
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))
