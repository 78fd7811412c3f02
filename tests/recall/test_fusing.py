"""What the arms bring is fused by the rule, and each place can be added up again from its explanation."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import pytest

from common.times import now
from memory.layers.models import ScopeStat
from memory.layers.vectors import halfvec_text
from memory.recall.gathering import gathered
from memory.recall.recalling import Recalled, names_of
from memory.recall.rules.candidates import Candidate, Ranked
from memory.recall.rules.fusion import fuse
from memory.recall.rules.plain import PlainRow
from spaces.databases.entering import entered
from tests.recall.memories import Memories

Ask = Callable[..., dict[str, Any]]
SAID = (
    "We fired the kiln on Sunday and it took nine hours",
    "The glaze ran off the big bowl",
    "Next time we use less copper in the glaze",
    "My sister sends two letters a month",
    "Supper was soup with bread",
    "The bowl is a gift for the wedding in May",
)
QUESTION = "How many hours did it take Ida to fire the kiln?"


@pytest.fixture
def talk(memories: Memories) -> list[int]:
    """Six fragments of a session by two speakers, two events and a concept."""
    session = memories.session("pottery", *SAID)
    ids = []
    for index, text in enumerate(SAID):
        speaker = "Ida Holm" if index % 2 == 0 else "Per Lund"
        said = now() - timedelta(days=30 - index)
        age = timedelta(days=index)
        ids += memories.fragments(text, place=(session, index), speaker=speaker, said_at=said, at=now() - age)
    memories.link(*((one, "next", other) for one, other in pairwise(ids)))
    first = memories.event("Firing of the kiln", "Kiln fired, the glaze of a bowl ran", ids[:3])
    memories.event("Letters and supper", "Letters from a sister, soup", ids[3:5])
    memories.concept("Kiln", [ids[0], first])
    return ids


def candidates_by_hand(memories: Memories, recalled: Recalled) -> list[Candidate]:
    """The candidates as the rule asks for them, read one by one."""
    arms = recalled.arms[0]
    found = []
    for node in arms.found:
        rows = memories.sql(
            "select layer, text, attributes->>'role', attributes->>'speaker', said_at from node where id = %(n)s",
            n=node,
        )
        layer, text, role, speaker, said = rows[0]
        bm = arms.matches[node].bm if node in arms.matches else 0.0
        strength = arms.found[node].strength
        if layer > 1:
            members = memories.sql("select subject from link where object = %(n)s order by subject", n=node)
            activation = arms.activated[node].activation if node in arms.activated else 0.0
            inside = tuple(row[0] for row in members if row[0] in arms.found)
            found.append(
                Candidate(node, layer, bm, strength=strength, said_at=said, members=inside, activation=activation)
            )
            continue
        beside = memories.sql(
            "select object from link where subject = %(n)s and predicate = 'next'"
            " union select subject from link where object = %(n)s and predicate = 'next' order by 1",
            n=node,
        )
        under = memories.sql("select object from link where subject = %(n)s and predicate = 'part_of'", n=node)
        place = memories.sql("select first from node_source where node = %(n)s", n=node)[0][0]
        has_number = recalled.query.asks_number and any(word in text for word in ("nine", "two"))
        found.append(
            Candidate(
                node,
                layer,
                bm,
                arms.found[node].cosine,
                strength,
                role or "user",
                len(text),
                speaker or "",
                said,
                False,
                has_number,
                (0, place),
                tuple(row[0] for row in beside),
                tuple(row[0] for row in under),
            )
        )
    return found


def test_the_order_is_the_rules_order_of_what_was_gathered(memories: Memories, talk: list[int]):
    recalled = memories.recall(QUESTION)
    assert set(talk) <= set(recalled.arms[0].found)
    assert not recalled.query.asks_time
    by_hand = fuse(recalled.query, candidates_by_hand(memories, recalled))
    assert [(place.id, place.score) for place in recalled.order] == [(place.id, place.score) for place in by_hand]
    assert recalled.query.speakers == ("Ida Holm",)
    assert recalled.order[0].id == talk[0]


def test_the_neighbours_of_what_was_found_are_weighed_too(memories: Memories, talk: list[int]):
    stat = ScopeStat(scope=memories.scope)
    with entered(memories.space):
        found = gathered(stat.scope, [talk[4]], halfvec_text(_unit()), now(), as_of=None, before=None)
    assert sorted(found) == talk[3:6]
    assert found[talk[4]].neighbours == (talk[3], talk[5])
    assert found[talk[5]].neighbours == (talk[4],)


def test_every_term_of_an_explanation_adds_up_to_the_score(talk: list[int], ask: Ask):
    found = ask(QUESTION, explain=True, limit=100)["items"]
    assert {item["layer"] for item in found} == {1, 2, 3}
    for item in found:
        because = item["explanation"]
        terms = because["terms"]
        own = (terms["words"] + terms["cosine"] + terms["activation"]) * prod(terms["factors"].values())
        score = (own + sum(terms["spread"].values())) * terms["strength"]
        assert (score if terms["limit"] is None else min(score, terms["limit"])) == item["score"] == because["score"]


def test_an_explanation_names_words_cosine_hops_and_strength(memories: Memories, talk: list[int], ask: Ask):
    found = {item["id"]: item for item in ask(QUESTION, explain=True, limit=100)["items"]}
    first = found[str(talk[0])]["explanation"]
    assert (first["rank"], first["keywords"]["rank"]) == (1, 1)
    assert {term["term"] for term in first["keywords"]["terms"]} >= {"kiln", "hour", "fire"}
    assert sum(term["adds"] for term in first["keywords"]["terms"]) == pytest.approx(first["keywords"]["bm25"])
    assert first["terms"]["factors"] == {"brief": pytest.approx(0.8 + 0.2 * len(SAID[0]) / 150)} | {
        "speaker": 1.2,
        "number": 1.1,
    }
    assert first["spreading"]["cosine"] == first["cosine"]
    for item in found.values():
        near = item["explanation"].get("spreading")
        if near:
            parts = (near["cosine"] or 0.0) + near["one_hop"] + near["two_hops"]
            assert near["activation"] == pytest.approx(parts)
            assert near["score"] == pytest.approx(near["activation"] * near["strength"])
            assert near["strength"] == pytest.approx(item["strength"])
    concept = next(item for item in found.values() if item["layer"] == 3)["explanation"]["spreading"]
    assert (concept["hops"], concept["one_hop"] > 0, concept["two_hops"] > 0) == (1, True, True)


def test_without_being_asked_nothing_is_explained(talk: list[int], ask: Ask):
    assert all("explanation" not in item for item in ask(QUESTION)["items"])


def test_a_word_that_only_means_nearly_the_same_is_told_apart(memories: Memories, ask: Ask):
    memories.fragments("The bicycle is in the shed", "The train was late", "Soup for supper", "A walk by the lake")
    terms = ask("Is there a bike in the shed?", explain=True)["items"][0]["explanation"]["keywords"]["terms"]
    told = {term["term"]: term.get("because_of") for term in terms}
    assert told["shed"] is None
    assert told["bicycl"] == "widening"


def test_plain_ranking_is_spreading_then_words_then_recent_lines(memories: Memories, talk: list[int]):
    recalled = memories.recall(QUESTION, plain=True)
    arms = recalled.arms[0]
    spread = sorted(arms.activated.values(), key=lambda item: (-item.score, item.id))
    words = [hit.id for hit in arms.matches.values() if hit.id not in arms.activated]
    assert [place.id for place in recalled.order] == [*(item.id for item in spread), *words]
    for place in recalled.order:
        assert isinstance(place, PlainRow)
        assert place.step == ("spreading" if place.id in arms.activated else "words")
        expected = arms.activated[place.id].score if place.id in arms.activated else arms.matches[place.id].bm
        assert place.score == expected


def test_a_faded_memory_stands_behind_the_same_words_said_lately(memories: Memories):
    old, new = (memories.fragment("The kiln is cold", at=now() - timedelta(days=age)) for age in (30, 0))
    assert memories.ids("kiln") == [new, old]


def test_names_are_those_of_the_scopes_speakers_and_first_names_of_one_alone():
    assert names_of(["Ida Holm", "Per Lund", "Per Aas", "user", "assistant", ""]) == {
        "ida holm": "Ida Holm",
        "ida": "Ida Holm",
        "per lund": "Per Lund",
        "per aas": "Per Aas",
    }


def _unit() -> Any:
    return np.eye(1, 256, dtype="f4")[0]


def test_places_of_several_scopes_are_weighed_together(memories: Memories, talk: list[int]):
    recalled = memories.recall(QUESTION)
    assert all(isinstance(place, Ranked) for place in recalled.order)
    assert replace(recalled, arms=recalled.arms).arms_of(talk[0]).scope == memories.scope
    with pytest.raises(KeyError):
        recalled.arms_of(10**12)
