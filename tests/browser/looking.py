"""How a page looks in both themes and two widths: what axe finds, what sticks out, and pictures where asked for."""

import os

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import SCREENSHOTS, THEMES, WIDTHS, Watched

# Pictures take a third of the time: `make screenshots` asks for them.
PICTURES = "SCREENSHOTS" in os.environ


def faults_of(tab: Watched, title: str) -> list[str]:
    """What axe finds in either theme, and what sticks out sideways in either width; pictures, where asked for."""
    page, found = tab.page, []
    for theme in THEMES:
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        for name, width in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": 900})
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if wide > 0:
                found.append(f"{name}: sticks out by {wide} px")
            picture(page, f"{title}-{theme}-{name}")
        found += [f"{theme}: {fault}" for fault in _axe(page)]
    return found


def picture(page: Page, title: str) -> None:
    """Keep a picture of the whole page, where pictures are asked for."""
    if PICTURES:
        page.screenshot(path=SCREENSHOTS / f"{title}.png", full_page=True)


def _axe(page: Page) -> list[str]:
    return [
        f"axe {fault['id']}: {node['target']} {' '.join(node['failureSummary'].split())}"
        for fault in Axe().run(page).response["violations"]
        for node in fault["nodes"]
    ]
