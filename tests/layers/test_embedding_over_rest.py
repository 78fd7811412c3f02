"""Moving a Space to another embedder over REST; only who governs may, and there is one move at a time."""

from typing import Any

from memory.layers.models import LayerSettings, ScopeStat
from memory.layers.reembedding import move, running_job
from spaces.databases.entering import entered
from tests.layers.remembered import Remembered
from tests.rest.client import Rest, seat


def test_the_embedder_and_what_the_memories_have_are_told(rest: Rest, remembered: Remembered, north: Any):
    remembered.fragment("the till at the front desk wins")
    with entered(north):
        ScopeStat.objects.update(embedder="openai:older")

    answer = rest.get("layers/embedding").json()

    assert answer["embedder"] == "wordllama"
    assert answer["used"] == [{"embedder": "openai:older", "scopes": 1, "memories": 1}]
    assert answer["move"] is None


def test_a_move_is_begun_once_shows_how_far_it_is_and_ends(rest: Rest, remembered: Remembered, north: Any):
    remembered.fragment("the till at the front desk wins")
    with entered(north):
        ScopeStat.objects.update(embedder="openai:older")

    begun = rest.post("layers/embedding", {"embedder": "wordllama"})

    assert begun.status_code == 202
    assert (begun.json()["state"], begun.json()["total"], begun.json()["done"]) == ("running", 1, 0)
    assert rest.get("layers/embedding").json()["move"] == begun.json()
    again = rest.post("layers/embedding", {"embedder": "wordllama"})
    assert (again.status_code, again.json()["code"]) == (409, "already_running")
    with entered(north):
        job = running_job()
        assert job is not None
        assert move(job.pk)
        assert LayerSettings.objects.get().embedder == "wordllama"
    assert rest.get("layers/embedding").json()["move"] is None


def test_a_move_can_be_stopped_and_there_is_none_to_stop_then(rest: Rest, north: Any):
    rest.post("layers/embedding", {"embedder": "wordllama"})

    assert rest.post("layers/embedding/stop", None).json()["state"] == "stopped"
    assert rest.post("layers/embedding/stop", None).status_code == 409


def test_an_embedder_that_there_is_not_is_refused_by_name(rest: Rest):
    answer = rest.post("layers/embedding", {"embedder": "nothing:at-all"})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "embedder"


def test_a_request_that_is_sent_again_begins_nothing_new(rest: Rest, north: Any):
    answers = [rest.post("layers/embedding", {"embedder": "wordllama"}, Idempotency_Key="once") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [202, 202]
    assert answers[0].json()["id"] == answers[1].json()["id"]


def test_a_seat_that_may_not_govern_is_told_nothing(north: Any):
    reader = seat(north, verbs=("memory:read", "memory:write"))

    assert reader.get("layers/embedding").status_code == 403
    assert reader.post("layers/embedding", {"embedder": "wordllama"}).status_code == 403
    assert reader.post("layers/embedding/stop", None).status_code == 403
