"""The domain of the sample: that each page of domains has something to show, and that it is made once."""

from desk.sample_domains import SLUG, make_sample_domain
from domains.models import Domain
from spaces.models import Membership
from tests.domains.together import Together
from tests.pages.reading import page_of


def test_every_page_of_the_sample_has_something_to_show(together: Together):
    Domain.objects.all().delete()
    make_sample_domain(together.trio.space)
    make_sample_domain(together.trio.space)
    Membership.objects.create(space=together.trio.space, user=together.boss, role="owner")
    client = together.browser("boss").client
    page = page_of(client.get(f"/spaces/north/domains/{SLUG}"))
    for words in (
        "VAT is rounded per line",
        "<del>batch</del>",
        "payer-sandbox",
        "1 finding kept aside",
        "/siblings/money-flow/claims-gateway",
        "data/: 1",
    ):
        assert words in page.html, words
    assert "from 800 to 500" in page_of(client.get(f"/spaces/north/domains/{SLUG}/log")).text
    evidence = page_of(client.get(f"/spaces/north/domains/{SLUG}/evidence"))
    address = next(link for link in evidence.links.values() if "/evidence/" in link)
    assert "<ins>600</ins>" in client.get(address).content.decode()
    assert Domain.objects.count() == 1
