"""The inbox of contradictions: what it shows, and what people settle there."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from memory.models import ContradictionDecision
from spaces.databases.entering import entered
from spaces.models import Membership
from tests.accounts.factors import governing_client
from tests.actors import Trio, make_scope
from tests.facts.test_contradictions import FEBRUARY, about, conflicts, consent
from tests.pages.reading import Page, page_of
from tests.rest.client import Rest, seat

INBOX = "/spaces/north/contradictions"
HOSTILE = "<img src=x onerror=document.title='pwn'>"


def shown(client: Client, scope: str = "shared", **query: Any) -> Page:
    return page_of(client.get(INBOX, {"scope": scope, **query}))


def links(page: Page, words: str) -> list[str]:
    """The addresses of all links whose label or words hold these."""
    found = re.findall(r"<a\s([^>]*)>(.*?)</a>", page.html, re.DOTALL)
    return [
        unescape(re.search(r'href="([^"]*)"', attributes)[1])
        for attributes, text in found
        if words in " ".join(unescape(f"{attributes} {text}").split())
    ]


def follow(client: Client, page: Page, words: str) -> Page:
    """The page behind the first link with these words."""
    return page_of(client.get(links(page, words)[0]))


def form(page: Page) -> dict[str, Any]:
    """What the form that writes a decision would send, its chosen claim among it."""
    part = next(part for part in page.html.split("<form") if 'name="decision"' in part)
    found: dict[str, Any] = {}
    for attributes in re.findall(r"<input([^>]*)>", part):
        given = dict(re.findall(r'(\w+)="([^"]*)"', attributes))
        if given.get("type") == "radio" and "checked" not in attributes:
            continue
        found.setdefault(given["name"], []).append(unescape(given.get("value", "")))
    found.pop("csrfmiddlewaretoken")
    return found


def write(client: Client, page: Page, reason: str = "", **more: Any) -> Page:
    """Send the form and go where the answer leads."""
    return page_of(client.post(INBOX, form(page) | {"reason": reason} | more, follow=True))


def two(rest: Rest, subject: str = "door", **more: Any) -> None:
    rest.imported(
        about(f"{subject}-open", "open", subject=subject, statement=f"{subject} is open", **more),
        about(f"{subject}-shut", "shut", subject=subject, statement=f"{subject} is shut", recordedAt=FEBRUARY, **more),
    )


def decided(trio: Trio) -> list[ContradictionDecision]:
    with entered(trio.space):
        return list(ContradictionDecision.objects.order_by("number"))


def test_claims_stand_side_by_side_with_what_decides_between_them(teammate: Client, rest: Rest):
    rest.imported(
        about("open", "open", statement="The door is open.", confidence=0.9, classification="PII"),
        about("shut", "shut", statement="The door is shut.", confidence=0.4, recordedAt=FEBRUARY),
    )

    page = shown(teammate)

    assert page.status == 200
    claims = page.html.split("<article")[1:]
    assert "The door is shut." in claims[0]
    assert "preferred by rule" in claims[0]
    assert "claim-preferred" in claims[0]
    assert "The door is open." in claims[1]
    assert "0.9000" in claims[1]
    assert "The rule prefers the less certain claim." in page.text
    assert "A is the newer record: 1 Feb 2026, 00:00 against 1 Jan 2026, 00:00." in page.text
    assert "B is surer: 0.9000 against 0.4000." in page.text
    assert ["Newer record", "1 Feb 2026, 00:00:00", "1 Jan 2026, 00:00:00", "A, and this decides"] in page.rows
    assert ["Higher effective confidence", "0.4000", "0.9000", "B"] in page.rows


def test_only_what_differs_is_marked(teammate: Client, rest: Rest):
    two(rest)

    first = shown(teammate).html.split("<article")[1]

    marked = re.findall(r'<dt>(\w[\w ]*)</dt>\s*<dd class="is-differing', first)
    assert marked == ["Object", "Recorded"]


def test_a_tie_is_said_plainly_and_offers_no_preferred_claim(teammate: Client, rest: Rest):
    rest.imported(about("a", 1), about("b", 2))

    page = shown(teammate)

    assert "Nothing decides." in page.text
    assert "preferred by rule" not in page.text
    assert 'data-press="a"' not in page.html
    assert {'data-press="1"', 'data-press="2"', 'data-press="r"'} <= set(re.findall(r'data-press="."', page.html))


def test_who_wins_on_another_date_is_told_with_its_dates_and_can_be_looked_at(teammate: Client, rest: Rest):
    two(rest)

    page = shown(teammate)
    turns = page.text[page.text.index("Who wins on another date", page.text.index("How the rule decides")) :]

    assert re.search(r"from 1 Jan 2026, 00:00 as it stood B door is open stands alone", turns)
    assert re.search(r"from 1 Feb 2026, 00:00 now as it stood A door is shut is preferred: newer record", turns)
    past = page_of(teammate.get(links(page, "as it stood")[0]))
    assert "Nothing contradicts here" in past.text


def test_the_past_is_shown_and_nothing_can_be_settled_in_it(teammate: Client, rest: Rest):
    two(rest)
    rest.imported(about("now", "ajar", recordedAt="2026-03-01T00:00:00Z", supersedes="fact:door-shut"))

    page = shown(teammate, as_of="2026-02-15T00:00:00Z")

    assert "door is shut" in page.html.split("<article")[1]
    assert "As it was known, and stood, on 15 Feb 2026, 00:00." in page.text
    assert "data-press" not in page.html
    assert 'name="pick"' not in page.html


def test_a_fact_that_carries_a_claim_is_named_lazily_with_its_weakest_link(teammate: Client, rest: Rest):
    rest.imported(
        about("root", "r", subject="other", statement="Somebody heard it.", confidence=0.2),
        about("open", "open", derivedFrom=["fact:root", "fact:gone"]),
        about("shut", "shut"),
    )
    page = shown(teammate)

    (address,) = [unescape(found) for found in re.findall(r'hx-get="([^"]*behind/fact:open[^"]*)"', page.html)]
    told = page_of(teammate.get(address)).text
    assert "Weakest behind it: Somebody heard it. 0.2000 stale" in told
    assert "2 behind it, 1 missing" in told
    other = page_of(teammate.get(address.replace("fact:open", "fact:shut"))).text
    assert "It rests on no other fact." in other
    assert teammate.get(address.replace("fact:open", "fact:never")).status_code == 404


def test_the_list_leads_to_each_contradiction_and_says_what_is_special(teammate: Client, rest: Rest):
    two(rest, "a")
    rest.imported(about("b1", 1, subject="b"), about("b2", 2, subject="b"))

    page = shown(teammate)
    assert "a is open" in page.text
    page = follow(teammate, page, "b, state")
    assert "this is b1" in page.text
    assert "a is open" not in page.text
    assert "tied" in page.text


def test_filters_chips_and_pages_leave_and_lead_to_what_is_asked(
    teammate: Client, rest: Rest, monkeypatch: pytest.MonkeyPatch
):
    for number in range(5):
        two(rest, f"s{number}")

    assert "s3, state" not in shown(teammate, subject="s1").text
    page = shown(teammate, subject="s1", predicate="state")
    assert "s3, state" in page_of(teammate.get(page.links["subject s1"])).text
    assert "Nothing contradicts here" in shown(teammate, predicate="colour").text

    seen, page = [], shown(teammate, limit="2")
    while True:
        seen += re.findall(r"<b>(s\d), state</b>", page.html)
        if "Next page" not in page.links:
            break
        page = page_of(teammate.get(page.links["Next page"]))
    assert seen == [f"s{number}" for number in range(5)]


@pytest.mark.parametrize(
    ("name", "value"),
    [("as_of", "yesterday"), ("cursor", "abc"), ("claim", "x"), ("pick", "x"), ("ask", "what"), ("colour", "blue")],
)
def test_a_bad_value_is_refused_by_the_name_of_its_field(teammate: Client, rest: Rest, name: str, value: str):
    two(rest)

    page = shown(teammate, **{name: value})

    assert page.status == 400
    assert f"This can’t be asked. {name} " in page.text
    assert "door is open" not in page.text


def test_an_empty_inbox_says_what_would_be_here(teammate: Client, rest: Rest):
    assert "Here you would see claims about one subject and predicate" in shown(teammate).text


def test_choosing_writes_the_claim_again_and_goes_on_to_the_next(teammate: Client, rest: Rest, trio: Trio):
    two(rest, "a")
    two(rest, "b")

    asked = follow(teammate, shown(teammate), "Claim B: this one holds")
    assert form(asked)["chosen"] == ["fact:a-open"]
    page = write(teammate, asked, "I looked.")

    assert "Decision written." in page.text
    assert "b is open" in page.text
    assert "a, state" not in page.text
    (made,) = [fact for fact in rest.listed(subject="a") if "supersedes" in fact]
    assert (made["object"], made["supersedes"], made["source"]) == ("open", "fact:a-shut", "human://teammate")
    (decision,) = decided(trio)
    assert (decision.reason, decision.decided_by) == ("I looked.", f"person:{trio.teammate.pk}")


def test_the_claim_can_still_be_changed_before_the_decision_is_written(teammate: Client, rest: Rest):
    two(rest)

    asked = follow(teammate, shown(teammate), "Settle as the rule says")
    assert form(asked)["chosen"] == ["fact:door-shut"]
    write(teammate, asked, chosen="fact:door-open")

    assert {fact["object"] for fact in rest.listed(subject="door")} == {"open"}


def test_both_may_hold_where_the_predicate_has_many_values(teammate: Client, rest: Rest):
    two(rest, "a")
    two(rest, "b")

    page = write(teammate, follow(teammate, shown(teammate), "Both hold"))

    assert "No contradictions" in page.text
    assert len(rest.listed(subject="a")) == 2


def test_both_cannot_hold_where_one_denies_the_other(teammate: Client, rest: Rest):
    rest.imported(about("a", 1), about("not-a", 1, negated=True))

    page = shown(teammate)
    assert "what is asserted comes before what denies it" in page.text
    assert links(page, "Both hold") == []


def test_a_dismissal_needs_a_reason_and_keeps_the_facts(teammate: Client, rest: Rest, trio: Trio):
    two(rest)
    asked = follow(teammate, shown(teammate), "Dismiss with a reason")

    refused = write(teammate, asked, "  ")
    assert refused.status == 400
    assert "reason is needed to dismiss a contradiction" in refused.text
    assert decided(trio) == []

    page = write(teammate, refused, "Two doors.")
    assert "No contradictions" in page.text
    assert len(rest.listed(subject="door")) == 2
    again = shown(teammate, include_dismissed="true")
    assert "Two doors." in again.text
    assert write(teammate, follow(teammate, again, "Claim A: this one holds")).status == 200
    assert [decision.kind for decision in decided(trio)] == ["dismissed", "superseded"]


def test_what_somebody_else_settled_meanwhile_is_told_and_nothing_is_written(
    teammate: Client, owner: Client, rest: Rest, trio: Trio
):
    two(rest)
    asked = follow(teammate, shown(teammate), "Settle as the rule says")
    write(owner, follow(owner, shown(owner), "Dismiss with a reason"), "Two doors.")

    page = write(teammate, asked)

    assert "settled by somebody else meanwhile" in page.text
    assert [decision.kind for decision in decided(trio)] == ["dismissed"]
    assert len(rest.listed(subject="door", include_superseded="true")) == 2


def picked(client: Client, rest: Rest, ask: str) -> Page:
    """The page that asks for one decision about all that can be picked."""
    claims = re.findall(r'name="pick"\s+value="([^"]+)"', shown(client).html)
    return page_of(client.get(INBOX, {"scope": "shared", "pick": claims, "ask": ask}))


def test_several_are_dismissed_for_one_reason(teammate: Client, rest: Rest, trio: Trio):
    two(rest, "a")
    two(rest, "b")

    page = write(teammate, picked(teammate, rest, "dismiss"), "All doors have two states.")

    assert "2 decisions written." in page.text
    assert "No contradictions" in page.text
    assert {decision.reason for decision in decided(trio)} == {"All doors have two states."}


def test_several_are_settled_as_the_rule_says_and_ties_are_left(teammate: Client, rest: Rest):
    two(rest, "a")
    two(rest, "b")
    rest.imported(about("t1", 1, subject="tie"), about("t2", 2, subject="tie"))

    asked = picked(teammate, rest, "choose")
    assert "nothing decides between its claims, so it is left as it is" in asked.text
    page = write(teammate, asked)

    assert "2 decisions written." in page.text
    assert {fact["object"] for fact in rest.listed(subject="a")} == {"shut"}
    assert [conflict["subject"] for conflict in conflicts(rest)] == ["tie"]


def test_of_several_none_is_settled_when_one_was_meanwhile(teammate: Client, owner: Client, rest: Rest, trio: Trio):
    two(rest, "a")
    two(rest, "b")
    asked = picked(teammate, rest, "choose")
    write(owner, follow(owner, follow(owner, shown(owner), "b, state"), "Claim B: this one holds"))

    page = write(teammate, asked)

    assert "One of them was settled by somebody else meanwhile" in page.text
    assert len(decided(trio)) == 1
    assert {fact["object"] for fact in rest.listed(subject="a")} == {"open", "shut"}


def test_decisions_on_record_say_who_when_and_why(teammate: Client, rest: Rest):
    assert "No decisions yet" in page_of(teammate.get(f"{INBOX}/decisions", {"scope": "shared"})).text
    two(rest, "a")
    two(rest, "b")
    write(teammate, follow(teammate, shown(teammate), "Claim B: this one holds"), "I looked.")
    write(teammate, follow(teammate, shown(teammate), "Dismiss with a reason"), "Two doors.")

    page = page_of(teammate.get(f"{INBOX}/decisions", {"scope": "shared"}))

    assert [row[:4] for row in page.rows[1:]] == [
        ["b, state", "dismissed", "Two doors.", "Teammate"],
        ["a, state", "chose a is open", "I looked.", "Teammate"],
    ]


def test_phi_is_shown_settled_and_on_record_only_for_a_purpose(teammate: Client, rest: Rest):
    rest.post("consents", consent("consent:c"))
    two(rest, classification="PHI", consent="consent:c")
    assert "No contradictions" in shown(teammate).text

    teammate.post("/spaces/north/purpose", {"purpose": "care"})
    page = shown(teammate)
    assert "door is open" in page.text
    write(teammate, follow(teammate, page, "Dismiss with a reason"), "Two doors.")
    decisions = f"{INBOX}/decisions"
    assert "Two doors." in page_of(teammate.get(decisions, {"scope": "shared", "purpose": "care"})).text
    assert "No decisions yet" in page_of(teammate.get(decisions, {"scope": "shared", "purpose": ""})).text


def test_an_auditor_sees_everything_and_settles_nothing(trio: Trio, rest: Rest):
    two(rest)
    Membership.objects.filter(user=trio.teammate).update(role=Membership.Role.AUDITOR)
    client = governing_client(trio.teammate)

    page = shown(client)
    assert "door is open" in page.text
    assert "data-press" not in page.html
    assert 'name="pick"' not in page.html
    posted = {"scope": "shared", "facts": "fact:door-open fact:door-shut", "decision": "dismiss", "reason": "r"}
    assert client.post(INBOX, posted).status_code == 403
    assert decided(trio) == []


def test_a_stranger_finds_nothing_and_nobody_settles_what_is_not_theirs(
    teammate: Client, stranger: Client, trio: Trio, rest: Rest
):
    two(rest)
    private = make_scope(trio.space, "owners-own", trio.owner)
    two(seat(trio.space, scope=private), "secret")

    answers = [stranger.get(f"/spaces/{name}/contradictions", {"scope": "shared"}) for name in ("north", "nowhere")]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert shown(teammate, "owners-own").status == 404
    assert "secret" not in shown(teammate, "*").text
    posted = {"scope": "owners-own", "facts": "fact:secret-open fact:secret-shut", "decision": "dismiss", "reason": "r"}
    assert teammate.post(INBOX, posted).status_code == 404
    page = page_of(teammate.post(INBOX, posted | {"scope": "shared"}, follow=True))
    assert "Nothing was written." in page.text
    assert decided(trio) == []


def test_every_scope_one_may_see_is_shown_and_settled_where_it_is(owner: Client, trio: Trio, rest: Rest):
    two(rest)
    private = make_scope(trio.space, "owners-own", trio.owner)
    two(seat(trio.space, scope=private), "inner")

    page = shown(owner, "*")
    assert "scope owners-own" in page.text
    assert 'name="pick"' not in page.html
    asked = follow(owner, follow(owner, page, "inner, state"), "Claim B: this one holds")
    page = write(owner, asked)

    assert "Decision written." in page.text
    assert "scope shared" in page.text
    assert [decision.scope for decision in decided(trio)] == [private.pk]


def test_what_waits_is_counted_in_the_navigation_and_on_the_home_page(teammate: Client, trio: Trio, rest: Rest):
    def counted(page: Page) -> list[str]:
        return re.findall(r">Contradictions<span class=\"count count-due\">(\S+)<span", page.html)

    assert counted(shown(teammate)) == []
    for number in range(51):
        two(rest, f"s{number:02}")
    assert counted(shown(teammate)) == ["50+"]
    assert counted(page_of(teammate.get("/spaces/north/facts", {"scope": "shared"}))) == ["50+"]

    home = page_of(teammate.get("/spaces/north/"))
    assert "Contradictions open 50+ claims that cannot both hold" in home.text
    assert "2 claims on s00, state" in home.text
    page = page_of(teammate.get(home.links["2 claims on s00, state"]))
    assert "s00 is open" in page.text


def test_a_hostile_claim_is_shown_as_the_characters_it_is_made_of(teammate: Client, rest: Rest):
    more = {"subject": HOSTILE, "predicate": HOSTILE, "statement": HOSTILE, "source": "urn:x:%22onerror"}
    rest.imported(about("a", HOSTILE, **more), about("b", {"k": HOSTILE}, **more))

    page = shown(teammate)

    assert page.text.count(HOSTILE) > 4
    assert "img" not in page.tags


def test_a_contradiction_of_many_claims_shows_the_best_and_names_the_rest(teammate: Client, rest: Rest):
    rest.imported(
        *(about(f"n{number:03}", number, recordedAt=f"2026-01-01T00:00:{number % 60:02}Z") for number in range(120))
    )

    page = shown(teammate)

    assert page.html.count("<article") == 8
    assert "112 more claims" in page.text
    assert len(page.html) < 200_000


def test_a_page_asks_the_databases_no_more_for_many_contradictions_than_for_few(
    teammate: Client, rest: Rest, django_assert_max_num_queries: Any
):
    def asked(first: int, count: int) -> int:
        for number in range(first, first + count):
            two(rest, f"s{number:02}")
        with django_assert_max_num_queries(60) as queries:
            assert shown(teammate).status == 200
        return len(queries)

    shown(teammate)
    assert asked(0, 2) == asked(2, 20)
