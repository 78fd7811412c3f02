"""Every page in both themes and two widths: axe finds nothing, nothing sticks out sideways, and a picture is kept."""

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext

from tests.browser.conftest import SCREENSHOTS, THEMES, WIDTHS, Watched
from tests.instances import Instance

pytestmark = pytest.mark.browser

FACT = "/spaces/demo/facts/fact:harrow-street:closes-on-3?scope=shared"
ALL = "include_superseded=true&include_expired=true"
PAGES = {
    "home": "/spaces/demo/",
    "facts": "/spaces/demo/facts?scope=shared&limit=12",
    "facts-filtered": f"/spaces/demo/facts?scope=*&{ALL}&subject=clinic:harrow-street",
    "facts-refused": "/spaces/demo/facts?scope=shared&band=great",
    "facts-nothing": "/spaces/demo/facts?scope=shared&text=nowhere",
    "fact": FACT,
    "fact-superseded": FACT.replace("closes-on-3", "closes-on-1"),
    "fact-not-yet-valid": FACT.replace("harrow-street:closes-on-3", "mill-lane:price-list"),
    "provenance": FACT.replace("?", "/provenance?"),
    "derived": FACT.replace("?", "/derived?"),
    "difference": "/spaces/demo/facts/difference?scope=shared",
    "contradictions": "/spaces/demo/contradictions?scope=shared",
    "contradiction-decisions": "/spaces/demo/contradictions/decisions?scope=shared",
    "fading": "/spaces/demo/fading?scope=shared&within=90",
    "rules": "/spaces/demo/rules?scope=shared",
    "retention": "/spaces/demo/retention?scope=shared",
    "write-fact": "/spaces/demo/facts/new?scope=shared",
    "supersede": FACT.replace("?", "/supersede?"),
    "import": "/spaces/demo/facts/import?scope=shared",
    "seats": "/spaces/demo/seats",
    "people": "/spaces/demo/people",
    "new-space": "/spaces/new",
    "second-factor": "/accounts/2fa/",
    "reference": "/api/v1/",
    "problems": "/problems/",
    "problem": "/problems/narrow_first",
    "error-404": "/spaces/demo/nothing",
}
REFUSED = {"facts-refused": "status of 400", "error-404": "status of 404"}


@pytest.fixture(params=[(theme, width) for theme in THEMES for width in WIDTHS], ids=lambda param: "-".join(param))
def view(
    request: pytest.FixtureRequest, browser: Browser, signed_in, up: Instance
) -> Iterator[tuple[str, BrowserContext]]:
    """A window of one width in one theme, with the end of the pictures' names."""
    theme, width = request.param
    context = browser.new_context(
        storage_state=signed_in,
        viewport={"width": WIDTHS[width], "height": 900},
        color_scheme=theme,
        reduced_motion="reduce",
        locale="en-GB",
    )
    context.set_default_timeout(10_000)
    yield f"{theme}-{width}", context
    context.close()


def test_every_page_is_clean(view: tuple[str, BrowserContext], up: Instance):
    name, context = view
    found: dict[str, list[str]] = {}
    for title, address in PAGES.items():
        tab = Watched(context.new_page(), up.url)
        tab.watch()
        tab.expect(REFUSED.get(title, "^$"))
        tab.page.goto(up.url + address)
        faults = [*tab.unexpected(), *_faults(tab)]
        tab.page.screenshot(path=SCREENSHOTS / f"{title}-{name}.png", full_page=True)
        tab.page.close()
        if faults:
            found[title] = faults
    assert found == {}


def test_the_pages_before_sign_in_are_clean(browser: Browser, up: Instance):
    found: dict[str, list[str]] = {}
    for theme in THEMES:
        for name, width in WIDTHS.items():
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
            for title, address in (("sign-in", "/accounts/login/"), ("join-not-good", "/join/nothing")):
                tab = Watched(context.new_page(), up.url)
                tab.watch()
                tab.expect("status of 404")
                tab.page.goto(up.url + address)
                faults = [*tab.unexpected(), *_faults(tab)]
                tab.page.screenshot(path=SCREENSHOTS / f"{title}-{theme}-{name}.png", full_page=True)
                if faults:
                    found[f"{title}-{theme}-{name}"] = faults
            context.close()
    assert found == {}


def _faults(tab: Watched) -> list[str]:
    """What axe finds, and what sticks out of the window sideways."""
    page = tab.page
    results = Axe().run(page)
    found = [
        f"axe {fault['id']}: {node['target']} {' '.join(node['failureSummary'].split())}"
        for fault in results.response["violations"]
        for node in fault["nodes"]
    ]
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    if wide > 0:
        found.append(f"sticks out by {wide} px")
    return found
