"""Words for secrets, in the languages people tell them in and in the names that programs give them."""

import re
from typing import NamedTuple

from memory.sessions.masking.listed import listed

# "Sure" words always name an access; "doubtful" ones have another meaning too (a mountain pass, in Spanish the key
# to success), so that their value has to look like a secret. Flat alternatives scan
# fastest.
_SURE = (
    "psk|pre-?shared[_ -]?key|passwords?|passwd|passwort|passwörter|passcodes?|pass[ -]?phrases?|passwoord"
    "|passord(?:et)?|pwd|pswd|psw|pws?|p/w|kennwort"
    "|mots? de passe|mdp|contraseñas?|contrasenas?|senhas?|palavra[- ]passe|wachtwoord|lösenord(?:et)?|losenord"
    "|adgangskoden?"
    "|salasana|hasł[oa]|haslo|jelszó|jelszava?|kata sandi|slaptažodis|parolă|mật khẩu"
    "|пароль|пароля|парола|סיסמה|סיסמא|كلمة المرور|كلمة السر|पासवर्ड|パスワード|暗証番号|密码|密碼|비밀번호|รหัสผ่าน"
)
_DOUBTFUL = (
    "pass|clave|parola|şifre|şifresi|sifre|heslo|lozinka|geslo|zaporka|auth|credentials?|creds?|口令|암호|κωδικός"
)
_KEY = "keys?|key_base|client-key-data"
_OTHERS = "tokens?|secrets?|jwt|session[_-]?id|sessid"
_KEYED = listed(
    """
    api access secret private encryption signing master auth account storage license licence product
    activation deploy service security network wifi wi-fi wpa wpa2 subscription app shared server client
    session hmac jwt admin rest write ingest bot accountkey wep psk
    """
)


_NOUN = re.compile(f"{_SURE}|{_DOUBTFUL}|client-key-data|{_KEY}|{_OTHERS}")
_STRENGTH = re.compile(
    f"(?P<sure>{_SURE})|(?P<doubtful>{_DOUBTFUL})|(?P<key>client-key-data|{_KEY})|(?P<token>{_OTHERS})"
)
_STEMS = listed(
    """
    pass pw psw p/w auth cred key token secret jwt sess psk pswd kennwort mot mdp contrase senha palavra
    wachtwoord senord adgangskode salasana hasl hasł heslo jelsz sandi clave parol ifre lozinka geslo zaporka
    slapta khẩu
    """
)

_TAIL = re.compile(
    r"(?:_?[0-9]{1,2}|[_-]?(?:confirm|confirmation|repeat|again|value|string|plain|plaintext))?(?!\w|-\w)"
    r"|_(?P<suffix>[a-z0-9]{1,12})(?!\w|-\w)"
)
_SUFFIXES_OF_OTHER_THINGS = frozenset(
    listed(
        "age algorithm alg attempts auth based box callback change check class code count cost digest dir duration"
        " enabled"
        " endpoint env error exp expired expires expiry field file form format free generator hash hashed hashers"
        " hint id ids"
        " input label len length less lifetime like limit link list manager max message min mode name names page path"
        " policy"
        " prompt protected ref required reset rotation rules salt save size source status store strength suffix ttl"
        " type types"
        " uri url used user validators version arn header prefix only usage model index table column encoder map budget"
    )
)
_SHORT = frozenset(
    ("pw", "pws", "pass", "psw", "auth", "cred", "creds", "psk", "jwt", "mdp", "clave", "haslo", "sifre")
)
_KINDS = {"sure": "password", "doubtful": "password", "key": "key", "loose": "key", "token": "token"}
_CLOSE = 3
_SIGNS = frozenset("=: \t\nは")


class Noun(NamedTuple):
    """A word for a secret in a text: its place, how much it says, and whether it is the end of a longer name."""

    start: int
    end: int
    strength: str
    word: str
    joined: bool
    suffixed: bool

    @property
    def kind(self) -> str:
        """Return the kind of secret that it names."""
        return _KINDS[self.strength]


def nouns_in(lower: str, *, is_foreign: bool) -> list[Noun]:
    """Return the words for secrets in a text of lower case, in order."""
    if not is_foreign and not any(stem in lower for stem in _STEMS):
        return []
    nouns = [noun for found in _NOUN.finditer(lower) if (noun := _noun_of(found, lower))]
    # A noun whose value would be the next noun has none: "password token: …".
    return [
        noun
        for noun, following in zip(nouns, [*nouns, None][1:], strict=True)
        if not _is_before(noun, following, lower)
    ]


def _is_before(noun: Noun, following: Noun | None, lower: str) -> bool:
    return (following is not None and following.start == noun.end) or (
        following is not None
        and following.start - noun.end <= _CLOSE
        and not following.joined
        and lower[following.end - 1].isalpha()
        and lower[following.end : following.end + 1] in _SIGNS
    )


def _noun_of(found: re.Match[str], lower: str) -> Noun | None:
    start, word = found.start(), found[0]
    strength = str(_STRENGTH.fullmatch(word).lastgroup)  # type: ignore[union-attr]  # it has the same alternatives
    if word in ("key", "keys") and not lower[max(0, start - 14) : start].rstrip("_- ").endswith(_KEYED):
        if lower[start - 1 : start] != "_":
            return None
        strength = "loose"
    before = lower[start - 1] if start else " "
    joined = before.isalnum() or before in "_-."
    if word in _SHORT and before.isalpha() and word.isascii() and before.isascii() and strength != "key":
        return None
    if not word.isascii() and word[-1] > "\u0e00":
        return Noun(start, found.end(), strength, word, False, False)
    tail = _TAIL.match(lower, found.end())
    if not tail or tail["suffix"] in _SUFFIXES_OF_OTHER_THINGS:
        return None
    return Noun(start, tail.end(), strength, word, joined, bool(tail["suffix"]))
