"""Domains and their members."""

from collections.abc import Sequence
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.recording import Act
from common.errors import Unprocessable
from common.rest.query import parsed_query
from common.rest.schema import Problem, query_parameters
from common.strict import validated
from domains import reading, siblings, tasks
from domains.api.answers import DomainAnswer, DomainList, MemberList, domain_shown, members_shown
from domains.api.asking import ChangeInput, DomainInput, DomainListQuery, MemberInput, MembersInput, NoQuery
from domains.api.base import PROBLEM, DomainView
from domains.holding import begin, held
from domains.making import change_domain, make_domain, set_members
from domains.models import Domain
from domains.projects import members_of
from domains.retiring import finish, retire_domain
from domains.rights import require_governing
from spaces.models import Operation, Project
from spaces.rest_schema import IDEMPOTENCY_KEY

_REFUSED = {(code, PROBLEM): Problem for code in (400, 403, 409)}


class DomainsView(DomainView):
    """All domains a caller may know of."""

    rules: ClassVar[dict[str, str]] = {"GET": "domains:look", "POST": "domains:govern"}

    @extend_schema(
        operation_id="domains_list", parameters=query_parameters(DomainListQuery), responses={200: DomainList}
    )
    def get(self, request: Request) -> Response:
        """Domains in force, by name."""
        given = parsed_query(DomainListQuery, request.query_params)
        found = reading.domains_for(self.caller, retired=given.retired)
        return Response({"domains": [domain_shown(domain) for domain in found]})

    @extend_schema(
        operation_id="domains_make",
        parameters=[IDEMPOTENCY_KEY],
        request=DomainInput,
        responses={201: DomainAnswer, **_REFUSED, (422, PROBLEM): Problem},
    )
    def post(self, request: Request) -> Response:
        """Make a domain. The instance's owner alone does that."""
        parsed_query(NoQuery, request.query_params)
        given = validated(DomainInput, self.body())

        def write(act: Act) -> str:
            made = make_domain(
                act,
                self.caller,
                slug=given.slug,
                name=given.name,
                cross_read=given.cross_read,
                members=_projects(given.members),
                crosses=given.crosses,
            )
            return made.slug

        answer = self.once(201, write, _shown)
        domain = Domain.objects.get(slug=answer.data["slug"])
        begin(domain)
        tasks.wake(domain.pk)
        return answer


class OneDomainView(DomainView):
    """One domain."""

    rules: ClassVar[dict[str, str]] = {"GET": "domains:look", "PATCH": "domains:look"}

    @extend_schema(operation_id="domains_read", responses={200: DomainAnswer, (404, PROBLEM): Problem})
    def get(self, request: Request, domain: str) -> Response:
        """One domain."""
        parsed_query(NoQuery, request.query_params)
        return Response(domain_shown(self.found(domain).domain))

    @extend_schema(
        operation_id="domains_change",
        parameters=[IDEMPOTENCY_KEY],
        request=ChangeInput,
        responses={200: DomainAnswer, **_REFUSED, (404, PROBLEM): Problem},
    )
    def patch(self, request: Request, domain: str) -> Response:
        """Give another name, or let the members see each other's folders or not."""
        parsed_query(NoQuery, request.query_params)
        standing = self.found(domain)
        require_governing(self.caller)
        given = validated(ChangeInput, self.body())

        def write(act: Act) -> str:
            change_domain(act, standing, name=given.name, cross_read=given.cross_read)
            return standing.domain.slug

        answer = self.once(200, write, _shown)
        _look_after_views(standing.domain)
        return answer


class MembersView(DomainView):
    """The projects that share a domain."""

    rules: ClassVar[dict[str, str]] = {"GET": "domains:look", "PUT": "domains:look"}

    @extend_schema(operation_id="domains_members", responses={200: MemberList, (404, PROBLEM): Problem})
    def get(self, request: Request, domain: str) -> Response:
        """The members, by their short names."""
        parsed_query(NoQuery, request.query_params)
        return Response(_members_shown(self.found(domain).domain.slug))

    @extend_schema(
        operation_id="domains_set_members",
        parameters=[IDEMPOTENCY_KEY],
        request=MembersInput,
        responses={200: MemberList, **_REFUSED, (404, PROBLEM): Problem, (422, PROBLEM): Problem},
    )
    def put(self, request: Request, domain: str) -> Response:
        """Let exactly these projects share the domain."""
        parsed_query(NoQuery, request.query_params)
        standing = self.found(domain)
        require_governing(self.caller)
        given = validated(MembersInput, self.body())

        def write(act: Act) -> str:
            set_members(act, standing, _projects(given.members), crosses=given.crosses)
            return standing.domain.slug

        answer = self.once(200, write, _members_shown)
        _look_after_views(standing.domain)
        return answer


class RetireView(DomainView):
    """The end of a domain."""

    rules: ClassVar[dict[str, str]] = {"POST": "domains:look"}

    @extend_schema(
        operation_id="domains_retire",
        parameters=[IDEMPOTENCY_KEY],
        request=None,
        responses={200: DomainAnswer, **_REFUSED, (404, PROBLEM): Problem},
    )
    def post(self, request: Request, domain: str) -> Response:
        """Unmount it everywhere and remove its keys; CONTEXT and LOG stay to be read. Asks for recent proof."""
        parsed_query(NoQuery, request.query_params)
        standing = self.found(domain)
        require_governing(self.caller)
        self.refuse_unconfirmed()
        begun: list[Operation] = []

        def write(act: Act) -> str:
            begun[:] = [retire_domain(act, standing)]
            return standing.domain.slug

        with held(standing.domain):
            answer = self.once(200, write, _shown)
        for operation in begun:
            finish(operation)
        return answer


def _shown(slug: str) -> dict[str, Any]:
    return domain_shown(Domain.objects.get(slug=slug))


def _members_shown(slug: str) -> dict[str, Any]:
    domain = Domain.objects.get(slug=slug)
    return {"crosses": domain.crosses, "members": members_shown(members_of(domain))}


def _projects(given: Sequence[MemberInput]) -> list[Project]:
    """The projects that were named. Raises Unprocessable for one that is not there."""
    found = []
    for number, member in enumerate(given):
        project = Project.objects.select_related("space").filter(space__slug=member.space, slug=member.project).first()
        if project is None:
            raise Unprocessable("is no project of that Space", field=f"members.{number}")
        found.append(project)
    return found


def _look_after_views(domain: Domain) -> None:
    """What nobody may see any more goes at once; what is new comes with a worker or the tick."""
    siblings.withdraw(domain)
    tasks.wake(domain.pk)
