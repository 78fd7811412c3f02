"""Reading memories over REST."""

from datetime import timedelta

import pytest

from common.times import format_instant, now
from memory.layers.models import NodeStrength, RecallUse
from memory.layers.reinforcing import recall_fragments
from spaces.databases.entering import entered
from tests.accounts.factors import give_app
from tests.layers.remembered import Remembered, days
from tests.phi.patients import consent, phi
from tests.rest.client import Rest, bearer, seat


def listed(rest, **query):
    answer = rest.get("memories", **query)
    assert answer.status_code == 200, answer.content
    return answer.json()["memories"]


def ids(rest, **query):
    return [memory["id"] for memory in listed(rest, **query)]


def read(rest, node, **query):
    answer = rest.get(f"memories/{node}", **query)
    assert answer.status_code == 200, answer.content
    return answer.json()


@pytest.fixture
def farm(remembered):
    """A session of three lines, two fragments, an event and a concept."""
    session = remembered.session("We sheared the sheep", "It rained", "Bring the wool to Mina", client_id="farm talk")
    sheep = remembered.fragment("We sheared the sheep", (session, 0, 0), score=0.9)
    wool = remembered.fragment("Bring the wool to Mina", (session, 2, 2), score=0.4)
    shearing = remembered.event("Shearing day", "The sheep were shorn", [sheep, wool], (session, 0, 2))
    mina = remembered.concept("Mina", [wool, shearing], type="Person")
    return {"session": session, "sheep": sheep, "wool": wool, "shearing": shearing, "mina": mina}


def test_memories_are_listed_newest_first_with_strength_and_sources(rest, farm):
    found = listed(rest)
    assert [memory["id"] for memory in found] == [farm["mina"], farm["shearing"], farm["wool"], farm["sheep"]]
    sheep = found[-1]
    assert (sheep["layer"], sheep["type"], sheep["text"], sheep["scope"]) == (
        1,
        "Fragment",
        "We sheared the sheep",
        "shared",
    )
    assert sheep["sources"] == [{"session": str(farm["session"].pk), "client_id": "farm talk", "from": 0, "to": 0}]
    assert sheep["strength"]["effective"] == pytest.approx(0.9, abs=1e-4)
    assert sheep["strength"]["tau"] == 14
    assert sheep["strength"]["fades_at"] is not None
    assert found[1]["name"] == "Shearing day"
    assert found[0]["strength"] | {"scored_at": ""} == {
        "effective": 1.0, "score": 1.0, "tau": None, "scored_at": "", "pinned": False, "fades_at": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"layer": 1}, ["wool", "sheep"]),
        ({"type": "Person"}, ["mina"]),
        ({"min_strength": 0.95}, ["mina", "shearing"]),
        ({"max_strength": 0.5}, ["wool"]),
        ({"text": "SHEEP shorn"}, ["shearing"]),
        ({"text": "mina"}, ["mina", "wool"]),
        ({"text": "100%"}, []),
        ({"source": "seat:1"}, ["shearing", "wool", "sheep"]),
        ({"source": "elsewhere"}, []),
        ({"archived": "only"}, []),
        ({"pinned": "true"}, []),
        ({"classification": "PHI"}, []),
        ({"sort": "weakest", "layer": 1}, ["wool", "sheep"]),
        ({"sort": "strongest", "layer": 1}, ["sheep", "wool"]),
        ({"sort": "fading"}, ["wool", "sheep", "shearing"]),
        ({"formed_until": "2001-01-01"}, []),
        ({"formed_from": "2001-01-01", "layer": 3}, ["mina"]),
    ],
)
def test_a_filter_leaves_what_it_says(rest, farm, query, names):
    assert ids(rest, **query) == [farm[name] for name in names]


def test_memories_of_one_session_alone(rest, farm, remembered):
    other = remembered.session("The boat leaks", client_id="harbour")
    boat = remembered.fragment("The boat leaks", (other, 0, 0))
    assert ids(rest, session=str(other.pk)) == [boat]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"layer": 4}, "layer"), ({"layer": "x"}, "layer"), ({"min_strength": 2}, "min_strength"),
        ({"formed_from": "yesterday"}, "formed_from"), ({"session": "nope"}, "session"), ({"sort": "random"}, "sort"),
        ({"archived": "maybe"}, "archived"), ({"cursor": "zzz"}, "cursor"), ({"limit": 0}, "limit"),
        ({"colour": "red"}, "colour"), ({"as_of": "2026-01-01T00:00"}, "as_of"),
    ],
)  # fmt: skip
def test_a_bad_parameter_is_named(rest, query, field):
    answer = rest.get("memories", **query)
    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["errors"]] == [field]


@pytest.mark.parametrize("sort", ["newest", "strongest", "weakest", "fading"])
def test_pages_hold_every_memory_once_and_go_on_at_their_instant(rest, remembered, sort):
    made = [remembered.fragment(f"Note {n} on the garden", score=0.2 + (n % 4) / 10) for n in range(9)]
    seen, cursor = [], None
    for _ in range(9):
        answer = rest.get("memories", sort=sort, limit=2, cursor=cursor).json()
        seen += [memory["id"] for memory in answer["memories"]]
        cursor = answer["next"]
        if cursor is None:
            break
    assert sorted(seen) == made
    assert len(seen) == len(made)


def test_a_cursor_belongs_to_its_query(rest, remembered):
    for number in range(3):
        remembered.fragment(f"Note {number}")
    cursor = rest.get("memories", limit=1).json()["next"]
    answer = rest.get("memories", limit=1, layer=2, cursor=cursor)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "cursor")


def test_one_memory_shows_all_that_hangs_on_it(rest, farm, north):
    with entered(north):
        recall_fragments(north.scopes.get().pk, [farm["wool"]], now(), base_tau=14.0, actor="seat:7")
        RecallUse.objects.create(
            scope=north.scopes.get().pk, actor="seat:7", at=now(), purpose="", nodes=[farm["wool"]]
        )
    found = read(rest, farm["wool"], tau=28)
    assert {(link["predicate"], link["direction"], link["memory"]) for link in found["links"]} == {
        ("part_of", "out", farm["shearing"]),
        ("mentions", "out", farm["mina"]),
    }
    assert [step["kind"] for step in found["reinforcements"]] == ["formed", "recall"]
    assert found["reinforcements"][1]["tau"] == 21
    assert found["reinforcements"][1]["score"] == pytest.approx(0.46, abs=1e-3)
    assert [use["actor"] for use in found["shown_to"]] == ["seat:7"]
    assert found["forecast"]["tau"] == 21
    assert found["what_if"]["tau"] == 42
    assert found["what_if"]["fades_at"] > found["forecast"]["fades_at"]
    strengths = [point["strength"] for point in found["forecast"]["curve"]]
    assert strengths == sorted(strengths, reverse=True)


def test_strength_at_an_earlier_instant_is_read_from_what_was_set_by_then(rest, remembered, north):
    formed = now() - days(30)
    node = remembered.fragment("The kiln was fired", at=formed)
    scope = north.scopes.get().pk
    with entered(north):
        recall_fragments(scope, [node], formed + days(14), base_tau=14.0, actor="seat:1")
    first = read(rest, node, as_of=format_instant(formed + days(7)))["strength"]
    assert (first["tau"], first["effective"]) == (14, pytest.approx(0.6065, abs=1e-3))
    later = read(rest, node, as_of=format_instant(formed + days(14)))["strength"]
    assert (later["tau"], later["effective"]) == (21, pytest.approx(0.3679 + 0.1 * 0.6321, abs=1e-3))
    assert rest.get(f"memories/{node}", as_of=format_instant(formed - timedelta(seconds=1))).status_code == 404
    assert ids(rest, as_of=format_instant(formed - timedelta(seconds=1))) == []
    assert ids(rest, as_of=format_instant(formed + days(1)), max_strength=0.95) == [node]


@pytest.mark.parametrize("number", ["0", "999999999", "-1", "x", "1e3", "99999999999999999999999", "٣"])
def test_what_is_no_memory_is_not_found(rest, number):
    for path in ("memories/{}", "memories/{}/lineage"):
        answer = rest.get(path.format(number))
        assert (answer.status_code, answer.json()["detail"]) == (404, "There is no such memory.")


class TestPhi:
    """A memory that stands for a PHI fact: there while the gate releases the fact, and not a word of it else."""

    @pytest.fixture
    def rash(self, rest, remembered):
        consent(rest)
        fact = rest.post("facts", phi(**{"@id": "fact:rash"}), Kndl_Purpose="treatment")
        assert fact.status_code == 201, fact.content
        session = remembered.session("masked")
        return remembered.node(
            1, "Fragment", "phi 1", "", phi_ref="fact:rash", classification="PHI", places=[(session, 0, 0)]
        )

    def test_it_is_there_for_the_purpose_of_the_consent(self, rest, rash):
        found = read(rest, rash, purpose="treatment")
        assert (found["text"], found["fact"], found["classification"]) == ("has a rash", "fact:rash", "PHI")
        assert ids(rest, purpose="treatment") == [rash]

    def test_without_the_purpose_it_looks_like_what_was_never_there(self, north, rest, rash, remembered):
        hikes = remembered.fragment("She hikes on Sundays")
        remembered.link((rash, "next", hikes))
        for purpose in ("billing", None):
            reader = seat(north, verbs=("memory:read", "memory:govern"), purposes=["treatment", "billing"])
            hidden = reader.get(f"memories/{rash}", purpose=purpose)
            missing = reader.get("memories/987654", purpose=purpose)
            assert (hidden.status_code, hidden.content) == (404, missing.content)
            assert ids(reader, purpose=purpose) == [hikes]
            assert read(reader, hikes, purpose=purpose)["links"] == []
            assert reader.get(f"memories/{rash}/lineage", purpose=purpose).status_code == 404
            assert reader.post(f"memories/{rash}/forget", {}, query={"purpose": purpose or ""}).status_code == 404
        assert remembered.is_there(rash)

    def test_one_that_is_phi_and_names_no_fact_is_there_for_nobody(self, rest, remembered):
        node = remembered.node(2, "Event", "phi 2", "", classification="PHI")
        assert rest.get(f"memories/{node}", purpose="treatment").status_code == 404

    def test_it_is_neither_corrected_nor_merged(self, rest, rash, remembered):
        other = remembered.fragment("She hikes on Sundays")
        query = {"purpose": "treatment"}
        assert rest.post(f"memories/{rash}/correct", {"text": "well again"}, query=query).status_code == 422
        assert rest.post("memories/merge", {"ids": [rash, other]}, query=query).status_code == 422


def test_owner_and_teammate_see_the_memories_of_the_space_and_a_stranger_does_not(trio, token):
    for person in (trio.owner, trio.stranger):
        give_app(person)
    remembered = Remembered(trio.space, trio.space.scopes.get().pk)
    node = remembered.fragment("The gate squeaks")
    for who in ("owner", "teammate"):
        assert ids(Rest(trio.client(who)), scope="shared") == [node]
    stranger = Rest(trio.client("stranger"))
    assert stranger.get("memories", scope="shared").status_code == 404
    assert stranger.post(f"memories/{node}/archive", None, query={"scope": "shared"}).status_code == 404
    assert ids(bearer(token)) == [node]
    with entered(trio.space):
        assert NodeStrength.objects.get(pk=node).archived_at is None


def test_a_seat_needs_the_verbs(north, remembered):
    node = remembered.fragment("The gate squeaks")
    reader = seat(north, verbs=("memory:read",))
    assert ids(reader) == [node]
    assert reader.post(f"memories/{node}/pin", None).status_code == 403
    assert seat(north, verbs=("facts:read",)).get("memories").status_code == 403
