"""Tokens of seats: what opens, what ends, who may end it."""

from datetime import timedelta

import pytest
from django.test import Client

from audit.models import AuditRow
from common.errors import Forbidden
from common.times import now
from seats.making import make_seat, revoke_token
from seats.models import SeatToken
from seats.tokens import MORE_VERBS, VERBS, new_token, parse_purposes, parse_verbs
from spaces.access import person_caller
from tests.accounts.factors import governing_client
from tests.actors import Trio

pytestmark = pytest.mark.django_db
ME = "/api/v1/seat"


@pytest.fixture
def secret(trio: Trio) -> str:
    return make_seat(person_caller(trio.owner), trio.space)[1]


def ask(secret: str, scheme: str = "Bearer"):
    return Client().get(ME, headers={"Authorization": f"{scheme} {secret}"})


def test_a_seat_learns_who_it_is(secret):
    answer = ask(secret)
    assert answer.status_code == 200
    assert (answer.json()["space"], answer.json()["scope"]) == ("north", "assistant.owner")


def test_a_person_is_no_seat(trio: Trio):
    for client in (governing_client(trio.owner), trio.client("teammate")):
        answer = client.get(ME)
        assert answer.status_code == 403
        assert answer["Content-Type"] == "application/problem+json"


def test_nobody_is_asked_for_a_token():
    answer = Client().get(ME)
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == 'Bearer realm="kndl"'


def test_bi_043_a_revoked_token_is_refused_at_the_next_request(trio: Trio, secret):
    assert ask(secret).status_code == 200
    revoke_token(person_caller(trio.owner), SeatToken.objects.get())
    assert ask(secret).status_code == 401


def test_an_expired_token_is_refused(secret):
    SeatToken.objects.update(expires_at=now() + timedelta(minutes=1))
    assert ask(secret).status_code == 200
    SeatToken.objects.update(expires_at=now() - timedelta(seconds=1))
    assert ask(secret).status_code == 401


def test_revoked_expired_and_unknown_tokens_are_refused_in_the_same_words(trio: Trio, secret):
    unknown = ask(new_token()).content
    SeatToken.objects.update(expires_at=now())
    expired = ask(secret).content
    revoke_token(person_caller(trio.owner), SeatToken.objects.get())
    assert ask(secret).content == expired == unknown


def test_the_use_of_a_dead_token_is_on_record_and_a_guess_is_not(trio: Trio, secret):
    revoke_token(person_caller(trio.owner), SeatToken.objects.get())
    before = AuditRow.objects.using("default").count()
    for guess in (new_token(), "kndl_seat_", "x", "kndl_seat_\u00fc"):
        assert ask(guess).status_code == 401
    assert AuditRow.objects.using("default").count() == before
    ask(secret)
    assert AuditRow.objects.using("default").filter(act="seat.authenticate", outcome="refused").count() == 1


def test_a_token_does_not_open_pages(secret):
    answer = Client().get("/spaces/north/seats", headers={"Authorization": f"Bearer {secret}"})
    assert answer["Location"].startswith("/accounts/login/")


def test_when_it_was_used_last_is_noted(secret):
    assert SeatToken.objects.get().last_used_at is None
    ask(secret)
    assert now() - SeatToken.objects.get().last_used_at < timedelta(minutes=1)


def test_only_the_hash_and_a_hint_are_kept(secret):
    row = SeatToken.objects.values().get()
    assert secret not in str(row)
    assert row["hint"] == secret[:14]
    assert len(secret) == len("kndl_seat_") + 43


class TestRevoking:
    def test_it_is_on_record_and_stays(self, trio: Trio, secret):
        token = SeatToken.objects.get()
        revoke_token(person_caller(trio.owner), token)
        first = token.revoked_at
        revoke_token(person_caller(trio.owner), token)
        assert token.revoked_at == first
        rows = AuditRow.objects.using("default").filter(act="seat.revoke")
        assert {row.stated["token"] for row in rows} == {str(token.pk)}

    def test_teammate_and_stranger_may_not(self, trio: Trio, secret):
        token = SeatToken.objects.get()
        for person in (trio.teammate, trio.stranger):
            with pytest.raises(Forbidden):
                revoke_token(person_caller(person), token)
        assert ask(secret).status_code == 200

    def test_its_page_says_first_what_ends(self, trio: Trio, secret):
        client, address = (
            governing_client(trio.owner),
            f"/spaces/north/seats/tokens/{SeatToken.objects.get().pk}/revoke",
        )
        assert "It stops at the next request" in client.get(address).content.decode()
        assert ask(secret).status_code == 200
        assert client.post(address)["Location"] == "/spaces/north/seats"
        assert ask(secret).status_code == 401
        assert "revoked" in client.get("/spaces/north/seats").content.decode()

    def test_its_page_is_not_for_others(self, trio: Trio, secret):
        token = SeatToken.objects.get().pk
        assert trio.client("teammate").post(f"/spaces/north/seats/tokens/{token}/revoke").status_code == 403
        stranger = governing_client(trio.stranger)
        assert stranger.post(f"/spaces/north/seats/tokens/{token}/revoke").status_code == 404
        assert stranger.post(f"/spaces/elsewhere/seats/tokens/{token}/revoke").status_code == 404
        assert ask(secret).status_code == 200


def test_all_verbs_are_all_but_the_one_that_crosses_tenants():
    assert parse_verbs("all") == [*VERBS, *MORE_VERBS]
    assert parse_verbs(" facts:read , cross_tenant ") == ["facts:read", "cross_tenant"]


@pytest.mark.parametrize("text", ["", ",", "facts:burn", "ALL"])
def test_what_is_no_verb_is_refused(text):
    with pytest.raises(ValueError, match="verb"):
        parse_verbs(text)


def test_what_is_no_purpose_is_refused():
    assert parse_purposes("") == []
    with pytest.raises(ValueError, match="gossip"):
        parse_purposes("care,gossip")


def test_the_command_is_handed_out_as_a_file():
    answer = Client().get("/kndl.py")
    assert answer["Content-Type"] == "text/x-python; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="kndl.py"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    compile(answer.content, "kndl.py", "exec")
