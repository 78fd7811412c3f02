"""The fact as a JSON-LD document: what a live write and an import may say. Field names are the JSON-LD ones."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema, model_validator

from common.errors import Invalid
from common.jsonio import require_storable
from common.strict import Confidence, Instant, Read, Sentence, StrictModel, Uri, VisibleText
from memory.facts.rules.decay import Decay, parse_decay
from memory.facts.rules.identifiers import check_fact_id

CLASSIFICATIONS = ("PHI", "PII", "PCI", "CONFIDENTIAL", "INTERNAL", "PUBLIC")
CONTEXT_ADDRESS = "https://kndl.artdaw.com/context/v1.jsonld"
DOCUMENT_LIMIT = 256 * 1024
OBJECT_LIMIT = 64 * 1024
MOST_PARENTS = 1000

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:|//")


def _context(text: str) -> str:
    if text != CONTEXT_ADDRESS and _ABSOLUTE.match(text):
        raise ValueError(f"must be a relative path or {CONTEXT_ADDRESS}")
    return text


def _classification(text: str) -> str:
    known = text.upper()
    if known not in CLASSIFICATIONS:
        raise ValueError(f"must be one of {', '.join(CLASSIFICATIONS)}")
    return known


FactId = Annotated[
    str,
    Read(check_fact_id),
    WithJsonSchema({"type": "string", "pattern": r"^fact:[^\s/?#%\\]{1,500}$"}),
]
Term = Annotated[str, VisibleText(1, 500)]
TypeName = Annotated[
    Term | Annotated[list[Term], Field(min_length=1, max_length=20)],
    Sentence("must be a name or a list of 1 to 20 names"),
]
Reference = Annotated[
    str,
    Field(pattern=r"\A[^\s\p{Cc}\p{Z}]{1,500}\z"),
    Sentence("must be an id of 1 to 500 characters without white space"),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": 500}),
]
Flag = Annotated[bool, Sentence("must be true or false")]
StatedDecay = Annotated[
    Decay,
    Read(parse_decay),
    WithJsonSchema({"type": "string", "description": "rate/window, such as 0.5/30d"}),
]
Classification = Annotated[
    str,
    Read(_classification),
    WithJsonSchema({"type": "string", "enum": list(CLASSIFICATIONS)}),
]
Context = Annotated[
    str,
    VisibleText(1, 2000),
    AfterValidator(_context),
    WithJsonSchema({"type": "string", "maxLength": 2000, "description": f"A relative path or {CONTEXT_ADDRESS}"}),
]


class FactDocument(StrictModel):
    """What live writes and imports share. Unknown keys are kept; `null` for an optional field means not given.

    `object` may be any JSON value, null included: `model_fields_set` tells whether it was given.
    """

    model_config = ConfigDict(extra="allow")

    context: Context | None = Field(None, alias="@context")
    type: TypeName | None = Field(None, alias="@type")
    statement: Annotated[str, VisibleText(1, 4000)]
    subject: Term | None = None
    predicate: Term | None = None
    object: Any = None
    negated: Flag | None = None
    confidence: Confidence
    decay: StatedDecay | None = None
    source: Uri
    valid_from: Instant | None = Field(None, alias="validFrom")
    valid_until: Instant | None = Field(None, alias="validUntil")
    observed_at: Instant | None = Field(None, alias="observedAt")
    supersedes: FactId | None = None
    derived_from: Annotated[list[FactId], Field(max_length=MOST_PARENTS)] | None = Field(None, alias="derivedFrom")
    inference: Reference | None = None
    classification: Classification | None = None
    consent: Reference | None = None
    retention: Annotated[str, VisibleText(1, 100)] | None = None
    tenant: Term | None = None

    @model_validator(mode="before")
    @classmethod
    def _is_storable(cls, data: Any) -> Any:
        if isinstance(data, dict) and require_storable(data, limit=DOCUMENT_LIMIT) > OBJECT_LIMIT:
            size = require_storable(data.get("object"))
            if size > OBJECT_LIMIT:
                raise Invalid(f"must have at most {OBJECT_LIMIT:,} bytes, and has {size:,}", field="object")
        return data


class FactInput(FactDocument):
    """A fact as it is written through REST, the command or MCP. The server sets `recordedAt`; `@id` is optional."""

    id: FactId | None = Field(None, alias="@id")
    recorded_at: Annotated[None, Sentence("is set by the server and can't be given")] = Field(None, alias="recordedAt")


class ImportedFact(FactDocument):
    """A fact of a memory folder, which keeps its own `@id` and `recordedAt`."""

    id: FactId = Field(alias="@id")
    recorded_at: Instant | None = Field(None, alias="recordedAt")
