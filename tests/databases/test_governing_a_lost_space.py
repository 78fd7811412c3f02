"""While the database of a Space is lost, its people and seats can be governed: they are in the control database."""

import uuid
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from audit.models import AuditRow
from seats.models import SeatToken
from spaces.databases.aliases import register_space
from spaces.models import Membership, Space
from tests.accounts.factors import governing_client
from tests.actors import Trio, make_seat_token
from tests.databases.breaking import BREAKINGS

RENAMED = next(breaking for breaking in BREAKINGS if breaking.name == "renamed")
SEATS, PEOPLE = "/spaces/north/seats", "/spaces/north/people"


@pytest.fixture
def token(trio: Trio) -> str:
    return make_seat_token(trio.space)


@pytest.fixture
def lost(trio: Trio, token: str, data_dir: Path) -> Iterator[Space]:
    """The Space of owner and teammate, its database away."""
    RENAMED.broken(data_dir, trio.space.pk)
    yield trio.space
    RENAMED.mended(data_dir, trio.space.pk)


def ask(token: str) -> int:
    return Client().get("/api/v1/seat", headers={"Authorization": f"Bearer {token}"}).status_code


def test_a_token_is_revoked_on_its_page(lost: Space, token: str, trio: Trio) -> None:
    client = governing_client(trio.owner)
    assert client.get("/spaces/north/").status_code == 503
    page = client.get(SEATS)
    assert page.status_code == 200
    assert token[:14] in page.content.decode()
    address = f"{SEATS}/tokens/{SeatToken.objects.get().pk}/revoke"
    assert client.get(address).status_code == 200
    assert client.post(address)["Location"] == SEATS
    assert ask(token) == 401


def test_a_seat_is_made(lost: Space, trio: Trio) -> None:
    client = governing_client(trio.owner)
    assert client.get(f"{SEATS}/new").status_code == 200
    form = {"project": "main", "kind": "engine", "client": "claude", "assistant": "wren", "verbs": ["facts:read"]}
    assert client.post(f"{SEATS}/new", form).status_code == 200
    assert SeatToken.objects.count() == 2


def test_people_are_invited_given_roles_and_removed(lost: Space, trio: Trio) -> None:
    client = governing_client(trio.owner)
    assert client.get(PEOPLE).status_code == 200
    invited = client.post(f"{PEOPLE}/invite", {"role": "member", "email": ""})
    assert "/join/" in invited.context["made"]["link"]
    client.post(f"{PEOPLE}/{trio.teammate.pk}/role", {"role": "auditor"})
    assert Membership.objects.get(user=trio.teammate).role == "auditor"
    assert client.get(f"{PEOPLE}/{trio.teammate.pk}/remove").status_code == 200
    assert client.post(f"{PEOPLE}/{trio.teammate.pk}/remove")["Location"] == PEOPLE
    assert not Membership.objects.filter(user=trio.teammate).exists()


def test_a_refusal_is_recorded_in_the_control_database(lost: Space, trio: Trio) -> None:
    assert trio.client("teammate").get(f"{SEATS}/new").status_code == 403
    row = AuditRow.objects.using("default").get(outcome="refused")
    assert (row.actor_id, row.act, row.object) == (str(trio.teammate.pk), "get seats_new", "north")


def test_the_pages_stay_outside_the_space(trio: Trio, monkeypatch: pytest.MonkeyPatch) -> None:
    entered = []

    def registering(space_id: uuid.UUID, url: str) -> str:
        entered.append(space_id)
        return register_space(space_id, url)

    monkeypatch.setattr("spaces.databases.entering.register_space", registering)
    client = governing_client(trio.owner)
    assert [client.get(address).status_code for address in (SEATS, f"{SEATS}/new", PEOPLE)] == [200, 200, 200]
    assert entered == []
    client.get("/spaces/north/")
    assert entered


def revoked(words: str) -> str:
    out = StringIO()
    call_command("seat_revoke", words, stdout=out)
    return out.getvalue()


class TestTheCommand:
    @pytest.fixture(autouse=True)
    def _committed(self, committed_db: None) -> None:
        """The command lets go of all connections, so nothing may hang on a test's transaction."""

    @pytest.mark.parametrize("given", ["whole", "hint", "hint with dots"])
    def test_it_ends_a_token_by_itself_or_by_its_beginning(self, lost: Space, token: str, given: str) -> None:
        words = {"whole": token, "hint": token[:14], "hint with dots": f"{token[:14]}…"}[given]
        said = revoked(words)
        assert said.startswith(f"The token {token[:14]}… of the seat seat ")
        assert said.endswith("in Space north was revoked.\n")
        assert token not in said
        assert ask(token) == 401
        row = AuditRow.objects.using("default").get(act="seat.revoke")
        assert (row.actor_kind, row.stated["token"]) == ("system", str(SeatToken.objects.get().pk))

    def test_one_that_ended_before_stays_as_it_is(self, trio: Trio, token: str) -> None:
        revoked(token)
        assert "had ended before" in revoked(token)
        assert AuditRow.objects.using("default").filter(act="seat.revoke").count() == 1

    def test_a_beginning_that_two_share_ends_neither(self, trio: Trio, token: str) -> None:
        other = make_seat_token(trio.elsewhere)
        SeatToken.objects.update(hint=token[:14])
        with pytest.raises(CommandError, match=r"seat \d+ in Space elsewhere.*Give the whole token"):
            revoked(token[:14])
        assert ask(token) == ask(other) == 200

    @pytest.mark.parametrize("words", ["kndl_seat_none", "x", "", "kndl_seat_"])
    def test_what_is_no_token_is_an_error(self, trio: Trio, token: str, words: str) -> None:
        with pytest.raises(CommandError, match="There is no such token"):
            revoked(words)
        assert ask(token) == 200
