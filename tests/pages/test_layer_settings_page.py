"""The page of the layers' settings: what a change would do is shown before it is saved; moving to another embedder."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from common.times import now
from memory.layers.models import LayerSettings, NodeStrength, Reembedding, ScopeStat
from memory.layers.settings import layer_settings
from spaces.databases.entering import entered
from tests.actors import Trio
from tests.pages.reading import Page, page_of
from tests.pages.talking import LEDGER, distilled, say

PAGE = "/spaces/north/settings/layers"
AS_THEY_ARE = {
    "fragment_tau": "14",
    "event_tau": "45",
    "fragment_threshold": "0.05",
    "event_threshold": "0.02",
    "idle_minutes": "30",
    "full_lines": "200",
    "quiet_seconds": "30",
    "distiller": "",
}


def previewed(client: Client, **changes: str) -> Page:
    return page_of(client.get(PAGE, AS_THEY_ARE | {"preview": "1"} | changes))


def saved(client: Client, version: int = 1, /, **changes: str) -> Page:
    fields = AS_THEY_ARE | {"version": str(version)} | changes
    return page_of(client.post(f"{PAGE}/save", fields, follow=True))


def held(space: Any) -> LayerSettings:
    with entered(space):
        return layer_settings()


def begun(client: Client, embedder: str) -> Page:
    return page_of(client.post(f"{PAGE}/embedding", {"act": "begin", "embedder": embedder}, follow=True))


def test_the_form_shows_what_holds(owner: Client, trio: Trio):
    page = page_of(owner.get(PAGE))

    assert {name: page.fields[name] for name in AS_THEY_ARE if name != "distiller"} == {
        name: value for name, value in AS_THEY_ARE.items() if name != "distiller"
    }
    assert "If this is saved" not in page.text


def test_a_change_is_shown_with_its_consequences_and_saves_nothing(owner: Client, trio: Trio):
    say(trio.space, *LEDGER)
    distilled(trio.space)
    with entered(trio.space):
        NodeStrength.objects.filter(layer=1).update(score=1.0, scored_at=now() - timedelta(days=20))
        fragments = NodeStrength.objects.filter(layer=1).count()

    page = previewed(owner, fragment_tau="2")

    assert ["τ of a fragment", "14 days", "2 days"] in page.rows
    layer = next(row for row in page.rows if row[0] == "L1 fragment")
    assert layer[1:4] == [str(fragments), "0", str(fragments)]
    assert held(trio.space).fragment_tau == 14
    assert "Nothing would change" in previewed(owner).text


def test_what_was_looked_at_is_saved(owner: Client, trio: Trio):
    page = saved(owner, fragment_tau="10", review="on")

    assert "Settings saved." in page.text
    settings = held(trio.space)
    assert (settings.fragment_tau, settings.review, settings.version) == (10, True, 2)


def test_a_change_on_top_of_somebody_elses_is_refused(owner: Client, trio: Trio):
    saved(owner, fragment_tau="10")

    assert "The settings were changed in the meantime. Nothing was changed." in saved(owner, fragment_tau="12").text
    assert held(trio.space).fragment_tau == 10


@pytest.mark.parametrize(
    ("name", "value"),
    [("fragment_tau", "soon"), ("fragment_tau", "nan"), ("event_threshold", "2"), ("full_lines", "1.5")],
)
def test_what_cannot_be_is_marked_at_its_field(owner: Client, trio: Trio, name: str, value: str):
    for page in (previewed(owner, **{name: value}), saved(owner, **{name: value})):
        assert page.status == 400
        assert "This can’t be saved." in page.text
        field = page.html.partition(f'id="{name}"')[2].partition(">")[0]
        assert 'aria-invalid="true"' in field
        assert page.fields[name] == value
    assert held(trio.space).version == 1


def test_only_an_owner_lets_phi_out_to_a_model(owner: Client, trio: Trio):
    assert "PHI would leave this Space." in previewed(owner, phi_to_model="on").text
    saved(owner, phi_to_model="on")
    assert held(trio.space).phi_to_model


def test_a_member_looks_and_a_stranger_finds_nothing(teammate: Client, stranger: Client, trio: Trio):
    page = page_of(teammate.get(PAGE))
    assert "Owners and admins of the Space change these." in page.text
    assert "Begin the move" not in page.text

    for client, status in ((teammate, 403), (stranger, 404)):
        assert client.post(f"{PAGE}/save", AS_THEY_ARE).status_code == status
        assert client.post(f"{PAGE}/embedding", {"act": "stop"}).status_code == status
    assert page_of(stranger.get(PAGE)).status == 404
    assert held(trio.space).version == 1


def test_a_move_to_another_embedder_shows_how_far_it_is_and_can_be_stopped(owner: Client, trio: Trio):
    say(trio.space, *LEDGER)
    distilled(trio.space)
    with entered(trio.space):
        ScopeStat.objects.update(embedder="openai:older")

    page = begun(owner, "wordllama")

    assert "Begun: memories get vectors of wordllama." in page.text
    assert "0 of" in page.text
    assert "memories have their new vectors of wordllama" in page.text
    assert "is being moved to another embedder already. Nothing was changed." in begun(owner, "wordllama").text
    stopped = page_of(owner.post(f"{PAGE}/embedding", {"act": "stop"}, follow=True))
    assert "Stopped." in stopped.text
    with entered(trio.space):
        assert Reembedding.objects.get().state == "stopped"


@pytest.mark.parametrize(("embedder", "said"), [("", "Name an embedder first."), ("<b>none", "there is no embedder")])
def test_an_embedder_that_there_is_not_is_refused(owner: Client, trio: Trio, embedder: str, said: str):
    page = begun(owner, embedder)

    assert said in page.text
    assert "Nothing was changed." in page.text
    with entered(trio.space):
        assert not Reembedding.objects.exists()
