"""Every page in both themes and two widths: axe finds nothing, and nothing sticks out sideways."""

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.browser.conftest import WIDTHS, Watched
from tests.browser.looking import faults_of
from tests.instances import Instance

pytestmark = pytest.mark.browser

FACT = "/spaces/demo/facts/fact:harrow-street:closes-on-3?scope=shared"
DOMAIN = "/spaces/demo/domains/money-flow"
ALL = "include_superseded=true&include_expired=true"
SETTINGS = (
    "event_tau=45&fragment_threshold=0.05&event_threshold=0.02&idle_minutes=30&full_lines=200&quiet_seconds=30"
    "&distiller=&review=on&phi_to_model=on"
)
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
    "memory": "/spaces/demo/memory?scope=shared",
    "memory-fragments": "/spaces/demo/memory?scope=shared&layer=1&sort=fading",
    "memory-refused": "/spaces/demo/memory?scope=shared&strength=great",
    "memory-decay": "/spaces/demo/memory/decay?scope=shared",
    "memory-forget": "/spaces/demo/memory/forget?scope=shared",
    "graph": "/spaces/demo/graph?scope=shared",
    "sessions": "/spaces/demo/sessions?scope=shared",
    "import-transcript": "/spaces/demo/sessions/import?scope=shared",
    "rules": "/spaces/demo/rules?scope=shared",
    "retention": "/spaces/demo/retention?scope=shared",
    "write-fact": "/spaces/demo/facts/new?scope=shared",
    "supersede": FACT.replace("?", "/supersede?"),
    "import": "/spaces/demo/facts/import?scope=shared",
    "recall": "/spaces/demo/recall?scope=shared&q=why+were+the+March+statements+re-issued&missing=till",
    "recall-plain": "/spaces/demo/recall?scope=*&q=form+12&ranking=plain",
    "recall-ask": "/spaces/demo/recall?scope=shared",
    "recall-refused": "/spaces/demo/recall?scope=shared&q=x&limit=7",
    "distillation": "/spaces/demo/distillation?scope=shared",
    "distillation-nothing": "/spaces/demo/distillation?scope=shared&state=failed",
    "review": "/spaces/demo/distillation/review?scope=claims-desk",
    "review-nothing": "/spaces/demo/distillation/review?scope=shared",
    "layer-settings": "/spaces/demo/settings/layers",
    "layer-settings-preview": f"/spaces/demo/settings/layers?preview=1&fragment_tau=10&{SETTINGS}",
    "layer-settings-refused": f"/spaces/demo/settings/layers?preview=1&fragment_tau=soon&{SETTINGS}",
    "library": "/spaces/demo/library",
    "library-folder": "/spaces/demo/library?folder=handbook/",
    "library-found": "/spaces/demo/library?q=closing+day",
    "library-nothing": "/spaces/demo/library?q=nowhere",
    "library-refused": "/spaces/demo/library?sort=x",
    "library-revisions": "/spaces/demo/library/revisions",
    "library-deleted": "/spaces/demo/library/deleted",
    "library-prompt": "/spaces/demo/library/prompt",
    "library-limits": "/spaces/demo/library/limits",
    "domains": "/spaces/demo/domains",
    "domain-new": "/spaces/demo/domains/new",
    "domain": DOMAIN,
    "domain-access": f"{DOMAIN}/access",
    "domain-members": f"{DOMAIN}/members",
    "domain-context": f"{DOMAIN}/context",
    "domain-revisions": f"{DOMAIN}/revisions",
    "domain-revision": f"{DOMAIN}/revisions/2",
    "domain-difference": f"{DOMAIN}/revisions/difference?earlier=1&later=2",
    "domain-log": f"{DOMAIN}/log?project=ledger-core",
    "domain-evidence": f"{DOMAIN}/evidence",
    "seats": "/spaces/demo/seats",
    "people": "/spaces/demo/people",
    "new-space": "/spaces/new",
    "second-factor": "/accounts/2fa/",
    "reference": "/api/v1/",
    "problems": "/problems/",
    "problem": "/problems/narrow_first",
    "error-404": "/spaces/demo/nothing",
}
# Pages whose address is known to other pages only: where one begins, and the links that lead on from there.
_FRAGMENTS, _SESSIONS = PAGES["memory-fragments"], PAGES["sessions"]
_FILE = (PAGES["library-folder"], "tbody .lead a")
FOLLOWED: dict[str, tuple[str, ...]] = {
    "one-fragment": (_FRAGMENTS, "tbody .lead a"),
    "one-event": (_FRAGMENTS.replace("layer=1", "layer=2"), "tbody .lead a"),
    "one-concept": (_FRAGMENTS.replace("layer=1&sort=fading", "layer=3"), "tbody .lead a"),
    "correct-memory": (_FRAGMENTS, "tbody .lead a", "a[href*='/correct?']"),
    "merge-memory": (_FRAGMENTS, "tbody .lead a", "a[href*='/merge?']"),
    "session": (_SESSIONS, "tbody .lead a"),
    "session-line": (_SESSIONS, "tbody .lead a", ".lines a.mono"),
    "library-file": _FILE,
    "library-edit": (*_FILE, "a[href$='/edit']"),
    "library-move": (*_FILE, "a[href$='/move']"),
    "library-delete": (*_FILE, "a[href$='/delete']"),
    "library-table": (PAGES["library"], "tbody a[href*='/library/files/']"),
    "distillation-run": (PAGES["distillation"], "tbody .lead a"),
    "distillation-undo": (PAGES["distillation"], "tbody .lead a", "a[href*='/undo?']"),
}
REFUSED = {
    "facts-refused": "status of 400",
    "memory-refused": "status of 400",
    "library-refused": "status of 400",
    "recall-refused": "status of 400",
    "layer-settings-refused": "status of 400",
    "error-404": "status of 404",
}


def test_every_page_is_clean(context: BrowserContext, up: Instance):
    found: dict[str, list[str]] = {}
    for title, (address, *links) in ({title: (address,) for title, address in PAGES.items()} | FOLLOWED).items():
        tab = Watched(context.new_page(), up.url)
        tab.watch()
        tab.expect(REFUSED.get(title, "^$"))
        tab.page.goto(up.url + address)
        for link in links:
            tab.page.goto(up.url + str(tab.page.locator(link).first.get_attribute("href")))
        faults = [*faults_of(tab, title), *tab.unexpected()]
        tab.page.close()
        if faults:
            found[title] = faults
    assert found == {}


def test_the_pages_before_sign_in_are_clean(browser: Browser, up: Instance):
    found: dict[str, list[str]] = {}
    context = browser.new_context(viewport={"width": WIDTHS["wide"], "height": 900}, reduced_motion="reduce")
    for title, address in (("sign-in", "/accounts/login/"), ("join-not-good", "/join/nothing")):
        tab = Watched(context.new_page(), up.url)
        tab.watch()
        tab.expect("status of 404")
        tab.page.goto(up.url + address)
        faults = [*faults_of(tab, title), *tab.unexpected()]
        if faults:
            found[title] = faults
    context.close()
    assert found == {}
