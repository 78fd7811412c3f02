"""How the OpenAPI description says that seats prove who they are."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class SeatTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """A bearer token; found by drf-spectacular because this module was imported."""

    target_class = "seats.authentication.SeatAuthentication"
    name = "seatToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """The scheme as OpenAPI 3 writes it."""
        return {"type": "http", "scheme": "bearer", "description": "A seat's token, kndl_seat_…"}
