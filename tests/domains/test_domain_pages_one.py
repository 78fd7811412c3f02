"""The list, and one domain with its three files side by side."""

from typing import Any

from domains import siblings
from domains.git import State
from domains.models import Domain, DomainMember, GitState, LogLine
from domains.mounts import mounts_of
from domains.reading import context_of, keys_of
from domains.retiring import finish
from domains.showing_members import member_mounts
from spaces.models import Operation, Project
from tests.domains.together import CONTEXT, KEYS, LOG, Together, folder_in, make_project
from tests.domains.walking import PAGES, SHARED, VALUE, walker, with_key
from tests.pages.reading import page_of

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def test_an_empty_list_teaches_what_a_domain_is(together: Together):
    Domain.objects.update(retired_at="2026-01-05T00:00:00Z")
    assert "ask them for one" in page_of(walker(together, "teammate").client.get(PAGES)).text
    assert "New domain" in page_of(walker(together, "boss").client.get(PAGES)).links


def test_the_list_has_members_the_last_change_and_what_to_look_at(together: Together):
    GitState.objects.update_or_create(
        domain=together.domain, defaults={"state": State.TRACKED, "said": "x", "checked_at": together.domain.made_at}
    )
    together.write(LOG, "")
    together.settle()
    here = walker(together, "owner")
    here.add("first")
    together.write(LOG, "gone\n")
    together.settle()
    here.rewrite("word " * 2_700)
    row = page_of(here.client.get(PAGES)).rows[1]
    assert row[0] == "Shared shared"
    assert row[1] == "alpha, beta"
    assert all(words in row[3] for words in ("KEYS.md in git", "kept aside", "CONTEXT near its limit"))
    assert "kept aside" not in page_of(walker(together, "teammate").client.get(PAGES)).text


def test_the_three_files_are_side_by_side(together: Together):
    with_key(together)
    here = walker(together, "teammate")
    here.rewrite("# Money\n\nCents, **never** floats.\n", note="agreed")
    here.add("rounding is per line")
    page = here.look()
    assert page.status == 200
    assert "Cents, never floats." in page.text
    assert "<strong>never</strong>" in page.html
    assert "revision 2" in page.text
    assert "5 Jan 2026 alpha by Teammate rounding is per line" in page.text
    assert "1 line, only grows" in page.text
    assert "1 key, never in git" in page.text
    assert "PAYER set " in page.text
    assert "masked Reveal…" in page.text
    assert "Last rewrite of CONTEXT" in page.text


def test_members_are_shown_with_what_their_seats_mount(together: Together):
    for name in (".env", "KEYS.md"):
        (folder_in(together.alpha) / name).write_text("A=x\n")
    siblings.refresh(together.domain)
    page = walker(together, "teammate").look()
    row = page.rows[1]
    assert row[0] == "alpha"
    assert row[1] == "/domains/shared from domains/shared"
    assert row[2] == "/siblings/shared/beta from domains/.views/shared/beta"
    assert row[3].startswith("Shown: 0 files, as of ")
    assert "Left out: .env*: 1" in row[3]
    assert all(one in page.html for one in ("<li>.env*: 1</li>", "<li>KEYS.md: 1</li>"))
    assert "engine, chat, scheduled" in page.text


def test_what_the_page_says_is_mounted_is_what_is_mounted(together: Together, settings: Any):
    members = list(DomainMember.objects.filter(domain=together.domain).order_by("project__slug"))
    for row in member_mounts(together.domain, members):
        assert row.own is not None
        shown = [(settings.KNDL.data_dir / one.source, one.target) for one in (row.own, *row.siblings)]
        assert shown == [(mount.source, mount.target) for mount in mounts_of(row.member.project)]


def test_the_map_says_who_can_read_what(together: Together):
    rows = {row[0]: row[1:] for row in walker(together, "teammate").look("/access").rows[1:]}
    assert rows["Seats of north/alpha"][-1] == "beta"
    assert rows["Teammate"][:4] == ["member of north", "writes", "writes", "reveals"]


def test_what_was_found_wrong_stands_above_the_files(together: Together):
    here = walker(together, "owner")
    here.add("first change")
    together.write(LOG, "2026-01-05 · alpha · another change\n")
    together.settle()
    GitState.objects.update_or_create(
        domain=together.domain,
        defaults={"state": State.TRACKED, "said": "Take it out.", "checked_at": together.domain.made_at},
    )
    page = here.look()
    assert "KEYS.md is in git. Take it out." in page.text
    assert "kept aside" in page.text
    assert "kept aside" not in walker(together, "teammate").look().text


def test_those_who_keep_a_domain_see_which_lines_were_changed_but_no_key(together: Together):
    with_key(together)
    here = walker(together, "owner")
    here.add("first change")
    together.write(LOG, f"2026-01-05 · alpha · changed by hand\npassword={VALUE}\n")
    together.settle()
    together.write(CONTEXT, f"# Shared\n\nThe key is {VALUE}\n")
    together.settle()
    together.write(KEYS, b"\xff" + VALUE.encode())
    together.settle()
    listed = here.look("/evidence")
    assert len(listed.rows) >= 4
    assert VALUE not in listed.html
    pages = [page_of(here.client.get(address)) for address in listed.links.values() if "/evidence/" in address]
    assert len(pages) == len(listed.rows) - 1
    assert all(page.status == 200 and VALUE not in page.html for page in pages)
    words = " ".join(page.text for page in pages)
    assert "first change" in words
    assert "changed by hand" in words
    assert "no page shows it" in words
    assert walker(together, "teammate").look("/evidence").status == 403


def test_evidence_asks_for_recent_proof(together: Together):
    here = walker(together, "owner")
    together.write(CONTEXT, "\x01")
    together.settle()
    address = next(one for one in here.look("/evidence").links.values() if "/evidence/" in one)
    late = walker(together, "owner", confirmed=False)
    assert "/accounts/reauthenticate/" in late.client.get(address)["Location"]


def test_hostile_text_is_shown_as_text_in_every_field(together: Together):
    together.trio.teammate.name = HOSTILE
    together.trio.teammate.save()
    Project.objects.filter(pk=together.alpha.pk).update(name=HOSTILE)
    Domain.objects.update(name=HOSTILE)
    here = walker(together, "teammate")
    assert here.rewrite(f"# {HOSTILE}\n\n[x](javascript:alert(1)) {HOSTILE}", note=HOSTILE).status_code == 302
    assert here.add(HOSTILE).status_code == 302
    GitState.objects.update_or_create(
        domain=together.domain,
        defaults={"state": State.TRACKED, "said": HOSTILE, "checked_at": together.domain.made_at},
    )
    boss = walker(together, "boss")
    paths = ["", "/access", "/revisions", "/revisions/2", "/revisions/difference?earlier=1&later=2", "/log", "/context"]
    for path in [*paths, "/members", "/retire", "/keys/set?name=<script>alert(1)</script>"]:
        html = boss.client.get(f"{SHARED}{path}").content.decode()
        assert "<script>alert" not in html, path
        assert "<img" not in html, path
        assert 'href="javascript' not in html, path
    late = here.rewrite(f"<b>{HOSTILE}", base=1).content.decode()
    assert "<script>alert" not in late
    assert "<b>&lt;" not in late
    assert "<script>alert" not in boss.client.get(PAGES).content.decode()
    assert "<script>alert" not in boss.client.get(f"{PAGES}/new").content.decode()


def test_a_retired_domain_is_still_read_and_nothing_of_it_is_offered_to_be_changed(together: Together):
    with_key(together)
    here = walker(together, "boss")
    here.rewrite("# Shared\n\nStill true.")
    here.add("last change")
    assert here.send("/retire").status_code == 302
    page = here.look()
    assert "This domain was retired" in page.text
    assert "Still true." in page.text
    assert "last change" in page.text
    assert not {"Rewrite", "Add a line", "Members…", "Retire…", "Set a key…", "Reveal…"} & page.links.keys()
    assert keys_of(together.domain) == []
    assert here.look("/revisions/2").status == 200
    assert "last change" in here.look("/log").text
    assert "shared" not in " ".join(page_of(here.client.get(PAGES)).links.values())
    assert "Shared" in page_of(here.client.get(PAGES, {"retired": "1"})).links
    assert here.rewrite("# Other", base=2).status_code == 409
    assert here.add("other").status_code == 409
    assert context_of(together.domain).number == 2


def test_retiring_says_what_goes_and_asks_for_recent_proof(together: Together):
    with_key(together)
    page = walker(together, "boss").look("/retire")
    assert "of alpha, beta" in page.text
    assert "1 key, from the disk and from here, for good" in page.text
    late = walker(together, "boss", confirmed=False)
    assert late.send("/retire").status_code == 302
    together.domain.refresh_from_db()
    assert together.domain.retired_at is None
    assert together.read(KEYS)


def test_a_page_asks_the_same_few_questions_however_much_there_is(
    together: Together, django_assert_max_num_queries: Any
):
    with_key(together)
    here = walker(together, "boss")
    here.rewrite("# Shared\n\nTrue.")
    LogLine.objects.bulk_create(
        LogLine(
            domain=together.domain, number=number, day="2026-01-05", project="alpha", change="x",
            member_id=together.alpha.pk, source="page", actor_kind="seat" if number % 2 else "person",
            actor_id=str(together.boss.pk), at="2026-01-05T00:00Z",
        )
        for number in range(1, 131)
    )  # fmt: skip
    chosen = [make_project(together.trio.space, f"p{number}").pk for number in range(12)]
    sent = {"name": "Shared", "cross_read": "on", "members": [together.alpha.pk, *chosen]}
    assert here.client.post(f"{SHARED}/members", sent).status_code == 302
    paths = ["", "/access", "/revisions", "/revisions/2", "/log", "/evidence", "/members"]
    for address in [PAGES, *(f"{SHARED}{path}" for path in paths)]:
        with django_assert_max_num_queries(14):
            assert here.client.get(address).status_code == 200


def test_an_operation_that_was_cut_short_leaves_the_page_readable(together: Together):
    boss = walker(together, "boss")
    assert boss.send("/retire").status_code == 302
    finish(Operation.objects.get(subject=str(together.domain.pk)))
    assert boss.look().status == 200


def test_what_was_changed_on_disk_is_said_so_and_a_field_that_is_needed_is_not_called_optional(together: Together):
    together.write("LOG.md", "2026-01-04 · alpha · rounding is per line\n")
    together.settle()
    here = walker(together, "teammate")
    assert "alpha changed on disk rounding is per line" in here.look().text
    assert "by on disk" not in here.look().text
    assert here.look("/context").text.count("(optional)") == 1
