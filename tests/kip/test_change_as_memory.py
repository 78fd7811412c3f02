"""What KIP writes is memory: it has strength, is searched, fades or expires, and keeps its history."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from common.times import format_instant, now
from memory.embedding import EmbedderUnavailable
from memory.kip.changing import apply
from memory.kip.graph import graph_of, number_of
from memory.kip.history import forget, history_of
from memory.kip.language.errors import KipError
from memory.kip.language.parsing import parse
from memory.kip.ticking import expiry_tick
from memory.layers import indexing
from memory.layers.governing.forgetting import forget as forget_memories
from memory.layers.models import Node
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction
from spaces.models import Space
from tests.kip.told_kip import Told, told
from tests.layers.at_once import together


@pytest.fixture
def graph(new_space: Callable[..., Any]) -> Told:
    return told(new_space)


def words_of(graph: Told, name: str) -> str:
    rows = graph.rows(
        "select i.search::text from node n join node_index i on i.node = n.id where n.name = %(n)s", n=name
    )
    return rows[0][0] if rows else ""


def test_each_type_has_its_layer_and_fades_as_it_should(graph):
    graph.tell("""UPSERT {
      CONCEPT { {type: "Event", name: "Talk"} SET ATTRIBUTES { event_class: "c", start_time: "2026-01-02T03:04:05Z",
        content_summary: "We spoke of bridges", key_concepts: ["girder"] } } WITH METADATA { memory_strength: 0.6 }
      CONCEPT { {type: "Insight", name: "I"} SET ATTRIBUTES { insight_class: "c", description: "rust" } }
      CONCEPT { {type: "Experience", name: "E"} SET ATTRIBUTES { goal: "cross", salience_score: 50 } }
      CONCEPT { {type: "Skill", name: "S"} SET ATTRIBUTES { description: "row" } } WITH METADATA { memory_strength: 7 }
      CONCEPT { {type: "Station", name: "Quay"} } }""")
    rows = graph.rows(
        "select n.name, n.layer::int, s.score, s.tau, n.text from node n join node_strength s on s.node = n.id"
        " where n.name = any(%(names)s) order by n.name",
        names=["Talk", "I", "E", "S", "Quay"],
    )
    infinite = float("inf")
    assert rows == [
        ("E", 0, 1.0, 45.0, "cross"),
        ("I", 3, 1.0, infinite, "rust"),
        ("Quay", 0, 1.0, infinite, ""),
        ("S", 0, 1.0, 90.0, "row"),
        ("Talk", 2, 0.6, 45.0, "We spoke of bridges"),
    ]
    assert graph.rows("select said_at from node where name = 'Talk'") == [(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),)]
    assert "girder" in words_of(graph, "Talk")


def test_writing_memory_strength_sets_the_score_from_that_moment_on(graph):
    graph.tell('UPSERT { CONCEPT { {type: "Station", name: "Quay"} } WITH METADATA { memory_strength: 0.4 } }')
    before = now()
    graph.tell("""UPDATE ?s SET METADATA { memory_strength: ADD(?s.metadata.memory_strength, 0.25) }
      WHERE { ?s {type: "Station"} }""")
    ((score, scored_at),) = graph.rows(
        "select s.score, s.scored_at from node n join node_strength s on s.node = n.id where n.name = 'Quay'"
    )
    assert (score, scored_at >= before) == (0.65, True)
    graph.tell('UPDATE ?s SET ATTRIBUTES { a: 1 } WHERE { ?s {type: "Station"} }')
    same = graph.rows("select scored_at from node n join node_strength s on s.node = n.id where n.name = 'Quay'")
    assert same == [(scored_at,)]
    kinds = graph.rows(
        "select r.kind from reinforcement r join node n on n.id = r.node where n.name = 'Quay' order by r.id"
    )
    assert kinds == [("formed",), ("set",)]


def test_an_experience_is_found_by_what_its_steps_say_also_later(graph):
    graph.tell("""UPSERT { CONCEPT { {type: "Experience", name: "E"} SET ATTRIBUTES {
        goal: "deploy", initial_state: {database: "stale"}, outcome: "worked", context: {project: "harbour"} } }
      CONCEPT ?s { {type: "ExperienceStep", name: "E#0"}
        SET ATTRIBUTES { index: 0, kind: "action", summary: "restarted" } }
      CONCEPT { {type: "Experience", name: "E"} SET PROPOSITIONS { ("has_step", ?s) } } }""")
    for word in ("deploy", "stale", "work", "harbour", "restart"):
        assert word in words_of(graph, "E"), word
    graph.tell('UPSERT { CONCEPT { {type: "ExperienceStep", name: "E#0"} SET ATTRIBUTES { summary: "migrated" } } }')
    assert "migrat" in words_of(graph, "E")
    assert "restart" not in words_of(graph, "E")
    graph.tell('DELETE PROPOSITIONS ?l WHERE { ?l ({type: "Experience", name: "E"}, "has_step", ?s) }')
    assert "migrat" not in words_of(graph, "E")
    graph.tell("""UPSERT { CONCEPT { {type: "Skill", name: "S"} SET ATTRIBUTES { description: "d",
      trigger_conditions: ["flood"], applicability_context: {risk: "mutation"}, procedure: ["look"],
      failure_signals: ["silence"] } } }""")
    for word in ("flood", "mutat", "look", "silenc"):
        assert word in words_of(graph, "S"), word


def test_words_are_searched_even_while_no_embedder_can_be_reached(graph, monkeypatch):
    def unreachable(texts, embedder):
        raise EmbedderUnavailable("away")

    monkeypatch.setattr(indexing, "embed_texts", unreachable)
    graph.tell('UPSERT { CONCEPT { {type: "Station", name: "Lighthouse"} } }')
    assert "lighthous" in words_of(graph, "Lighthouse")
    graph.tell('UPSERT { CONCEPT { {type: "Station", name: "Lighthouse"} SET ATTRIBUTES { aliases: ["Beacon"] } } }')
    assert "beacon" in words_of(graph, "Lighthouse")


def test_what_expires_is_archived_by_the_tick_and_can_still_be_found(graph):
    soon, late = format_instant(now() + timedelta(hours=1)), "2031-01-01T00:00:00Z"
    past = "2026-01-01"
    graph.tell(
        """UPSERT {
      CONCEPT ?a { {type: "Station", name: "Old"} } WITH METADATA { expires_at: :past }
      CONCEPT ?b { {type: "Station", name: "Soon"} SET PROPOSITIONS {
        ("next_stop", ?a) WITH METADATA { expires_at: :past } } } WITH METADATA { expires_at: :soon }
      CONCEPT { {type: "Station", name: "Late"} } WITH METADATA { expires_at: :late }
      CONCEPT { {type: "Station", name: "Odd"} } WITH METADATA { expires_at: "when it rains" }
      CONCEPT { {type: "Experience", name: "E"} SET ATTRIBUTES { goal: "g" } } WITH METADATA { expires_at: :past } }""",
        past=past,
        soon=soon,
        late=late,
    )
    for _ in range(2):
        with entered(graph.space):
            expiry_tick()
    old = graph.node("Station", "Old")
    assert (old["metadata"]["status"], old["metadata"]["_version"]) == ("archived", 1)
    assert graph.link("Soon", "next_stop", "Old")["metadata"]["status"] == "archived"
    assert words_of(graph, "Old") == ""
    for name, type in (("Soon", "Station"), ("Late", "Station"), ("Odd", "Station"), ("E", "Experience")):
        assert "status" not in graph.node(type, name)["metadata"], name
    archived = graph.rows(
        "select n.name from node n join node_strength s on s.node = n.id where archived_at is not null"
    )
    assert archived == [("Old",)]
    assert abs(Space.objects.get(pk=graph.space.pk).next_due_at - now() - timedelta(hours=1)) < timedelta(minutes=1)
    acts = graph.rows("select version, act from element_history where names->>'predicate' = 'next_stop' order by id")
    assert acts == [(1, "create"), (2, "expire")]


def test_history_keeps_every_version_and_how_a_memory_of_the_layers_was_found(graph):
    scope = graph.scope
    with entered(graph.space):
        Node.objects.create(
            pk=10**12, scope=scope, layer=3, type="Person", name="Ana", attributes={"a": 1}, formed_at=now(), version=4
        )
    graph.tell('UPSERT { CONCEPT { {type: "Person", name: "Ana"} SET ATTRIBUTES { a: 2 } } }')
    graph.tell('UPDATE ?p SET ATTRIBUTES { a: 3 } WHERE { ?p {type: "Person", name: "Ana"} }')
    with entered(graph.space):
        rows = history_of(scope, 10**12)
        assert [(row.act, row.version, row.attributes["a"], row.actor) for row in rows] == [
            ("found", 4, 1, ""),
            ("upsert", 5, 2, "system:kndl"),
            ("update", 6, 3, "system:kndl"),
        ]
        with memory_transaction() as act:
            forget([10**12])
            act.record(graph.binding.caller.actor, "kip.write")
        assert history_of(scope, 10**12) == []


def test_a_node_that_stands_for_phi_is_not_there(graph):
    with entered(graph.space):
        Node.objects.create(
            pk=10**12, scope=graph.scope, layer=3, type="Person", name="P", formed_at=now(), phi_ref="f"
        )
    assert graph.refused('UPSERT { CONCEPT { {id: "C:1000000000000"} SET ATTRIBUTES { a: 1 } } }').code == "KIP_3002"
    assert (
        graph.refused('UPSERT { CONCEPT { {type: "Person", name: "P"} SET ATTRIBUTES { a: 1 } } }').code == "KIP_2002"
    )
    text = 'UPDATE ?p SET ATTRIBUTES { a: 1 } WHERE { ?p {type: "Person", name: "P"} }'
    assert graph.tell(text) == {"updated": 0, "matched": 0}


@pytest.mark.usefixtures("committed_db")
def test_twenty_writers_of_one_concept_make_one(new_space):
    graph = told(new_space)
    text = """UPSERT { CONCEPT ?l { {type: "Line", name: "Red"} SET ATTRIBUTES { opened: 1911 } }
      CONCEPT { {type: "Station", name: "Quay"} SET PROPOSITIONS { ("served_by", ?l) } } }"""
    outcomes = together(*[lambda: graph.tell(text)] * 20)
    assert all(outcome == outcomes[0] for outcome in outcomes), outcomes
    assert graph.node("Line", "Red")["metadata"]["_version"] == 1
    assert graph.rows("select count(*) from link where predicate = 'served_by'") == [(1,)]


def test_what_is_forgotten_leaves_no_history(graph):
    (ana, _) = graph.tell("""UPSERT { CONCEPT ?a { {type: "Person", name: "Ana"} SET ATTRIBUTES { secret: "s" } }
      CONCEPT { {type: "Event", name: "Talk"} SET PROPOSITIONS { ("involves", ?a) } } }""")["upsert_concept_nodes"]
    binding = graph.binding
    with entered(graph.space), memory_transaction() as act:
        forget_memories(act, binding, [number_of(ana)], now())
    kept = graph.rows("select names->>'name', names->>'predicate' from element_history where id > 0 and act <> 'found'")
    assert ("Ana", None) not in kept
    assert (None, "involves") not in kept
    assert ("Talk", None) in kept


def test_a_name_that_the_layers_merged_away_means_what_it_was_merged_into(graph):
    scope = graph.scope
    with entered(graph.space):
        for number, name, into in ((10**12, "Ana", 10**12 + 1), (10**12 + 1, "Anna", None)):
            Node.objects.create(
                pk=number, scope=scope, layer=3, type="Person", name=name, formed_at=now(), merged_into=into
            )
    text = """UPSERT { CONCEPT ?a { {type: "Person", name: "Ana"} SET ATTRIBUTES { handle: "ana" } }
      CONCEPT { {type: "Event", name: "Talk"} SET PROPOSITIONS { ("involves", ?a) } } }"""
    assert graph.tell(text)["upsert_concept_nodes"][0] == f"C:{10**12 + 1}"
    assert graph.node("Person", "Anna")["attributes"] == {"handle": "ana"}
    assert graph.tell(text)["upsert_concept_nodes"][0] == f"C:{10**12 + 1}"
    assert graph.link("Talk", "involves", "Anna")["metadata"]["_version"] == 1


def test_a_released_node_that_stands_for_phi_is_read_and_not_written(graph):
    scope, binding = graph.scope, graph.binding
    with entered(graph.space):
        Node.objects.create(pk=10**12, scope=scope, layer=3, type="Person", name="P", formed_at=now(), phi_ref="f")
        for text in (
            'UPSERT { CONCEPT { {type: "Person", name: "P"} SET ATTRIBUTES { a: 1 } } }',
            'DELETE CONCEPT ?p DETACH WHERE { ?p {type: "Person", name: "P"} }',
        ):
            with pytest.raises(KipError) as refused, memory_transaction() as act:
                apply(act, replace(graph_of(binding, now()), released=frozenset({"f"})), parse(text))
            assert refused.value.code == "KIP_2002"


def test_counting_up_does_not_embed_again_and_long_words_are_no_hindrance(graph, monkeypatch):
    graph.tell(
        'UPSERT { CONCEPT { {type: "Station", name: "Quay"} SET ATTRIBUTES { n: 1, description: :d } } }', d="x" * 9000
    )
    monkeypatch.setattr(indexing, "embed_texts", None)
    graph.tell('UPDATE ?s SET ATTRIBUTES { n: ADD(?s.attributes.n, 1) } WHERE { ?s {type: "Station"} }')
    assert graph.node("Station", "Quay")["attributes"]["n"] == 2
    long = graph.refused('UPSERT { CONCEPT { {type: "Station", name: :name} } }', name="x" * 1001)
    assert long.code == "KIP_4002"


@pytest.mark.usefixtures("committed_db")
def test_no_link_outlives_its_ends_however_writers_meet(new_space):
    graph = told(new_space)
    quay, mill = '{type: "Station", name: "Quay"}', '{type: "Station", name: "Mill"}'
    texts = [
        f'UPSERT {{ CONCEPT ?a {{ {quay} }} CONCEPT {{ {mill} SET PROPOSITIONS {{ ("next_stop", ?a) }} }} }}',
        (
            f'UPSERT {{ CONCEPT ?w {{ {{type: "Person", name: "Ines"}} }}'
            f' PROPOSITION {{ (?w, "reported", ({mill}, "next_stop", {quay})) }} }}'
        ),
        f"DELETE CONCEPT ?s DETACH WHERE {{ ?s {quay} }}",
        f'DELETE PROPOSITIONS ?l WHERE {{ ?l ({mill}, "next_stop", ?o) }}',
        f"MERGE CONCEPT ?a INTO ?b WHERE {{ ?a {quay} ?b {mill} }}",
    ]

    def told_or_refused(text: str) -> str:
        try:
            graph.tell(text)
        except KipError as error:
            return error.code
        return "done"

    outcomes = together(*[lambda text=text: told_or_refused(text) for text in texts * 5])
    assert len(outcomes) == 25
    assert set(outcomes) <= {"done", "KIP_3002"}
    ends = "select subject from link union all select object from link"
    known = "select id from node union all select id from link"
    assert graph.rows(f"select count(*) from ({ends}) e(id) where id not in ({known})") == [(0,)]
