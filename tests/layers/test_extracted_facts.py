"""What plain statements give. Each row: what was said, the predicate, the object; a leading `not ` denies it."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.facts.rules.decay import parse_decay
from memory.layers.distillers.extractive.facts import KINDS, facts_in, kind_of
from memory.layers.rules.proposals import FactProposal, Line

WEDNESDAY = datetime(2025, 5, 14, 10, 30, tzinfo=UTC)


def facts(text: str, speaker: str = "Ana", role: str = "user") -> list[FactProposal]:
    return facts_in(Line(0, 0, role, speaker, text, WEDNESDAY), "f1")


def claims(text: str) -> list[tuple[str, object]]:
    return [(("not " if fact.negated else "") + fact.predicate, fact.object) for fact in facts(text)]


IDENTITY = [
    ("My name is Ana Duarte.", "name", "Ana Duarte"),
    ("Hi, my name's Tomas.", "name", "Tomas"),
    ("Hello! I'm Mira, a nurse from Ghent.", "name", "Mira"),
    ("Hi, I'm Oskar!", "name", "Oskar"),
    ("My full name is Bela Kovacs, by the way.", "name", "Bela Kovacs"),
    ("Everyone can call me Toni.", None, None),
    ("Please call me Toni.", "goes_by", "Toni"),
    ("My name is Jean-Luc O'Hara.", "name", "Jean-Luc O'Hara"),
    ("Friends call me Kit.", "goes_by", "Kit"),
    ("I'm from Slovenia.", "from", "Slovenia"),
    ("I'm originally from Cork, Ireland.", "from", "Cork, Ireland"),
    ("I come from New Zealand.", "from", "New Zealand"),
    ("I'm not from Austria.", "not from", "Austria"),
    ("I was born in 1988.", "birth_year", 1988),
    ("I was born in Maribor.", "birthplace", "Maribor"),
    ("I was born and raised in Leeds.", "birthplace", "Leeds"),
    ("I was born on 3 May 1990.", "birthday", "1990-05-03"),
    ("My birthday is May 3.", "birthday", "3 May"),
    ("My birthday's on 12 October.", "birthday", "12 October"),
    ("My date of birth is 1979-02-28.", "birthday", "1979-02-28"),
    ("I speak Basque.", "speaks", "Basque"),
    ("I don't speak Polish.", "not speaks", "Polish"),
    ("I'm fluent in Swahili.", "speaks", "Swahili"),
    ("Yesterday my sister Petra called.", "has_relation", {"relation": "sister", "name": "Petra"}),
    ("My brother's name is Jonas.", "has_relation", {"relation": "brother", "name": "Jonas"}),
    ("My wife, Ines, bakes on Sundays.", "has_relation", {"relation": "wife", "name": "Ines"}),
    ("My younger daughter is called Lia.", "has_relation", {"relation": "daughter", "name": "Lia"}),
    ("I met my cousin Rafael at the station.", "has_relation", {"relation": "cousin", "name": "Rafael"}),
    ("Did my boss Helga write to you, by chance?", "has_relation", {"relation": "boss", "name": "Helga"}),
]

STATUS = [
    ("I live in Porto.", "lives_in", "Porto"),
    ("We live in a flat in town, I live in Porto.", "lives_in", "Porto"),
    ("I currently live in the Netherlands.", "lives_in", "the Netherlands"),
    ("I'm based in San Sebastian.", "lives_in", "San Sebastian"),
    ("I'm living in Graz now.", "lives_in", "Graz"),
    ("We moved to Oslo last year.", "lives_in", "Oslo"),
    ("I've relocated to Portland, Oregon.", "lives_in", "Portland, Oregon"),
    ("I just moved from Turin to Lyon.", "lives_in", "Lyon"),
    ("I've lived in Ghent since 2016.", "lives_in", "Ghent"),
    ("I've lived in Ghent all my life.", "lives_in", "Ghent"),
    ("I no longer live in Berlin.", "not lives_in", "Berlin"),
    ("I don't live in Berlin anymore.", "not lives_in", "Berlin"),
    ("These days I live in Malta.", "lives_in", "Malta"),
    ("Honestly, I live in Malta, and you?", "lives_in", "Malta"),
    ("I work at Brightwater Labs.", "works_at", "Brightwater Labs"),
    ("I work for the ministry.", "works_at", "the ministry"),
    ("I'm working at a bakery.", "works_at", "a bakery"),
    ("I no longer work at Brightwater.", "not works_at", "Brightwater"),
    ("I don't work for Kestrel anymore.", "not works_at", "Kestrel"),
    ("I started working at Kestrel Foods in March.", "works_at", "Kestrel Foods"),
    ("I just got a job at Nordlicht.", "works_at", "Nordlicht"),
    ("I work at the University of Split.", "works_at", "the University of Split"),
    ("I'm employed by Nordlicht.", "works_at", "Nordlicht"),
    ("I work in logistics.", "works_in", "logistics"),
    ("I don't work in finance.", "not works_in", "finance"),
    ("I'm a data engineer.", "role", "data engineer"),
    ("I'm a nurse at a small clinic.", "role", "nurse"),
    ("I am an electrician by trade.", "role", "electrician"),
    ("I work as a beekeeper.", "role", "beekeeper"),
    ("I'm not a lawyer.", "not role", "lawyer"),
    ("I'm no longer a teacher.", "not role", "teacher"),
    ("I'm the CTO of Kestrel.", "role", "CTO of Kestrel"),
    ("I'm a freelance translator and a parent.", "role", "freelance translator"),
    ("I'm studying marine biology.", "studies", "marine biology"),
    ("I'm learning Portuguese.", "studies", "Portuguese"),
    ("I'm 34.", "age", 34),
    ("I'm 34 years old and love it.", "age", 34),
    ("I just turned forty-one.", "age", 41),
    ("I turned 60 last week!", "age", 60),
    ("I'm thirty-two years old.", "age", 32),
    ("I'm 9 years old.", "age", 9),
    ("I'm married.", "marital_status", "married"),
    ("I'm divorced now.", "marital_status", "divorced"),
    ("I'm not married.", "not marital_status", "married"),
    ("I have two kids.", "has_children", 2),
    ("We've got three young children.", "has_children", 3),
    ("I have no children.", "has_children", 0),
    ("I have a dog named Pepper.", "has_pet", "a dog named Pepper"),
    ("We have two cats.", "has_pet", "two cats"),
    ("I don't have a dog.", "not has_pet", "a dog"),
    ("I use Todoist.", "uses", "Todoist"),
    ("I use python for scripts.", "uses", "python"),
    ("We're using Postgres 16 in production.", "uses", "Postgres 16"),
    ("I switched from Trello to Notion.", "uses", "Notion"),
    ("I don't use Windows.", "not uses", "Windows"),
    ("I no longer use docker.", "not uses", "docker"),
    ("I stopped using git.", "not uses", "git"),
    ("I use `ruff` on every commit.", "uses", "ruff"),
]

HEALTH = [
    ("I'm allergic to hazelnuts.", "allergic_to", "hazelnuts"),
    ("I'm severely allergic to penicillin.", "allergic_to", "penicillin"),
    ("I have a peanut allergy.", "allergic_to", "peanut"),
    ("I'm not allergic to cats.", "not allergic_to", "cats"),
    ("I have asthma.", "has_condition", "asthma"),
    ("I was diagnosed with type 2 diabetes last year.", "has_condition", "type 2 diabetes"),
    ("I suffer from migraines.", "has_condition", "migraines"),
    ("I'm vegan.", "diet", "vegan"),
    ("I've been vegetarian since 2012.", "diet", "vegetarian"),
    ("I'm not vegetarian.", "not diet", "vegetarian"),
    ("I'm lactose-intolerant.", "diet", "lactose intolerant"),
]

TASTE = [
    ("I prefer tea.", "prefers", "tea"),
    ("I prefer tea over coffee.", "prefers", "tea over coffee"),
    ("I much prefer trains to planes.", "prefers", "trains over planes"),
    ("I prefer to walk.", "prefers", "to walk"),
    ("I prefer clear, short bullet points.", "prefers", "clear, short bullet points"),
    ("I generally prefer dark mode, thanks.", "prefers", "dark mode"),
    ("I don't prefer meetings.", "not prefers", "meetings"),
    ("I prefer short, clear and friendly answers.", "prefers", "short, clear and friendly answers"),
    ("I love hiking.", "likes", "hiking"),
    ("I really enjoy old maps.", "likes", "old maps"),
    ("I love hiking, it clears my head.", "likes", "hiking"),
    ("I love salt and pepper.", "likes", "salt and pepper"),
    ("I like to bake bread.", "likes", "to bake bread"),
    ("I'm really into bouldering.", "likes", "bouldering"),
    ("I'm passionate about typography.", "likes", "typography"),
    ("I'm a big fan of Miles Davis.", "likes", "Miles Davis"),
    ("I've been into pottery lately.", "likes", "pottery"),
    ("That's why I love winter swimming.", "likes", "winter swimming"),
    ("I love chess so much.", "likes", "chess"),
    ("I enjoy long walks, reading sci-fi, and board games.", "likes", "long walks, reading sci-fi, and board games"),
    ("I prefer not to share my address.", "prefers", "not to share my address"),
    ("I love rye bread because it keeps.", "likes", "rye bread"),
    ("I don't like olives.", "not likes", "olives"),
    ("I really don't enjoy karaoke.", "not likes", "karaoke"),
    ("I'm not a fan of open offices.", "not likes", "open offices"),
    ("I'm not into horror films.", "not likes", "horror films"),
    ("I hate traffic jams.", "dislikes", "traffic jams"),
    ("I can't stand loud music.", "dislikes", "loud music"),
    ("I dislike coriander, honestly.", "dislikes", "coriander"),
    ("I don't hate Mondays.", "not dislikes", "Mondays"),
    ("My favourite colour is teal.", "favourite_colour", "teal"),
    ("My favorite color is teal.", "favourite_colour", "teal"),
    ("My all-time favorite film is Solaris.", "favourite_film", "Solaris"),
    ("Solaris is my favourite film.", "favourite_film", "Solaris"),
    ('My favourite book is "The Dispossessed".', "favourite_book", "The Dispossessed"),
    ("My favourite season isn't summer.", None, None),
    ("My favourite season is not summer.", "not favourite_season", "summer"),
    ("One of my favourite dishes is risotto.", "likes", "risotto"),
]

CHOICES = [
    ("We decided to use Postgres.", "decided", "use Postgres"),
    ("I've decided to sell the boat.", "decided", "sell the boat"),
    ("I've decided against microservices for now.", "decided_against", "microservices"),
    ("We decided not to hire this year.", "decided_against", "hire"),
    ("We finally decided on oak flooring.", "decided", "oak flooring"),
    ("We agreed to meet twice a month.", "decided", "meet twice a month"),
    ("I chose the blue tiles.", "decided", "the blue tiles"),
    ("We settled on Lisbon, since flights are cheap.", "decided", "Lisbon"),
    ("Decision: we settled on weekly demos.", "decided", "weekly demos"),
    ("I opted for the smaller engine.", "decided", "the smaller engine"),
    ("We're going with React Native.", "decided", "React Native"),
    ("We're not going with React Native.", "decided_against", "React Native"),
    ("Yesterday I decided to learn sailing.", "decided", "learn sailing"),
    ("I decided on Tuesday to quit smoking.", "decided", "quit smoking"),
    ("I picked Rust for the parser.", "decided", "Rust for the parser"),
    ("I will send the contract over on Monday and call the bank.", "will", "send the contract over"),
    ("I'll send the agenda to Bela by Friday.", "will", "send the agenda to Bela"),
    ("I will finish the draft by tomorrow.", "will", "finish the draft"),
    ("I'm going to paint the kitchen next weekend.", "will", "paint the kitchen"),
    ("We plan to ship version two in June.", "will", "ship version two"),
    ("Tomorrow I'll call the plumber.", "will", "call the plumber"),
    ("I'll send you the slides on Monday.", "will", "send you the slides"),
    ("I won't attend the review on Friday.", "not will", "attend the review"),
]

HAPPENINGS = [
    ("I started a pottery course last week.", "started", "a pottery course"),
    ("I joined a rowing club.", "joined", "a rowing club"),
    ("I just bought an electric bike.", "bought", "an electric bike"),
    ("We adopted a greyhound in April.", "adopted", "a greyhound"),
    ("I finally finished my thesis.", "finished", "my thesis"),
    ("We launched our bakery yesterday.", "launched", "our bakery"),
    ("I graduated from Aalto University.", "graduated_from", "Aalto University"),
    ("I signed up for an evening class.", "enrolled_in", "an evening class"),
]

THINGS = [
    ("The report is due on Friday.", "due", "2025-05-16"),
    ("The deadline for the grant is June 2.", "due", "2025-06-02"),
    ("Our launch is scheduled for 2025-09-01.", "scheduled_for", "2025-09-01"),
    ("My thesis is due tomorrow.", "due", "2025-05-15"),
    ("The invoice is due by the end of the month.", "due", "2025-05-31"),
    ("The thermostat reads 21 °C.", "reads", "21 °C"),
    ("Battery at 40 %.", "reads", "40 %"),
    ("The battery is at 40%.", "reads", "40%"),
    ("CPU usage is at 85%.", "reads", "85%"),
    ("The temperature in the lab is 19.5 degrees.", "reads", "19.5 degrees"),
    ("Temperature: 21 °C", "reads", "21 °C"),
    ("The freezer is at -18°C.", "reads", "-18°C"),
    ("A ticket costs 12 euros.", "price", "12 euros"),
    ("Oat milk costs $4.", "price", "$4"),
    ("BTC is at $64,000.", "price", "$64,000"),
    ("The price of copper is $9,800 per tonne.", "price", "$9,800 per tonne"),
    ("Eggs cost €3.", "price", "€3"),
    ("The licence is priced at EUR 90.", "price", "EUR 90"),
]

STATED = [*IDENTITY, *STATUS, *HEALTH, *TASTE, *CHOICES, *HAPPENINGS, *THINGS]


@pytest.mark.parametrize(("said", "predicate", "told"), STATED)
def test_a_plain_statement_gives_its_fact(said: str, predicate: str | None, told: object):
    if predicate is None:
        assert claims(said) == []
    else:
        assert (predicate, told) in claims(said)


SEVERAL = [
    ("I speak Dutch, German and a little Greek.", [("speaks", "Dutch"), ("speaks", "German"), ("speaks", "Greek")]),
    ("I love hiking, reading and rock climbing.", [("likes", x) for x in ("hiking", "reading", "rock climbing")]),
    ("I live in Porto and I work at Kestrel.", [("lives_in", "Porto"), ("works_at", "Kestrel")]),
    ("I like jazz but I hate opera.", [("likes", "jazz"), ("dislikes", "opera")]),
    ("I love jazz. I love jazz!", [("likes", "jazz")]),
    ("Hi, I'm Mira, a nurse.", [("name", "Mira")]),
    ("We use React, TypeScript and Vite 5.", [("uses", "React"), ("uses", "TypeScript"), ("uses", "Vite 5")]),
    ("I don't use Facebook or Instagram.", [("not uses", "Facebook"), ("not uses", "Instagram")]),
]


@pytest.mark.parametrize(("said", "told"), SEVERAL)
def test_a_line_gives_each_fact_once_and_no_more(said: str, told: list[tuple[str, object]]):
    assert claims(said) == told


def test_the_speaker_is_the_subject_and_is_named_in_the_statement():
    (fact,) = facts("So last week I moved to Porto.")

    assert (fact.subject, fact.statement) == ("Ana", "Ana: So last week I moved to Porto.")
    assert fact.fragment == "f1"


@pytest.mark.parametrize("speaker", ["", "user"])
def test_an_unnamed_user_is_user(speaker: str):
    (fact,) = facts("I live in Porto.", speaker)

    assert (fact.subject, fact.statement) == ("user", "user: I live in Porto.")


def test_what_has_a_subject_of_its_own_is_about_that():
    assert [fact.subject for fact in facts("The thermostat reads 21 °C.")] == ["thermostat"]
    assert [fact.subject for fact in facts("My thesis is due tomorrow.")] == ["Ana's thesis"]
    assert [fact.subject for fact in facts("The price of copper is $9,800.")] == ["copper"]


@pytest.mark.parametrize(
    ("said", "since"),
    [
        ("I moved to Porto last week.", datetime(2025, 5, 5, tzinfo=UTC)),
        ("I've lived in Porto since 2019.", datetime(2019, 1, 1, tzinfo=UTC)),
        ("Last week, I joined a rowing club.", datetime(2025, 5, 5, tzinfo=UTC)),
        ("I live in Porto.", None),
        ("Yesterday I decided to sell the boat.", datetime(2025, 5, 13, tzinfo=UTC)),
        ("We decided to repeat the survey of 2019.", None),
        ("I bought a camera from 1962.", None),
        ("I finished a novel published in 1851.", None),
        ("I moved to Oslo and will see Bela tomorrow.", None),
        ("We decided to move the launch to next week.", None),
        ("I love the rain of last week's kind, and I love rye bread.", None),
    ],
)
def test_a_past_time_told_in_a_clause_says_since_when(said: str, since: datetime | None):
    assert {fact.valid_from for fact in facts(said)} == {since}


def test_a_commitment_and_a_due_date_matter_until_a_fortnight_after():
    (promise,) = facts("I'll send the agenda to Bela by Friday.")
    (due,) = facts("The report is due on Friday.")

    assert promise.valid_until == due.valid_until == datetime(2025, 5, 31, tzinfo=UTC)
    assert promise.valid_from == due.valid_from == WEDNESDAY


def test_what_was_taken_out_of_a_statement_shows():
    (fact,) = facts('I love jazz and she wrote "I do not" to me.')

    assert fact.statement == "Ana: I love jazz and she wrote … to me."


@pytest.mark.parametrize("predicate", [*KINDS, "favourite_colour"])
def test_every_kind_has_a_decay_that_can_be_read_and_is_never_certain(predicate: str):
    kind = kind_of(predicate)

    assert 0.7 <= kind.confidence < 1.0
    assert kind.decay is None or parse_decay(kind.decay)


def test_decay_follows_the_kind():
    decays = {predicate: kind.decay for predicate, kind in KINDS.items()}

    assert decays["reads"] == "0.5/1d"
    assert decays["price"] == "0.5/1h"
    assert {decays[status] for status in ("lives_in", "works_at", "age", "role")} == {"0.5/365d"}
    assert {decays[who] for who in ("name", "birthday", "birthplace", "has_relation")} == {None}


def test_health_and_happenings_wait_for_a_person():
    for said in ("I'm allergic to hazelnuts.", "I have asthma.", "I joined a rowing club."):
        assert [fact.review for fact in facts(said)] == [True]
    assert [fact.review for fact in facts("I live in Porto.")] == [False]


@given(st.text(max_size=300) | st.from_regex(r"(I|We|My) [a-z ,.'’]{0,80}[A-Z$0-9°% .]{0,20}", fullmatch=True))
def test_no_text_breaks_the_reading_and_facts_are_always_whole(text: str):
    for fact in facts(text):
        assert fact.predicate.isidentifier()
        assert 1 <= len(fact.statement) <= 4000
        assert fact.object not in ("", None)
