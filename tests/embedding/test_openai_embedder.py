"""Embeddings of an endpoint: a real server that behaves, and one that does not."""

import json
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from common.errors import Unavailable
from memory.embedding import EmbedderUnavailable
from memory.embedding.endpoint import Endpoint
from memory.embedding.openai import OpenAIEmbedder
from tests.embedding.model_server import API_KEY, Behaviour, Handler, ModelServer, model_server

TOLD = "the marmalade recipe"


def rows_for(body: dict[str, Any], length: int) -> list[dict[str, Any]]:
    return [
        {"object": "embedding", "index": place, "embedding": [float(len(text)), *[2.0] * (length - 1)]}
        for place, text in enumerate(body["input"])
    ]


def giving(length: int, *, shortens: bool = True, backwards: bool = False) -> Behaviour:
    def behave(handler: Handler) -> None:
        body = handler.asked.body
        rows = rows_for(body, min(body.get("dimensions", length), length) if shortens else length)
        handler.send_json({"object": "list", "data": rows[::-1] if backwards else rows, "model": "m"})

    return behave


@contextmanager
def embedder(behave: Behaviour, **bounds: Any) -> Iterator[tuple[OpenAIEmbedder, ModelServer]]:
    with model_server(behave) as server:
        endpoint = Endpoint(server.url, API_KEY, connect_seconds=10, **{"read_seconds": 30} | bounds)
        made = OpenAIEmbedder("small", endpoint, waits=(0.01, 0.01))
        try:
            yield made, server
        finally:
            made.close()


@pytest.mark.parametrize("backwards", [False, True])
def test_vectors_are_of_unit_length_in_the_order_of_the_texts(backwards: bool) -> None:
    with embedder(giving(4, backwards=backwards)) as (made, server):
        assert (made.name, made.dimensions) == ("openai:small", 4)
        found = made.embed(["a", "bbbb", "", " \n", "cc"])
        assert server.asked[-1].body == {"input": ["a", "bbbb", "cc"], "model": "small", "encoding_format": "float"}
        assert server.asked[-1].path == "/v1/embeddings"
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), [1, 1, 0, 0, 1])
    assert list(np.round(found[[0, 1, 4], 0] / found[[0, 1, 4], 1] * 2)) == [1, 4, 2]


def test_nothing_is_asked_until_it_is_used_and_the_length_only_once() -> None:
    with embedder(giving(4)) as (made, server):
        assert server.asked == []
        made.embed(["a"])
        made.embed(["b"])
        assert [asked.body["input"] for asked in server.asked] == [["length"], ["a"], ["b"]]


def test_many_and_long_texts_go_in_several_requests() -> None:
    texts = ["x" * 30_000] * 20 + ["y"] * 300
    with embedder(giving(4)) as (made, server):
        assert made.embed(texts).all()
        sent = [asked.body["input"] for asked in server.asked[1:]]
    assert sum(map(len, sent)) == len(texts)
    assert max(map(len, sent)) <= 128
    assert max(sum(map(len, texts)) for texts in sent) <= 100_000
    assert {len(text) for texts in sent for text in texts} == {8_000, 1}


def test_a_model_of_too_many_dimensions_is_asked_for_fewer() -> None:
    with embedder(giving(3072)) as (made, server):
        assert made.dimensions == 1024
        assert made.embed(["a"]).shape == (1, 1024)
        assert [asked.body.get("dimensions") for asked in server.asked] == [None, 1024, 1024]


def test_an_endpoint_that_gives_too_many_all_the_same_is_refused_by_the_setting() -> None:
    said = r"3,072 numbers a text, at most 1,024 .* KNDL_EMBEDDER"
    with embedder(giving(3072, shortens=False)) as (made, _), pytest.raises(EmbedderUnavailable, match=said):
        made.embed(["a"])


def changing(**changes: Any) -> Behaviour:
    """Four numbers a text; from the second text on, or the only one asked for by name, something is wrong."""

    def behave(handler: Handler) -> None:
        rows = rows_for(handler.asked.body, 4)
        if handler.asked.body["input"] != ["length"]:
            rows[-1] |= changes
        raw = json.dumps({"object": "list", "data": rows})
        handler.send(200, raw.encode())

    return behave


def one_missing(handler: Handler) -> None:
    rows = rows_for(handler.asked.body, 4)
    handler.send_json({"data": rows if len(rows) == 1 else rows[:-1]})


def one_too_many(handler: Handler) -> None:
    rows = rows_for(handler.asked.body, 4)
    handler.send_json({"data": rows if len(rows) == 1 else [*rows, rows[0] | {"index": len(rows)}]})


def shorter_later(handler: Handler) -> None:
    handler.send_json({"data": rows_for(handler.asked.body, 4 if handler.asked.body["input"] == ["length"] else 3)})


def echoing(status: int) -> Behaviour:
    return lambda handler: handler.send_json({"error": {"message": handler.echo()}}, status=status)


BAD: dict[str, Behaviour] = {
    "a vector missing": one_missing,
    "a vector too many": one_too_many,
    "an index twice": changing(index=0),
    "an index of its own": changing(index=7),
    "an index in words": changing(index="1"),
    "lengths that differ": changing(embedding=[1.0, 2.0]),
    "another length than before": shorter_later,
    "no numbers": changing(embedding=[]),
    "numbers in words": changing(embedding=["1", "2", "3", "4"]),
    "packed numbers": changing(embedding="AACAPwAAAEAAAEBAAACAQA=="),
    "NaN": changing(embedding=[1.0, 2.0, 3.0, float("nan")]),
    "infinity": changing(embedding=[1.0, 2.0, 3.0, float("inf")]),
    "numbers too large to keep": changing(embedding=[1.0, 2.0, 3.0, 1e300]),
    "another document": lambda handler: handler.send_json({"choices": []}),
    "a web page": lambda handler: handler.send(200, b"<html></html>", "text/html"),
    "an overload": echoing(503),
    "too many requests": echoing(429),
    "a wrong key": echoing(401),
    "a model it does not know": echoing(404),
    "silence": lambda handler: (handler.server.ending.wait(5), None)[1],
}


@pytest.mark.parametrize("way", BAD)
def test_an_answer_that_cannot_be_used_makes_the_embedder_unavailable(way: str) -> None:
    with (
        embedder(BAD[way], read_seconds=0.3 if way == "silence" else 30) as (made, _),
        pytest.raises(EmbedderUnavailable) as refused,
    ):
        made.embed(["one", TOLD])
    said = str(refused.value) + "".join(traceback.format_exception(refused.value))
    assert str(refused.value).startswith("openai:small: ")
    assert isinstance(refused.value, Unavailable)
    assert API_KEY not in said
    assert "marmalade" not in said


@pytest.mark.parametrize(("status", "tries"), [(503, 3), (429, 3), (401, 1), (400, 1)])
def test_what_may_pass_is_tried_three_times_and_the_rest_once(status: int, tries: int) -> None:
    with embedder(echoing(status)) as (made, server):
        with pytest.raises(EmbedderUnavailable, match=str(status)):
            made.embed(["a"])
        assert len(server.asked) == tries


def test_a_passing_fault_is_not_noticed() -> None:
    def second_time_lucky(handler: Handler) -> None:
        (echoing(503) if len(handler.server.asked) == 1 else giving(4))(handler)

    with embedder(second_time_lucky) as (made, _):
        assert made.embed(["a"]).shape == (1, 4)


def test_after_a_refusal_the_next_call_may_succeed() -> None:
    def later(handler: Handler) -> None:
        (echoing(401) if len(handler.server.asked) == 1 else giving(4))(handler)

    with embedder(later) as (made, _):
        with pytest.raises(EmbedderUnavailable):
            made.embed(["a"])
        assert made.embed(["a"]).shape == (1, 4)
