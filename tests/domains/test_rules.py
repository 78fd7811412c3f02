"""The rules of names, of CONTEXT, of KEYS and of what siblings see."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains.rules import context, keys
from domains.rules.credentials import credentials
from domains.rules.showing import LEFT_OUT, allowed
from domains.rules.slug import checked_slug

LINES = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"), exclude_characters="\ufeff"), max_size=60)
TEXTS = st.lists(LINES, max_size=12).map("\n".join)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.\-]{0,20}", fullmatch=True)
VALUES = LINES.map(str.strip).filter(bool)


@pytest.mark.parametrize("slug", ["a", "money-flow", "0", "x" * 48])
def test_a_short_name_is_letters_digits_and_inner_hyphens(slug):
    assert checked_slug(slug) == slug


@pytest.mark.parametrize("slug", ["", "-a", "a-", "A", "a_b", "a/b", "..", ".views", "x" * 49, "é", "a\n", "new"])
def test_what_could_leave_the_folder_or_take_a_page_is_no_short_name(slug):
    with pytest.raises(ValueError, match=r"\w"):
        checked_slug(slug)


@given(TEXTS)
def test_a_tidied_text_stays_as_it_is_and_ends_with_one_line_end(text):
    once = context.tidied(text)
    assert context.tidied(once) == once
    assert not once or (once.endswith("\n") and not once.endswith("\n\n"))
    assert context.tidied(text.replace("\n", "\r\n")) == once


@given(TEXTS, TEXTS)
def test_a_difference_leads_from_one_text_to_the_other(before, after):
    before, after = context.tidied(before), context.tidied(after)
    said = context.difference(before, after, ("a", "b"))
    assert (said == "") == (before == after)
    body = [line for line in said.split("\n")[2:] if not line.startswith("@@")]
    for sign, text in (("-", before), ("+", after)):
        assert all(line[1:] in text.split("\n") for line in body if line[:1] == sign)


@given(st.text("ab \n", max_size=40), st.text("ab \n", max_size=40))
def test_half_is_counted_in_characters_that_can_be_seen(before, after):
    left, had = len(after.replace(" ", "").replace("\n", "")), len(before.replace(" ", "").replace("\n", ""))
    assert context.drops_half(before, after) == (left < had / 2)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# Context\n\n## History\n", 3),
        ("Money is in cents.\nSince 2026-03-01 rounding is half to even.", 2),
        ("The gateway was renamed.", 1),
        ("We no longer use batches.", 1),
        ("Changed on 3 March 2026: limits.", 1),
    ],
)
def test_history_and_dates_of_change_are_warned_of(text, line):
    assert [found.line for found in context.warnings(text)] == [line]


@pytest.mark.parametrize(
    "text",
    [
        "The fiscal year begins 2026-04-01.",
        "Claims travel in batches of 500.",
        "Ledgers close at midnight.",
        "Used to round: half to even.",
    ],
)
def test_what_is_true_now_is_not(text):
    assert context.warnings(text) == []


def test_a_text_near_the_limit_is_warned_of_and_one_beyond_it_refused():
    near = "é" * (context.LARGE // 2 + 1)
    context.check(near)
    assert [found.line for found in context.warnings(near)] == [0]
    with pytest.raises(context.Refused) as refused:
        context.check("é" * (context.LARGEST // 2 + 1))
    assert refused.value.kind == "too_large"


@pytest.mark.parametrize("letter", ["\0", "\x1b", "\x85", "\u202e", "\u2066", "\ud800"])
def test_characters_that_nobody_sees_are_refused(letter):
    with pytest.raises(context.Refused) as refused:
        context.check(f"a\nb{letter}c")
    assert refused.value.kind == "characters"
    assert "line 2" in str(refused.value)


SECRETS = [
    "PAYER_API_KEY=a8f3k29dk2", "export DB_PASSWORD=hunter2!", "password: Tr0ub4dor&3", "api_key = 'abcd'",
    "token: ghp_" + "a1B2" * 9, "AKIA" + "ABCDEFGHIJ234567", "sk-" + "ant-api03-" + "aB3" * 10,
    "-----BEGIN RSA " + "PRIVATE KEY-----", "-----BEGIN OPENSSH " + "PRIVATE KEY-----",
    "postgres://ledger:s3cr3t@db.internal/ledger", "Authorization: Bearer abcdef0123456789abcdef",
    "kndl_seat_" + "x1" * 20, "eyJhbGciOiJI." + "eyJzdWIiOiIx." + "c2lnbmF0dXJl", "secret=`9f8e7d6c`",
    "- **Token**: 99f8e7d6c5b4",
    "AUTH_TOKEN=correcthorse",
]  # fmt: skip


@pytest.mark.parametrize("line", SECRETS)
def test_the_common_shapes_of_credentials_are_found_and_not_quoted(line):
    found = credentials(f"A heading\n\n{line}\nmore")
    assert [one.line for one in found] == [3]
    assert not any(word in found[0].what for word in line.replace("=", " ").replace(":", " ").split() if len(word) > 12)


@pytest.mark.parametrize(
    "line",
    [
        "The password is in KEYS.md under DB_PASSWORD.", "Set PAYER_API_KEY=<your key> before the start.",
        "PAYER_API_KEY=${PAYER_API_KEY}", "token: see KEYS.md", "Tokens: short lived, rotated weekly",
        "primary key: claim number", "The key: keep it simple.", "https://example.test/path?x=1",
        "basic authentication",
        "MAX_BATCH=500", "Keyboard: QWERTZ", "DB_PASSWORD=…", "password: required", "The secret = the salt of the sea",
        "http://user@example.test/", "Bearer of bad news",
    ],
)  # fmt: skip
def test_prose_and_placeholders_pass(line):
    assert credentials(line) == []


@given(VALUES.filter(lambda value: len(value) >= 8), LINES, LINES)
def test_a_known_value_is_found_wherever_it_stands(value, before, after):
    assert credentials(f"x\n{before}{value}{after}", [value])


@given(st.lists(st.tuples(NAMES, VALUES), max_size=8, unique_by=lambda row: row[0]), st.lists(LINES, max_size=4))
def test_a_written_file_is_read_as_the_same_keys(pairs, remarks):
    rows = [keys.Row("", f"# {remark}") for remark in remarks] + [keys.Row(*pair) for pair in pairs]
    again, odd = keys.parsed(keys.written(rows))
    assert [(row.name, row.text) for row in again] == [(row.name, row.text) for row in rows]
    assert odd == []


@given(TEXTS)
def test_whatever_stands_in_the_file_is_kept(text):
    rows, _ = keys.parsed(text)
    assert keys.parsed(keys.written(rows))[0] == rows


def test_of_two_keys_with_one_name_the_later_counts_and_the_earlier_is_odd():
    rows, odd = keys.parsed("A=1\nB=2\nA=3\nno key here\n")
    assert [(row.name, row.text) for row in rows] == [("", "A=1"), ("B", "2"), ("A", "3"), ("", "no key here")]
    assert [found.line for found in odd] == [1, 4]


@pytest.mark.parametrize("name", ["", "1A", "A B", "A=B", "é", "A\n", "x" * 101, "-A"])
def test_what_would_not_be_read_back_is_no_name(name):
    with pytest.raises(keys.BadKey):
        keys.checked_name(name)


@pytest.mark.parametrize("value", ["", " a", "a\nb", "a\0", "a\x1b", "x" * 8_193])
def test_a_value_is_one_line_and_the_refusal_does_not_say_it(value):
    with pytest.raises(keys.BadKey) as refused:
        keys.checked_value(value)
    assert len(value) < 4 or value not in str(refused.value)


HIDDEN = [
    "KEYS.md", "keys.MD", "Keys.md", "a/KEYS.md", "KEYS.md ", "KEYS.md.", "ＫＥＹＳ.md", "KEYS.md~", ".KEYS.md.swp",
    "#KEYS.md#", "KE\u200bYS.md", "KEYS.md::$DATA", ".env", ".ENV", ".env.local", ".envrc", "a/.env/b", ".e\u200dnv",
    "data", "data/x", "DATA/x", "a/data/b", "./data/x", "a/./data/x", "data./x", ".git", ".git/config", ".GIT/config",
    "a/.Git", ".g\u200cit/x", "git~1/config", "KEYS.txt", "KEYS (1).md",
    "old-KEYS.md", "keys-backup.md", "a/b.env", "b.env~", ".git-credentials", ".netrc", "_netrc", ".npmrc~", ".pypirc",
    ".ssh/config", ".AWS/x", ".gnupg/x", ".docker/config.json", "a/.docker/config.json", ".kube/config", "id_rsa",
    "id_ed25519.pub", "a/b.pem", "b.KEY", "b.key.bak", "b.p12", "b.pfx", "../x", "/etc/passwd", "a\\b", "a/../b",
]  # fmt: skip


@pytest.mark.parametrize("path", HIDDEN)
def test_what_siblings_may_not_see_is_hidden_however_it_is_spelt(path):
    verdict = allowed(path)
    assert not verdict.shown
    assert verdict.why in {*LEFT_OUT, "not a plain path"}


@given(st.sampled_from(["KEYS.md", ".env", "data", ".git"]), st.data())
def test_no_mix_of_case_and_composition_shows_a_hidden_name(name, draw):
    spelt = "".join(draw.draw(st.sampled_from([letter.upper(), letter.lower()])) for letter in name)
    form = draw.draw(st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
    depth = draw.draw(st.lists(st.sampled_from(["src", ".", "deep"]), max_size=3))
    assert not allowed("/".join([*depth, unicodedata.normalize(form, spelt), "x"])).shown


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "src/data_model.py",
        "environment.md",
        ".github/x",
        "keys/readme",
        "database/x",
        "npmrc.md",
        "src/ssh/config.json",
        "pem.md",
        "monkey.md",
        "ключи.md",
    ],
)
def test_everything_else_is_shown(path):
    assert allowed(path).shown
