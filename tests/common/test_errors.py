import pytest

from common.errors import Conflict, FieldError, Invalid, KndlError, SpaceUnavailable, Unavailable


def test_an_error_that_names_a_field_reads_as_a_sentence():
    error = Invalid("is required", field="statement")

    assert error.errors == [FieldError("statement", "is required")]
    assert error.detail == "statement is required"
    assert str(Invalid(errors=error.errors)) == "statement is required"


def test_a_whole_sentence_is_left_as_it_is():
    assert Invalid("Name one scope.", field="scope").detail == "Name one scope."


def test_an_error_without_words_says_its_title():
    assert Conflict().detail == Conflict.title


def test_one_instance_can_be_more_exact_than_its_class():
    error = Conflict("Another fact was first.", type="already_superseded", winner="fact:b")

    assert (error.status, error.type, error.extra) == (409, "already_superseded", {"winner": "fact:b"})
    assert Conflict().type == "conflict"


def test_a_lost_space_is_a_kind_of_unavailable():
    assert issubclass(SpaceUnavailable, Unavailable)
    assert (SpaceUnavailable().status, SpaceUnavailable().type) == (503, "space_unavailable")


@pytest.mark.parametrize("kind", KndlError.__subclasses__())
def test_every_error_has_its_own_status_type_and_title(kind: type[KndlError]):
    others = [other for other in KndlError.__subclasses__() if other is not kind]

    assert 400 <= kind.status < 600
    assert kind.type not in {other.type for other in others}
    assert kind.title != KndlError.title
