"""One question to the model and its answer, read as strictly as it can be."""

import re
from typing import Any, cast

import openai
from pydantic import BaseModel, ConfigDict, ValidationError

from common import jsonio
from common.errors import Invalid
from memory.embedding.endpoint import EndpointFault, answer_of
from memory.layers.distillers.llm.answer import Answer, answer_schema
from memory.layers.rules.proposals import DistillerRefused

_LONGEST_ANSWER = 1_000_000
_FENCED = re.compile(r"\s{0,100}```(?:json)?[ \t]{0,100}\n(?P<inside>.*)\n[ \t]{0,100}```\s{0,100}", re.DOTALL)


class _Message(BaseModel):
    model_config = ConfigDict(strict=True)

    content: str | None = None
    refusal: str | None = None
    tool_calls: list[Any] | None = None
    function_call: dict[str, Any] | None = None


class _Choice(BaseModel):
    model_config = ConfigDict(strict=True)

    finish_reason: str | None = None
    message: _Message


class _Completion(BaseModel):
    model_config = ConfigDict(strict=True)

    choices: list[_Choice]


def text_of_answer(client: openai.OpenAI, model: str, messages: list[dict[str, str]], *, structured: bool) -> str:
    """A complete answer. Raises EndpointFault where the endpoint is at fault, DistillerRefused where the model is."""
    form: Any = {"type": "json_schema", "json_schema": {"name": "memories", "strict": True, "schema": answer_schema()}}
    create = client.chat.completions.with_raw_response.create
    document = answer_of(
        lambda: create(model=model, messages=cast(Any, messages), response_format=form if structured else openai.omit)
    )
    try:
        choices = _Completion.model_validate(document).choices
    except ValidationError:
        raise EndpointFault("The model's endpoint answered with something else than a chat completion.") from None
    if len(choices) != 1:
        raise DistillerRefused(f"The model gave {len(choices)} answers instead of one.")
    return _text_of(choices[0])


def _text_of(choice: _Choice) -> str:
    message = choice.message
    if message.refusal:
        raise DistillerRefused("The model declined to answer.")
    if message.tool_calls or message.function_call:
        raise DistillerRefused("The model called a tool instead of answering.")
    if choice.finish_reason == "length":
        raise DistillerRefused("The model's answer was cut off at its longest length.")
    if choice.finish_reason != "stop":
        raise DistillerRefused("The model did not finish its answer.")
    if not message.content or not message.content.strip():
        raise DistillerRefused("The model's answer was empty.")
    if len(message.content) > _LONGEST_ANSWER:
        raise DistillerRefused(f"The model's answer had more than {_LONGEST_ANSWER:,} characters.")
    return message.content


def read_answer(text: str, *, structured: bool) -> Answer:
    """The answer that a text holds. Without a structured form a Markdown fence around the whole is taken off.

    Raises DistillerRefused for text around it, a key twice, NaN, a NUL, and whatever else does not follow the schema.
    """
    fenced = None if structured else _FENCED.fullmatch(text)
    try:
        document = jsonio.loads(fenced["inside"] if fenced else text)
    except Invalid:
        raise DistillerRefused("The model's answer is not JSON alone, or holds what cannot be kept.") from None
    try:
        return Answer.model_validate(document)
    except ValidationError as error:
        raise DistillerRefused(f"The model's answer does not follow the schema at {_place(error)}.") from None


def _place(error: ValidationError) -> str:
    """Where the first fault is: list, number and field in our words only, since other names are the model's."""
    path: list[str] = []
    for part in error.errors()[0]["loc"]:
        if isinstance(part, str) and part not in _FIELDS:
            break
        path.append(str(part))
    return ".".join(path) or "its top"


def _fields(schema: dict[str, Any]) -> set[str]:
    parts = [schema, *schema["$defs"].values()]
    return {name for part in parts for name in part.get("properties", ())}


_FIELDS = _fields(answer_schema())
