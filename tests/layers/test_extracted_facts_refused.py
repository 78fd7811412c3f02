"""What must give no fact at all: each of these would be wrong, or wrong as often as right."""

import time
from datetime import UTC, datetime

import pytest

from memory.layers.distillers.extractive.facts import facts_in
from memory.layers.rules.proposals import Line

WEDNESDAY = datetime(2025, 5, 14, 10, 30, tzinfo=UTC)


def facts(text: str, speaker: str = "Ana", role: str = "user"):
    return facts_in(Line(0, 0, role, speaker, text, WEDNESDAY), "f1")


NOTHING = {
    "arithmetic and scratch talk": [
        "2+2 is 4.", "x = 5", "Let x = 5, then I use y = 7.", "3 apples at $2 cost $6.", "5 pens cost $10 each.",
        "A pen costs $2 and a book costs $5. How much is it?", "The total costs $40.", "The answer is 42%.",
        "Half of it is 50%.", "7 * 6 is 42 degrees.", "The sum costs $12.", "Two tickets cost $5 each.",
    ],
    "suppositions": [
        "Let's say I live in Paris.", "If I live in Paris, I need a coat.", "Suppose I work at Kestrel.",
        "Imagine I'm a doctor.", "Pretend my name is Zorro.", "Assume I have two kids.", "I wish I lived in Porto.",
        "I wish I was a pilot.", "What if I use Rust?", "Hypothetically, I work for Kestrel.",
        "I'll send the agenda by Friday if I finish.", "Unless it rains, I'll paint the fence on Friday.",
        "If I bought a boat, I'd name it Otter.", "I don't know whether I like opera.",
    ],
    "doubt": [
        "I'd maybe prefer tea.", "I would prefer tea.", "I might move to Oslo.", "Maybe I like jazz.",
        "I could use Rust.", "I'm not sure I like jazz.", "I guess I prefer tea.", "I used to live in Berlin.",
        "I used to love hiking.", "I think I love jazz.", "I'm thinking of moving to Oslo.",
        "Perhaps I'll call on Friday.", "I'm probably going to paint the fence on Friday.", "I should use Rust.",
        "I'd love a coffee.", "I kind of like jazz.", "I almost bought a boat.", "I'm tempted to buy a boat.",
        "I nearly joined a choir.", "I may move to Oslo in June.", "Hopefully I'll finish the draft by Friday.",
        "I can't decide on a colour.", "I haven't decided on a colour.", "I never decided to move.",
    ],
    "doubt and conditions that come last": [
        "I use Rust, probably.", "I'm 34, perhaps.", "I prefer tea maybe.", "I love jazz, sort of.",
        "I'll send the draft by Friday, hopefully.", "I live in Porto, supposedly.",
        "I live in Porto, if memory serves.",
        "I work at Kestrel, unless they fired me.", "I'm a nurse, or might be.",
    ],
    "words of others": [
        'She said "I live in Paris".', "He told me: I love opera.", "Tim thinks I live in Paris.",
        "> I live in Paris", "Bela said I prefer tea.", "My sister says, I hate jazz.",
        "“I work at Kestrel” is what he wrote.", "Translate: I live in Paris.",
        "Correct this sentence: I has two kids.", "Rewrite 'I am a nurse from Oslo'.",
        "Write me a short story where I live in Rome.", "Dear Sir, I work at Kestrel.", "She loves hiking.",
        "You live in Porto.", "Does he think I live in Porto?", "They decided to use Postgres.",
        "In the story I am a doctor.", "My character lives in Rome, I work for Kestrel.",
        "The lyrics go: I love Paris.", "Example sentence: I'm allergic to nuts.",
    ],
    "what was pasted": [
        "Her mail says:\nI live in Paris.", "Here is the transcript from Monday:\nI hate jazz.",
        "Bela: Hi.\nBela: I live in Paris.", "Bela: yes, I live in Paris.",
    ],
    "play and jokes": [
        "Let's role-play, I'm a doctor.", "I live in the office lol.", "I'm 200 years old, just kidding.",
        "I work for Santa, jk.", "You are a pirate. I live in Tortuga.", "Act as if I work for Kestrel.",
        "I love Mondays /s", "In my dream I live in Rome, in a dream house.", "I'm joking, I hate jazz.",
        "I live in Narnia.", "I'm from Mars.",
    ],
    "questions": [
        "Do I live in Porto?", "Should I use Rust?", "Why do I like jazz?", "I live in Porto, right?",
        "Am I a nurse?", "What is my name?", "Did I say I prefer tea?", "Who says my favourite colour is teal?",
        "I use Rust?",
    ],
    "objects that point elsewhere": [
        "I love it.", "I love this.", "I like that.", "I love you.", "I like your idea.", "I like the idea.",
        "I love how you did it.", "I love when it rains.", "I hate it when trains are late.", "I prefer that one.",
        "I prefer the second one.", "I like option B.", "I like where this goes.", "We decided to do that.",
        "I decided on it.", "I'll do it by Friday.", "I'll send it by Friday.", "I started it yesterday.",
        "I bought this yesterday.", "I use it.", "I use this app.", "I joined them.", "I love seeing you happy.",
        "I love to hear that.", "I enjoy both.", "My favourite part is the ending.", "My favourite thing is sleep.",
        "I love the ocean.", "I like your answer.", "I finished the first one.", "I agreed with her.",
        "I prefer the other approach.", "I love my life.", "I'm into it.", "I love what you wrote.",
    ],
    "words with another meaning": [
        "I'm 5 minutes away.", "I'm 100% sure.", "I'm 20 pages in.", "I'm 6 feet tall.", "I'm Portuguese.",
        "I'm Catholic.", "Hi, I'm Sorry!", "Hi, I'm Good.", "I'm a fan.", "I'm a mess.", "I'm a morning person.",
        "I'm a slow writer.", "I'm a teacher at heart.", "I'm a bad cook.", "I live in fear.",
        "I live in a small flat.", "I live in Vim.", "I moved to Linux.", "We moved to Slack.", "I moved to tears.",
        "I work at night.", "I work for free.", "I work on weekends.", "I work from home.", "I work with Python.",
        "I'm from HR.", "Call me later.", "Call me Monday.", "I use my phone.", "I use Monday mornings for mail.",
        "I'm single-minded.", "I'm engaged in talks.", "I'm married to my work.", "I have two kids' books.",
        "I'm into my second week.", "I started crying.", "I started with the basics.", "I finished work early.",
        "I bought lunch.", "I have a cat meme.", "My birthday is soon.", "I was born in a small town.",
        "I speak slowly.", "I study hard.", "I'm studying for my exam.", "I'm allergic to Mondays.",
        "We agreed to disagree.", "I'll see you on Friday.", "I'll be back tomorrow.", "I'll let you know tomorrow.",
        "I will try tomorrow.", "I'll paint the fence.", "I'm going to be fine.",
        "Thank you my friend, Ana, for this.", "I'm becoming a nurse.", "I want to be a nurse.",
        "Set the thermostat to 21 °C.", "The CPU limit is 80%.", "The battery lasts 5 hours.",
        "My temperature is 39 °C.", "It costs $5.", "That costs $5.", "The flight cost $500.",
        "He lives at 40 degrees.", "I'm down to 40%.", "I like Tuesday better.", "I hate to say it.",
        "I've lived in Berlin for two years.", "The report is due.", "I may or may not like jazz.",
        "I can't stand people who chew loudly.", "I love hiking when it is dry.", "I picked up the mail.",
        "We went with Bela to the lake.", "I'm the owner of this repo.", "I'll have finished by Friday.",
    ],
    "greetings and filler": [
        "Thanks, I appreciate it!", "I see.", "I know, right?", "Hi, I hope you're well.", "I agree.", "My pleasure.",
        "I'm good, thanks!", "We did it!", "", "   ", "…", "I", "My", "I love", "I prefer", "We decided",
    ],
    "code": [
        "```\nI live in Porto.\n```", "```python\n# I use Rust\n```", "`I live in Porto.`", "$ echo I live in Porto",
        "```\nI prefer tea.", "| I | live in | Porto |",
    ],
    "what only looked plain": [
        "I'm from Acme's support team.", "I moved to London when I was five.", "I like cats more.", "I voted for Bela.",
        "I moved to Madrid in 2019 but moved back.", "I live in Tokyo this month only.", "My wife Google it for me.",
        "I'm into my third cup of coffee.", "I'm going to the dentist tomorrow.", "I'm going to New York tomorrow.",
        "I decided to go with option A.", "I can't stand people who chew loudly.", "I love hiking when it is dry.",
        "I picked up the mail.", "We went with Bela to the lake.", "I'm the owner of this repo.", "I love being a dad.",
    ],
}  # fmt: skip


@pytest.mark.parametrize("said", [said for group in NOTHING.values() for said in group])
def test_what_states_nothing_gives_no_fact(said: str):
    assert facts(said) == []


def test_enough_is_refused_to_mean_something():
    assert sum(map(len, NOTHING.values())) >= 120


@pytest.mark.parametrize("role", ["tool", "system"])
def test_what_tools_and_systems_write_is_not_read(role: str):
    assert facts("I live in Porto.", role=role) == []


def test_long_lines_are_read_of_users_only():
    long = "I live in Porto. " + "The harbour is quiet today and the boats are in. " * 20

    assert facts(long, role="user")
    assert facts(long, role="assistant") == []


@pytest.mark.parametrize("speaker", ["", "assistant", "Claude"])
def test_a_program_that_talks_has_no_taste_but_may_report_a_reading(speaker: str):
    assert facts("I prefer tea. I live in Porto.", speaker, "assistant") == []
    assert [fact.predicate for fact in facts("The thermostat reads 21 °C.", speaker, "assistant")] == ["reads"]


def test_a_person_in_the_other_role_is_read():
    assert [fact.subject for fact in facts("I prefer tea.", "Bela", "assistant")] == ["Bela"]


@pytest.mark.parametrize(
    "text",
    [
        "I love " + "a-" * 8000,
        "I " * 8000,
        "I love " + "and " * 4000,
        "I live in " + "A " * 8000,
        "my sister " * 1600,
        '"' * 16000,
        "`" * 16000,
        "I'm " + "really " * 2300,
        "I use " + "1." * 8000,
        "last " * 3200 + "I live in Porto",
        "The " + "thermostat " * 1500 + "21",
        "a.b" * 5300,
        "[" * 16000,
        "so, " * 4000 + "I love jazz",
        "I'll " + "by Friday " * 1600,
        "the price of " + "x " * 8000 + "$5",
        "I live in Porto. " * 1000,
        "Oat milk costs $4. " * 1000,
    ],
)
def test_no_text_takes_long_to_read(text: str):
    began = time.process_time()
    facts(text)

    assert time.process_time() - began < 1.0
