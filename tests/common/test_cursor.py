import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.cursor import decode, encode
from common.errors import Invalid

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


@given(st.dictionaries(TEXT, TEXT | st.integers() | st.none(), max_size=5))
def test_a_cursor_gives_its_position_back(position: dict[str, object]):
    cursor = encode(position)

    assert decode(cursor, expect=position.keys()) == position
    assert set(cursor) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "!!",
        "é",
        "A",
        encode({"other": 1}),
        encode({"id": 1, "more": 2}),
        "W10",
        "A" * 20_000,
        encode({"id": 1}) + "\n",
        "\n" * 4 + encode({"id": 1}),
    ],
    ids=range(10),  # a cursor is another one each time it is made
)
def test_a_broken_cursor_or_one_of_another_list_is_refused_by_name(cursor: str):
    with pytest.raises(Invalid) as refusal:
        decode(cursor, expect={"id"})

    assert [error.field for error in refusal.value.errors] == ["cursor"]


@given(st.text())
def test_no_text_at_all_makes_the_decoder_fail_otherwise(cursor: str):
    with pytest.raises(Invalid):
        decode(cursor, expect={"id", "recordedAt"})
