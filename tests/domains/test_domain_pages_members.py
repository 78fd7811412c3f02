"""Making a domain and choosing its members on pages."""

from domains.models import Domain
from domains.projects import members_of
from tests.domains.together import CONTEXT, Together
from tests.domains.walking import PAGES, walker
from tests.pages.reading import page_of


def test_a_domain_is_made_with_its_members_and_its_directory(together: Together):
    here = walker(together, "boss")
    sent = {"slug": "money-flow", "name": "Money flow", "cross_read": "on", "members": [together.alpha.pk]}
    answer = here.client.post(f"{PAGES}/new", sent)
    assert answer["Location"] == f"{PAGES}/money-flow"
    made = Domain.objects.get(slug="money-flow")
    assert members_of(made) == [together.alpha]
    assert (together.folder.parent / "money-flow" / CONTEXT).exists()
    assert here.client.get(answer["Location"]).status_code == 200


def test_a_domain_without_members_is_found_by_the_owner_of_the_instance_alone(together: Together):
    here = walker(together, "boss")
    assert here.client.post(f"{PAGES}/new", {"slug": "early", "name": "Early"}).status_code == 302
    assert here.client.get(f"{PAGES}/early").status_code == 200
    assert walker(together, "owner").client.get(f"{PAGES}/early").status_code == 404


def test_what_is_wrong_is_said_at_its_field(together: Together):
    here = walker(together, "boss")
    for sent, status, words in (
        ({"slug": "Money Flow", "name": "Money"}, 400, "Must be lower-case letters"),
        ({"slug": "new", "name": "Money"}, 400, "Is the name of a page"),
        ({"slug": "shared", "name": "Money"}, 409, "There is a domain shared already."),
        ({"slug": "money", "name": " "}, 400, "This field is required."),
        ({"slug": "money", "name": "Money", "members": ["x"]}, 400, "Select a valid choice"),
    ):
        page = page_of(here.client.post(f"{PAGES}/new", sent))
        assert page.status == status
        assert words in page.text, sent
    assert Domain.objects.count() == 1


def test_a_crossing_of_spaces_is_confirmed_first(together: Together):
    here = walker(together, "boss")
    sent = {"slug": "wide", "name": "Wide", "members": [together.alpha.pk, together.gamma.pk]}
    page = page_of(here.client.post(f"{PAGES}/new", sent))
    assert page.status == 409
    assert "of several Spaces: elsewhere, north" in page.text
    assert "crosses" in page.fields
    assert not Domain.objects.filter(slug="wide").exists()
    assert here.client.post(f"{PAGES}/new", sent | {"crosses": "on"}).status_code == 302
    assert Domain.objects.get(slug="wide").crosses
    assert walker(together, "stranger").client.get("/spaces/elsewhere/domains/wide").status_code == 200


def test_members_and_name_are_changed_together_or_not_at_all(together: Together):
    here = walker(together, "boss")
    page = here.look("/members")
    assert page.html.count("checked") == 3
    sent = {"name": "Renamed", "members": [together.alpha.pk, together.gamma.pk]}
    assert here.send("/members", **sent).status_code == 409
    together.domain.refresh_from_db()
    assert (together.domain.name, members_of(together.domain)) == ("Shared", [together.alpha, together.beta])
    assert here.send("/members", **sent, crosses="on").status_code == 302
    together.domain.refresh_from_db()
    assert (together.domain.name, together.domain.cross_read) == ("Renamed", False)
    assert members_of(together.domain) == [together.alpha, together.gamma]


def test_a_domain_that_has_no_member_here_any_more_leaves_these_pages(together: Together):
    here = walker(together, "boss")
    answer = here.send("/members", name="Shared", members=[together.gamma.pk])
    assert answer["Location"] == PAGES
    assert here.look().status == 404
