"""What was forgotten stays gone: signs without content, by which a proposal that would bring it back is known."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from audit.recording import Act
from common.errors import NotFound
from memory.keys.keeping import HASH_PREFIX, hashed
from memory.layers.models import Tombstone
from memory.layers.rules.forgetting import Span, Spans, forms_forgotten, same_form, unsaid
from memory.layers.rules.strength import EVENT, FRAGMENT
from spaces.access import Binding

Kind = Tombstone.Kind


@dataclass(frozen=True)
class Buried:
    """A memory that is forgotten, as far as it must be known again: a concept by its type and `names`, others by what
    they say (`texts`, the title of an event among them), and by their lines.
    """

    node: int
    layer: int
    type: str
    texts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    lines: tuple[tuple[UUID, int, int], ...] = ()


def bury(scope: int, forgotten: Sequence[Buried], *, at: datetime, by: str, reason: str = "") -> int:
    """Set the signs of what is forgotten; returns how many."""
    signs = [sign for memory in forgotten for sign in _signs(scope, memory)]
    for sign in signs:
        sign.scope, sign.at, sign.by, sign.reason = scope, at, by, reason
    Tombstone.objects.bulk_create(signs, batch_size=2_000)
    return len(signs)


def _signs(scope: int, memory: Buried) -> list[Tombstone]:
    common = {"layer": memory.layer, "node": memory.node}
    found = [
        Tombstone(kind=Kind.LINES, session=session, first=first, last=last, **common)
        for session, first, last in dict.fromkeys(memory.lines)
    ]
    digests = {(Kind.NAME, _name_digest(scope, memory.type, name)) for name in memory.names if name}
    forms = {form for text in memory.texts if text for form in forms_forgotten(text)}
    digests |= {(Kind.TEXT, _form_digest(scope, memory.layer, form)) for form in forms}
    return [*found, *(Tombstone(kind=kind, digest=digest, **common) for kind, digest in sorted(digests))]


class Blocked:
    """What must not come back in a scope, as it stands when this is made: make one for each batch."""

    def __init__(self, scope: int) -> None:
        self._scope = scope
        self._digests: set[bytes] = set()
        spans: dict[tuple[int, UUID], list[Span]] = defaultdict(list)
        self._has_texts = False
        rows = Tombstone.objects.filter(scope=scope, lifted_at=None)
        for digest, layer, session, first, last in rows.values_list("digest", "layer", "session", "first", "last"):
            if digest is not None:
                self._digests.add(bytes(digest))
                self._has_texts |= layer == FRAGMENT
            if session is not None and first is not None and last is not None:
                spans[layer, session].append((first, last))
        self._spans = {key: Spans(found) for key, found in spans.items()}

    def fragment(self, text: str, session: UUID, first: int, last: int) -> bool:
        """Whether a fragment says what was forgotten, or rests on a line that a forgotten one rested on."""
        return self._shared(FRAGMENT, session, first, last) > 0 or self.retold(text)

    def retold(self, *texts: str) -> bool:
        """Whether one of these texts is, or holds among its sentences, a forgotten fragment's."""
        return self._has_texts and any(self.unsaid(text) != text for text in texts)

    def unsaid(self, text: str, speaker: str = "") -> str:
        """What a text says beside forgotten fragments; of a line its `speaker` may have been part of one."""
        if not self._has_texts:
            return text
        if speaker and self._is_forgotten(same_form(f"{speaker}: {text}")):
            return ""
        return unsaid(text, self._is_forgotten)

    def line(self, text: str, speaker: str, session: UUID, index: int) -> str:
        """What a line says beside what was forgotten: nothing where a forgotten fragment rested on it."""
        return "" if self._shared(FRAGMENT, session, index, index) else self.unsaid(text, speaker)

    def _is_forgotten(self, form: str) -> bool:
        return _form_digest(self._scope, FRAGMENT, form) in self._digests

    def event(self, session: UUID, first: int, last: int, *told: str) -> bool:
        """Whether an event has a forgotten one's title or text, or half or more of its lines."""
        if self._digests and any(_text_digest(self._scope, EVENT, text) in self._digests for text in told):
            return True
        return 2 * self._shared(EVENT, session, first, last) >= last - first + 1

    def concept(self, type: str, name: str) -> bool:
        """Whether a concept of this type and name was forgotten."""
        return bool(self._digests) and _name_digest(self._scope, type, name) in self._digests

    def _shared(self, layer: int, session: UUID, first: int, last: int) -> int:
        spans = self._spans.get((layer, session))
        return spans.shared_with(first, last) if spans else 0


def tombstones(binding: Binding, *, limit: int, before: int | None = None) -> list[Tombstone]:
    """What was forgotten in the bound scopes, the latest first, lifted ones too."""
    found = Tombstone.objects.filter(scope__in=binding.scope_ids)
    if before is not None:
        found = found.filter(pk__lt=before)
    return list(found.order_by("-pk")[:limit])


def find_tombstone(binding: Binding, number: int) -> Tombstone:
    """Raises NotFound for a sign that is not in the bound scopes."""
    found = Tombstone.objects.filter(pk=number, scope__in=binding.scope_ids).first()
    if found is None:
        raise NotFound("There is no such tombstone.")
    return found


def lift(act: Act, binding: Binding, number: int, at: datetime) -> Tombstone:
    """Let what was forgotten come back, should it be told again: every sign that was set together for that memory."""
    sign = find_tombstone(binding, number)
    together = Tombstone.objects.filter(scope=sign.scope, node=sign.node, at=sign.at, lifted_at=None)
    count = together.update(lifted_at=at)
    act.record(binding.caller.actor, "tombstone.lift", f"memory:{sign.node}", scope=sign.scope, count=count)
    return find_tombstone(binding, number)


def _text_digest(scope: int, layer: int, text: str) -> bytes:
    return _form_digest(scope, layer, same_form(text))


def _form_digest(scope: int, layer: int, form: str) -> bytes:
    return _digest(scope, f"forgotten text of layer {layer}", form)


def _name_digest(scope: int, type: str, name: str) -> bytes:
    return _digest(scope, "forgotten name", type, same_form(name))


def _digest(scope: int, kind: str, *values: str) -> bytes:
    """Under the Space's key, so that whoever holds the row cannot try texts until one fits."""
    return bytes.fromhex(hashed(scope, kind, *values).removeprefix(HASH_PREFIX))
