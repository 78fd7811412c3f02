"""The pages of consents: who allows what, what is held, who read it; giving, narrowing, withdrawing, break-glass."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client

from accounts.models import User
from audit.models import AuditRow
from common.times import now
from memory.keys.keeping import hashed
from spaces.databases.aliases import alias_of
from spaces.databases.entering import entered
from spaces.models import Membership, Scope
from tests.accounts.factors import governing_client
from tests.actors import Trio, make_user
from tests.pages.reading import Page, page_of
from tests.phi.patients import SUBJECT, consent, stored_phi
from tests.rest.client import Rest, stored

PAGE = "/spaces/north/consents"
SHARED = {"scope": "shared"}
REASON = "patient unconscious, the clinic asks"


def shown(client: Client, path: str = PAGE, **query: str) -> Page:
    return page_of(client.get(path, SHARED | query))


def address_of(trio: Trio, more: str = "", subject: str = SUBJECT) -> str:
    """The page of a subject."""
    with entered(trio.space):
        scope = Scope.objects.get(space=trio.space, name="shared")
        return f"{PAGE}/subjects/{hashed(scope.pk, 'subject', subject)}{more}"


def stale(client: Client) -> Client:
    """The same browser, more than five minutes after its person proved who they are."""
    session = client.session
    for record in session["account_authentication_methods"]:
        record["at"] -= 301
    session.save()
    return client


def acts(trio: Trio, act: str) -> list[AuditRow]:
    return list(AuditRow.objects.using(alias_of(trio.space.pk)).filter(act=act).order_by("sequence"))


def test_subjects_are_listed_with_what_is_in_force_held_and_released(owner: Client, rest: Rest):
    consent(rest, purposes=["treatment", "billing"])
    rest.imported(stored_phi("a"), stored_phi("b", subject=None), stored_phi("c", consent="consent:later"))

    assert shown(owner).rows[-1] == [SUBJECT, "1 of 1", "treatment, billing", "3", "0", "3"]
    assert shown(owner, purpose="billing").rows[-1] == [SUBJECT, "1 of 1", "treatment, billing", "3", "2", "1"]


def test_consents_that_facts_wait_for_are_listed_and_lead_to_a_form_that_names_them(owner: Client, rest: Rest):
    rest.imported(stored_phi("a"), stored_phi("b"))

    page = shown(owner)
    assert page.rows[1][:3] == ["consent:c1", SUBJECT, "2"]
    [address] = [href for words, href in page.links.items() if words.startswith("Record this consent")]
    form = page_of(owner.get(address))
    assert (form.fields["id"], form.fields["subject"]) == ("consent:c1", SUBJECT)


def test_a_consent_is_given_on_a_page_and_releases_what_waited(owner: Client, rest: Rest, trio: Trio):
    rest.imported(stored_phi("a"))
    assert rest.ids(purpose="care") == []
    form = SHARED | {
        "id": "consent:c1", "subject": SUBJECT, "purposes": ["care"], "granted_by": "Jun Hallowick",
        "evidence": "form 0412, page 2", "valid_from": "2026-01-01T00:00",
    }  # fmt: skip

    assert owner.post(f"{PAGE}/new", form).status_code == 302
    assert rest.ids(purpose="care") == ["fact:a"]
    row = shown(owner, address_of(trio)).rows[1]
    assert row[:3] == ["consent:c1", "care", "human://jun-hallowick"]
    assert row[4:6] == ["form 0412, page 2", "in force"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"subject": ""}, "Is required."),
        ({"purposes": []}, "Is required."),
        ({"purposes": ["astrology"]}, "Select a valid choice"),
        ({"valid_from": "2026-02-01T00:00", "valid_until": "2026-01-01T00:00"}, "Must be later than valid_from."),
        ({"valid_from": "soon"}, "Must be"),
        ({"id": "consent:taken"}, "Is taken by another consent."),
        ({"id": "with space"}, "Must be an id"),
        ({"subject": "\u200b"}, "Must be text"),
    ],
)
def test_what_is_wrong_in_the_form_is_said_at_its_field_and_nothing_is_kept(
    owner: Client, rest: Rest, changed: dict[str, object], said: str
):
    consent(rest, name="consent:taken")
    form = SHARED | {"subject": SUBJECT, "purposes": ["care"], "granted_by": "Jun", "evidence": "form 9"} | changed
    answer = owner.post(f"{PAGE}/new", form)
    assert answer.status_code == 400
    assert said in page_of(answer).text
    assert "form 9" in answer.content.decode()
    assert len(shown(owner).rows) == 2


def test_narrowing_says_the_reach_and_takes_a_purpose_away(owner: Client, rest: Rest, trio: Trio):
    consent(rest, purposes=["treatment", "billing"])
    rest.imported(stored_phi("a"), stored_phi("b"))
    address = f"{PAGE}/consent:c1/narrow"

    assert f"2 facts of {SUBJECT} are withheld" in shown(owner, address).text
    assert owner.post(f"{address}?scope=shared", {"purposes": ["billing"]}).status_code == 302
    assert (rest.ids(purpose="treatment"), len(rest.ids(purpose="billing"))) == ([], 2)
    assert owner.post(f"{address}?scope=shared", {"purposes": []}).status_code == 400


def test_withdrawing_says_the_reach_and_works_at_the_next_request(owner: Client, rest: Rest, trio: Trio):
    consent(rest, purposes=["treatment", "billing"])
    rest.imported(stored_phi("a"))
    address = f"{PAGE}/consent:c1/withdraw"

    assert f"1 fact of {SUBJECT} is withheld for treatment, billing" in shown(owner, address).text
    assert rest.ids(purpose="treatment") == ["fact:a"]
    assert owner.post(f"{address}?scope=shared").status_code == 302
    assert rest.ids(purpose="treatment") == []
    page = shown(owner, address_of(trio))
    assert page.rows[1][5].startswith("withdrawn")
    assert "It does not hold now" in shown(owner, address).text


@pytest.mark.parametrize(
    ("state", "changed"),
    [
        ("in force", {}),
        ("not yet", {"valid_from": "2100-01-01T00:00:00Z"}),
        ("ended", {"valid_from": "2020-01-01T00:00:00Z", "valid_until": "2021-01-01T00:00:00Z"}),
    ],
)
def test_a_consent_shows_its_state(owner: Client, rest: Rest, trio: Trio, state: str, changed: dict[str, str]):
    consent(rest, **changed)
    assert shown(owner, address_of(trio)).rows[1][5] == state


def test_who_read_what_and_when_is_in_the_subjects_record(owner: Client, rest: Rest, trio: Trio):
    consent(rest)
    rest.imported(stored_phi("a"), stored_phi("b"))
    rest.ids(purpose="treatment")
    trio.client("teammate").get("/spaces/north/facts/fact:a", SHARED | {"purpose": "treatment"})

    rows = [row[1:] for row in shown(owner, address_of(trio)).rows if "released under consent:c1" in row]
    assert {row[0] for row in rows} == {"Teammate", rows[-1][0]}
    assert rows[-1][0].startswith("seat ")
    assert rows[-1][1:] == ["treatment", "2 facts", "released under consent:c1"]


def test_to_look_at_consents_is_on_record_too(owner: Client, rest: Rest, trio: Trio):
    consent(rest)
    shown(owner)
    shown(owner, address_of(trio))
    assert [row.act for row in (*acts(trio, "consent.list"), *acts(trio, "consent.read"))] == [
        "consent.list", "consent.read",
    ]  # fmt: skip


@pytest.mark.parametrize("path", ["", "/new", "/consent:c1/narrow", "/consent:c1/withdraw"])
def test_members_have_no_pages_of_consents_and_strangers_not_even_the_space(
    teammate: Client, stranger: Client, rest: Rest, path: str
):
    consent(rest)
    assert teammate.get(PAGE + path, SHARED).status_code == 403
    assert stranger.get(PAGE + path, SHARED).status_code == 404
    assert "Consent and PHI" not in page_of(teammate.get("/spaces/north/facts", SHARED)).links


def test_an_auditor_looks_and_changes_nothing(rest: Rest, trio: Trio):
    user = make_user("auditor")
    Membership.objects.create(space=trio.space, user=user, role=Membership.Role.AUDITOR)
    auditor = governing_client(user)
    consent(rest)
    page = shown(auditor, address_of(trio))
    assert (page.status, "Withdraw" in page.text, "Break glass" in page.text) == (200, False, False)
    assert auditor.get(f"{PAGE}/new", SHARED).status_code == 403
    assert auditor.post(f"{PAGE}/consent:c1/withdraw?scope=shared").status_code == 403
    assert auditor.post(address_of(trio, "/break-glass") + "?scope=shared", {"reason": REASON}).status_code == 403


def test_a_change_needs_proof_of_the_last_five_minutes_and_keeps_what_was_typed_on_the_page(
    owner: Client, rest: Rest, trio: Trio
):
    consent(rest)
    late = stale(owner)
    assert "/accounts/reauthenticate/" in late.get(f"{PAGE}/new", SHARED)["Location"]
    form = SHARED | {"subject": SUBJECT, "purposes": ["care"], "granted_by": "Jun", "evidence": "form 9"}
    for path, given in (("/new", form), ("/consent:c1/withdraw", SHARED), ("/consent:c1/narrow", SHARED)):
        answer = late.post(PAGE + path, given)
        assert answer.status_code == 400
        assert "proved that it is you" in answer.content.decode()
    assert "form 9" in late.post(f"{PAGE}/new", form).content.decode()
    assert [row.act for row in acts(trio, "consent.give")] == ["consent.give"]
    assert not acts(trio, "consent.withdraw")


def test_the_same_holds_for_a_browser_session_at_the_rest_routes(owner: Client, rest: Rest):
    consent(rest)
    address = "/api/v1/spaces/north/consents/consent:c1/withdraw?scope=shared"
    refused = stale(owner).post(address, "{}", content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (403, "confirmation_required")


class TestWithheldRows:
    def test_who_governs_sees_behind_all_rows_that_something_is_withheld(self, owner: Client, rest: Rest):
        consent(rest, subject="patient:2", name="consent:c2")
        rest.imported(stored("plain"), stored_phi("a", statement="has a rash", predicate="finding", confidence=0.123))

        page = shown(owner, "/spaces/north/facts")
        assert page.rows[-1] == ["withheld", "PHI", SUBJECT, "consent:c1 not recorded"]
        assert page.rows[1][0] == "this is plain"
        assert not [word for word in ("rash", "finding", "0.123", "fact:a") if word in page.html]

    def test_the_same_over_rest_and_only_on_the_last_page(self, owner: Client, rest: Rest):
        rest.imported(stored("one"), stored("two"), stored_phi("a"))
        first = owner.get("/api/v1/spaces/north/facts", SHARED | {"limit": 1}).json()
        second = owner.get("/api/v1/spaces/north/facts", SHARED | {"limit": 1, "cursor": first["next"]}).json()
        assert first["withheld"] == []
        assert second["withheld"] == [
            {"classification": "PHI", "subject": SUBJECT, "consent": "consent:c1", "scope": "shared"}
        ]

    @pytest.mark.parametrize(
        "query",
        [
            {"text": "rash"},
            {"band": "usable"},
            {"min_confidence": "0.1"},
            {"predicate": "p"},
            {"classification": "PII"},
        ],
    )
    def test_no_filter_by_which_their_content_could_be_asked_shows_them(
        self, owner: Client, rest: Rest, query: dict[str, str]
    ):
        rest.imported(stored_phi("a", statement="has a rash", predicate="p"))
        assert owner.get("/api/v1/spaces/north/facts", SHARED | query).json()["withheld"] == []

    def test_they_can_be_asked_by_subject(self, owner: Client, rest: Rest):
        rest.imported(stored_phi("a"), stored_phi("b", subject="patient:2"))
        found = owner.get("/api/v1/spaces/north/facts", SHARED | {"subject": SUBJECT}).json()["withheld"]
        assert [fact["subject"] for fact in found] == [SUBJECT]

    def test_what_the_purpose_releases_is_not_among_them(self, owner: Client, rest: Rest):
        consent(rest)
        rest.imported(stored_phi("a"))
        assert owner.get("/api/v1/spaces/north/facts", SHARED | {"purpose": "treatment"}).json()["withheld"] == []

    def test_members_get_the_very_same_page_as_if_nothing_were_there(self, teammate: Client, rest: Rest):
        rest.imported(stored("plain"))
        with time_machine.travel(now(), tick=False):
            before = shown(teammate, "/spaces/north/facts").words
            consent(rest)
            rest.imported(stored_phi("a"))
            assert shown(teammate, "/spaces/north/facts").words == before


class TestBreakGlass:
    @pytest.fixture(autouse=True)
    def _held(self, rest: Rest):
        rest.imported(stored_phi("a", statement="has a rash"), stored_phi("b", subject="patient:2", statement="b"))

    def test_it_opens_one_subject_to_one_person_for_half_an_hour(self, owner: Client, rest: Rest, trio: Trio):
        answer = owner.post(address_of(trio, "/break-glass") + "?scope=shared", {"reason": REASON})
        assert answer.status_code == 302
        assert "has a rash" in shown(owner, "/spaces/north/facts").text
        assert owner.get("/spaces/north/facts/fact:b", SHARED).status_code == 404
        assert rest.ids(purpose="treatment") == []
        assert "has a rash" not in shown(trio.client("teammate"), "/spaces/north/facts").text

        with time_machine.travel(now() + timedelta(minutes=29)):
            assert owner.get("/spaces/north/facts/fact:a", SHARED).status_code == 200
        with time_machine.travel(now() + timedelta(minutes=31)):
            assert owner.get("/spaces/north/facts/fact:a", SHARED).status_code == 404

    def test_opening_and_each_reading_is_on_record_and_shown(self, owner: Client, trio: Trio):
        owner.post(address_of(trio, "/break-glass") + "?scope=shared", {"reason": REASON})
        owner.get("/spaces/north/facts/fact:a", SHARED)

        [opening] = acts(trio, "phi.break_glass")
        assert opening.stated["reason"] == REASON
        assert all(row.stated["break_glass"] for row in acts(trio, "phi.read"))
        page = shown(owner, address_of(trio))
        assert f"opened for 30 min, second factor: “{REASON}”" in page.text
        assert "break-glass read without a consent" in page.text
        for path in ("/spaces/north/", PAGE):
            assert f"Owner may read the PHI of one subject without a consent: “{REASON}”" in shown(owner, path).text
        assert "Break-glass" not in page_of(trio.client("teammate").get("/spaces/north/")).text

    @pytest.mark.parametrize("reason", ["", "short", " " * 40, "." * 40, "x" * 3_000])
    def test_without_a_reason_it_is_refused(self, owner: Client, trio: Trio, reason: str):
        answer = owner.post(address_of(trio, "/break-glass") + "?scope=shared", {"reason": reason})
        assert answer.status_code == 403
        assert not acts(trio, "phi.break_glass")
        assert owner.get("/spaces/north/facts/fact:a", SHARED).status_code == 404

    def test_without_fresh_proof_it_is_refused(self, owner: Client, trio: Trio):
        answer = stale(owner).post(address_of(trio, "/break-glass") + "?scope=shared", {"reason": REASON})
        assert answer.status_code == 403
        assert owner.get("/spaces/north/facts/fact:a", SHARED).status_code == 404

    def test_without_a_second_factor_it_is_refused_even_where_none_is_required(self, trio: Trio, settings):
        settings.KNDL = settings.KNDL.model_copy(update={"require_second_factor": False})
        client = Client()
        client.force_login(trio.owner)
        client.post("/accounts/reauthenticate/", {"password": "a long enough password"})
        for answer in (
            client.get(address_of(trio, "/break-glass"), SHARED),
            client.post(address_of(trio, "/break-glass") + "?scope=shared", {"reason": REASON}),
        ):
            assert answer.status_code == 403
            assert "second factor" in answer.content.decode()

    def test_members_and_seats_cannot(self, teammate: Client, trio: Trio):
        answer = teammate.post(address_of(trio, "/break-glass") + "?scope=shared", {"reason": REASON})
        assert answer.status_code == 403

    def test_whoever_loses_the_role_loses_the_release(self, trio: Trio):
        admin = make_user("admin")
        membership = Membership.objects.create(space=trio.space, user=admin, role=Membership.Role.ADMIN)
        client = governing_client(User.objects.get(pk=admin.pk))
        client.post(address_of(trio, "/break-glass") + "?scope=shared", {"reason": REASON})
        assert client.get("/spaces/north/facts/fact:a", SHARED).status_code == 200

        membership.role = Membership.Role.MEMBER
        membership.save()
        assert client.get("/spaces/north/facts/fact:a", SHARED).status_code == 404

    def test_it_works_where_no_consent_was_ever_recorded(self, owner: Client, trio: Trio):
        page = shown(owner, address_of(trio))
        assert "None is recorded, so what is held is withheld from everybody." in page.text
        assert page.links["Break glass…"].startswith(address_of(trio, "/break-glass"))


def test_the_purpose_is_chosen_in_the_bar_and_kept_for_the_session(teammate: Client, rest: Rest):
    consent(rest)
    rest.imported(stored_phi("a", statement="has a rash"))
    assert "has a rash" not in shown(teammate, "/spaces/north/facts").text
    chosen = {"purpose": "treatment", "next": "/spaces/north/facts?scope=shared"}
    assert teammate.post("/spaces/north/purpose", chosen)["Location"] == chosen["next"]
    assert "has a rash" in shown(teammate, "/spaces/north/facts").text
    assert "has a rash" not in shown(teammate, "/spaces/north/facts", purpose="x" * 4_000).text
    assert teammate.post("/spaces/north/purpose", {"purpose": "x" * 4_000}).status_code == 400
    teammate.post("/spaces/north/purpose", {"purpose": ""})
    assert "has a rash" not in shown(teammate, "/spaces/north/facts").text


def test_a_purpose_in_an_address_holds_for_that_page_alone(teammate: Client, rest: Rest):
    """Else a link of somebody else's would decide what the reader acts for from then on."""
    consent(rest)
    rest.imported(stored_phi("a", statement="has a rash"))
    assert "has a rash" in shown(teammate, "/spaces/north/facts", purpose="treatment").text
    assert "has a rash" not in shown(teammate, "/spaces/north/facts").text


def test_phi_that_its_writer_may_not_read_leads_back_to_the_list(teammate: Client, rest: Rest):
    consent(rest)
    form = SHARED | {
        "statement": "has a rash", "subject": SUBJECT, "confidence": "0.9", "source": "human://x",
        "classification": "PHI", "consent": "consent:c1",
    }  # fmt: skip
    answer = teammate.post("/spaces/north/facts/new", form, follow=True)
    assert answer.redirect_chain == [("/spaces/north/facts?scope=shared", 302)]
    assert "It is PHI, and withheld" in page_of(answer).text
    assert "has a rash" not in answer.content.decode()
