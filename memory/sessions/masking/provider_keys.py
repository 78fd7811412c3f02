"""Keys that providers mark with a prefix of their own, so that anybody can tell them."""

import re
from collections.abc import Iterator

from memory.sessions.masking.readings import Reading
from memory.sessions.masking.spans import Span
from memory.sessions.masking.values import end_of_run

_WORD = r"[A-Za-z0-9]"
_DASHED = r"[A-Za-z0-9_-]"
_HEX = r"[0-9a-f]"

# prefix: (characters that follow, at least so many)
_PREFIXES: dict[str, tuple[str, int]] = {
    # language models
    "sk-": (_DASHED, 20),
    "sk_": (_DASHED, 20),
    "gsk_": (_WORD, 20),
    "hf_": (_WORD, 20),
    "api_org_": (_WORD, 20),
    "r8_": (_WORD, 20),
    "xai-": (_WORD, 20),
    "pplx-": (_WORD, 20),
    "fw_": (_WORD, 20),
    "nvapi-": (_DASHED, 20),
    "tgp_v1_": (_DASHED, 20),
    "pcsk_": (_DASHED, 20),
    "lsv2_": (_DASHED, 20),
    "jina_": (_DASHED, 20),
    "tvly-": (_DASHED, 16),
    "wandb_v1_": (_DASHED, 20),
    # clouds
    "AKIA": (r"[A-Z0-9]", 12),
    "ASIA": (r"[A-Z0-9]", 12),
    "ABIA": (r"[A-Z0-9]", 16),
    "ACCA": (r"[A-Z0-9]", 16),
    "AIza": (_DASHED, 30),
    "ya29.": (r"[A-Za-z0-9_.-]", 20),
    "1//0": (_DASHED, 20),
    "GOCSPX-": (_DASHED, 16),
    "GOOG1E": (_WORD, 20),
    "LTAI": (_WORD, 12),
    "AKID": (_WORD, 28),
    "dop_v1_": (_HEX, 32),
    "doo_v1_": (_HEX, 32),
    "dor_v1_": (_HEX, 32),
    "HRKU-": (_DASHED, 20),
    "fly_": (r"[A-Za-z0-9_,+/=-]", 24),
    "fm2_": (r"[A-Za-z0-9_,+/=-]", 24),
    "fo1_": (_DASHED, 20),
    "vercel_": (_WORD, 20),
    "nfp_": (_WORD, 20),
    "rnd_": (_WORD, 24),
    "sbp_": (_HEX, 32),
    "sb_secret_": (_DASHED, 16),
    "pscale_tkn_": (_DASHED, 20),
    "pscale_pw_": (_DASHED, 20),
    "pscale_oauth_": (_DASHED, 20),
    "napi_": (_WORD, 20),
    "scw-": (_DASHED, 20),
    "cfut_": (_DASHED, 20),
    # code hosts, package indexes, builds
    "ghp_": (_WORD, 20),
    "gho_": (_WORD, 20),
    "ghu_": (_WORD, 20),
    "ghs_": (_WORD, 20),
    "ghr_": (_WORD, 20),
    "github_pat_": (r"\w", 20),
    "glpat-": (_DASHED, 16),
    "gldt-": (_DASHED, 16),
    "glrt-": (_DASHED, 16),
    "glptt-": (_DASHED, 16),
    "glcbt-": (_DASHED, 16),
    "gloas-": (_DASHED, 16),
    "glsoat-": (_DASHED, 16),
    "glft-": (_DASHED, 16),
    "ATATT3": (r"[A-Za-z0-9_=-]", 20),
    "ATBB": (r"[A-Za-z0-9_=-]", 20),
    "ATCTT3": (r"[A-Za-z0-9_=-]", 20),
    "npm_": (_WORD, 20),
    "pypi-": (_DASHED, 16),
    "rubygems_": (_HEX, 32),
    "oy2": (r"[a-z0-9]", 40),
    "cio": (_WORD, 32),
    "dckr_pat_": (_DASHED, 16),
    "dckr_oat_": (_DASHED, 16),
    "CCIPAT_": (r"\w", 20),
    "bkua_": (_WORD, 20),
    "sqp_": (_WORD, 20),
    "sqa_": (_WORD, 20),
    "squ_": (_WORD, 20),
    "pul-": (_HEX, 32),
    "AGE-SECRET-KEY-": (_WORD, 20),
    # chat, mail, telephone
    "xoxb-": (_DASHED, 10),
    "xoxp-": (_DASHED, 10),
    "xoxa-": (_DASHED, 10),
    "xoxr-": (_DASHED, 10),
    "xoxs-": (_DASHED, 10),
    "xoxc-": (_DASHED, 10),
    "xoxd-": (r"[A-Za-z0-9_%/+-]", 10),
    "xoxe.": (r"[A-Za-z0-9_.-]", 10),
    "xoxe-": (_DASHED, 10),
    "xapp-": (_DASHED, 10),
    "SG.": (r"[A-Za-z0-9_.-]", 20),
    "xkeysib-": (_DASHED, 20),
    "re_": (_DASHED, 20),
    "PMAK-": (_DASHED, 20),
    "EAAC": (_WORD, 40),
    "EAAG": (_WORD, 40),
    # payment, shops
    "rk_live_": (_WORD, 16),
    "rk_test_": (_WORD, 16),
    "whsec_": (r"[A-Za-z0-9+/=_-]", 16),
    "sq0atp-": (_DASHED, 16),
    "sq0csp-": (_DASHED, 16),
    "EAAA": (_DASHED, 40),
    "shpat_": (_WORD, 20),
    "shpca_": (_WORD, 20),
    "shppa_": (_WORD, 20),
    "shpss_": (_WORD, 20),
    "rzp_live_": (_WORD, 10),
    "rzp_test_": (_WORD, 10),
    "access_token$production$": (r"[A-Za-z0-9$]", 20),
    "FLWSECK": (r"[A-Za-z0-9_-]", 16),
    "pdl_live_": (_DASHED, 20),
    # vaults, watching, databases, work tools
    "hvs.": (_DASHED, 16),
    "hvb.": (_DASHED, 16),
    "hvr.": (_DASHED, 16),
    "dp.pt.": (_WORD, 20),
    "dp.st.": (r"[A-Za-z0-9._-]", 20),
    "ops_eyJ": (r"[A-Za-z0-9_=-]", 20),
    "A3-": (r"[A-Z0-9-]", 25),
    "tskey-": (_DASHED, 16),
    "glsa_": (_DASHED, 20),
    "glc_eyJ": (r"[A-Za-z0-9_=+/-]", 20),
    "NRAK-": (_WORD, 16),
    "NRJS-": (_WORD, 16),
    "sntrys_": (r"[A-Za-z0-9_=+/-]", 20),
    "sntryu_": (_HEX, 32),
    "phx_": (_DASHED, 20),
    "dapi": (r"[0-9a-f-]", 32),
    "dt0c01.": (r"[A-Z0-9.]", 24),
    "ntn_": (_WORD, 20),
    "secret_": (_WORD, 32),
    "lin_api_": (_WORD, 16),
    "lin_oauth_": (_WORD, 16),
    "figd_": (_DASHED, 16),
    "pat-na1-": (_DASHED, 20),
    "pat-eu1-": (_DASHED, 20),
    "PRIVATE-KEY-": (_DASHED, 16),
    "EZAK": (_WORD, 30),
    "EZTK": (_WORD, 30),
    "duffel_live_": (_DASHED, 20),
    "patcn": (r"[A-Za-z0-9.]", 30),
    "atlasv1.": (_DASHED, 20),
    "ntfy_": (_WORD, 16),
    "tk_": (_WORD, 24),
    "sgp_": (r"\w", 32),
}
_PATTERNS = {
    prefix: re.compile(rf"(?<![A-Za-z0-9]){re.escape(prefix)}{chars}{{{least},4096}}")
    for prefix, (chars, least) in _PREFIXES.items()
}
_RESTS = {prefix: re.compile(rf"{chars}{{1,4096}}") for prefix, (chars, _) in _PREFIXES.items()}
_JSON_WEB_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{4,8192}(?:\.[A-Za-z0-9_-]{0,8192}){0,3}"
)
_JSON_WEB_TOKEN_REST = re.compile(r"[A-Za-z0-9_.-]{1,4096}")
# Azure's keys carry their mark in the middle, Terraform's and Telegram's behind an id.
_MARKED_WITHIN = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,100}"
    r"|[0-9]{8,10}:AA[A-Za-z0-9_-]{32,36}"
    r"|[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"
    r"|[A-Za-z0-9]{52}(?:JQQJ99|AZDO)[A-Za-z0-9]{10,30})(?![A-Za-z0-9])"
)

_MARKS_WITHIN = (".atlasv1.", ":AA", "Q~", "JQQJ99", "AZDO")
_DISCORD = re.compile(
    r"[MNO](?<![A-Za-z0-9].)[A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9])"
)


def find(reading: Reading) -> Iterator[Span]:
    """Yield keys with a known prefix and JSON web tokens."""
    text, long_words = reading.text, reading.long_words
    if not long_words:
        return
    for prefix in [prefix for prefix in _PREFIXES if prefix in long_words]:
        for key in _PATTERNS[prefix].finditer(text):
            if _is_mixed(key[0][len(prefix) :]):
                yield Span(key.start(), end_of_run(text, key.end(), _RESTS[prefix]), "provider key")
    yield from _without_a_prefix(text, long_words)


def _without_a_prefix(text: str, long_words: str) -> Iterator[Span]:
    if "eyJ" in long_words:
        for token in _JSON_WEB_TOKEN.finditer(text):
            yield Span(token.start(), end_of_run(text, token.end(), _JSON_WEB_TOKEN_REST), "token")
    if any(mark in long_words for mark in _MARKS_WITHIN):
        for found in _MARKED_WITHIN.finditer(text):
            yield Span(*found.span(), "provider key")
    if "." in long_words:
        for found in _DISCORD.finditer(text):
            if any(map(str.isdigit, found[0])):
                yield Span(*found.span(), "provider key")


def _is_mixed(body: str) -> bool:
    """Tell a random body from words: it has a digit, or letters of both cases without dashes."""
    if any(char.isdigit() for char in body):
        return True
    return not body.islower() and not body.isupper() and "-" not in body and "_" not in body
