"""Who sees a domain, who writes in it, and how the others are turned away."""

import json
from pathlib import Path

import pytest

from audit.models import AuditRow
from domains.models import Domain
from domains.reading import access_map
from spaces.models import Membership
from tests.accounts.factors import give_app
from tests.actors import make_user
from tests.domains.together import KEYS, Together

READS = [
    "shared",
    "shared/context",
    "shared/context/revisions",
    "shared/context/revisions/1",
    "shared/log",
    "shared/keys",
    "shared/members",
]
WRITES = [
    ("PATCH", "shared", {"name": "x"}),
    ("PUT", "shared/members", {"members": []}),
    ("POST", "shared/retire", None),
    ("PUT", "shared/context", {"text": "x"}),
    ("POST", "shared/log", {"change": "x"}),
    ("PUT", "shared/keys/A", {"value": "x"}),
    ("POST", "shared/keys/A/reveal", None),
    ("DELETE", "shared/keys/A", None),
]
KEEPS = {"PUT shared/keys/A", "POST shared/keys/A/reveal", "DELETE shared/keys/A"}
CASES = Path(__file__).parents[3] / "shared/cases/bad_inputs.json"


def everybody(together: Together):
    auditor = make_user("auditor")
    give_app(auditor)
    Membership.objects.create(space=together.trio.space, user=auditor, role="auditor")
    return {
        "boss": together.browser("boss"),
        "owner": together.browser("owner"),
        "auditor": together.browser(auditor),
        "teammate": together.browser("teammate"),
        "seat": together.seat(together.alpha),
        "seat without verbs": together.seat(together.alpha, ("facts:read",)),
        "stranger": together.browser("stranger"),
        "sibling": together.seat(together.gamma),
    }


def test_who_is_in_a_space_of_a_member_reads_and_for_everybody_else_it_is_not_there(together: Together):
    callers = everybody(together)
    for who, caller in callers.items():
        for path in READS:
            assert caller.get(path).status_code == (404 if who in {"stranger", "sibling"} else 200), (who, path)
        listed = [found["slug"] for found in caller.get().json()["domains"]]
        assert listed == ([] if who in {"stranger", "sibling"} else ["shared"])


def test_what_is_hidden_answers_like_what_was_never_made(together: Together):
    together.write(KEYS, "A=hidden value\n")
    together.settle()
    for caller in (together.browser("stranger"), together.seat(together.gamma)):
        paths = [("GET", path, None) for path in [*READS, "shared/evidence"]]
        for method, path, body in [*paths, *WRITES]:
            hidden = caller.send(method, path, body, If_Match='"1"')
            missing = caller.send(method, path.replace("shared", "never-made", 1), body, If_Match='"1"')
            assert (hidden.status_code, hidden.content) == (404, missing.content), path
            ours = {name: value for name, value in hidden.headers.items() if name != "X-Request-ID"}
            assert ours == {name: value for name, value in missing.headers.items() if name != "X-Request-ID"}


@pytest.mark.parametrize(
    ("who", "allowed"),
    [
        ("boss", {"PATCH shared", *KEEPS}),
        ("owner", {"PUT shared/context", "POST shared/log", *KEEPS}),
        ("auditor", set()),
        ("teammate", {"PUT shared/context", "POST shared/log", "POST shared/keys/A/reveal"}),
        ("seat", {"PUT shared/context", "POST shared/log", "POST shared/keys/A/reveal"}),
        ("seat without verbs", set()),
    ],
)  # fmt: skip
def test_what_they_may_see_but_not_do_answers_403(together: Together, who, allowed):
    together.write(KEYS, "A=value of a\n")
    together.settle()
    caller = everybody(together)[who]
    for method, path, body in WRITES:
        if who == "boss" and path in {"shared/members", "shared/retire"}:
            continue
        sent = {"shared/context": {"text": "# Shared text"}, "shared/log": {"change": "x", "project": "alpha"}}
        answer = caller.send(method, path, sent.get(path, body), If_Match='"1"')
        assert (answer.status_code < 300) == (f"{method} {path}" in allowed), (path, answer.content)
        assert answer.status_code < 300 or answer.status_code == 403


def test_making_a_domain_by_anybody_but_the_instances_owner_is_refused_and_on_record(together: Together):
    """BI-045."""
    for who, caller in everybody(together).items():
        if who == "boss":
            continue
        before = AuditRow.objects.using("default").filter(outcome="refused").count()
        answer = caller.post("", {"slug": f"made-by-{len(who)}", "name": "Made"})
        assert answer.status_code == 403, who
        assert AuditRow.objects.using("default").filter(outcome="refused").count() == before + 1
    assert list(Domain.objects.values_list("slug", flat=True)) == ["shared"]


def test_a_sibling_that_asks_for_keys_gets_404_like_for_what_never_was(together: Together):
    """BI-093."""
    together.write(KEYS, "A=value of a\n")
    together.settle()
    sibling = together.seat(together.gamma)
    for path in ("keys", "keys/A/reveal"):
        method = "POST" if path.endswith("reveal") else "GET"
        there, missing = (sibling.send(method, f"{slug}/{path}") for slug in ("shared", "never-made"))
        assert (there.status_code, there.content) == (404, missing.content)


@pytest.mark.skipif(not CASES.exists(), reason="the cases are kept elsewhere")
def test_every_case_of_domains_has_its_test_here():
    wanted = {
        case["id"] for case in json.loads(CASES.read_text()) if case["class"] == "domains" or case["id"] == "BI-045"
    }
    here = "".join(file.read_text() for file in Path(__file__).parent.glob("test_*.py"))
    assert not [case for case in wanted if f'"""{case}' not in here]


def test_the_map_says_who_can_read_what(together: Together):
    rows = {row.who: row for row in access_map(together.domain)}
    assert rows["Seats of north/alpha"].folders == "beta"
    assert (rows["Owner"].keys, rows["Teammate"].keys) == ("reveals and changes", "reveals")
    assert "Stranger" not in rows
