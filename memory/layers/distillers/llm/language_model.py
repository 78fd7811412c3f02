"""The plug-in: lines out to a language model, its answers back as proposals, all of them or none."""

import secrets
from collections.abc import Callable, Sequence

import openai

from memory.embedding.endpoint import Endpoint, EndpointFault
from memory.layers.distillers.llm.answer import Answer, answer_schema
from memory.layers.distillers.llm.asking import read_answer, text_of_answer
from memory.layers.distillers.llm.merging import merged
from memory.layers.distillers.llm.prompt import messages_of
from memory.layers.distillers.llm.reading import proposals_of
from memory.layers.distillers.llm.requests import Piece, requests_of
from memory.layers.rules.proposals import DistillerRefused, Known, Line, Proposals

MOST_CHARACTERS = 12_000


class LanguageModel:
    """Asks once a request of at most `most_characters` of conversation, and tries nothing again: the ledger does.

    `token` makes the text of a fence; it must give what nobody can foresee.
    """

    name = "llm"

    def __init__(
        self,
        endpoint: Endpoint,
        model: str,
        *,
        most_characters: int = MOST_CHARACTERS,
        token: Callable[[], str] = secrets.token_hex,
    ) -> None:
        self._endpoint = endpoint
        self._model = model
        self._most_characters = most_characters
        self._token = token

    def distil(self, lines: Sequence[Line], known: Known) -> Proposals:
        """Proposals for these lines. Raises DistillerRefused when any of the requests brought nothing usable.

        `retry` of the refusal is False where the configuration must change first.
        """
        parts: list[Proposals] = []
        structured = True
        try:
            with self._endpoint.client() as client:
                for number, pieces in enumerate(requests_of(lines, self._most_characters), 1):
                    answer, structured = self._asked(client, pieces, known, structured=structured)
                    parts.append(proposals_of(answer, pieces, f"r{number}"))
        except EndpointFault as fault:
            raise DistillerRefused(fault.reason, retry=fault.retry) from None
        return merged(parts, known)

    def _asked(
        self, client: openai.OpenAI, pieces: Sequence[Piece], known: Known, *, structured: bool
    ) -> tuple[Answer, bool]:
        """The answer, and whether the endpoint enforced its form; one that refuses to is asked once more without."""
        messages = messages_of(pieces, known, self._token, None if structured else answer_schema())
        try:
            text = text_of_answer(client, self._model, messages, structured=structured)
        except EndpointFault as fault:
            if fault.status == 400 and structured:
                return self._asked(client, pieces, known, structured=False)
            raise
        return read_answer(text, structured=structured), structured
