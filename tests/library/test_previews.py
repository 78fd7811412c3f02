"""Tables and differences as they are made of texts."""

from hypothesis import given
from hypothesis import strategies as st

from library.rules.difference import MOST_LINES, Piece, difference
from library.rules.media import opens_in_browser, way_to_show
from library.rules.tables import MOST_COLUMNS, MOST_ROWS, separated, sheets

LINES = st.lists(st.sampled_from(["a", "b b", "c", "the third day", "the fifth day", ""]), max_size=30).map("\n".join)


def test_the_delimiter_is_what_the_first_line_has_most_of():
    assert separated("a;b,c;d\n1;2;3").rows == [["a", "b,c", "d"], ["1", "2", "3"]]
    assert separated('a,b\n"1,5","two\nlines"').rows == [["a", "b"], ["1,5", "two\nlines"]]


def test_a_table_ends_at_its_limits_and_says_so():
    assert separated("x\n" * MOST_ROWS).is_cut is False
    long, wide = separated("x\n" * (MOST_ROWS + 1)), separated("x," * (MOST_COLUMNS + 1))
    assert (len(long.rows), long.is_cut, len(wide.rows[0]), wide.is_cut) == (MOST_ROWS, True, MOST_COLUMNS, True)


def test_sheets_have_their_names():
    assert [(table.title, table.rows) for table in sheets("\fPrices\nItem\tPrice\nBolt\n\fEmpty\n")] == [
        ("Prices", [["Item", "Price"], ["Bolt", ""]]),
        ("Empty", []),
    ]


@given(st.text(max_size=300))
def test_any_text_is_a_table_of_even_rows(text: str):
    table = separated(text)
    assert len({len(row) for row in table.rows}) <= 1


def test_a_line_that_changed_shows_which_words_did():
    found = difference("# Closing\nthe 3rd day\n", "# Closing\nthe 5th day\nagreed\n")
    assert found is not None
    assert [(line.kind, line.number) for line in found.earlier] == [("same", 1), ("cut", 2)]
    assert [(line.kind, line.number) for line in found.later] == [("same", 1), ("add", 2), ("add", 3)]
    assert found.later[1].pieces == (Piece("the "), Piece("5th", is_changed=True), Piece(" day"))


def test_lines_far_from_a_change_are_left_out():
    text = "\n".join(map(str, range(100)))
    found = difference(text, text.replace("50", "fifty"))
    assert found is not None
    assert [line.kind for line in found.later] == ["gap", *["same"] * 3, "add", *["same"] * 3]
    assert found.later[0].pieces == (Piece("from line 48"),)


def test_texts_that_are_too_long_are_not_compared():
    assert difference("x\n" * MOST_LINES, "y") is not None
    assert difference("x\n" * (MOST_LINES + 1), "y") is None


@given(LINES, LINES)
def test_what_was_cut_and_added_turns_one_text_into_the_other(earlier: str, later: str):
    found = difference(earlier, later)
    assert found is not None
    assert found.is_none == (earlier.splitlines() == later.splitlines())
    for lines, text in ((found.earlier, earlier.splitlines()), (found.later, later.splitlines())):
        assert all("".join(p.text for p in line.pieces) == text[line.number - 1] for line in lines if line.number)


def test_only_pictures_and_pdf_open_in_the_browser():
    assert opens_in_browser("image/png")
    assert opens_in_browser("application/pdf")
    for media_type in ("text/plain", "text/html", "image/svg+xml", "application/xhtml+xml", "application/octet-stream"):
        assert not opens_in_browser(media_type)


def test_a_text_is_shown_by_its_name_and_the_rest_by_its_type():
    shown = {
        "a.MD": "markdown",
        "a.csv": "separated",
        "a.svg": "text",
        "a": "text",
    }
    assert {name: way_to_show(name, "text/plain", has_text=True) for name in shown} == shown
    assert way_to_show("a.md", "image/png", has_text=False) == "image"
    assert way_to_show("a.csv", "application/zip", has_text=False) == "nothing"
    assert way_to_show("a.docx", "application/x-word", has_text=True) == "words"
