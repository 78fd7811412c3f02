"""Whom and what a conversation names, and what it says people can, prefer, believe and promise."""

import pytest

from memory.layers.rules.proposals import Known
from tests.layers.extractive_talk import distilled, kinds, named


def concepts(*rows, known=None):
    return distilled(*rows, known=known).concepts


@pytest.mark.parametrize(
    "said",
    [
        "My friend Ottilie repairs clocks.",
        "I asked my sister Ottilie about the clocks.",
        "Uncle Ottilie repairs clocks.",
        "Yesterday Ottilie said the clock is broken.",
        "It was at Ottilie's birthday that the clock broke.",
        "Then Ottilie, my neighbour, repaired the clock.",
        "We met Ottilie last week, and I told Ottilie about the clock.",
        "Meine Freundin Ottilie hat die Uhr repariert.",
        "Mi hermana Ottilie repara relojes en el taller.",
        "Mon amie Ottilie répare les horloges avec soin.",
    ],
)
def test_a_person_is_known_by_the_words_around_the_name(said):
    assert kinds(("user", said)).get("Ottilie") == "Person"


def test_a_common_given_name_inside_a_sentence_is_a_person():
    assert kinds(("user", "The report went to Hannah for checking."))["Hannah"] == "Person"


@pytest.mark.parametrize(
    "said",
    [
        "My dog Bello eats shoes.",
        "We call our cat Bello in every evening, and told Bello off.",
        "NASA said the launch is late.",
        "Doctors said the cough will pass.",
        "Hmmm said nobody.",
        "Monday said hello to nobody.",
        "Mom said dinner is late.",
    ],
)
def test_pets_acronyms_and_roles_are_no_persons(said):
    assert "Person" not in kinds(("user", said)).values()


def test_speakers_are_persons_unless_they_are_programs_or_roles():
    assert kinds(("Zdenka", "The stove is lit."), ("Olaf", "The wood is dry.")) == {
        "Olaf": "Person",
        "Zdenka": "Person",
    }
    assert kinds(("user", "The stove is lit."), ("Claude", "The wood is dry.")) == {}
    assert kinds(("Claude", "The stove is lit.")) == {"Claude": "Person"}


def test_a_speaker_who_is_never_named_hangs_on_his_lines_and_events():
    found = distilled(("Zdenka", "The stove is lit."), ("Olaf", "The wood is dry and stacked."))
    zdenka = named(found.concepts, "Zdenka")
    assert zdenka.fragments == ("f1.0.0",)
    assert zdenka.events == (found.events[0].key,)


def test_a_first_name_and_the_only_full_name_are_one_person():
    found = concepts(
        ("user", "I told my boss Ottilie Brandt about the clock."), ("user", "My boss Ottilie said we should wait.")
    )
    person = named(found, "Ottilie Brandt")
    assert person.aliases == ("Ottilie",)
    assert person.fragments == ("f1.0.0", "f1.1.0")
    assert named(found, "Ottilie") is None


def test_a_first_name_of_two_people_stays_apart():
    found = kinds(
        ("user", "My boss Ottilie Brandt called, and my friend Ottilie Maier called too."),
        ("user", "My neighbour Ottilie said nothing."),
    )
    assert {"Ottilie", "Ottilie Brandt", "Ottilie Maier"} <= set(found)


def test_a_short_form_of_a_speakers_name_is_the_speaker():
    found = concepts(("Zdenka", "The stove is lit."), ("Olaf", "Hey Zden, the wood is dry."))
    assert named(found, "Zdenka").aliases == ("Zden",)
    assert named(found, "Zden") is None


def test_the_scopes_own_name_is_used_for_an_alias():
    known = Known(concepts={"ottilie": ("Person", "Ottilie"), "tilly": ("Person", "Ottilie")})
    found = concepts(
        ("user", "Then Tilly went home. Later Ottilie Brandt rang, said my friend Ottilie Brandt."), known=known
    )
    (person,) = [concept for concept in found if concept.type == "Person"]
    assert person.name == "Ottilie"
    assert set(person.aliases) == {"Tilly", "Ottilie Brandt"}


def test_a_name_that_people_retyped_keeps_its_type():
    known = Known(concepts={"bello": ("Person", "Bello")})
    (concept,) = concepts(("user", "In the evening Bello sleeps."), known=known)
    assert (concept.type, concept.name) == ("Person", "Bello")


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("We spent June in Portugal.", "Portugal"),
        ("The train to Sevilla is late.", "Sevilla"),
        ("I moved to Jordan for work.", "Jordan"),
        ("I grew up in Quarnby, and last year I moved back to Quarnby.", "Quarnby"),
        ("The ferry crosses Lake Orta at noon.", "Lake Orta"),
        ("Ich wohne seit Mai in Hamburg und arbeite am Hafen.", "Hamburg"),
    ],
)
def test_places_are_known_or_something_happens_there(said, place):
    assert kinds(("user", said)).get(place) == "place"


def test_a_place_that_is_also_a_name_needs_a_hint():
    assert kinds(("user", "Yesterday Jordan said he is tired.")) == {"Jordan": "Person"}


@pytest.mark.parametrize(
    ("said", "organisation"),
    [
        ("She teaches at the University of Quarnby.", "University of Quarnby"),
        ("I work at Voltaria as an engineer.", "Voltaria"),
        ("The account is with Quarnby Savings Bank.", "Quarnby Savings Bank"),
    ],
)
def test_organisations_are_told_by_their_heads_or_their_people(said, organisation):
    assert kinds(("user", said)).get(organisation) == "organisation"


@pytest.mark.parametrize(
    ("rows", "skill"),
    [
        ([("user", "I'm learning PostgreSQL at the moment.")], "PostgreSQL"),
        ([("user", "We use Django and Redis in the shop.")], "Redis"),
        ([("user", "The chess club meets on Monday.")], "Chess"),
        ([("user", "There is pottery on the shelf."), ("user", "The pottery dried well.")], "Pottery"),
        ([("user", "I play the cello.")], "Cello"),
        ([("user", "I love rock climbing.")], "Rock climbing"),
    ],
)
def test_skills_are_practised_or_named_twice(rows, skill):
    assert kinds(*rows).get(skill) == "skill"


@pytest.mark.parametrize(
    "said",
    [
        "The tests are running and running.",
        "I am writing to you about the invoice. Writing takes time.",
        "There is pottery on the shelf.",
        "Go home before the rust spreads.",
        "A swift reaction helps.",
        "I love running my own bakery.",
    ],
)
def test_everyday_words_are_no_skills(said):
    assert "skill" not in kinds(("user", said)).values()


def test_a_verb_of_every_day_is_no_skill_however_often_it_is_said():
    assert "skill" not in kinds(("user", "The tests are running."), ("user", "The fan is running again.")).values()


def test_a_name_of_two_words_is_a_thing_and_one_word_needs_two_mentions():
    assert kinds(("user", "We read about Velvet Lanterns again."))["Velvet Lanterns"] == "thing"
    once = ("user", "The old Quadrolux hums.")
    assert kinds(once) == {}
    assert kinds(once, ("user", "I oiled the Quadrolux today.")) == {"Quadrolux": "thing"}


@pytest.mark.parametrize(
    "said",
    [
        "Great weather today. Looking forward to it. Planning the route now.",
        "See https://example.org/Velvet_Lanterns and `VelvetLanterns`.",
        "# Velvet Lanterns Guide\nthe rest is small.",
        "**Velvet Lanterns**\nthe rest is small.",
        "On Monday in May the English and the Spanish met. TV is off, OK?",
        "VELVET LANTERNS ARE SO NICE TO SEE",
        "Our Velvet Lanterns Shine Brighter, Last Longer",
    ],
)
def test_headings_links_code_and_calendar_words_name_nothing(said):
    assert kinds(("user", said)) == {}


def test_german_nouns_are_no_names():
    rows = [
        ("user", "Ich habe gestern den Hund zum Tierarzt gebracht, weil der Hund eine Zecke hatte."),
        ("user", "Der Tierarzt hat gesagt, dass der Hund heute noch Ruhe braucht."),
    ]
    assert kinds(*rows) == {}


def test_tool_output_names_nobody():
    assert kinds(("tool", "ValueError: my friend Hannah said no")) == {}


def test_long_prose_of_an_assistant_makes_no_name_but_mentions_those_made_elsewhere():
    prose = "My friend Ottilie said that clocks need oil, and Benedikt said so too. " * 10
    assert kinds(("assistant", prose)) == {}
    found = concepts(("user", "My friend Ottilie repairs clocks."), ("assistant", prose))
    assert "f1.1.0" in named(found, "Ottilie").fragments
    assert named(found, "Benedikt") is None


def test_a_subject_needs_three_fragments_and_three_words():
    rows = [
        ("user", "The dough needs more flour."),
        ("user", "The oven is at full heat."),
        ("user", "Her soup won a prize at the fair."),
    ]
    assert kinds(*rows).get("Food") == "subject"
    assert "Food" not in kinds(*rows[:2])
    assert "Food" not in kinds(*[("user", f"The soup number {number} is cold.") for number in range(4)])


def test_a_preference_is_a_concept_with_its_holder():
    found = concepts(("Zdenka", "I prefer rye bread over toast."))
    (preference,) = [concept for concept in found if concept.type == "Preference"]
    assert preference.name.startswith("Zdenka prefers rye bread")
    assert preference.fragments == ("f1.0.0",)
    assert preference.attributes["holder"] == "Zdenka"


def test_a_commitment_is_pending_until_the_end_of_its_day():
    found = concepts(("Zdenka", "I'll send the floor plan to Paulo by Friday."))
    (commitment,) = [concept for concept in found if concept.type == "Commitment"]
    assert commitment.attributes["status"] == "pending"
    assert commitment.attributes["due_at"] == "2026-03-07T00:00:00Z"
    assert "floor plan" in commitment.name


@pytest.mark.parametrize(
    ("said", "belief"),
    [
        ("I believe that small teams ship faster.", "Small teams ship faster"),
        ("Honestly, I firmly believe old houses breathe better.", "Old houses breathe better"),
        ("In my opinion, tests are the best documentation.", "Tests are the best documentation"),
        ("I'm convinced that trains will replace short flights.", "Trains will replace short flights"),
        ("We talked, and I think that patience wins most arguments.", "Patience wins most arguments"),
    ],
)
def test_a_belief_stated_firmly_is_an_insight(said, belief):
    (insight,) = [concept for concept in concepts(("user", said)) if concept.type == "Insight"]
    assert insight.name == belief
    assert insight.attributes["insight_class"] == "belief"
    assert insight.attributes["holder"] == "user"


@pytest.mark.parametrize(
    "said",
    [
        "I can't believe the bridge is open.",
        "I don't believe that trains are slow.",
        "I think it's going to rain in the valley.",
        "Do you think that small teams ship faster?",
        "Maybe I believe that small teams ship faster.",
        "I believe that small teams might ship faster.",
        "I believe in you.",
        "I believe that would help them a lot.",
        "I think that this works well enough for us.",
    ],
)
def test_doubt_questions_and_pointing_words_are_no_beliefs(said):
    assert [concept for concept in concepts(("user", said)) if concept.type == "Insight"] == []


def test_concepts_name_the_events_their_fragments_hang_under():
    found = distilled(
        ("Zdenka", "My friend Ottilie repairs clocks."),
        ("Olaf", "The church clock is broken too."),
        ("Zdenka", "We decided to call the sexton."),
    )
    episode, decision = found.events
    assert named(found.concepts, "Ottilie").events == (episode.key, decision.key)


def test_every_reference_of_a_concept_names_a_proposal():
    found = distilled(
        ("Zdenka", "My friend Ottilie Brandt moved to Hamburg and works at Voltaria. I love pottery."),
        ("Olaf", "I'll visit Ottilie in Hamburg next week, I believe that good friends travel far."),
        ("Zdenka", "Shall we take the train?"),
        ("Olaf", "Yes!"),
    )
    fragments = {fragment.key for fragment in found.fragments}
    events = {event.key for event in found.events}
    assert len({concept.key for concept in found.concepts}) == len(found.concepts)
    for concept in found.concepts:
        assert concept.fragments
        assert set(concept.fragments) <= fragments
        assert set(concept.events) <= events
    assert {fact.fragment for fact in found.facts} <= fragments
