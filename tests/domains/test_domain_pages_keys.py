"""KEYS on pages: masked, revealed one at a time with proof and on record, and nowhere else."""

from django.contrib.sessions.models import Session

from audit.models import AuditRow
from domains.reading import keys_of
from tests.domains.together import KEYS, Together
from tests.domains.walking import PAGES, READS, SHARED, VALUE, walker, with_key
from tests.pages.reading import page_of

REVEAL = "/keys/PAYER/reveal"


def revealed() -> list[AuditRow]:
    return list(AuditRow.objects.using("default").filter(act="domain.key_reveal"))


def test_a_value_is_shown_once_after_proof_and_that_is_on_record(together: Together):
    with_key(together)
    here = walker(together, "teammate")
    page = here.look(REVEAL)
    assert VALUE not in page.html
    assert revealed() == []
    answer = here.send(REVEAL)
    assert VALUE in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
    (row,) = revealed()
    assert VALUE not in str(vars(row))
    assert VALUE not in here.look(REVEAL).html


def test_without_recent_proof_nothing_is_shown(together: Together):
    with_key(together)
    late = walker(together, "teammate", confirmed=False)
    assert "/accounts/reauthenticate/" in late.client.get(f"{SHARED}{REVEAL}")["Location"]
    answer = late.send(REVEAL)
    assert answer.status_code == 302
    assert VALUE not in answer.content.decode()
    assert revealed() == []


def test_a_value_is_on_no_other_page(together: Together):
    with_key(together)
    here = walker(together, "boss")
    here.send(REVEAL)
    paths = [*READS, "/context", "/members", "/retire", "/evidence", "/keys/set", "/keys/PAYER/delete", REVEAL]
    for path in paths:
        assert VALUE not in here.client.get(f"{SHARED}{path}").content.decode(), path
    assert VALUE not in here.client.get(PAGES).content.decode()
    assert not [one for one in Session.objects.all() if VALUE in str(one.get_decoded())]


def test_a_key_is_set_and_deleted_by_who_keeps_them(together: Together):
    here = walker(together, "owner")
    assert here.send("/keys/set", name="PAYER", value=VALUE).status_code == 302
    assert together.read(KEYS) == f"PAYER={VALUE}\n"
    assert here.send("/keys/set", name="PAYER", value="other value").status_code == 302
    assert together.read(KEYS) == "PAYER=other value\n"
    assert "Delete PAYER?" in here.look("/keys/PAYER/delete").text
    assert here.send("/keys/PAYER/delete").status_code == 302
    assert keys_of(together.domain) == []
    assert here.look("/keys/PAYER/delete").status == 404


def test_a_value_that_was_sent_without_proof_is_put_by_nowhere(together: Together):
    late = walker(together, "owner", confirmed=False)
    answer = late.send("/keys/set", name="PAYER", value=VALUE)
    assert answer.status_code == 403
    assert VALUE not in answer.content.decode()
    assert not [one for one in Session.objects.all() if VALUE in str(one.get_decoded())]
    assert keys_of(together.domain) == []


def test_a_refused_value_does_not_come_back_in_the_form(together: Together):
    here = walker(together, "owner")
    for sent in ({"name": "1 bad", "value": VALUE}, {"name": "PAYER", "value": f" {VALUE}"}, {"value": VALUE}):
        page = page_of(here.send("/keys/set", **sent))
        assert page.status == 400
        assert VALUE not in page.html
    assert keys_of(together.domain) == []


def test_keys_that_are_not_there_answer_404(together: Together):
    here = walker(together, "owner")
    for name in ("GONE", "%00", "a%20b", "%F0%9F%98%80"):
        assert here.look(f"/keys/{name}/reveal").status == 404, name
        assert here.send(f"/keys/{name}/delete").status_code == 404, name
