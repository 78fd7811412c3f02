"""LOG as a timeline: filters, pages, adding, following."""

import re
from datetime import timedelta

from common.times import now
from domains.models import LogLine
from tests.domains.together import LOG, Together
from tests.domains.walking import VALUE, walker, with_key
from tests.pages.reading import Page, page_of


def changes(page: Page) -> list[str]:
    return re.findall(r'<p class="said">([^<]*)</p>', page.html)


def filled(together: Together):
    here = walker(together, "teammate")
    here.add("one", "2026-01-05")
    here.add("two", "2026-02-05", "beta")
    here.add("three", "2026-03-05")
    return here


def test_lines_are_the_newest_first_and_filtered_by_what_the_address_says(together: Together):
    here = filled(together)
    assert changes(here.look("/log")) == ["three", "two", "one"]
    assert changes(here.look("/log", project="alpha")) == ["three", "one"]
    assert changes(here.look("/log", **{"from": "2026-02-05", "to": "2026-02-05"})) == ["two"]
    assert changes(here.look("/log", **{"project": "", "from": "2026-02-01", "to": ""})) == ["three", "two"]
    assert changes(here.look("/log", to="2026-01-31", project="beta")) == []
    assert "No line here" in here.look("/log", to="2026-01-31", project="beta").text
    chips = here.look("/log", project="alpha", to="2026-02-01").links
    assert chips["project alpha"] == "?to=2026-02-01"


def test_filters_that_say_nothing_sensible_are_refused(together: Together):
    here = filled(together)
    for query in ({"from": "yesterday"}, {"to": "2026-02-30"}, {"before": "0"}, {"sort": "x"}, {"project": "x" * 49}):
        assert here.look("/log", **query).status == 400, query
    assert here.look("/log", **{"from": "2026-02-02", "to": "2026-02-01"}).status == 400


def test_a_long_log_has_pages(together: Together):
    LogLine.objects.bulk_create(
        LogLine(
            domain=together.domain, number=number, day="2026-01-05", project="alpha", change=f"change {number}",
            member_id=together.alpha.pk, source="disk", actor_kind="disk", actor_id="", at="2026-01-05T00:00:00Z",
        )
        for number in range(1, 121)
    )  # fmt: skip
    here = walker(together, "teammate")
    page = here.look("/log", project="alpha")
    assert (changes(page)[0], len(changes(page))) == ("change 120", 100)
    assert page.links["Older lines"] == "?project=alpha&before=21"
    older = here.look("/log", project="alpha", before=21)
    assert (changes(older)[0], len(changes(older))) == ("change 20", 20)
    assert "data-follow=" not in older.html


def test_a_line_is_added_and_goes_to_the_disk(together: Together):
    here = walker(together, "teammate")
    assert here.add("batch limit is 500", "2026-01-05", "beta").status_code == 302
    assert together.read(LOG) == "2026-01-05 · beta · batch limit is 500\n"


def test_what_log_does_not_take_is_said_at_its_field(together: Together):
    with_key(together)
    here = walker(together, "teammate")
    ahead = (now() + timedelta(days=3)).date().isoformat()
    for sent, words in (
        ({"change": "x", "day": ahead}, "Must not lie in the future."),
        ({"change": f"it is {VALUE} now"}, "belong into KEYS.md"),
        ({"change": "two\nlines"}, "Must be one line."),
        ({"change": " x"}, "Must begin and end with a visible character."),
        ({"change": "x", "project": "gamma"}, "Select a valid choice"),
        ({"change": "x", "day": "2026-02-30"}, "Enter a valid date."),
    ):
        page = page_of(here.add(**sent))
        assert page.status == 400
        assert words in page.text, sent
    assert not LogLine.objects.exists()


def test_a_project_of_another_space_is_not_written_for(together: Together):
    boss = walker(together, "boss")
    sent = {"name": "Shared", "members": [together.alpha.pk, together.gamma.pk], "crosses": "on"}
    assert boss.send("/members", **sent).status_code == 302
    here = walker(together, "teammate")
    assert here.add("x", project="gamma").status_code == 400
    assert '<option value="gamma"' not in here.look("/log").html


def test_the_page_says_where_new_lines_are_and_the_answer_there_has_them(together: Together):
    here = filled(together)
    page = here.look("/log", project="alpha")
    address, last = re.findall(r'data-follow="([^"]+)"\s+data-last="(\d+)"', page.html)[0]
    here.add("four", "2026-03-06")
    here.add("five", "2026-03-06", "beta")
    answer = here.client.get(address, {"after": last}).json()
    assert address == "/api/v1/domains/shared/log?project=alpha"
    assert 'role="status"' in page.html
    assert [line["change"] for line in here.client.get(f"{address}&after={last}").json()["lines"]] == ["four"]
    assert answer["lines"]
    assert "data-follow=" not in here.look("/log", to="2026-02-01").html
