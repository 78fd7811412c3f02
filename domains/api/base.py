"""What the routes of domains share."""

from drf_spectacular.utils import OpenApiParameter

from accounts.confirming import recently_confirmed
from common.errors import Forbidden, Invalid
from domains.rights import Standing, find_domain
from spaces.rest import InstanceView

PROBLEM = "application/problem+json"
IF_MATCH = OpenApiParameter(
    "If-Match", str, OpenApiParameter.HEADER, required=True, description="The ETag of the CONTEXT that was read."
)


class DomainView(InstanceView):
    """A route of one domain, or of all of them; who may do what with it is said in `domains.rights`."""

    def found(self, slug: str) -> Standing:
        """What the caller is to the domain. Raises Hidden where it is not there for them."""
        return find_domain(self.caller, slug)

    def refuse_unconfirmed(self) -> None:
        """Raise Forbidden for a browser whose person has to prove first that it is them."""
        if self.caller.person is not None and not recently_confirmed(self.request._request):
            raise Forbidden("Prove first that it is you, at /accounts/reauthenticate/.", type="confirmation_required")

    def base_revision(self) -> int:
        """The revision that `If-Match` names. Raises Invalid where it is missing or no ETag of CONTEXT."""
        given = self.request.headers.get("If-Match")
        if given is None:
            raise Invalid("is required: send the ETag that was read", field="If-Match")
        bare = given.strip().removeprefix("W/").strip('"')
        if not (bare.isascii() and bare.isdigit() and len(bare) <= 9):
            raise Invalid("must be an ETag of this CONTEXT", field="If-Match")
        return int(bare)
