"""Secrets that only the finders of other rooms know, on each way in."""

import pytest

from domains.models import Evidence
from domains.rules.credentials import credentials
from domains.secrets import secrets_in
from tests.domains.together import CONTEXT, LOG, Together

SECRETS = [
    "The db password is Tr0ub4dor&3xyz", "Our PIN is 4821", "Login with admin / Sommer2026!",
    "the passphrase: correct horse battery staple", "curl -u admin:S3cr3tPw77 https://a.example/", "mysql -pS3cr3tPw77",
    "Cookie: sessionid=3f9a8c7b6d5e4f3a2b1c0d9e8f7a6b5c", "https://a.example/f?sig=a1b2c3d4e5f6a7b8c9",
    "Authorization: Bearer abcdefGHIJ1234567890",
    "seed phrase: abandon ability able about above absent absorb abstract absurd abuse access accident",
    "Our mnemonic is legal winner thank year wave sausage worth useful legal winner thank yellow",
]  # fmt: skip


@pytest.mark.parametrize("line", SECRETS)
def test_a_secret_in_plain_words_or_a_command_is_found_in_its_line(line):
    assert [one.line for one in secrets_in(f"# Heading\n\n{line}\nmore\n")] == [3]


@pytest.mark.parametrize(
    "line",
    [
        "The password is in KEYS.md.", "The password policy asks for twelve letters.", "Error code 4821 means closed.",
        "Tokens expire after 3600 s.", "The PIN of a card is asked for at the till.", "Log in with your own account.",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "A cookie holds the language.",
        "The seed phrase must never be written into any file that other people may read at some later time.",
        "Run 123e4567-e89b-12d3-a456-426614174000 was the last.", "password: see KEYS.md", "DB_PASSWORD=<yours>",
    ],
)  # fmt: skip
def test_ordinary_prose_is_no_secret(line):
    assert secrets_in(line) == []


def test_a_secret_that_spans_lines_is_found_at_its_last():
    found = credentials("a\nbegin\nend\nb", (), [lambda text: "begin\nend" in text])
    assert [one.line for one in found] == [3]


def test_such_a_secret_is_refused_in_context_and_log_by_rest_and_on_disk(together: Together):
    said = "The db password is Tr0ub4dor&3xyz"
    owner = together.browser("owner")
    assert owner.rewrite(f"# Shared\n\n{said}\n", 1).status_code == 400
    assert owner.post("shared/log", {"change": said, "project": "alpha"}).status_code == 400
    together.write(CONTEXT, f"# Shared\n\n{said}\n")
    together.write(LOG, f"2026-05-04 · alpha · {said}\n")
    together.settle()
    assert {kind for kind, _ in together.evidence()} == {"context_refused", "log_refused"}
    assert said not in together.read(CONTEXT) + together.read(LOG)
    assert not any("Tr0ub4dor" in one.said for one in Evidence.objects.all())
