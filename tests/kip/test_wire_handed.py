"""The handed acceptance cases, through the wire; and that the player sees a wrong answer."""

from typing import Any

import pytest

from tests.kip.playing import CASES, failures
from tests.kip.wired import Wired

pytestmark = pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not here")


def test_every_handed_step_answers_as_it_should(kip: Wired) -> None:
    assert failures(kip.post) == []


def test_a_server_that_answers_nothing_fails_nearly_every_step() -> None:
    def nothing(_method: str, _params: dict[str, Any]) -> dict[str, Any]:
        return {"result": [], "next_cursor": "x"}

    assert len(failures(nothing)) > 45
