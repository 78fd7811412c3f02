"""A seat's token: 32 random bytes behind a prefix that scanners of leaked secrets can recognise."""

import base64
import hashlib
import secrets

from spaces.purposes import PURPOSES

PREFIX = "kndl_seat_"
VERBS = (
    "facts:read",
    "facts:write",
    "sessions:write",
    "memory:read",
    "memory:write",
    "kip:read",
    "kip:write",
    "library:read",
    "skills:install",
    "domains:write",
)
MORE_VERBS = ("facts:import", "consents:write", "library:write", "memory:govern")
CROSS_TENANT = "cross_tenant"


def new_token() -> str:
    """A fresh token; it is shown once and never kept."""
    return PREFIX + base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode()


def hash_of(token: str) -> bytes:
    """What is kept of a token: SHA-256. With 256 random bits there is nothing for a slow hash to protect."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def hint_of(token: str) -> str:
    """The beginning of a token, by which a person can tell which one it is."""
    return token[: len(PREFIX) + 4]


def parse_verbs(text: str) -> list[str]:
    """The verbs named in a comma-separated list; `all` means all but `cross_tenant`.

    Raises ValueError for an unknown verb.
    """
    named = [part.strip() for part in text.split(",") if part.strip()]
    verbs: list[str] = []
    for verb in named:
        if verb == "all":
            verbs += [*VERBS, *MORE_VERBS]
        elif verb in (*VERBS, *MORE_VERBS, CROSS_TENANT):
            verbs.append(verb)
        else:
            raise ValueError(f"there is no verb {verb}; the verbs are {', '.join((*VERBS, *MORE_VERBS, CROSS_TENANT))}")
    if not verbs:
        raise ValueError("names no verb")
    return list(dict.fromkeys(verbs))


def parse_purposes(text: str) -> list[str]:
    """The purposes named in a comma-separated list; `all` means all of a new instance. Raises ValueError."""
    purposes: list[str] = []
    for purpose in (part.strip() for part in text.split(",") if part.strip()):
        if purpose == "all":
            purposes += PURPOSES
        elif purpose in PURPOSES:
            purposes.append(purpose)
        else:
            raise ValueError(f"there is no purpose {purpose}; the purposes are {', '.join(PURPOSES)}")
    return list(dict.fromkeys(purposes))
