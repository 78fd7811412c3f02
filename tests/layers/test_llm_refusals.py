"""A model's endpoint that misbehaves: each way refuses the whole batch, with a reason that repeats nothing."""

import gzip
import json
import socket
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from memory.embedding.endpoint import Endpoint
from memory.layers.distillers.llm import LanguageModel
from memory.layers.rules.proposals import DistillerRefused, Known, Line
from tests.embedding.model_server import API_KEY, Behaviour, Handler, model_server

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
LINES = [
    Line(1, 5, "user", "Odalys", "The marmalade recipe is for grandmother alone.", AT),
    Line(1, 6, "assistant", "", "Noted: marmalade, grandmother.", AT),
]
TOLD = ("marmalade", "grandmother", "Odalys", API_KEY)

FRAGMENT: dict[str, Any] = {
    "key": "a",
    "text": "The marmalade recipe is for grandmother alone.",
    "kind": "statement",
    "first_line": 1,
    "last_line": 2,
    "salience": 0.5,
}
EVENT: dict[str, Any] = {"key": "e", "title": "t", "text": "marmalade", "kind": "episode", "fragments": ["a"]}
CONCEPT: dict[str, Any] = {"type": "Person", "name": "Odalys", "fragments": ["a"]}
FACT: dict[str, Any] = {
    "subject": "Odalys",
    "predicate": "keeps",
    "object": "marmalade",
    "statement": "Odalys keeps the marmalade recipe.",
    "confidence": 0.5,
    "lasting": "always",
    "fragment": "a",
}
ANSWER: dict[str, Any] = {"fragments": [FRAGMENT], "events": [EVENT], "concepts": [CONCEPT], "facts": [FACT]}
GOOD = json.dumps(ANSWER)


def completion(content: Any, *, finish: str | None = "stop", **message: Any) -> dict[str, Any]:
    told = {"role": "assistant", "content": content} | message
    return {"choices": [{"index": 0, "finish_reason": finish, "message": told}]}


def body(content: Any = GOOD, **changes: Any) -> bytes:
    return json.dumps(completion(content, **changes)).encode()


def sending(raw: bytes, status: int = 200, media_type: str = "application/json", **headers: str) -> Behaviour:
    return lambda handler: handler.send(status, raw, media_type, **headers)


def failing(status: int, **headers: str) -> Behaviour:
    """An error that repeats all that it was asked."""
    return lambda handler: handler.send(status, json.dumps({"error": {"message": handler.echo()}}).encode(), **headers)


def answering(content: Any, **changes: Any) -> Behaviour:
    return sending(body(content, **changes))


def changed(part: str, **fields: Any) -> Behaviour:
    """The good answer with some fields of its first fragment, event, concept or fact changed."""
    return answering(json.dumps(ANSWER | {part: [ANSWER[part][0] | fields]}))


def web_page(handler: Handler) -> None:
    handler.send(200, f"<html><body>{handler.echo()}</body></html>".encode(), "text/html")


def says_nothing(handler: Handler) -> None:
    handler.server.ending.wait(10)


def hangs_up(handler: Handler) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


def speaks_something_else(handler: Handler) -> None:
    handler.wfile.write(b"220 mail.example ready\r\n")


def stops_half_way(handler: Handler) -> None:
    handler.send(200, body()[:60], length=str(len(body())))


def stops_between_chunks(handler: Handler) -> None:
    handler.protocol_version = "HTTP/1.1"
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(b"10\r\n" + body()[:16] + b"\r\n")


def never_ends(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    for _ in range(200):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        handler.server.ending.wait(0.05)


def floods(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    for _ in range(200):
        handler.wfile.write(b" " * 100_000)


def event_stream(handler: Handler) -> None:
    handler.send(200, b'data: {"choices":[{"delta":{"content":"{"}}]}\n\ndata: [DONE]\n\n', "text/event-stream")


TOOL = [{"id": "t", "type": "function", "function": {"name": "remember", "arguments": GOOD}}]
TWO = {"choices": completion(GOOD)["choices"] * 2}

BAD_ENDPOINTS: dict[str, tuple[Behaviour, bool]] = {
    "fails": (failing(500), True),
    "is overloaded": (failing(503), True),
    "has had too many requests": (failing(429, Retry_After="100"), True),
    "does not accept the key": (failing(401), False),
    "forbids it": (failing(403), False),
    "knows no such model": (failing(404), False),
    "refuses every form of the request": (failing(400), False),
    "finds the request too large": (failing(413), False),
    "cannot process it": (failing(422), False),
    "says nothing": (says_nothing, True),
    "hangs up": (hangs_up, True),
    "does not speak HTTP": (speaks_something_else, True),
    "stops half way": (stops_half_way, True),
    "stops between chunks": (stops_between_chunks, True),
    "never ends": (never_ends, True),
    "floods": (floods, True),
    "shows a web page": (web_page, True),
    "says its JSON is text": (sending(body(), media_type="text/plain"), True),
    "names no media type": (sending(body(), media_type=""), True),
    "streams events": (event_stream, True),
    "compresses unasked": (sending(gzip.compress(body()), Content_Encoding="gzip"), True),
    "sends nothing": (sending(b""), True),
    "sends bytes that are not UTF-8": (sending(body().replace(b"stop", b"st\xffp")), True),
    "sends a key twice": (sending(body().replace(b'"choices"', b'"choices": [], "choices"', 1)), True),
    "sends another document": (sending(b'{"object": "list", "data": []}'), True),
    "sends a list": (sending(b"[1, 2]"), True),
    "sends an error as success": (sending(b'{"error": {"message": "out of memory"}}'), True),
}

BAD_ANSWERS: dict[str, Behaviour] = {
    "no choice": sending(b'{"choices": []}'),
    "two choices": sending(json.dumps(TWO).encode()),
    "no message": sending(b'{"choices": [{"finish_reason": "stop"}]}'),
    "an empty text": answering(""),
    "white space": answering(" \n"),
    "no text": answering(None),
    "a list of parts": answering([{"type": "text", "text": GOOD}]),
    "a refusal": answering(None, refusal="I will not write about marmalade."),
    "a refusal beside an answer": answering(GOOD, refusal="I will not."),
    "a refusal in the text": answering("I'm sorry, I can't help with grandmother's marmalade."),
    "a tool call": answering(None, tool_calls=TOOL, finish="tool_calls"),
    "a tool call beside an answer": answering(GOOD, tool_calls=TOOL),
    "an old function call beside an answer": answering(GOOD, function_call={"name": "remember", "arguments": GOOD}),
    "cut at its longest length": answering(GOOD, finish="length"),
    "filtered": answering(GOOD, finish="content_filter"),
    "no reason to finish": answering(GOOD, finish=None),
    "prose before it": answering("Here is what Odalys said:\n" + GOOD),
    "prose after it": answering(GOOD + "\nAnything else about marmalade?"),
    "a code fence where the form is enforced": answering(f"```json\n{GOOD}\n```"),
    "two objects": answering(GOOD + GOOD),
    "half an object": answering(GOOD[:-40]),
    "a list": answering(f"[{GOOD}]"),
    "a string": answering(json.dumps(GOOD)),
    "a key twice": answering(GOOD.replace('"facts"', '"facts": [], "facts"')),
    "NaN": answering(GOOD.replace("0.5", "NaN")),
    "a number without end": answering(GOOD.replace("0.5", "1e999")),
    "a depth without end": answering("[" * 100_000),
    "more than a million characters": answering(GOOD + " " * 1_000_000),
    "a list missing": answering(json.dumps({key: ANSWER[key] for key in ("fragments", "events", "concepts")})),
    "a list too many": answering(json.dumps(ANSWER | {"marmalade": []})),
    "nothing but null": answering(json.dumps(ANSWER | {"facts": None})),
    "thousands of fragments": answering(json.dumps(ANSWER | {"fragments": [FRAGMENT] * 501})),
    "a line it was not given": changed("fragments", last_line=3),
    "line zero": changed("fragments", first_line=0),
    "a line backwards": changed("fragments", first_line=2, last_line=1),
    "half a line": changed("fragments", first_line=1.5),
    "a line number in words": changed("fragments", first_line="1"),
    "a scope": changed("fragments", scope="marmalade"),
    "a classification": changed("fragments", classification="PUBLIC"),
    "a text too long": changed("fragments", text="m" * 1_001),
    "a text without anything to see": changed("fragments", text="\u200b \n"),
    "a NUL": changed("fragments", text="marmalade\0"),
    "half a surrogate pair": changed("fragments", text="\ud800"),
    "a kind of its own": changed("fragments", kind="marmalade"),
    "a salience above one": changed("fragments", salience=1.1),
    "a salience in words": changed("fragments", salience="high"),
    "a day that does not exist": changed(
        "fragments", spoken={"words": "then", "first_day": "2026-02-30", "last_day": "2026-03-01"}
    ),
    "a day of the year 9999": changed(
        "fragments", spoken={"words": "then", "first_day": "9999-12-31", "last_day": "9999-12-31"}
    ),
    "a time backwards": changed(
        "fragments", spoken={"words": "then", "first_day": "2026-03-02", "last_day": "2026-03-01"}
    ),
    "a key it took twice": answering(json.dumps(ANSWER | {"fragments": [FRAGMENT, FRAGMENT]})),
    "a key with spaces": changed("fragments", key="a b"),
    "an event of another fragment": changed("events", fragments=["b"]),
    "an event of nothing": changed("events", fragments=[]),
    "an event of another kind": changed("events", kind="fragment"),
    "a concept of another fragment": changed("concepts", fragments=["fact:1"]),
    "a concept of another event": changed("concepts", events=["z"]),
    "a concept that nothing mentions": changed("concepts", fragments=[]),
    "a concept of another type": changed("concepts", type="Skill"),
    "a name too long": changed("concepts", name="O" * 201),
    "a fact of another fragment": changed("facts", fragment="e"),
    "a fact about an object": changed("facts", object={"@id": "fact:1"}),
    "a fact with a number beyond measure": changed("facts", object=10**400),
    "a confidence below zero": changed("facts", confidence=-0.1),
    "true for a confidence": changed("facts", confidence=True),
    "a decay of its own": changed("facts", lasting="0.5/1s"),
}


def refusal(behave: Behaviour, *, read_seconds: float = 30) -> DistillerRefused:
    with model_server(behave) as server:
        endpoint = Endpoint(server.url, API_KEY, connect_seconds=10, read_seconds=read_seconds)
        with pytest.raises(DistillerRefused) as refused:
            LanguageModel(endpoint, "small-model").distil(LINES, Known())
    return refused.value


def test_the_answer_from_which_the_bad_ones_are_made_is_good() -> None:
    with model_server(answering(GOOD)) as server:
        found = LanguageModel(Endpoint(server.url), "small-model").distil(LINES, Known())
    assert [len(part) for part in (found.fragments, found.events, found.concepts, found.facts)] == [1, 1, 1, 1]


@pytest.mark.parametrize("way", BAD_ENDPOINTS)
def test_an_endpoint_that_misbehaves_refuses_the_batch(way: str) -> None:
    behave, retry = BAD_ENDPOINTS[way]
    refused = refusal(behave, read_seconds=0.5 if behave in {says_nothing, never_ends} else 30)
    assert refused.retry is retry, refused.reason
    assert "endpoint" in refused.reason
    assert repeats(refused) == []


@pytest.mark.parametrize("way", BAD_ANSWERS)
def test_an_answer_that_cannot_be_used_refuses_the_batch(way: str) -> None:
    refused = refusal(BAD_ANSWERS[way])
    assert refused.retry, refused.reason
    assert repeats(refused) == []


def repeats(refused: DistillerRefused) -> list[str]:
    """What the reason, or the traceback that a log would hold, repeats of the conversation and the key."""
    logged = "".join(line for line in traceback.format_exception(refused) if not line.lstrip().startswith("File "))
    return [word for word in TOLD if word in refused.reason or word in logged]


def test_the_place_of_a_fault_is_told_by_our_names_only() -> None:
    assert refusal(BAD_ANSWERS["a salience above one"]).reason.endswith("at fragments.0.salience.")
    assert refusal(BAD_ANSWERS["a scope"]).reason.endswith("at fragments.0.")
    assert refusal(BAD_ANSWERS["a list too many"]).reason.endswith("at its top.")


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed_to_another_host_or_another_path(status: int) -> None:
    with model_server(answering(GOOD)) as elsewhere:
        for location in (f"{elsewhere.url}/chat/completions", "/v1/other"):
            assert_not_followed(status, location)
        assert elsewhere.asked == []


def assert_not_followed(status: int, location: str) -> None:
    with model_server(failing(status, Location=location)) as server:
        with pytest.raises(DistillerRefused, match="another address") as refused:
            LanguageModel(Endpoint(server.url, API_KEY), "small-model").distil(LINES, Known())
        assert len(server.asked) == 1
    assert not refused.value.retry


def test_nothing_is_tried_twice_but_the_form_that_was_refused() -> None:
    for behave, tries in ((failing(500), 1), (failing(429), 1), (answering(""), 1), (failing(400), 2)):
        with model_server(behave) as server:
            with pytest.raises(DistillerRefused):
                LanguageModel(Endpoint(server.url, API_KEY), "small-model").distil(LINES, Known())
            assert len(server.asked) == tries


def test_an_endpoint_that_is_not_there_is_refused_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(DistillerRefused, match="cannot be reached") as refused:
        LanguageModel(Endpoint(f"http://127.0.0.1:{port}/v1"), "small-model").distil(LINES, Known())
    assert refused.value.retry


def test_a_flood_is_ended_at_its_bound() -> None:
    assert refusal(floods).reason == "The model's endpoint sent more than 8,000,000 bytes."


@pytest.mark.parametrize("behave", [says_nothing, never_ends])
def test_waiting_has_an_end(behave: Callable[[Handler], None]) -> None:
    began = time.monotonic()
    assert "time" in refusal(behave, read_seconds=0.3).reason
    assert time.monotonic() - began < 8
