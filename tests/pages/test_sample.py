"""The sample memory: that every page has something to show, and that it is made once."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db.models import Count, F

from accounts.models import User
from common.times import format_instant, now
from desk.sample import FOLDER, make_sample_space, sample_documents
from memory.facts.contradictions import ContradictionQuery, find_contradictions
from memory.facts.fading import FadingQuery, fading_facts
from memory.facts.holding import due_facts, held_facts
from memory.facts.inference_rules import rules_of
from memory.facts.provenance import provenance
from memory.facts.reading import FactQuery, query_facts
from memory.facts.views import FactView
from memory.layers.models import Distillation, Node, Reinforcement
from memory.layers.reading import MemoryQuery, query_memories
from memory.layers.review import waiting
from memory.layers.settings import layer_settings
from memory.phi.subjects import pending_consents, subjects
from memory.recall.answering import Request, answer
from memory.sessions.models import Session, SessionLine
from spaces.access import SYSTEM_CALLER, Binding, person_caller
from spaces.databases.entering import entered
from spaces.models import Membership, Scope, Space
from tests.actors import make_user

EVERYTHING = FactQuery(include_superseded=True, include_expired=True, limit=100)


def every_scope(space: Space, purpose: str | None = None) -> Binding:
    return Binding(space, SYSTEM_CALLER, tuple(Scope.objects.filter(space=space)), purpose=purpose)


@pytest.fixture
def sample(committed_db: None) -> Iterator[Binding]:
    """The sample Space, entered, bound to all of its scopes."""
    space = make_sample_space()
    assert make_sample_space() == space
    with entered(space):
        yield every_scope(space)
    space.delete()


def written(name: str) -> int:
    """How many lines the files of that name hold."""
    return sum(len(file.read_text("utf-8").splitlines()) for file in FOLDER.glob(f"*/{name}.jsonl"))


def seen(binding: Binding) -> list[FactView]:
    return query_facts(binding, EVERYTHING).facts


def stated(views: list[FactView]) -> list[FactView]:
    """Those that stand in a file, and were not learnt from a conversation."""
    ids = {fact["@id"] for file in sample_files() for fact in sample_documents(file, now())}
    return [view for view in views if view.record.id in ids]


def test_the_sample_has_something_of_every_kind_and_is_made_once(sample: Binding):
    views = stated(seen(sample))

    assert (sample.space.slug, Space.objects.count()) == ("demo", 1)
    assert set(sample.names.values()) == {"shared", "claims-desk"}
    phi = [fact for file in sample_files() for fact in sample_documents(file, now()) if fact["classification"] == "PHI"]
    assert len(views) == written("facts") - len(phi)
    assert {view.validity_state for view in views} == {"current", "not_yet_valid", "expired"}
    assert {view.band for view in views} == {"usable", "uncertain", "stale"}
    assert {view.record.classification for view in views} == {"PII", "CONFIDENTIAL", "INTERNAL", "PUBLIC"}
    assert any(view.record.negated for view in views)
    superseders = {view.superseded_by for view in views}
    assert any(view.record.id in superseders and view.superseded_by for view in views)


def test_every_rule_that_a_fact_names_is_there_with_its_words(sample: Binding):
    kept = {(rule.scope, rule.id): rule for rule in rules_of(sample)}
    named = {(view.scope, view.record.inference) for view in seen(sample) if view.record.inference}

    assert named == kept.keys()
    assert len(kept) == written("rules")
    assert all(rule.name and rule.text for rule in kept.values())


def test_a_subjects_facts_are_released_for_what_they_agreed_to_and_one_waits_for_a_consent(sample: Binding):
    for purpose, count in (("treatment", 3), ("billing", 3), ("research", 0), (None, 0)):
        views = seen(every_scope(sample.space, purpose))
        assert len([view for view in views if view.record.classification == "PHI"]) == count

    owner = make_user("first")
    Membership.objects.create(space=sample.space, user=owner, role=Membership.Role.OWNER)
    sample = Binding(sample.space, person_caller(owner), sample.scopes)
    found, _ = subjects(sample)
    assert [consent.purposes for subject in found for consent in subject.consents] == [("treatment", "billing")]
    assert [pending.consent for pending in pending_consents(sample)] == ["consent:teo-brackwater:claims"]


def test_a_chain_of_three_steps_rests_on_something_stale(sample: Binding):
    end = next(view for view in seen(sample) if view.record.id == "fact:claims:temp-not-needed")
    found = provenance(sample, end.record.id)

    assert max(node.depth for node in found.nodes) == 3
    assert (found.weakest.record.id, found.weakest.band) == ("fact:claims:temp-was-planned", "stale")


def test_something_is_due_soon_and_something_overdue_is_held(sample: Binding):
    at = now()
    assert [item.hold is not None for item in due_facts(sample)] == [True]
    assert any(item.due_at > at for item in due_facts(sample, until=at + timedelta(days=90)))
    assert [item.view.record.id for item in held_facts(sample)] == ["fact:mill-lane:old-invoices"]


def test_a_contradiction_is_decided_against_the_surer_claim(sample: Binding):
    found = find_contradictions(sample, ContradictionQuery()).contradictions
    assert any(contradiction.conflict.confidence_disagrees for contradiction in found)


def test_facts_fade_within_a_month_to_either_band(sample: Binding):
    falls = {fading.falls_to for fading in fading_facts(sample, FadingQuery()).facts}
    assert falls == {"uncertain", "stale"}


def test_conversations_were_distilled_when_they_were_held_but_for_one_that_waits(sample: Binding):
    runs = Distillation.objects.order_by("asked_at")
    assert {run.state for run in runs} == {"done"}
    assert runs[0].asked_at < now() - timedelta(days=30)
    layers = dict(Node.objects.values_list("layer").annotate(Count("pk")))
    assert all(layers[layer] >= 5 for layer in (1, 2, 3))
    assert Reinforcement.objects.filter(kind="duplicate").exists()
    waiting = Session.objects.filter(line_count__gt=F("distilled_until"))
    assert [session.client_id for session in waiting] == ["s-2327"]


def test_something_has_faded_far_enough_for_one_of_the_next_passes_and_something_is_as_strong_as_ever(sample: Binding):
    page = query_memories(sample, MemoryQuery(layer=1, limit=200))
    strengths = [memory.effective for memory in page.memories]
    assert min(strengths) < 0.06
    assert max(strengths) > 0.8


def test_proposals_wait_for_a_person_and_review_is_off_for_what_is_said_next(sample: Binding):
    assert {proposal.kind for proposal in waiting(sample)} >= {"fragment", "event", "concept"}
    assert not layer_settings().review


def test_a_secret_of_a_conversation_is_masked_and_one_memory_reads_like_an_instruction(sample: Binding):
    texts = list(SessionLine.objects.values_list("text", flat=True))
    assert any("[secret:" in text for text in texts)
    assert not any("4471" in text for text in texts)
    found = answer(sample, Request("what is on the old call sheet?"))
    assert any(item.instruction for item in found.items)


def test_the_owner_of_the_instance_becomes_the_owner_of_the_sample(committed_db: None):
    owner = make_user("first")
    owner.instance_role = User.InstanceRole.OWNER
    owner.save()

    space = make_sample_space()

    assert Membership.objects.get(space=space).user == owner
    assert Membership.objects.get(space=space).role == Membership.Role.OWNER


def test_a_space_that_somebody_named_demo_is_left_alone(new_space):
    theirs = new_space("demo", name="Mine")

    assert make_sample_space() == theirs
    with entered(theirs):
        binding = Binding(theirs, SYSTEM_CALLER, tuple(Scope.objects.filter(space=theirs)))
        assert query_facts(binding, FactQuery()).facts == []


def test_the_sample_says_the_same_of_the_same_moment():
    moment = datetime(2026, 11, 30, tzinfo=UTC)
    for file in sample_files():
        first, second = list(sample_documents(file, moment)), list(sample_documents(file, moment + timedelta(days=1)))
        assert [fact["statement"] for fact in first] == [fact["statement"] for fact in second]
        assert all(fact["recordedAt"] <= format_instant(moment) for fact in first)


def sample_files() -> list[Path]:
    return sorted(FOLDER.glob("*/facts.jsonl"))
