"""The concepts of a batch: who and what was named, what people can and prefer, hold to be so, and have promised."""

from collections.abc import Mapping, Sequence

from memory.layers.distillers.extractive import people
from memory.layers.distillers.extractive.beliefs import belief_in
from memory.layers.distillers.extractive.drafts import Drafts, events_by_fragment
from memory.layers.distillers.extractive.naming import add_names
from memory.layers.distillers.extractive.passages import Passage
from memory.layers.distillers.extractive.promises import add_commitments, add_preferences
from memory.layers.distillers.extractive.skills import skills
from memory.layers.distillers.extractive.subjects import subjects
from memory.layers.rules.proposals import ConceptProposal, EventProposal, FactProposal, Known


def concepts(
    passages: Sequence[Passage], events: Sequence[EventProposal], facts: Sequence[FactProposal], known: Known
) -> list[ConceptProposal]:
    """Return the concepts that the passages mention, each with the fragments and events that do."""
    drafts = Drafts(known.concepts)
    add_names(drafts, passages, known.concepts)
    _add_skills(drafts, passages, known.concepts)
    topics = frozenset(name for type_name, name in known.concepts.values() if type_name == "Topic")
    for subject, fragments in subjects(passages, topics).items():
        drafts.add("Topic", subject, fragments, kind="subject")
    _add_beliefs(drafts, passages)
    add_preferences(drafts, facts)
    add_commitments(drafts, facts)
    _join_speakers(drafts, passages, events_by_fragment(events))
    return drafts.proposals([passage.fragment.key for passage in passages], events)


def _add_skills(drafts: Drafts, passages: Sequence[Passage], known: Mapping[str, tuple[str, str]]) -> None:
    for skill in skills(passages).values():
        if skill.is_evident or skill.lower in known:
            drafts.add("Topic", skill.name, skill.fragments, kind="skill")


def _add_beliefs(drafts: Drafts, passages: Sequence[Passage]) -> None:
    for passage in passages:
        belief = belief_in(passage.said) if passage.tells else None
        if belief is not None:
            holder = passage.line.speaker or passage.line.role
            key = passage.fragment.key
            drafts.add("Insight", belief, [key], insight_class="belief", description=belief, holder=holder)


def _join_speakers(drafts: Drafts, passages: Sequence[Passage], events_of: Mapping[str, Sequence[str]]) -> None:
    """Hang speakers on the events they take part in: few are called by their name in what they say."""
    for passage in passages:
        line = passage.line
        if people.is_somebody(line):
            draft = drafts.person(line.speaker)
            draft.events |= dict.fromkeys(events_of.get(passage.fragment.key, ()))
            if not draft.fragments:
                draft.fragments[passage.fragment.key] = None
