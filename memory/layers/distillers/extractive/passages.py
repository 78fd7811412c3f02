"""What was said, read once for all: a line's text, its words, and the fragments it leaves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from memory.layers.distillers.extractive import keys
from memory.layers.distillers.extractive.agreement import is_answer, proposal_in
from memory.layers.distillers.extractive.filler import Weight, weight_of, without_secret_marks
from memory.layers.distillers.extractive.kinds import kind_of
from memory.layers.distillers.extractive.units import LONGEST_FRAGMENT, is_long_prose, texts_of, without_attachments
from memory.layers.distillers.extractive.words import is_question, words_of
from memory.layers.rules.proposals import FragmentProposal, Line, LineRange
from memory.layers.rules.spoken import spoken_times

NEAR_FILLER_SALIENCE = 0.6


@dataclass(frozen=True, slots=True)
class Passage:
    """A fragment, the line it came from, what was said in it (no remark on a picture), and the words of that."""

    line: Line
    fragment: FragmentProposal
    said: str
    words: Sequence[str]

    @property
    def tells(self) -> bool:
        """Whether somebody told this in conversation: no tool, no instruction of a system, no long exposition."""
        return self.line.role not in {"tool", "system"} and not is_long_prose(self.line)


@dataclass(slots=True)
class Utterance:
    """A line that says something, small talk included; `passages` are what is kept of it.

    `text` is its first text, `said` that without remarks on pictures, `words` the words of it in small letters.
    """

    line: Line
    text: str
    said: str
    words: Sequence[str]
    passages: list[Passage] = field(default_factory=list)


def utterances(lines: Sequence[Line]) -> list[Utterance]:
    """Return what the lines say, in their order, each with the fragments that are worth keeping."""
    names = names_of_speakers(lines)
    names |= {f"{name}'s" for name in names}
    said: list[Utterance] = []
    last: dict[int, Utterance] = {}
    for line in lines:
        before = last.get(line.session)
        utterance = _read(line, names, before)
        if utterance is not None:
            said.append(utterance)
            last[line.session] = utterance
    return said


def names_of_speakers(lines: Sequence[Line]) -> set[str]:
    """Return the words of the speakers' names, in small letters."""
    return {part for speaker in {line.speaker for line in lines} for part in words_of(speaker)}


def passages_of(said: Sequence[Utterance]) -> Iterator[Passage]:
    """Yield the kept passages of utterances in their order."""
    for utterance in said:
        yield from utterance.passages


def _read(line: Line, names: set[str], before: Utterance | None) -> Utterance | None:
    texts = texts_of(line)
    if not texts:
        return None
    said = without_attachments(texts[0])
    utterance = Utterance(line, texts[0], said, words_of(without_secret_marks(said)))
    weight = "full" if len(texts) > 1 or line.role == "tool" or said != texts[0] else _weight(utterance, names, before)
    if weight != "full" and before is not None and _agrees(before, utterance):
        return utterance
    if weight != "none":
        salience = NEAR_FILLER_SALIENCE if weight == "little" else 1.0
        utterance.passages = [_passage(line, 0, texts[0], said, utterance.words, salience)]
        for chunk, text in enumerate(texts[1:], 1):
            further = without_attachments(text)
            utterance.passages.append(_passage(line, chunk, text, further, words_of(further), salience))
    return utterance


def _weight(utterance: Utterance, names: set[str], before: Utterance | None) -> Weight:
    answers = before is not None and _is_somebody_else(before.line, utterance.line) and is_question(before.said)
    return weight_of(utterance.text, utterance.words, names, answers=answers)


def _passage(line: Line, chunk: int, text: str, said: str, words: Sequence[str], salience: float) -> Passage:
    fragment = FragmentProposal(
        key=keys.fragment_key(line, chunk),
        text=text,
        kind="tool error" if line.role == "tool" else kind_of(said, words),
        lines=LineRange(line.session, line.index, line.index),
        speaker=line.speaker,
        said_at=line.at,
        salience=salience,
    )
    passage = Passage(line, fragment, said, words)
    if not passage.tells:
        return passage
    times = spoken_times(text, line.at)
    return replace(passage, fragment=replace(fragment, spoken=times[0])) if times else passage


def _agrees(before: Utterance, answer: Utterance) -> bool:
    """Make one decision of a proposal and its answer, when they are that; a bare question goes up in it."""
    if not before.passages or not _is_somebody_else(before.line, answer.line) or not is_answer(answer.text):
        return False
    asking = before.passages[-1]
    proposal = proposal_in(asking.said)
    if proposal is None:
        return False
    whole = asking.fragment.text
    if len(proposal) * 2 >= len(whole) and len(whole) + len(answer.text) < LONGEST_FRAGMENT:
        proposal = whole
        before.passages.pop()
    text = f"{proposal} {answer.text}"
    fragment = FragmentProposal(
        key=keys.agreement_key(answer.line),
        text=text,
        kind="decision",
        lines=LineRange(answer.line.session, before.line.index, answer.line.index),
        speaker=answer.line.speaker,
        said_at=answer.line.at,
        spoken=asking.fragment.spoken,
    )
    answer.passages = [Passage(answer.line, fragment, text, words_of(text))]
    return True


def _is_somebody_else(one: Line, other: Line) -> bool:
    return (one.role, one.speaker) != (other.role, other.speaker)
