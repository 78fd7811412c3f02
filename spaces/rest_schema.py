"""The parameters that every route inside a Space shares, for the OpenAPI description."""

from drf_spectacular.utils import OpenApiParameter

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="A write sent again with the same key within 24 hours is done once and answered again.",
)
