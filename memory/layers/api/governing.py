"""Governing memories over REST. Each act is one function elsewhere, with its audit row."""

from dataclasses import replace
from typing import Annotated, Any, ClassVar

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from audit.models import AuditRow
from audit.recording import Act
from common.rest.query import parsed_query
from common.rest.schema import Problem, query_parameters
from common.strict import StrictModel, VisibleText, validated
from common.times import now
from memory.facts.asking import ScopeQuery
from memory.layers.api.answers import ChangedAnswer, MemoryAnswer, MergeAnswer, ReceiptAnswer
from memory.layers.api.asking import number_of
from memory.layers.api.documents import memory_document
from memory.layers.governing.choosing import ForgetInput, Memories, also_elsewhere, chosen_ids, whole_sessions
from memory.layers.governing.correcting import CorrectionInput, TypeInput, correct, retype
from memory.layers.governing.forgetting import forget, reach_of, receipt_of
from memory.layers.governing.standing import Verb, change_standing
from memory.layers.merging import MergeInput, merge, preview_merge, unmerge
from memory.layers.reading import find_memory
from spaces.access import Binding
from spaces.databases.entering import current_alias
from spaces.rest import SpaceView
from spaces.rest_schema import IDEMPOTENCY_KEY

_PROBLEMS = {
    (404, "application/problem+json"): Problem,
    (409, "application/problem+json"): Problem,
}
_PARAMETERS = [*query_parameters(ScopeQuery), IDEMPOTENCY_KEY]


class ForgetOneInput(StrictModel):
    """Why a memory is forgotten; `preview` tells what would go and changes nothing."""

    reason: Annotated[str, VisibleText(1, 2_000)] | None = None
    preview: bool = False


class BulkInput(StrictModel):
    """One act on several memories."""

    ids: Memories
    act: Verb


class _GoverningView(SpaceView):
    rules: ClassVar[dict[str, str]] = {"POST": "memory:govern"}

    def bound_to_write(self) -> Binding:
        parsed_query(ScopeQuery, self.request.query_params)
        return self.bound(writing=True)


class _StandingView(_GoverningView):
    """One act on one memory; asked again it changes nothing."""

    verb: ClassVar[Verb]

    def post(self, request: Request, space: str, memory_id: str) -> Response:
        binding, number = self.bound_to_write(), number_of(memory_id, "memory")

        def change(act: Act) -> str:
            change_standing(act, binding, self.verb, [number], now())
            return str(number)

        return self.once(200, change, lambda made: _shown(binding, int(made)))


def _described(verb: Verb, says: str) -> Any:
    return extend_schema_view(
        post=extend_schema(
            operation_id=f"memories_{verb}",
            description=says,
            parameters=_PARAMETERS,
            request=None,
            responses={200: MemoryAnswer, **_PROBLEMS},
        )
    )


@_described("pin", "Let a memory's strength stand still; recall goes on to lengthen its τ.")
class PinView(_StandingView):
    verb: ClassVar[Verb] = "pin"


@_described("unpin", "Let a memory fade again, from its present strength on.")
class UnpinView(_StandingView):
    verb: ClassVar[Verb] = "unpin"


@_described("archive", "Take a memory out of recall. It is kept, and can be restored.")
class ArchiveView(_StandingView):
    verb: ClassVar[Verb] = "archive"


@_described(
    "restore", "Bring an archived memory back, at a strength of 0.5 at least so that it does not go again at once."
)
class RestoreView(_StandingView):
    verb: ClassVar[Verb] = "restore"


class BulkStandingView(_GoverningView):
    """One act on several memories."""

    @extend_schema(
        operation_id="memories_bulk",
        parameters=_PARAMETERS,
        request=BulkInput,
        responses={200: ChangedAnswer, **_PROBLEMS},
    )
    def post(self, request: Request, space: str) -> Response:
        """Pin, unpin, archive or restore memories, all of them or none."""
        binding = self.bound_to_write()
        given = validated(BulkInput, self.body())

        def change(act: Act) -> str:
            change_standing(act, binding, given.act, given.ids, now())
            return given.act

        return self.once(200, change, lambda made: {"act": made, "ids": sorted(set(given.ids))})


class CorrectView(_GoverningView):
    """Correcting a memory."""

    @extend_schema(
        operation_id="memories_correct",
        parameters=_PARAMETERS,
        request=CorrectionInput,
        responses={201: MemoryAnswer, (400, "application/problem+json"): Problem, **_PROBLEMS},
    )
    def post(self, request: Request, space: str, memory_id: str) -> Response:
        """Put a memory with other words in this one's place, and answer with it."""
        binding = self.bound_to_write()
        given = validated(CorrectionInput, self.body())
        return self.once(
            201,
            lambda act: str(correct(act, binding, number_of(memory_id, "memory"), given, now())),
            lambda made: _shown(binding, int(made)),
        )


class RetypeView(_GoverningView):
    """Moving a concept to another type."""

    @extend_schema(
        operation_id="memories_retype",
        parameters=_PARAMETERS,
        request=TypeInput,
        responses={200: MemoryAnswer, (422, "application/problem+json"): Problem, **_PROBLEMS},
    )
    def post(self, request: Request, space: str, memory_id: str) -> Response:
        """Say that a concept is of another type."""
        binding, number = self.bound_to_write(), number_of(memory_id, "memory")
        given = validated(TypeInput, self.body())

        def change(act: Act) -> str:
            retype(act, binding, number, given.type, now())
            return str(number)

        return self.once(200, change, lambda made: _shown(binding, int(made)))


class ForgetOneView(_GoverningView):
    """Forgetting one memory."""

    @extend_schema(
        operation_id="memories_forget",
        parameters=_PARAMETERS,
        request=ForgetOneInput,
        responses={200: ReceiptAnswer, **_PROBLEMS},
    )
    def post(self, request: Request, space: str, memory_id: str) -> Response:
        """Forget a memory: it is gone from everywhere, and is not made again from the lines it rested on."""
        binding = self.bound_to_write()
        stated = self.body() if request._request.body else {}
        given = validated(ForgetOneInput, stated)
        return _forgotten(
            self, binding, ForgetInput(ids=[number_of(memory_id, "memory")], reason=given.reason, preview=given.preview)
        )


class ForgetManyView(_GoverningView):
    """Forgetting all that came from somewhere."""

    @extend_schema(
        operation_id="memories_forget_all",
        parameters=_PARAMETERS,
        request=ForgetInput,
        responses={200: ReceiptAnswer, (400, "application/problem+json"): Problem, **_PROBLEMS},
    )
    def post(self, request: Request, space: str) -> Response:
        """Forget memories, or all that came from a session, a source or a person; `preview` tells what would go."""
        return _forgotten(self, self.bound_to_write(), validated(ForgetInput, self.body()))


class MergeView(_GoverningView):
    """Merging memories that say the same."""

    @extend_schema(
        operation_id="memories_merge",
        parameters=_PARAMETERS,
        request=MergeInput,
        responses={200: MergeAnswer, (422, "application/problem+json"): Problem, **_PROBLEMS},
    )
    def post(self, request: Request, space: str) -> Response:
        """Merge memories into one; with `preview`, tell which would stay and how strong it would be."""
        binding = self.bound_to_write()
        given = validated(MergeInput, self.body())
        if given.preview:
            return Response(_planned(binding, given))
        merged = sorted(set(given.ids))

        def show(made: str) -> dict[str, Any]:
            others = [number for number in merged if number != int(made)]
            return {"preview": False, "into": _shown(binding, int(made)), "merged": others}

        return self.once(200, lambda act: str(merge(act, binding, given, now())), show)


class UnmergeView(_GoverningView):
    """Undoing a merge."""

    @extend_schema(
        operation_id="memories_unmerge",
        parameters=_PARAMETERS,
        request=None,
        responses={200: MemoryAnswer, **_PROBLEMS},
    )
    def post(self, request: Request, space: str, memory_id: str) -> Response:
        """Undo the latest merge into this memory, or the one it went away in; answers with the one that had stayed."""
        binding = self.bound_to_write()
        return self.once(
            200,
            lambda act: str(unmerge(act, binding, number_of(memory_id, "memory"), now())),
            lambda made: _shown(binding, int(made)),
        )


def _shown(binding: Binding, number: int) -> dict[str, Any]:
    return memory_document(binding, find_memory(binding, number))


def _planned(binding: Binding, given: MergeInput) -> dict[str, Any]:
    at = now()
    plan = preview_merge(binding, given, at)
    staying = replace(plan.survivor, strength=plan.strength, effective=plan.strength.score)
    return {
        "preview": True,
        "into": memory_document(binding, staying),
        "merged": [memory.id for memory in plan.others],
    }


def _forgotten(view: SpaceView, binding: Binding, given: ForgetInput) -> Response:
    if given.preview:
        reach = reach_of(binding, _there(binding, given))
        return Response({"preview": True, "receipt": None} | receipt_of(reach))

    def write(act: Act) -> str:
        return forget(
            act,
            binding,
            chosen_ids(binding, given),
            now(),
            reason=given.reason,
            more=whole_sessions(binding, given),
            elsewhere=also_elsewhere(binding, given),
        )

    return view.once(200, write, _receipt)


def _there(binding: Binding, given: ForgetInput) -> list[int]:
    """The chosen memories. Raises NotFound when one that was named is not there."""
    ids = chosen_ids(binding, given)
    for number in given.ids or ():
        find_memory(binding, number)
    return ids


def _receipt(number: str) -> dict[str, Any]:
    """The receipt as it stands in the audit."""
    row = AuditRow.objects.using(current_alias()).get(act="memory.forget", object=f"receipt:{number}")
    stated = {name: value for name, value in row.stated.items() if name in ReceiptAnswer.model_fields}
    return {"preview": False, "receipt": number} | stated
