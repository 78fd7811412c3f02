"""Rewriting CONTEXT on its page, and its history."""

from domains.reading import context_of
from tests.domains.together import CONTEXT, Together
from tests.domains.walking import VALUE, walker, with_key
from tests.pages.reading import page_of

LONG = "# Shared\n\n" + "".join(f"Rule {number} holds everywhere.\n" for number in range(20))


def test_a_rewrite_makes_a_revision_and_goes_to_the_disk(together: Together):
    here = walker(together, "teammate")
    assert here.look("/context").fields["base"] == "1"
    assert here.rewrite(LONG.replace("\n", "\r\n"), note="agreed").status_code == 302
    assert together.read(CONTEXT) == LONG
    found = context_of(together.domain)
    assert (found.number, found.note, found.source) == (2, "agreed", "page")


def test_a_stale_edit_shows_both_texts_and_what_differs(together: Together):
    here = walker(together, "teammate")
    here.rewrite("# Shared\n\nMoney is kept in cents.")
    answer = walker(together, "owner").rewrite("# Shared\n\nMoney is kept in euros.", note="mine")
    page = page_of(answer)
    assert page.status == 412
    assert "Teammate wrote revision 2" in page.text
    assert "<del>cents</del>" in page.html
    assert "<ins>euros</ins>" in page.html
    assert (page.fields["base"], page.fields["note"]) == ("2", "mine")
    assert "Money is kept in euros.\n</textarea>" in page.html
    assert context_of(together.domain).text == "# Shared\n\nMoney is kept in cents.\n"
    assert walker(together, "owner").rewrite("# Shared\n\nMoney is kept in euros.", base=2).status_code == 302


def test_dropping_more_than_half_is_asked_on_a_page_of_its_own(together: Together):
    here = walker(together, "teammate")
    here.rewrite(LONG)
    page = page_of(here.rewrite("# Shared\n", base=2, note="shorter"))
    assert page.status == 409
    assert "More than half would go" in page.text
    assert context_of(together.domain).number == 2
    fields = {name: page.fields[name] for name in ("base", "note", "confirm")}
    assert here.send("/context", text="# Shared\n", **fields).status_code == 302
    assert (context_of(together.domain).text, context_of(together.domain).note) == ("# Shared\n", "shorter")


def test_a_confirmation_does_not_reach_past_a_newer_revision(together: Together):
    here = walker(together, "teammate")
    here.rewrite(LONG)
    walker(together, "owner").rewrite(f"{LONG}One more.\n", base=2)
    assert here.rewrite("# Shared\n", base=2, confirm="1").status_code == 412


def test_a_credential_is_refused_with_its_line_and_without_itself(together: Together):
    with_key(together)
    here = walker(together, "teammate")
    page = page_of(here.rewrite(f"# Shared\n\nThe payer’s is {VALUE} today.\n"))
    assert page.status == 400
    assert "line 3 has a value of KEYS.md" in page.text
    assert context_of(together.domain).number == 1


def test_a_text_beyond_the_limit_is_refused_and_kept_in_the_form(together: Together):
    page = page_of(walker(together, "teammate").rewrite("word " * 4_000))
    assert page.status == 413
    assert "must have 16,384 bytes or fewer" in page.text.lower()
    assert "word word" in page.html


def test_the_same_text_makes_no_revision(together: Together):
    here = walker(together, "teammate")
    here.rewrite(context_of(together.domain).text)
    assert context_of(together.domain).number == 1
    assert "Nothing differed." in here.look().text


def test_a_base_that_never_was_is_refused(together: Together):
    here = walker(together, "teammate")
    for base in (77, 0, 2**31):
        assert here.rewrite("# Other", base=base).status_code == 400
    assert here.send("/context", text="# Other").status_code == 400


def test_the_history_has_author_time_and_note_and_compares_two(together: Together):
    here = walker(together, "teammate")
    here.rewrite("# Shared\n\nBatches of 800.", note="first batch")
    walker(together, "owner").rewrite("# Shared\n\nBatches of 500.", base=2)
    together.write(CONTEXT, "# Shared\n\nBatches of 400.\n")
    together.settle()
    rows = here.look("/revisions").rows[1:]
    assert [row[0] for row in rows] == ["4", "3", "2", "1"]
    assert [rows[0][2], rows[0][3]] == ["on disk", "on disk"]
    assert [rows[2][2], rows[2][4]] == ["Teammate", "first batch"]
    page = here.look("/revisions/difference", earlier=2, later=4)
    assert "<del>800</del>" in page.html
    assert "<ins>400</ins>" in page.html
    assert "Batches of 500." in here.look("/revisions/3").text
    assert [row[0] for row in here.look("/revisions", before=2).rows[1:]] == ["1"]
    for path in ("/revisions/9", "/revisions/0", f"/revisions/{2**40}"):
        assert here.look(path).status == 404
    assert here.look("/revisions/difference", earlier=1, later=2**40).status == 400
