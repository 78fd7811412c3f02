"""What stands in every graph from the start, and what its types say."""

from collections.abc import Callable
from typing import Any

import pytest

from common.errors import Invalid
from common.times import now
from memory.kip import seeding
from memory.kip.graph import graph_of
from memory.kip.models import Capsule
from memory.kip.schema.enforcing import set_enforcement, violations_of
from memory.kip.schema.registry import nearest, predicates, types
from spaces.access import SYSTEM_CALLER
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction
from tests.actors import make_scope
from tests.kip.told_kip import Told, told
from tests.layers.told import Talk, topic

TYPES = {
    *("$ConceptType", "$PropositionType", "Domain", "Person", "Event", "Preference", "Insight", "Commitment"),
    *("SleepTask", "Experience", "ExperienceStep", "Skill"),
}
PREDICATES: dict[str, tuple[Any, Any]] = {
    "belongs_to_domain": (None, {"Domain"}),
    "involves": ({"Event", "Experience"}, {"Person"}),
    "mentions": ({"Event", "Experience"}, None),
    "consolidated_to": ({"Event", "Experience"}, None),
    "derived_from": (None, {"Event", "Experience"}),
    "prefers": ({"Person"}, {"Preference"}),
    "learned": ({"Person"}, {"Insight"}),
    "committed_to": ({"Person"}, {"Commitment"}),
    "owed_to": ({"Commitment"}, {"Person"}),
    "assigned_to": ({"SleepTask"}, {"Person"}),
    "has_step": ({"Experience"}, {"ExperienceStep"}),
    "caused_by": ({"ExperienceStep"}, {"ExperienceStep"}),
    "derived_insight": ({"Experience"}, {"Insight"}),
    "compiled_to": ({"Experience"}, {"Skill"}),
}
REQUIRED = {
    "Person": {"person_class"},
    "Event": {"event_class", "start_time", "content_summary"},
    "Preference": {"description"},
    "Insight": {"insight_class", "description"},
    "Commitment": {"commitment_class", "description"},
    "SleepTask": {"target_type", "target_name", "requested_action"},
}
HELD = {
    "Person": "person_class name handle status persona core_directives core_mission capabilities relationship_to_self"
    " interaction_summary behavior_preferences strengths weaknesses identity_narrative",
    "Event": "event_class start_time content_summary end_time participants key_concepts outcome raw_content_ref context"
    " consolidation_status salience_score salience_scored_at",
    "Experience": "experience_class goal initial_state status outcome success prediction_error surprise_score"
    " learning_value started_at ended_at context raw_trace_ref consolidation_status salience_score",
    "ExperienceStep": "index kind summary timestamp state tool success expected_observation actual_observation"
    " prediction_error decision_rationale raw_data_ref",
    "Skill": "skill_class description goal trigger_conditions preconditions procedure decision_rules expected_outcome"
    " success_criteria failure_signals recovery_strategy execution_mode implementation_ref maturity utility"
    " evidence_count success_count failure_count last_validated_at applicability_context",
}


@pytest.fixture
def graph(new_space: Callable[..., Any]) -> Told:
    return Told(new_space("north")).seeded()


def test_a_new_scope_has_exactly_the_types_and_predicates_of_the_profile(graph):
    with entered(graph.space):
        known = graph_of(graph.binding, now())
        assert types(known) == TYPES
        found = predicates(known)
    assert set(found) == set(PREDICATES)
    for name, ends in PREDICATES.items():
        assert (found[name].subject_types, found[name].object_types) == ends, name
    assert {name for (name,) in graph.rows("select name from node where type = 'Domain'")} == {
        *("CoreSchema", "Unsorted", "Archived", "System"),
    }
    assert graph.rows("select name from node where type = 'Person' order by name") == [("$self",), ("$system",)]


def test_types_say_what_the_specification_says_of_them(graph):
    for name, held in HELD.items():
        schema = graph.node("$ConceptType", name)["attributes"]["instance_schema"]
        assert set(schema) == set(held.split()), name
    for name, required in REQUIRED.items():
        schema = graph.node("$ConceptType", name)["attributes"]["instance_schema"]
        assert {attribute for attribute, rule in schema.items() if rule["is_required"]} == required, name


def test_seeding_again_changes_nothing_until_a_capsule_changes_or_its_anchor_is_gone(graph, monkeypatch):
    before = graph.rows("select id, version from node order by id")
    assert len(before) == 12 + 14 + 4 + 2
    graph.seeded()
    assert graph.rows("select id, version from node order by id") == before
    graph.tell('DELETE CONCEPT ?t DETACH WHERE { ?t {type: "$ConceptType", name: "Skill"} }')
    graph.seeded()
    assert graph.node("$ConceptType", "Skill")
    with entered(graph.space):
        Capsule.objects.filter(scope=graph.scope, name="system").update(hash="of an older text")
        assert [source.name for source in seeding.due_capsules(graph.scope)] == ["system"]
    graph.seeded()
    assert graph.node("Person", "$system")["metadata"]["_version"] == 1
    with entered(graph.space):
        assert seeding.due_capsules(graph.scope) == []


def test_what_the_memory_learns_of_itself_outlasts_seeding(graph):
    graph.tell('UPSERT { CONCEPT { {type: "Person", name: "$self"} SET ATTRIBUTES { persona: "plain" } } }')
    with entered(graph.space):
        Capsule.objects.filter(scope=graph.scope).delete()
    graph.seeded()
    assert graph.node("Person", "$self")["attributes"]["persona"] == "plain"


def test_the_layers_add_their_own_types_when_a_scope_first_holds_their_memories(graph):
    talk = Talk(graph.space)
    talk.distiller.concepts = topic("Harbour")
    talk.say("The harbour freezes in winter.", "We go by sledge then.")
    talk.distilled()
    graph.seeded()
    with entered(graph.space):
        known = graph_of(graph.binding, now())
        assert types(known) == {*TYPES, "Fragment", "Topic"}
        assert set(predicates(known)) == {*PREDICATES, "next", "part_of"}
    graph.tell("""UPSERT { CONCEPT { {type: "Topic", name: "Harbour"} SET ATTRIBUTES { note: "n" } } }""")
    assert graph.node("Topic", "Harbour")["metadata"]["_version"] == 2
    text = 'UPDATE ?l SET METADATA { seen: true } WHERE { ?l (?a, "mentions", {type: "Topic", name: "Harbour"}) }'
    assert graph.tell(text) == {"updated": 2, "matched": 2}


def test_a_schema_is_advice_a_list_or_a_law(new_space):
    graph = told(new_space)
    wrong = """UPSERT { CONCEPT { {type: "Station", name: :name} SET ATTRIBUTES { zone: "one", kind: "ship" } } }"""
    right = """UPSERT { CONCEPT { {type: "Station", name: :name}
      SET ATTRIBUTES { zone: null, kind: "tram", owner: "city" } } }"""

    def listed() -> list[tuple[str, str]]:
        with entered(graph.space):
            return [(found.attribute, found.code) for found in violations_of(graph.scope)]

    def enforce(mode: str) -> None:
        with entered(graph.space), memory_transaction() as act:
            set_enforcement(act, SYSTEM_CALLER, mode)

    graph.tell(wrong, name="A")
    assert listed() == [("kind", "KIP_2002"), ("owner", "KIP_2002"), ("zone", "KIP_2003")]
    graph.tell(right, name="A")
    assert listed() == []
    enforce("strict")
    mistyped = 'UPSERT { CONCEPT { {type: "Station", name: "B"} SET ATTRIBUTES { owner: "city", zone: "one" } } }'
    assert graph.refused(mistyped).code == "KIP_2003"
    assert graph.refused('UPSERT { CONCEPT { {type: "Station", name: "B"} } }').code == "KIP_2002"
    assert graph.node("Station", "B") is None
    graph.tell(right, name="B")
    deleting = 'DELETE ATTRIBUTES {"owner"} FROM ?s WHERE { ?s {type: "Station"} }'
    assert graph.refused(deleting).code == "KIP_2002"
    enforce("off")
    graph.tell(wrong, name="C")
    assert listed() == []
    with pytest.raises(Invalid):
        enforce("sometimes")


def test_a_name_that_was_probably_meant_is_found_and_others_are_not():
    assert nearest("drug", ["Drug", "Drum"]) == "Drug"
    assert nearest("zzz", ["Drug"]) is None


def test_a_tick_seeds_every_scope_once(graph):
    other = make_scope(graph.space, "other")
    with entered(graph.space):
        seeding.seed_scopes()
        assert seeding.due_capsules(other.pk) == []
        before = list(Capsule.objects.order_by("pk").values_list("pk", "applied_at"))
        seeding.seed_scopes()
        assert list(Capsule.objects.order_by("pk").values_list("pk", "applied_at")) == before
