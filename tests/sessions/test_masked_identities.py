"""Secrets in the names of sessions, and a few short ones in lines."""

import pytest

from memory.sessions.masking import mask
from tests.rest.client import Rest

KEY = "AKIA" + "IOSFODNN7EXAMPLE"


def test_a_client_id_that_holds_a_secret_is_refused(rest: Rest):
    answer = rest.post("sessions", {"client_id": f"key {KEY}"})
    assert answer.status_code == 400
    assert answer.json()["errors"] == [{"field": "client_id", "detail": "looks like a secret"}]
    assert KEY not in answer.content.decode()


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("card 4111 1111 1111 1111 CVV 123", "card [secret: card number] CVV [secret: card code]"),
        ("amex 378282246310005, cvc: 7345", "amex [secret: card number], cvc: [secret: card code]"),
        ("-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY----- so", "[secret: private key] so"),
    ],
)
def test_cards_and_short_private_keys_are_masked(text: str, masked: str):
    assert mask(text).text == masked
    assert mask(masked).text == masked


@pytest.mark.parametrize(
    "text",
    [
        "card order 4111 1111 1111 1112",
        "parcel 4111111111111111",
        "the CVV field has 3 digits",
        "It begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.",
    ],
)
def test_other_numbers_and_talk_of_keys_are_not(text: str):
    assert mask(text).text == text
