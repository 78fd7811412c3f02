"""Pages of consents and the admin in Chromium: an owner with a second factor, a patient's facts, the strict policy."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.accounts.factors import code_of
from tests.browser.conftest import OWNER_EMAIL, OWNER_PASSWORD, Watched
from tests.browser.looking import faults_of, picture
from tests.instances import Instance
from tests.phi.patients import SUBJECT, phi
from tests.runtime.asking import Asker

pytestmark = pytest.mark.browser

SPACE = "/api/v1/spaces/demo"


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """A Kndl of its own with the sample Space, and in it what a clinic would write."""
    with Instance(tmp_path_factory.mktemp("clinic") / "data", "--demo") as instance:
        made = instance.run("seat_create", "--space", "demo", "--verbs", "all", "--new-scope")
        write(Asker(instance.port, made.stdout.split()[-1]))
        yield instance


def write(seat: Asker) -> None:
    for name, subject, purposes in (
        ("consent:0412", SUBJECT, ["treatment", "billing"]),
        ("consent:0377", SUBJECT, ["research"]),
        ("consent:0501", "patient:5120", ["treatment"]),
    ):
        body = {"id": name, "subject": subject, "purposes": purposes, "granted_by": "human://the-patient"}
        assert seat.ask("POST", f"{SPACE}/consents", body | {"evidence": "form 0412, page 2"}).status == 201
    for number in range(7):
        consent = "consent:0377" if number == 6 else "consent:0412"
        fact = phi(statement=f"finding {number}", predicate=f"p{number}", consent=consent, retention="P10Y")
        assert seat.ask("POST", f"{SPACE}/facts", fact).status == 201
    assert seat.get(f"{SPACE}/facts?purpose=treatment").status == 200
    assert seat.ask("POST", f"{SPACE}/consents/consent:0377/withdraw", {}).status == 200


@pytest.fixture(scope="module")
def owner(clinic: Instance, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cookies of the owner, who has set up an app and has just proved who they are."""
    assert clinic.owner_link
    context = browser.new_context()
    page = context.new_page()
    page.goto(clinic.owner_link)
    page.get_by_label("Name").fill("Mirel Oskander")
    page.get_by_label("E-mail").fill(OWNER_EMAIL)
    page.get_by_label("Password").fill(OWNER_PASSWORD)
    page.get_by_role("button", name="Join").click()
    page.goto(f"{clinic.url}/accounts/2fa/totp/activate/")
    page.get_by_label("Password").fill(OWNER_PASSWORD)
    page.get_by_role("button", name=re.compile("Confirm|Go on|Continue")).click()
    secret = page.locator("code.secret").inner_text()
    page.get_by_label("Code of the app").fill(code_of(secret))
    page.get_by_role("button", name="Switch on").click()
    page.wait_for_url(re.compile("/accounts/2fa/"))
    kept = tmp_path_factory.mktemp("cookies") / "owner.json"
    context.storage_state(path=kept)
    context.close()
    return kept


@pytest.fixture
def context(browser: Browser, owner: Path) -> Iterator[BrowserContext]:
    """A window of the owner's."""
    made = browser.new_context(storage_state=owner, viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    made.set_default_timeout(10_000)
    yield made
    made.close()


@pytest.fixture
def tab(context: BrowserContext, clinic: Instance) -> Iterator[Watched]:
    watched = Watched(context.new_page(), clinic.url)
    watched.watch()
    yield watched
    assert watched.unexpected() == []


def subject_page(tab: Watched, clinic: Instance) -> str:
    """The address of the patient's page, found as a person finds it."""
    tab.page.goto(f"{clinic.url}/spaces/demo/consents?scope=*")
    tab.page.get_by_role("link", name=SUBJECT).first.click()
    return tab.page.url.removeprefix(clinic.url)


def test_every_page_is_clean(tab: Watched, clinic: Instance, context: BrowserContext):
    subject = subject_page(tab, clinic)
    scope = subject.partition("?")[2]
    pages = {
        "consents": f"/spaces/demo/consents?{scope}",
        "consents-everywhere": "/spaces/demo/consents?scope=*",
        "consent-new": f"/spaces/demo/consents/new?{scope}",
        "consent-narrow": f"/spaces/demo/consents/consent:0412/narrow?{scope}",
        "consent-withdraw": f"/spaces/demo/consents/consent:0412/withdraw?{scope}",
        "phi-subject": subject,
        "break-glass": subject.replace("?", "/break-glass?"),
        "facts-withheld": f"/spaces/demo/facts?{scope}",
        "facts-released": f"/spaces/demo/facts?{scope}&purpose=treatment",
        "phi-subject-released": f"{subject}&purpose=treatment",
        "admin-phi": f"/admin/spaces/demo/phi?{scope}&purpose=",
        "admin-contradictions": "/admin/spaces/demo/contradictions?scope=shared",
        "admin-provenance": "/admin/spaces/demo/facts/fact:harrow-street:closes-on-3/provenance?scope=shared",
    }
    # Django's own pages: our policy holds there, their colours are not ours to judge.
    theirs = {
        "admin": "/admin/",
        "admin-users": "/admin/accounts/user/",
        "admin-audit": "/admin/audit/auditrow/",
        "admin-audit-row": "/admin/audit/auditrow/1/change/",
        "admin-tokens": "/admin/seats/seattoken/",
    }
    found: dict[str, list[str]] = {}
    for title, address in (pages | theirs).items():
        one = Watched(context.new_page(), clinic.url)
        one.watch()
        one.page.goto(clinic.url + address)
        faults = [*(faults_of(one, title) if title in pages else []), *one.unexpected()]
        if title in theirs:
            picture(one.page, title)
        one.page.close()
        if faults:
            found[title] = faults
    assert found == {}


def test_a_purpose_is_stated_in_the_bar_and_releases(tab: Watched, clinic: Instance):
    subject_page(tab, clinic)
    scope = tab.page.url.partition("?")[2]
    tab.page.goto(f"{clinic.url}/spaces/demo/facts?{scope}")
    expect(tab.page.get_by_text("finding 1")).to_have_count(0)
    tab.page.get_by_text("Purpose: none stated").click()
    tab.page.get_by_role("button", name="treatment", exact=True).click()
    expect(tab.page.get_by_role("link", name="finding 1")).to_be_visible()
    tab.page.get_by_text("Purpose: treatment").click()
    tab.page.get_by_role("button", name="none stated").click()
    expect(tab.page.get_by_text("finding 1")).to_have_count(0)


def test_the_glass_is_broken_with_a_reason_and_everybody_who_governs_sees_it(tab: Watched, clinic: Instance):
    tab.page.goto(clinic.url + subject_page(tab, clinic))
    tab.page.get_by_role("link", name="Break glass…").click()
    tab.expect("status of 403")
    tab.page.get_by_role("button", name="Break the glass").click()
    expect(tab.page.get_by_text("Must say in 10 to 2,000 characters why.")).to_be_visible()
    tab.page.get_by_label("Reason").fill("patient unconscious, the clinic asks")
    tab.page.get_by_role("button", name="Break the glass").click()
    expect(tab.page.get_by_text("opened for 30 min, second factor")).to_be_visible()
    tab.page.goto(f"{clinic.url}/spaces/demo/")
    expect(tab.page.get_by_text("Break-glass runs until")).to_be_visible()
    picture(tab.page, "home-break-glass")
    tab.page.goto(clinic.url + subject_page(tab, clinic))
    picture(tab.page, "phi-subject-break-glass")
