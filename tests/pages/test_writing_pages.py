"""The forms in which a person writes, supersedes and imports facts."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from audit.models import AuditRow
from spaces.databases.entering import entered
from tests.actors import Trio, make_scope
from tests.pages.reading import page_of
from tests.rest.client import Rest, seat, stored

NEW = "/spaces/north/facts/new"
IMPORT = "/spaces/north/facts/import"


def filled(**fields: str) -> dict[str, str]:
    given = {"scope": "shared", "statement": "the door is open", "confidence": "0.9", "source": "human://teammate"}
    return given | fields


def test_a_person_is_the_source_of_what_they_write_unless_they_name_another(teammate: Client, rest: Rest):
    assert page_of(teammate.get(NEW, {"scope": "shared"})).fields["source"] == "human://teammate"


def test_a_written_fact_is_kept_as_the_form_says_and_its_page_follows(teammate: Client, rest: Rest, trio: Trio):
    trio.space.zone = "Europe/Lisbon"
    trio.space.save(update_fields=["zone"])
    parent = rest.written()["@id"]
    form = filled(
        subject="door", predicate="state", object='{"open": true}', decay="0.9/30d", classification="PII",
        validFrom="2026-07-01T10:00", validUntil="2027-01-01T10:00:00Z", observedAt="2026-06-30", retention="P1Y",
        derivedFrom=f" {parent} \n", inference="rule:r", negated="on",
    )  # fmt: skip

    answer = teammate.post(NEW, form)

    assert answer.status_code == 302
    assert "Fact written." in page_of(teammate.get(answer["Location"])).text
    (made,) = rest.listed(subject="door")
    kept = {
        name: made[name] for name in ("statement", "object", "confidence", "source", "decay", "negated", "inference")
    }
    assert kept == {
        "statement": "the door is open", "object": {"open": True}, "confidence": 0.9, "source": "human://teammate",
        "decay": "0.9/30d", "negated": True, "inference": "rule:r",
    }  # fmt: skip
    times = (made["validFrom"], made["validUntil"], made["observedAt"])
    assert times == ("2026-07-01T09:00:00Z", "2027-01-01T10:00:00Z", "2026-06-30T00:00:00Z")
    assert made["derivedFrom"] == [parent]


@pytest.mark.parametrize(
    ("text", "value"), [("24", 24), ("true", True), ("24 places", "24 places"), ('"24"', "24"), ("NaN", "NaN")]
)
def test_an_object_is_json_where_it_can_be_and_text_where_not(teammate: Client, rest: Rest, text: str, value: Any):
    teammate.post(NEW, filled(subject="a", object=text))

    assert rest.listed(subject="a")[0]["object"] == value


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("statement", "", "Is required."),
        ("confidence", "much", "Must be a number between 0 and 1."),
        ("confidence", "1.5", "Must be a number between 0 and 1."),
        ("confidence", "", "Is required."),
        ("source", "nowhere", "Must be an absolute URI"),
        ("decay", "2/30d", "Must have a rate between 0 and 1"),
        ("validFrom", "yesterday", "Must be a date"),
        ("validUntil", "2001-01-01T00:00", "Must be later than validFrom."),
        ("retention", "-P1D", "Must be a duration"),
        ("derivedFrom", "fact:never", "Names fact:never, which is not here."),
        ("derivedFrom", "nothing", "Must begin with fact:"),
        ("classification", "SECRET", "Must be one of PHI"),
        ("object", "a\0b", "Null characters are not allowed."),
    ],
)
def test_a_bad_field_is_refused_at_its_place_and_nothing_is_written(
    teammate: Client, rest: Rest, name: str, value: str, said: str
):
    answer = teammate.post(NEW, filled(**{name: value}))

    assert answer.status_code == 400
    html = answer.content.decode()
    assert f'name="{name}"' in html
    after_field = page_of(answer).html.split(f'name="{name}"', 1)[1].split('class="field"')[0]
    assert said in after_field
    assert rest.listed() == []


def test_what_was_filled_in_stays_when_it_is_refused(teammate: Client, rest: Rest):
    page = page_of(teammate.post(NEW, filled(subject="kept", validUntil="2001-01-01T00:00")))

    assert (page.fields["subject"], page.fields["validUntil"]) == ("kept", "2001-01-01T00:00")


def test_a_form_without_the_secret_of_its_page_is_refused(trio: Trio, rest: Rest):
    client = Client(enforce_csrf_checks=True)
    client.force_login(trio.teammate)

    answer = client.post(NEW, filled())

    assert answer.status_code == 403
    assert "This form is too old to be sent" in page_of(answer).text
    assert rest.listed() == []


def test_superseding_begins_with_the_old_fact_and_leads_to_the_new_one(teammate: Client, rest: Rest):
    old = rest.written(subject="door", predicate="state", object="24", decay="0.9/30d", classification="PII")
    address = f"/spaces/north/facts/{old['@id']}/supersede"

    form = page_of(teammate.get(address, {"scope": "shared"}))
    assert (form.fields["subject"], form.fields["object"], form.fields["decay"]) == ("door", '"24"', "0.9/30d")
    answer = teammate.post(address, filled(subject="door", predicate="state", object="25"))

    page = page_of(teammate.get(answer["Location"]))
    assert "Fact superseded." in page.text
    assert "the door is open" in page.links
    (made,) = rest.listed(subject="door")
    assert (made["supersedes"], made["object"]) == (old["@id"], 25)


def test_a_fact_is_superseded_once_and_the_second_time_is_told_and_on_record(teammate: Client, rest: Rest, trio: Trio):
    old = rest.written()
    address = f"/spaces/north/facts/{old['@id']}/supersede"
    teammate.post(address, filled())

    answer = teammate.post(address, filled(statement="late"))

    assert answer.status_code == 400
    assert "is superseded by" in page_of(answer).text
    assert "Open what superseded it" in page_of(answer).links
    assert [fact["statement"] for fact in rest.listed()] == ["the door is open"]
    with entered(trio.space) as here:
        assert AuditRow.objects.using(here.alias).filter(outcome="refused", object=old["@id"]).exists()


def test_one_writes_to_a_scope_that_one_may_see_and_to_no_other(teammate: Client, trio: Trio, rest: Rest):
    make_scope(trio.space, "owners-own", trio.owner)
    make_scope(trio.space, "second")

    assert teammate.post(NEW, filled(scope="owners-own")).status_code == 404
    assert teammate.post(NEW, filled(scope="*")).status_code == 400
    assert "owners-own" not in page_of(teammate.get(NEW, {"scope": "*"})).text
    assert teammate.post(NEW, filled(scope="second")).status_code == 302


def test_a_fact_that_is_missing_cannot_be_superseded(teammate: Client, rest: Rest):
    assert teammate.get("/spaces/north/facts/fact:never/supersede", {"scope": "shared"}).status_code == 404
    assert teammate.post("/spaces/north/facts/fact:never/supersede", filled()).status_code == 404


def file(name: str, content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def imported(client: Client, *files: SimpleUploadedFile, **fields: str) -> Any:
    return client.post(IMPORT, {"scope": "shared", "uploads": list(files), **fields})


def test_a_folders_files_and_lines_are_imported_and_counted(teammate: Client, rest: Rest):
    lines = b"\n".join(json.dumps(stored(name)).encode() for name in ("a", "b"))
    one = json.dumps(stored("c"), indent=2).encode()

    page = page_of(imported(teammate, file("x.jsonl", lines), file("c.fact.json", one)))

    assert "Imported 3 " in page.text
    assert "Refused 0 none" in page.text
    assert set(rest.ids()) == {"fact:a", "fact:b", "fact:c"}
    names = {fact["@id"]: fact["kndl:file"] for fact in rest.exported()}
    assert names["fact:c"] == "facts/c.fact.json"
    again = page_of(imported(teammate, file("x.jsonl", lines), file("c.fact.json", one)))
    assert "Imported 0 " in again.text
    assert "Unchanged 3 " in again.text


def test_what_is_refused_is_named_by_file_line_and_reason_and_stops_nothing(teammate: Client, rest: Rest):
    first = b"\n".join([json.dumps(stored("a")).encode(), b"{", json.dumps(stored("b", confidence=7)).encode()])
    second = json.dumps(stored("c") | {"tenant": "elsewhere"}).encode()

    page = page_of(
        imported(
            teammate,
            file("broken.fact.json", b"[1"),
            file("first.jsonl", first),
            file("list.fact.json", b"[]"),
            file("second.jsonl", second),
        )
    )

    refused = {(row[0], row[1], row[3]): row[4] for row in page.rows[1:]}
    assert refused.keys() == {
        ("broken.fact.json", "", ""),
        ("list.fact.json", "", ""),
        ("first.jsonl", "2", ""),
        ("first.jsonl", "3", "confidence"),
        ("second.jsonl", "1", "tenant"),
    }
    assert refused["list.fact.json", "", ""] == "The file does not hold a JSON object."
    assert rest.ids() == ["fact:a"]
    assert "Imported 1 " in page_of(imported(teammate, file("second.jsonl", second), as_scope="on")).text


def test_an_import_without_a_file_says_so(teammate: Client, rest: Rest):
    answer = imported(teammate)

    assert answer.status_code == 400
    assert "Choose one file or more." in page_of(answer).text


def test_an_overlong_line_is_refused_and_the_next_one_is_taken(teammate: Client, rest: Rest):
    long = json.dumps(stored("long", **{"x:much": "y" * 300_000})).encode()
    page = page_of(imported(teammate, file("x.jsonl", long + b"\n" + json.dumps(stored("b")).encode())))

    assert rest.ids() == ["fact:b"]
    assert [row[:2] for row in page.rows[1:]] == [["x.jsonl", "1"]]


def test_facts_are_imported_into_the_scope_that_was_chosen(teammate: Client, trio: Trio, rest: Rest):
    second = make_scope(trio.space, "second")

    imported(teammate, file("a.jsonl", json.dumps(stored("a")).encode()), scope="second")

    assert rest.ids() == []
    assert seat(trio.space, scope=second).ids() == ["fact:a"]
